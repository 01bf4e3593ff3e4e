"""published.py: cell models that are short enough to be stated twice, from their papers, with none of the words of ours.

MODELS: name -> (rates, initial state, unit of V in mV, V at 0, its time in ms); rates(y, stimulus) in the paper's own
variables and time, the stimulus in those of dy[0]/dt. model_texts.py compares ours with them."""
import math


def step(condition):
    return 1.0 if condition else 0.0


def bueno_orovio(uu, thv, thw, thvm, tho, tv1, tv2, tvp, tw1, tw2, kw, uw, twp, tfi, to1, to2, ts01, ts02, kso, uso, ts1,
                 ts2, ks, us, tsi, winf, wstar):
    """Bueno-Orovio, Cherry, Fenton 2008, eqs. 1 to 6; the arguments are a column of Table 1"""
    def rates(y, stimulus):
        u, v, w, s = y
        hv, hw, hm, ho = step(u >= thv), step(u >= thw), step(u >= thvm), step(u >= tho)
        jfi = -v * hv * (u - thv) * (uu - u) / tfi
        tso = ts01 + (ts02 - ts01) * (1 + math.tanh(kso * (u - uso))) / 2
        jso = u * (1 - hw) / ((1 - ho) * to1 + ho * to2) + hw / tso
        jsi = -hw * w * s / tsi
        tv = (1 - hm) * tv1 + hm * tv2
        tw = tw1 + (tw2 - tw1) * (1 + math.tanh(kw * (u - uw))) / 2
        limit = (1 - ho) * (1 - u / winf) + ho * wstar
        return [-(jfi + jso + jsi) + stimulus,
                (1 - hv) * ((1 - hm) - v) / tv - hv * v / tvp,
                (1 - hw) * (limit - w) / tw - hw * w / twp,
                ((1 + math.tanh(ks * (u - us))) / 2 - s) / ((1 - hw) * ts1 + hw * ts2)]
    return rates, [0.0, 1.0, 1.0, 0.0], 85.7, -84.0, 1.0


def fenton_karma(g, tr, tsi, t0, tvp, tv1, tv2, twp, twm, uc, uv, ucsi):
    """Fenton, Karma 1998, eqs. 3 to 11; Table I"""
    def rates(y, stimulus):
        u, v, w = y
        p, q = step(u >= uc), step(u >= uv)
        fi = -g * v * p * (1 - u) * (u - uc)
        so = u / t0 * (1 - p) + p / tr
        si = -w / (2 * tsi) * (1 + math.tanh(10 * (u - ucsi)))
        return [-(fi + so + si) + stimulus, (1 - p) * (1 - v) / (q * tv1 + (1 - q) * tv2) - p * v / tvp,
                (1 - p) * (1 - w) / twm - p * w / twp]
    return rates, [0.0, 1.0, 1.0], 100.0, -85.0, 1.0


def aliev_panfilov(y, stimulus):
    u, v = y
    return [-8 * u * (u - 0.15) * (u - 1) - u * v + stimulus,
            (0.002 + 0.2 * v / (u + 0.3)) * (-v - 8 * u * (u - 0.15 - 1))]


def mitchell_schaeffer(y, stimulus):
    v, h = y
    return [h * v * v * (1 - v) / 0.3 - v / 6 + stimulus, (1 - h) / 120 if v < 0.13 else -h / 150]


def corrado_niederer(y, stimulus):
    v, h = y
    return [h * v * (v - 0.13) * (1 - v) / 0.1 - (1 - h) * v / 9 + stimulus, (1 - h) / 100 if v < 0.13 else -h / 120]


def rogers_mcculloch(y, stimulus):
    """u and 125 mV v of eqs. 4 and 5 of Rogers, McCulloch 1994: c1 = 0.26, c2 = 0.1, a = 0.13, b = 0.013, d = 1"""
    u, v = y[0], y[1] / 125
    return [0.26 * u * (u - 0.13) * (1 - u) - 0.1 * u * v + stimulus, 125 * 0.013 * (u - v)]


MODELS = {
    'bueno-orovio-epi': bueno_orovio(1.55, 0.3, 0.13, 0.006, 0.006, 60, 1150, 1.4506, 60, 15, 65, 0.03, 200, 0.11, 400, 6,
                                     30.0181, 0.9957, 2.0458, 0.65, 2.7342, 16, 2.0994, 0.9087, 1.8875, 0.07, 0.94),
    'bueno-orovio-endo': bueno_orovio(1.56, 0.3, 0.13, 0.2, 0.006, 75, 10, 1.4506, 6, 140, 200, 0.016, 280, 0.1, 470, 6,
                                      40, 1.2, 2, 0.65, 2.7342, 2, 2.0994, 0.9087, 2.9013, 0.0273, 0.78),
    'bueno-orovio-m': bueno_orovio(1.61, 0.3, 0.13, 0.1, 0.005, 80, 1.4506, 1.4506, 70, 8, 200, 0.016, 280, 0.078, 410, 7,
                                   91, 0.8, 2.1, 0.6, 2.7342, 4, 2.0994, 0.9087, 3.3849, 0.01, 0.5),
    'bueno-orovio-pb': bueno_orovio(1.45, 0.35, 0.13, 0.175, 0.006, 10, 1150, 1.4506, 140, 6.25, 65, 0.015, 326, 0.105, 400,
                                    6, 30.0181, 0.9957, 2.0458, 0.65, 2.7342, 16, 2.0994, 0.9087, 1.8875, 0.175, 0.9),
    'bueno-orovio-tnnp': bueno_orovio(1.58, 0.3, 0.015, 0.015, 0.006, 60, 1150, 1.4506, 70, 20, 65, 0.03, 280, 0.11, 6, 6,
                                      43, 0.2, 2, 0.65, 2.7342, 3, 2.0994, 0.9087, 2.8723, 0.07, 0.94),
    'fenton-karma-br': fenton_karma(4, 33.33, 29, 12.5, 3.33, 1250, 19.6, 870, 41, 0.13, 0.04, 0.85),
    'fenton-karma-mbr': fenton_karma(4, 50, 44.84, 8.3, 3.33, 1000, 19.2, 667, 11, 0.13, 0.055, 0.85),
    'fenton-karma-mlr': fenton_karma(5.8, 130, 127, 12.5, 10, 18.2, 18.2, 1020, 80, 0.13, 0, 0.85),
    'fenton-karma-gp': fenton_karma(8.7, 25, 22.22, 12.5, 10, 333, 40, 1000, 65, 0.13, 0.025, 0.85),
    'aliev-panfilov-1996': (aliev_panfilov, [0.0, 0.0], 100.0, -80.0, 12.9),
    'mitchell-schaeffer': (mitchell_schaeffer, [0.0, 1.0], 100.0, -80.0, 1.0),
    'modified-mitchell-schaeffer': (corrado_niederer, [0.0, 1.0], 100.0, -80.0, 1.0),
    'fitzhugh-nagumo': (rogers_mcculloch, [0.0, 0.0], 125.0, -85.0, 1.0),
}
