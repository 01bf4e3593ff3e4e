"""plot_models.py PROGRAM [DATA]: the pictures of docs/user/cells.md, by Matplotlib (PyPI).

traces.png: the last of ten beats of ten models at 1 Hz. restitution.png: S1-S2 restitution of two models; with DATA, and Myokit and
SciPy, also by integrations of the independent texts of tests/kernels/model_texts.txt."""
import csv
import pathlib
import subprocess
import sys

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / 'docs/user'
TRACES = {'ventricle': ['tp06-epi', 'ohara-endo', 'tor-ord-endo', 'grandi-epi', 'bueno-orovio-epi', 'luo-rudy-1991'],
          'atrium, sinus node, Purkinje': ['courtemanche-ra', 'maleckar', 'fabbri', 'stewart']}
BEATS = 10
RESTITUTION = {'tp06-epi': 'C0', 'ohara-endo': 'C1'}
S2 = [1000, 800, 650, 550, 480, 430, 390, 360, 340]


def table(program, *words):
    """The columns of what `cardiac cell` writes"""
    done = subprocess.run([program, 'cell', *words], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return list(zip(*list(csv.reader(done.stdout.splitlines()))[1:]))


def traces(program):
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), sharey=True, layout='constrained')
    for ax, (title, names) in zip(axes, TRACES.items()):
        for name in names:
            alone = ['--stimulus', '0 uA/uF'] if name == 'fabbri' else []
            t, v = table(program, name, '--beats', str(BEATS), '--duration', str(1000 * BEATS), '--dt', '0.01', '--every', '0.5',
                         '--variables', 'V', *alone)
            t, v = [float(a) for a in t], [float(a) for a in v]
            start = max(t[k] for k in range(1, len(t)) if v[k - 1] < -20 <= v[k] and t[k] < t[-1] - 800)
            points = [(a - start, b) for a, b in zip(t, v) if -50 <= a - start <= 800]
            ax.plot(*zip(*points), linewidth=1.3, label=name)
        ax.set(title=title, xlabel='t (ms)', xlim=(-50, 800))
        ax.legend(fontsize=8, frameon=False, loc='upper right')
        ax.grid(alpha=0.3)
    axes[0].set_ylabel('V (mV)')
    figure.savefig(PICTURES / 'traces.png', dpi=110)


class Independent:
    """An independent text of a model, paced"""

    def __init__(self, data, name):
        sys.path.insert(0, str(ROOT / 'tests/kernels'))
        from model_texts import cases
        self.case = next(c for _, first, _, c in cases(ROOT / 'kernels/models', data, [name]) if first)
        self.at = self.case.v_at()
        self.strength = 52 / self.case.drive() * self.case.strength

    def go(self, y, time, stimulus, every):
        """y after that time, and t, V on the way"""
        import numpy
        from scipy.integrate import solve_ivp
        atol = [max(abs(a), 1e-3) * 1e-8 for a in y]
        out = solve_ivp(lambda t, x: self.case.their_rates(x.tolist(), stimulus), (0, time), y, 'LSODA',
                        numpy.linspace(0, time, round(time / every) + 1), rtol=1e-6, atol=atol, max_step=5.0)
        return out.y[:, -1], out.t, out.y[self.at]

    def beat(self, y, time):
        """y, t, V after a stimulus of 1 ms"""
        import numpy
        y, t1, v1 = self.go(y, 1, self.strength, 0.02)
        y, t2, v2 = self.go(y, 4, 0, 0.02)
        y, t3, v3 = self.go(y, time - 5, 0, 0.5)
        return y, numpy.concatenate([t1, 1 + t2[1:], 5 + t3[1:]]), numpy.concatenate([v1, v2[1:], v3[1:]])

    @staticmethod
    def potential(t, v, rest):
        """When V rises through 0 mV, and when it has fallen by 90 % of peak - rest"""
        def crossing(k, level):
            return t[k - 1] + (t[k] - t[k - 1]) * (level - v[k - 1]) / (v[k] - v[k - 1])
        level = v.max() - 0.9 * (v.max() - rest)
        up = next(k for k in range(1, len(v)) if v[k - 1] < 0 <= v[k])
        down = next(k for k in range(v.argmax(), len(v)) if v[k] < level)
        return crossing(up, 0), crossing(down, level)

    def restitution(self):
        """DI, APD90 of each S2"""
        y, found = self.case.initial(), []
        for _ in range(BEATS - 1):
            y, _, _ = self.beat(y, 1000)
        _, t, v = self.beat(y, 1000)
        begins, ends = self.potential(t, v, y[self.at])
        for interval in S2:
            state, t, v = self.beat(y, interval)
            rest = v[t > begins].min()
            _, t, v = self.beat(state, 600)
            up, down = self.potential(t, v, rest)
            found.append((interval + up - ends, down - up))
        return found


def restitution(program, data):
    figure, ax = plt.subplots(figsize=(6, 3.6), layout='constrained')
    for name, color in RESTITUTION.items():
        _, di, apd, captured = table(program, name, '--s1', f'{BEATS}x1000ms', '--s2', '1000:320:20ms', '--dt', '0.005')
        points = [(float(a), float(b)) for a, b, yes in zip(di, apd, captured) if yes == 'yes' and a and b]
        ax.plot(*zip(*points), color=color, linewidth=1.3, label=name)
        if data:
            case = Independent(data, name)
            ax.plot(*zip(*case.restitution()), 'o', color=color, markersize=4, label=f'{name}, independent text')
    ax.set(xlabel='DI (ms)', ylabel='APD90 (ms)')
    ax.legend(fontsize=8, frameon=False, loc='lower right')
    ax.grid(alpha=0.3)
    figure.savefig(PICTURES / 'restitution.png', dpi=110)


def main():
    program, *data = sys.argv[1:]
    traces(program)
    restitution(program, data[0] if data else None)


if __name__ == '__main__':
    main()
