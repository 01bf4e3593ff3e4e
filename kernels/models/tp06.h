/* tp06.h: the human ventricular cell of ten Tusscher and Panfilov, 2006: epicardial, endocardial and M cells.
 *
 * Ten Tusscher, Panfilov, Am. J. Physiol. Heart Circ. Physiol. 291:H1088, 2006 (doi
 * 10.1152/ajpheart.00109.2006), on the currents of ten Tusscher, Noble, Noble, Panfilov, Am. J. Physiol.
 * Heart Circ. Physiol. 286:H1573, 2004 (doi 10.1152/ajpheart.00794.2003), with the constants of the authors'
 * published CellML version. V in mV, t in ms, currents in pA/pF, concentrations in mM.
 *
 * Step: gates by their exact exponential with V frozen (Rush and Larsen 1978), free calcium by the exact
 * solution of the fast buffering equilibrium, the rest forward Euler; first order. For speed exponentials of
 * common slope are shared, rates are taken directly instead of time constants, and several quotients share
 * one division; the grouping keeps every product within fp32 for |V| <= 200 mV. */
#ifndef CARDIAC_KERNELS_MODELS_TP06_H
#define CARDIAC_KERNELS_MODELS_TP06_H

/* name, unit, meaning, then the initial values of epi, endo, M */
#define STATES_tp06(NARROW, WIDE)                                                                            \
    NARROW(Xr1, "1", "activation of IKr", 0.00621, 0.00448, 0.0165)                                          \
    NARROW(Xr2, "1", "inactivation of IKr", 0.4712, 0.476, 0.473)                                            \
    NARROW(Xs, "1", "activation of IKs", 0.0095, 0.0087, 0.0174)                                             \
    NARROW(m, "1", "activation of INa", 0.00172, 0.00155, 0.00165)                                           \
    NARROW(h, "1", "fast inactivation of INa", 0.7444, 0.7573, 0.749)                                        \
    NARROW(j, "1", "slow inactivation of INa", 0.7045, 0.7225, 0.6788)                                       \
    NARROW(d, "1", "activation of ICaL", 3.373e-5, 3.164e-5, 3.288e-5)                                       \
    NARROW(f, "1", "slow inactivation of ICaL", 0.7888, 0.8009, 0.7026)                                      \
    NARROW(f2, "1", "fast inactivation of ICaL", 0.9755, 0.9778, 0.9526)                                     \
    NARROW(fCass, "1", "inactivation of ICaL by subspace calcium", 0.9953, 0.9953, 0.9942)                   \
    NARROW(s, "1", "inactivation of Ito", 0.999998, 0.3212, 0.999998)                                        \
    NARROW(r, "1", "activation of Ito", 2.42e-8, 2.235e-8, 2.347e-8)                                         \
    NARROW(Ca_i, "mM", "free calcium in the cytoplasm", 0.000126, 0.00013, 0.000153)                         \
    WIDE(Ca_SR, "mM", "free calcium in the sarcoplasmic reticulum", 3.64, 3.715, 4.272)                      \
    NARROW(Ca_ss, "mM", "free calcium in the dyadic subspace", 0.00036, 0.00036, 0.00042)                    \
    NARROW(R_prime, "1", "closed release channels", 0.9073, 0.9068, 0.8978)                                  \
    WIDE(Na_i, "mM", "sodium in the cytoplasm", 8.604, 10.355, 10.132)                                       \
    WIDE(K_i, "mM", "potassium in the cytoplasm", 136.89, 138.4, 138.52)

/* name, unit, meaning, then the defaults of epi, endo, M */
#define PARAMETERS_tp06(X)                                                                                   \
    X(g_Na, "nS/pF", "maximal conductance of INa", 14.838, 14.838, 14.838)                                   \
    X(g_CaL, "m^3/(F s)", "maximal permeability of ICaL", 3.98e-5, 3.98e-5, 3.98e-5)                         \
    X(g_to, "nS/pF", "maximal conductance of Ito", 0.294, 0.073, 0.294)                                      \
    X(g_Kr, "nS/pF", "maximal conductance of IKr", 0.153, 0.153, 0.153)                                      \
    X(g_Ks, "nS/pF", "maximal conductance of IKs", 0.392, 0.392, 0.098)                                      \
    X(g_K1, "nS/pF", "maximal conductance of IK1", 5.405, 5.405, 5.405)                                      \
    X(g_bNa, "nS/pF", "conductance of background sodium", 0.00029, 0.00029, 0.00029)                         \
    X(g_bCa, "nS/pF", "conductance of background calcium", 0.000592, 0.000592, 0.000592)                     \
    X(g_pCa, "pA/pF", "maximal current of the sarcolemmal calcium pump", 0.1238, 0.1238, 0.1238)             \
    X(K_pCa, "mM", "half saturation of IpCa", 0.0005, 0.0005, 0.0005)                                        \
    X(g_pK, "nS/pF", "maximal conductance of IpK", 0.0146, 0.0146, 0.0146)                                   \
    X(P_NaK, "pA/pF", "maximal current of the sodium-potassium pump", 2.724, 2.724, 2.724)                   \
    X(K_mK, "mM", "half saturation of INaK by potassium", 1, 1, 1)                                           \
    X(K_mNa, "mM", "half saturation of INaK by sodium", 40, 40, 40)                                          \
    X(K_NaCa, "pA/pF", "maximal current of the sodium-calcium exchanger", 1000, 1000, 1000)                  \
    X(K_sat, "1", "saturation of INaCa", 0.1, 0.1, 0.1)                                                      \
    X(alpha, "1", "enhancement of INaCa's outward part", 2.5, 2.5, 2.5)                                      \
    X(gamma, "1", "voltage dependence of INaCa", 0.35, 0.35, 0.35)                                           \
    X(K_mCa, "mM", "half saturation of INaCa by calcium", 1.38, 1.38, 1.38)                                  \
    X(K_mNai, "mM", "half saturation of INaCa by sodium", 87.5, 87.5, 87.5)                                  \
    X(p_KNa, "1", "permeability of IKs to sodium over that to potassium", 0.03, 0.03, 0.03)                  \
    X(Na_o, "mM", "extracellular sodium", 140, 140, 140)                                                     \
    X(K_o, "mM", "extracellular potassium", 5.4, 5.4, 5.4)                                                   \
    X(Ca_o, "mM", "extracellular calcium", 2, 2, 2)                                                          \
    X(V_rel, "1/ms", "maximal rate of release", 0.102, 0.102, 0.102)                                         \
    X(V_xfer, "1/ms", "rate of transfer from subspace to cytoplasm", 0.0038, 0.0038, 0.0038)                 \
    X(V_leak, "1/ms", "rate of leak from the reticulum", 0.00036, 0.00036, 0.00036)                          \
    X(Vmax_up, "mM/ms", "maximal uptake", 0.006375, 0.006375, 0.006375)                                      \
    X(K_up, "mM", "half saturation of uptake", 0.00025, 0.00025, 0.00025)                                    \
    X(k1_prime, "1/(mM^2 ms)", "opening of the release channel", 0.15, 0.15, 0.15)                           \
    X(k2_prime, "1/(mM ms)", "inactivation of the release channel", 0.045, 0.045, 0.045)                     \
    X(k3, "1/ms", "closing of the release channel", 0.06, 0.06, 0.06)                                        \
    X(k4, "1/ms", "recovery of the release channel", 0.005, 0.005, 0.005)                                    \
    X(EC, "mM", "half saturation of release by reticular calcium", 1.5, 1.5, 1.5)                            \
    X(max_sr, "1", "largest factor of release", 2.5, 2.5, 2.5)                                               \
    X(min_sr, "1", "smallest factor of release", 1, 1, 1)                                                    \
    X(Buf_c, "mM", "buffer of the cytoplasm", 0.2, 0.2, 0.2)                                                 \
    X(K_bufc, "mM", "its half saturation", 0.001, 0.001, 0.001)                                              \
    X(Buf_sr, "mM", "buffer of the reticulum", 10, 10, 10)                                                   \
    X(K_bufsr, "mM", "its half saturation", 0.3, 0.3, 0.3)                                                   \
    X(Buf_ss, "mM", "buffer of the subspace", 0.4, 0.4, 0.4)                                                 \
    X(K_bufss, "mM", "its half saturation", 0.00025, 0.00025, 0.00025)                                       \
    X(V_c, "um^3", "volume of the cytoplasm", 16404, 16404, 16404)                                           \
    X(V_sr, "um^3", "volume of the reticulum", 1094, 1094, 1094)                                             \
    X(V_ss, "um^3", "volume of the subspace", 54.68, 54.68, 54.68)                                           \
    X(C_cell, "pF", "capacitance of the cell", 185, 185, 185)                                                \
    X(T, "K", "temperature", 310, 310, 310)

#define CURRENTS_tp06(X)                                                                                     \
    X(Iion, "uA/uF", "total ionic current")                                                                  \
    X(INa, "uA/uF", "fast sodium current")                                                                   \
    X(ICaL, "uA/uF", "L-type calcium current")                                                               \
    X(Ito, "uA/uF", "transient outward current")                                                             \
    X(IKr, "uA/uF", "rapid delayed rectifier")                                                               \
    X(IKs, "uA/uF", "slow delayed rectifier")                                                                \
    X(IK1, "uA/uF", "inward rectifier")                                                                      \
    X(INaCa, "uA/uF", "sodium-calcium exchanger")                                                            \
    X(INaK, "uA/uF", "sodium-potassium pump")                                                                \
    X(IpCa, "uA/uF", "sarcolemmal calcium pump")                                                             \
    X(IpK, "uA/uF", "plateau potassium current")                                                             \
    X(IbNa, "uA/uF", "background sodium current")                                                            \
    X(IbCa, "uA/uF", "background calcium current")                                                           \
    X(Jrel, "mM/ms", "release from the reticulum")                                                           \
    X(Jup, "mM/ms", "uptake into the reticulum")                                                             \
    X(Jleak, "mM/ms", "leak from the reticulum")                                                             \
    X(Jxfer, "mM/ms", "transfer from the subspace")

IONIC_PARAMETERS(tp06)

enum { TP06_EPI, TP06_ENDO, TP06_M };
#endif

IONIC_STRUCTS(tp06)

struct TYPED(tp06_constants) {
    double dt_v;
    double na_per_current, k_per_current; /* dt C / (V_c F): mM per uA/uF in one step */
    REAL dt;
    REAL rtf, per_rtf; /* R T / F in mV and its inverse */
    REAL log_Na_o, log_K_o, log_K_Na_o, log_Ca_o, p_KNa;
    REAL g_Na, g_to, g_Kr, g_Ks, g_K1, g_bNa, g_bCa, g_pCa, K_pCa, g_pK;
    REAL cal, Ca_o;                       /* 2 F g_CaL */
    REAL nak, K_mNa;                      /* P_NaK K_o / (K_o + K_mK) */
    REAL naca_in, naca_out, K_sat, gamma; /* factors of Na_i^3 and Ca_i in INaCa */
    REAL V_rel, V_xfer, V_leak, Vmax_up, K_up2, k1_prime, k2_prime, k3, k4, EC2, max_sr, sr_range;
    REAL K_bufc, K_bufsr, K_bufss, BK_c, BK_sr, BK_ss; /* BK: buffer times half saturation */
    REAL ca_per_current, ss_per_current;               /* dt C / (2 V F) */
    REAL dt_sr_per_c, dt_sr_per_ss, dt_c_per_ss;       /* dt times ratios of volumes */
    REAL s_scale, tau_s_peak, tau_s_centre, tau_s_width, tau_s_step, tau_s_base;
};

/* what depends on dt, temperature and outside concentrations in the currents */
HOST_DEVICE void TYPED(tp06_constants_of_currents)(struct TYPED(tp06_constants) *c,
                                                   const struct tp06_parameters *p)
{
    const double gas = 8314.472, faraday = 96485.3415; /* mJ/(mol K), C/mol */
    double rtf = gas * p->T / faraday, k_o = sqrt(p->K_o / 5.4);
    c->rtf = (REAL)rtf;
    c->per_rtf = (REAL)(1 / rtf);
    c->log_Na_o = (REAL)real_log_double(p->Na_o);
    c->log_K_o = (REAL)real_log_double(p->K_o);
    c->log_K_Na_o = (REAL)real_log_double(p->K_o + p->p_KNa * p->Na_o);
    c->log_Ca_o = (REAL)real_log_double(p->Ca_o);
    c->p_KNa = (REAL)p->p_KNa;
    c->g_Na = (REAL)p->g_Na;
    c->g_to = (REAL)p->g_to;
    c->g_Kr = (REAL)(p->g_Kr * k_o);
    c->g_Ks = (REAL)p->g_Ks;
    c->g_K1 = (REAL)(p->g_K1 * k_o * 0.1);
    c->g_bNa = (REAL)p->g_bNa;
    c->g_bCa = (REAL)p->g_bCa;
    c->g_pCa = (REAL)p->g_pCa;
    c->K_pCa = (REAL)p->K_pCa;
    c->g_pK = (REAL)p->g_pK;
    c->cal = (REAL)(2 * faraday * p->g_CaL);
    c->Ca_o = (REAL)p->Ca_o;
    c->nak = (REAL)(p->P_NaK * p->K_o / (p->K_o + p->K_mK));
    c->K_mNa = (REAL)p->K_mNa;
    double cube = p->Na_o * p->Na_o * p->Na_o;
    double naca = p->K_NaCa / ((p->K_mNai * p->K_mNai * p->K_mNai + cube) * (p->K_mCa + p->Ca_o));
    c->naca_in = (REAL)(naca * p->Ca_o);
    c->naca_out = (REAL)(naca * cube * p->alpha);
    c->K_sat = (REAL)p->K_sat;
    c->gamma = (REAL)p->gamma;
}

/* what the calcium stores and the concentrations need */
HOST_DEVICE void TYPED(tp06_constants_of_stores)(struct TYPED(tp06_constants) *c,
                                                 const struct tp06_parameters *p, double dt)
{
    double per_current = 1e3 * dt * p->C_cell / 96485.3415; /* mM um^3 per uA/uF */
    c->na_per_current = per_current / p->V_c;
    c->k_per_current = per_current / p->V_c;
    c->ca_per_current = (REAL)(per_current / (2 * p->V_c));
    c->ss_per_current = (REAL)(per_current / (2 * p->V_ss));
    c->dt_sr_per_c = (REAL)(dt * p->V_sr / p->V_c);
    c->dt_sr_per_ss = (REAL)(dt * p->V_sr / p->V_ss);
    c->dt_c_per_ss = (REAL)(dt * p->V_c / p->V_ss);
    c->V_rel = (REAL)p->V_rel;
    c->V_xfer = (REAL)p->V_xfer;
    c->V_leak = (REAL)p->V_leak;
    c->Vmax_up = (REAL)p->Vmax_up;
    c->K_up2 = (REAL)(p->K_up * p->K_up);
    c->k1_prime = (REAL)p->k1_prime;
    c->k2_prime = (REAL)p->k2_prime;
    c->k3 = (REAL)p->k3;
    c->k4 = (REAL)p->k4;
    c->EC2 = (REAL)(p->EC * p->EC);
    c->max_sr = (REAL)p->max_sr;
    c->sr_range = (REAL)(p->max_sr - p->min_sr);
    c->K_bufc = (REAL)p->K_bufc;
    c->K_bufsr = (REAL)p->K_bufsr;
    c->K_bufss = (REAL)p->K_bufss;
    c->BK_c = (REAL)(p->Buf_c * p->K_bufc);
    c->BK_sr = (REAL)(p->Buf_sr * p->K_bufsr);
    c->BK_ss = (REAL)(p->Buf_ss * p->K_bufss);
}

HOST_DEVICE struct TYPED(tp06_constants)
    TYPED(tp06_constants_of)(const struct tp06_parameters *p, int variant, double dt)
{
    struct TYPED(tp06_constants) c;
    c.dt_v = dt;
    c.dt = (REAL)dt;
    TYPED(tp06_constants_of_currents)(&c, p);
    TYPED(tp06_constants_of_stores)(&c, p, dt);
    bool endo = variant == TP06_ENDO;
    c.s_scale = endo ? N(270.42640742615254) /* e^5.6 */ : N(54.598150033144236) /* e^4 */;
    c.tau_s_peak = endo ? N(1000) : N(85);
    c.tau_s_centre = endo ? N(67) : N(45);
    c.tau_s_width = endo ? N(-1.0 / 1000) : N(-1.0 / 320);
    c.tau_s_step = endo ? N(0) : N(5);
    c.tau_s_base = endo ? N(8) : N(3);
    return c;
}

/* A gate relaxes to `limit` at `rate` (1/ms). */
struct TYPED(tp06_gate) {
    REAL limit, rate;
};
struct TYPED(tp06_kinetics) {
    struct TYPED(tp06_gate) Xr1, Xr2, Xs, s, r, m, h, j, d, f, f2, fCass;
};

/* V minus the potential at which each ohmic current vanishes */
struct TYPED(tp06_driving) {
    REAL Na, K, Ks, Ca;
};

/* V (or V - E_K) as the exponentials see it: kept where each of them and their products are in range. Far
 * outside of it only a run that blows up goes. */
HOST_DEVICE REAL TYPED(tp06_within)(REAL v, int low, int high)
{
    const int factor = sizeof(REAL) == sizeof(double) ? 5 : 1;
    return TYPED(real_clamp)(v, (REAL)(low * factor), (REAL)(high * factor));
}

/* e^(a v + b), v within */
HOST_DEVICE REAL TYPED(tp06_exp)(REAL v, REAL a, REAL b)
{
    return TYPED(real_exp_inside)(TYPED(real_fma)(v, a, b));
}

/* e^(-(v + centre)^2 width), width < 0 */
HOST_DEVICE REAL TYPED(tp06_bell)(REAL v, REAL centre, REAL width)
{
    REAL x = v + centre;
    return TYPED(real_exp_falling)(x * x * width);
}

/* x at t + dt, where dx/dt = (limit - x) rate */
HOST_DEVICE REAL TYPED(tp06_relax)(REAL x, struct TYPED(tp06_gate) gate, REAL dt)
{
    return TYPED(real_fma)(x - gate.limit, TYPED(real_expm1_falling)(-dt * gate.rate), x);
}

/* IK1 = g_K1 (V - E_K) above / below */
HOST_DEVICE void TYPED(tp06_rectification)(REAL *above, REAL *below, REAL from_K)
{
    REAL v = TYPED(tp06_within)(from_K, -150, 200);
    REAL rise = TYPED(tp06_exp)(v, N(0.06), N(-12));
    REAL beta = 3 * TYPED(tp06_exp)(v, N(0.0002), N(0.02)) + TYPED(tp06_exp)(v, N(0.1), -1);
    *above = TYPED(real_exp_falling)(N(-0.5) * v) + 1; /* -100 at 200 mV: below what fp32 holds */
    *below = TYPED(real_fma)(beta, 1 + rise, N(0.1) * *above);
}

/* ICaL, drive = y / (e^y - 1), so that y e^y / (e^y - 1) = drive + y */
HOST_DEVICE REAL TYPED(tp06_calcium_current)(const struct TYPED(tp06_constants) *c,
                                             const struct TYPED(tp06_cell) *cell, REAL y, REAL drive)
{
    return c->cal * (cell->d * cell->f) * (cell->f2 * cell->fCass) *
           (N(0.25) * cell->Ca_ss * (drive + y) - c->Ca_o * drive);
}

/* IK1, INaK, INaCa, IpCa, IpK, ICaL: the currents that are not ohmic. At V = 15 mV the driving force of ICaL
 * is 0/0; y / (e^y - 1) is taken by an accurate e^y - 1, and is 1 at y = 0. */
HOST_DEVICE void TYPED(tp06_nonlinear_currents)(struct TYPED(tp06_currents) *i,
                                                const struct TYPED(tp06_constants) *c,
                                                const struct TYPED(tp06_cell) *cell, REAL v, REAL from_K)
{
    REAL within = TYPED(tp06_within)(v, -200, 200), k1_above, k1_below;
    TYPED(tp06_rectification)(&k1_above, &k1_below, from_K);

    REAL na = (REAL)cell->Na_i, x = within * c->per_rtf;
    REAL e_minus = TYPED(real_exp_clamped)(-x), e_gamma = TYPED(real_exp_clamped)(c->gamma * x);
    REAL nak_below = TYPED(real_fma)(N(0.1245), TYPED(real_exp_clamped)(N(-0.1) * x),
                                     TYPED(real_fma)(N(0.0353), e_minus, 1)) *
                     (na + c->K_mNa);
    REAL e_back = e_gamma * e_minus;

    REAL y = 2 * (v - 15) * c->per_rtf, y_below = TYPED(real_expm1_clamped)(y);
    REAL y_above = y == 0 ? 1 : y;
    y_below = y == 0 ? 1 : y_below;

    REAL per_k1, per_nak, per_naca, per_pca, per_pk, per_y;
    TYPED(real_reciprocals2)(&per_k1, &per_nak, k1_below, nak_below);
    TYPED(real_reciprocals4)
    (&per_naca, &per_pca, &per_pk, &per_y, TYPED(real_fma)(c->K_sat, e_back, 1), cell->Ca_i + c->K_pCa,
     TYPED(tp06_exp)(within, N(-1 / 5.98), N(25 / 5.98)) + 1, y_below);

    i->IK1 = c->g_K1 * k1_above * per_k1 * from_K;
    i->INaK = c->nak * na * per_nak;
    i->INaCa = (c->naca_in * e_gamma * (na * na * na) - c->naca_out * e_back * cell->Ca_i) * per_naca;
    i->IpCa = c->g_pCa * cell->Ca_i * per_pca;
    i->IpK = c->g_pK * from_K * per_pk;
    i->ICaL = TYPED(tp06_calcium_current)(c, cell, y, y_above * per_y);
}

/* Jrel, Jup, Jleak, Jxfer; *casr is the factor by which reticular calcium inhibits release */
HOST_DEVICE void TYPED(tp06_store_currents)(struct TYPED(tp06_currents) *i, REAL *casr,
                                            const struct TYPED(tp06_constants) *c,
                                            const struct TYPED(tp06_cell) *cell)
{
    REAL Ca_SR = (REAL)cell->Ca_SR, sr2 = Ca_SR * Ca_SR, ca2 = cell->Ca_i * cell->Ca_i;
    REAL casr_below = sr2 + c->EC2;
    REAL casr_above = c->max_sr * casr_below - c->sr_range * sr2;
    REAL opening = c->k1_prime * (cell->Ca_ss * cell->Ca_ss) * casr_below;
    REAL per_casr, per_open, per_up;
    TYPED(real_reciprocals3)
    (&per_casr, &per_open, &per_up, casr_below, TYPED(real_fma)(c->k3, casr_above, opening), ca2 + c->K_up2);
    *casr = casr_above * per_casr;
    i->Jrel = c->V_rel * opening * cell->R_prime * per_open * (Ca_SR - cell->Ca_ss);
    i->Jup = c->Vmax_up * ca2 * per_up;
    i->Jleak = c->V_leak * (Ca_SR - cell->Ca_i);
    i->Jxfer = c->V_xfer * (cell->Ca_ss - cell->Ca_i);
}

HOST_DEVICE struct TYPED(tp06_driving)
    TYPED(tp06_driving_forces)(const struct TYPED(tp06_constants) *c, const struct TYPED(tp06_cell) *cell)
{
    REAL v = (REAL)cell->v, na = (REAL)cell->Na_i, k = (REAL)cell->K_i;
    struct TYPED(tp06_driving) from;
    from.Na = v - c->rtf * (c->log_Na_o - TYPED(real_log)(na));
    from.K = v - c->rtf * (c->log_K_o - TYPED(real_log)(k));
    from.Ks = v - c->rtf * (c->log_K_Na_o - TYPED(real_log)(TYPED(real_fma)(c->p_KNa, na, k)));
    from.Ca = v - N(0.5) * c->rtf * (c->log_Ca_o - TYPED(real_log)(cell->Ca_i));
    return from;
}

/* the ohmic currents, and Iion of all */
HOST_DEVICE void TYPED(tp06_ohmic_currents)(struct TYPED(tp06_currents) *i,
                                            const struct TYPED(tp06_constants) *c,
                                            const struct TYPED(tp06_cell) *cell,
                                            struct TYPED(tp06_driving) from)
{
    i->INa = c->g_Na * (cell->m * cell->m * cell->m) * (cell->h * cell->j) * from.Na;
    i->Ito = c->g_to * cell->r * cell->s * from.K;
    i->IKr = c->g_Kr * cell->Xr1 * cell->Xr2 * from.K;
    i->IKs = c->g_Ks * (cell->Xs * cell->Xs) * from.Ks;
    i->IbNa = c->g_bNa * from.Na;
    i->IbCa = c->g_bCa * from.Ca;
    i->Iion = ((i->INa + i->ICaL) + (i->Ito + i->IKr)) + ((i->IKs + i->IK1) + (i->INaCa + i->INaK)) +
              ((i->IpCa + i->IpK) + (i->IbNa + i->IbCa));
}

HOST_DEVICE struct TYPED(tp06_currents)
    TYPED(tp06_all_currents)(const struct TYPED(tp06_constants) *c, const struct TYPED(tp06_cell) *cell,
                             REAL *casr)
{
    struct TYPED(tp06_driving) from = TYPED(tp06_driving_forces)(c, cell);
    struct TYPED(tp06_currents) i;
    TYPED(tp06_nonlinear_currents)(&i, c, cell, (REAL)cell->v, from.K);
    TYPED(tp06_store_currents)(&i, casr, c, cell);
    TYPED(tp06_ohmic_currents)(&i, c, cell, from);
    return i;
}

HOST_DEVICE struct TYPED(tp06_currents)
    TYPED(tp06_currents)(const struct TYPED(tp06_constants) *c, const struct TYPED(tp06_cell) *cell)
{
    REAL casr;
    return TYPED(tp06_all_currents)(c, cell, &casr);
}

/* Xr1, Xr2, Xs, s, r. With B = e^(...), a limit 1 / (1 + B) and a time constant a b / ((1 + B1)(1 + B2)) give
 * the rate (1 + B1)(1 + B2) / (a b) without a division. up = e^(V/20), down = e^(-V/20). */
HOST_DEVICE void TYPED(tp06_potassium_kinetics)(struct TYPED(tp06_kinetics) *k,
                                                const struct TYPED(tp06_constants) *c, REAL v, REAL up,
                                                REAL down)
{
    REAL e3 = N(0.049787068367863944) /* e^-3 */, down2 = down * down, up2 = up * up, up4 = up2 * up2;
    REAL e6 = TYPED(tp06_exp)(v, N(-1.0 / 6), N(5.0 / 6));
    REAL xr1_below = TYPED(tp06_exp)(v, N(-1.0 / 7), N(-26.0 / 7)) + 1;
    REAL xr1_rate = TYPED(real_fma)(N(0.011108996538242306) /* e^-4.5 */, down2, 1) *
                    (TYPED(tp06_exp)(v, N(1 / 11.5), N(30 / 11.5)) + 1) * N(1.0 / 2700);
    REAL xr2_below = TYPED(tp06_exp)(v, N(1.0 / 24), N(88.0 / 24)) + 1;
    REAL xr2_rate = TYPED(real_fma)(e3, down, 1) * TYPED(real_fma)(e3, up, 1) * N(1 / 3.36);
    REAL xs_below = TYPED(tp06_exp)(v, N(-1.0 / 14), N(-5.0 / 14)) + 1;
    REAL xs_shape = TYPED(real_sqrt)(1 + e6) * (TYPED(tp06_exp)(v, N(1.0 / 15), N(-35.0 / 15)) + 1);
    REAL s_below = TYPED(real_fma)(c->s_scale, up4, 1);
    REAL s_shape = TYPED(real_fma)(N(0.018315638888734179) /* e^-4 */, up4, 1);
    REAL s_tau = c->tau_s_peak * TYPED(tp06_bell)(v, c->tau_s_centre, c->tau_s_width) + c->tau_s_base;
    REAL r_below = TYPED(real_fma)(N(12.182493960703473) /* e^2.5 */, e6, 1);
    REAL r_tau = TYPED(real_fma)(N(9.5), TYPED(tp06_bell)(v, 40, N(-1.0 / 1800)), N(0.8));
    REAL xr1, xs, s, r, xr2, per_xs, per_s, r_rate;
    TYPED(real_reciprocals4)(&xr1, &xs, &s, &r, xr1_below, xs_below, s_below, r_below);
    TYPED(real_reciprocals4)
    (&xr2, &per_xs, &per_s, &r_rate, xr2_below, TYPED(real_fma)(80, xs_shape, 1400),
     TYPED(real_fma)(s_tau, s_shape, c->tau_s_step), r_tau);
    k->Xr1 = (struct TYPED(tp06_gate)){xr1, xr1_rate};
    k->Xr2 = (struct TYPED(tp06_gate)){xr2, xr2_rate};
    k->Xs = (struct TYPED(tp06_gate)){xs, xs_shape * per_xs};
    k->s = (struct TYPED(tp06_gate)){s, s_shape * per_s};
    k->r = (struct TYPED(tp06_gate)){r, r_rate};
}

/* m, h, j; the rates of h and j are other functions below -40 mV */
HOST_DEVICE void TYPED(tp06_sodium_kinetics)(struct TYPED(tp06_kinetics) *k, REAL v, REAL up, REAL down)
{
    REAL down2 = down * down, up4 = up * up, down4 = down2 * down2;
    up4 *= up4;
    REAL m_below = TYPED(tp06_exp)(v, N(-1 / 9.03), N(-56.86 / 9.03)) + 1;
    REAL m_fast = TYPED(real_fma)(N(1096.6331584284585) /* e^7 */, up4, 1);
    REAL m_slow = TYPED(tp06_exp)(v, N(1.0 / 200), N(-50.0 / 200)) + 1;
    REAL m_shape = TYPED(real_fma)(N(6.1442123533282098e-06) /* e^-12 */, down4, 1) * m_fast * m_slow * 10;
    REAL h_below = TYPED(tp06_exp)(v, N(1 / 7.43), N(71.55 / 7.43)) + 1;

    bool low = v < -40;
    REAL h_first =
        TYPED(tp06_exp)(v, low ? N(-1 / 6.8) : N(-1 / 11.1), low ? N(-80 / 6.8) : N(-10.66 / 11.1));
    REAL h_low = TYPED(real_fma)(
        N(0.057), h_first,
        TYPED(real_fma)(N(2.7), TYPED(tp06_exp)(v, N(0.079), 0), 310000 * TYPED(tp06_exp)(v, N(0.3485), 0)));
    REAL j_first = TYPED(tp06_exp)(v, low ? N(0.2444) : N(0.057), 0);
    REAL alpha_above =
        TYPED(real_fma)(-25428, j_first, N(-6.948e-6) * TYPED(tp06_exp)(v, N(-0.04391), 0)) * (v + N(37.78));
    REAL alpha_below = TYPED(tp06_exp)(v, N(0.311), N(0.311 * 79.23)) + 1;
    REAL beta_above = low ? N(0.02424) * TYPED(tp06_exp)(v, N(-0.01052), 0) : N(0.6) * j_first;
    REAL beta_below = 1 + (low ? TYPED(tp06_exp)(v, N(-0.1378), N(-0.1378 * 40.14))
                               : N(0.040762203978366211) /* e^-3.2 */ * down2);
    REAL j_above = low ? TYPED(real_fma)(alpha_above, beta_below, beta_above * alpha_below) : beta_above;
    REAL j_below = low ? alpha_below * beta_below : beta_below;

    REAL per_m, per_h, per_j, per_m_shape, per_first;
    TYPED(real_reciprocals3)(&per_m, &per_h, &per_j, m_below, h_below, j_below);
    TYPED(real_reciprocals2)(&per_m_shape, &per_first, m_fast + m_slow, low ? 1 : 1 + h_first);
    REAL h_rate = low ? h_low : N(0.77 / 0.13) * per_first;
    k->m = (struct TYPED(tp06_gate)){per_m * per_m, m_shape * per_m_shape};
    k->h = (struct TYPED(tp06_gate)){per_h * per_h, h_rate};
    k->j = (struct TYPED(tp06_gate)){per_h * per_h, j_above * per_j};
}

/* fCass: its limit is 0.6 / ss + 0.4, its rate ss / ss_tau, ss = 1 + 400 Ca_ss^2, both by one division.
 * Returns ss_tau. */
HOST_DEVICE REAL TYPED(tp06_fCass_below)(REAL *ss, REAL Ca_ss)
{
    *ss = TYPED(real_fma)(400 * Ca_ss, Ca_ss, 1);
    return TYPED(real_fma)(2, *ss, 80);
}

/* per = 1 / (ss ss_tau) */
HOST_DEVICE struct TYPED(tp06_gate) TYPED(tp06_fCass_gate)(REAL ss, REAL ss_tau, REAL per)
{
    return (struct TYPED(tp06_gate)){TYPED(real_fma)(N(0.6) * ss_tau, per, N(0.4)), ss * ss * per};
}

/* d, f, f2, fCass */
HOST_DEVICE void TYPED(tp06_calcium_kinetics)(struct TYPED(tp06_kinetics) *k, REAL v, REAL up, REAL down,
                                              REAL Ca_ss)
{
    REAL down2 = down * down, up2 = up * up;
    REAL e7 = TYPED(tp06_exp)(v, N(1.0 / 7), N(20.0 / 7));
    REAL d_below = TYPED(tp06_exp)(v, N(-1 / 7.5), N(-8 / 7.5)) + 1;
    REAL a = TYPED(tp06_exp)(v, N(-1.0 / 13), N(-35.0 / 13)) + 1;
    REAL b = TYPED(real_fma)(N(2.7182818284590451) /* e */, up2 * up2, 1);
    REAL g = TYPED(real_fma)(N(12.182493960703473) /* e^2.5 */, down, 1);
    REAL d_shape = a * b, d_tau = TYPED(real_fma)(N(1.4) * TYPED(real_fma)(N(0.25), a, N(1.4)), g, d_shape);
    REAL fall = TYPED(real_fma)(N(20.085536923187668) /* e^3 */, up2, 1);
    REAL f_rise = TYPED(real_fma)(N(3.6692966676192444) /* e^1.3 */, down2, 1), f_shape = f_rise * fall;
    REAL f_bell = TYPED(real_fma)(N(1102.5), TYPED(tp06_bell)(v, 27, N(-1.0 / 225)), 20);
    REAL f_tau = TYPED(real_fma)(f_bell, f_shape, TYPED(real_fma)(200, fall, 180 * f_rise));
    REAL f2_rise = TYPED(real_fma)(N(12.182493960703473) /* e^2.5 */, down2, 1), f2_shape = f2_rise * fall;
    REAL f2_bell = 562 * TYPED(tp06_bell)(v, 27, N(-1.0 / 240));
    REAL f2_tau = TYPED(real_fma)(f2_bell, f2_shape, TYPED(real_fma)(31, fall, 80 * f2_rise));
    REAL ss, ss_tau = TYPED(tp06_fCass_below)(&ss, Ca_ss);

    REAL per_d, per_f, per_f2, per_d_tau, per_f_tau, per_f2_tau, per_ss;
    TYPED(real_reciprocals3)
    (&per_d, &per_f, &per_f2, d_below, e7 + 1, TYPED(real_fma)(N(8.5237564610426) /* e^(15/7) */, e7, 1));
    TYPED(real_reciprocals2)(&per_d_tau, &per_f_tau, d_tau, f_tau);
    TYPED(real_reciprocals2)(&per_f2_tau, &per_ss, f2_tau, ss * ss_tau);
    k->d = (struct TYPED(tp06_gate)){per_d, d_shape * g * per_d_tau};
    k->f = (struct TYPED(tp06_gate)){per_f, f_shape * per_f_tau};
    k->f2 = (struct TYPED(tp06_gate)){TYPED(real_fma)(N(0.67), per_f2, N(0.33)), f2_shape * per_f2_tau};
    k->fCass = TYPED(tp06_fCass_gate)(ss, ss_tau, per_ss);
}

/* Free calcium x with buffer B, K holds x + B x / (x + K) in all. When all of it grows by `gain`, x grows by
 * 2 gain a^2 / (b + sqrt(b^2 + 4 a^3 gain)), a = x + K, b = a^2 + B K - a gain: no difference of near
 * numbers. *above and *below are that quotient. */
HOST_DEVICE void TYPED(tp06_buffered)(REAL *above, REAL *below, REAL x, REAL K, REAL BK, REAL gain)
{
    REAL a = x + K, square = a * a, b = TYPED(real_fma)(-a, gain, square + BK);
    *above = 2 * gain * square;
    *below = b + TYPED(real_sqrt)(TYPED(real_fma)(b, b, 4 * a * square * gain));
}

/* R_prime, Ca_i, Ca_SR, Ca_ss */
HOST_DEVICE void TYPED(tp06_step_calcium)(struct TYPED(tp06_cell) *cell,
                                          const struct TYPED(tp06_constants) *c,
                                          const struct TYPED(tp06_currents) *i, REAL casr)
{
    REAL gain_c = (i->Jleak - i->Jup) * c->dt_sr_per_c + c->dt * i->Jxfer -
                  ((i->IbCa + i->IpCa) - 2 * i->INaCa) * c->ca_per_current;
    REAL gain_sr = c->dt * (i->Jup - (i->Jrel + i->Jleak));
    REAL gain_ss = i->Jrel * c->dt_sr_per_ss - i->Jxfer * c->dt_c_per_ss - i->ICaL * c->ss_per_current;
    cell->R_prime += c->dt * (c->k4 * (1 - cell->R_prime) - c->k2_prime * casr * cell->Ca_ss * cell->R_prime);
    REAL above_c, above_sr, above_ss, below_c, below_sr, below_ss, per_c, per_sr, per_ss;
    TYPED(tp06_buffered)(&above_c, &below_c, cell->Ca_i, c->K_bufc, c->BK_c, gain_c);
    TYPED(tp06_buffered)(&above_sr, &below_sr, (REAL)cell->Ca_SR, c->K_bufsr, c->BK_sr, gain_sr);
    TYPED(tp06_buffered)(&above_ss, &below_ss, cell->Ca_ss, c->K_bufss, c->BK_ss, gain_ss);
    TYPED(real_reciprocals3)(&per_c, &per_sr, &per_ss, below_c, below_sr, below_ss);
    cell->Ca_i = TYPED(real_fma)(above_c, per_c, cell->Ca_i);
    cell->Ca_SR = real_fma_double((double)above_sr, (double)per_sr, cell->Ca_SR);
    cell->Ca_ss = TYPED(real_fma)(above_ss, per_ss, cell->Ca_ss);
}

/* The stores, the concentrations and V after a step with these currents. The stimulus is carried into the
 * cell by potassium. */
HOST_DEVICE void TYPED(tp06_finish)(const struct TYPED(tp06_constants) *c, struct TYPED(tp06_cell) *cell,
                                    const struct TYPED(tp06_currents) *i, REAL casr, double stimulus)
{
    TYPED(tp06_step_calcium)(cell, c, i, casr);
    REAL sodium = (i->INa + i->IbNa) + 3 * (i->INaK + i->INaCa);
    REAL potassium = (i->IK1 + i->Ito) + (i->IKr + i->IKs) + (i->IpK - 2 * i->INaK);
    cell->Na_i -= c->na_per_current * (double)sodium;
    cell->K_i -= c->k_per_current * ((double)potassium - stimulus);
    cell->v += c->dt_v * (stimulus - (double)i->Iion);
}

#undef TP06_RELAX
#define TP06_RELAX(gate) cell->gate = TYPED(tp06_relax)(cell->gate, k.gate, c->dt);

HOST_DEVICE void TYPED(tp06_step)(const struct TYPED(tp06_constants) *c, struct TYPED(tp06_cell) *cell,
                                  double stimulus)
{
    REAL casr, v = TYPED(tp06_within)((REAL)cell->v, -200, 200);
    struct TYPED(tp06_currents) i = TYPED(tp06_all_currents)(c, cell, &casr);
    REAL up = TYPED(tp06_exp)(v, N(0.05), 0), down = TYPED(tp06_exp)(v, N(-0.05), 0);
    struct TYPED(tp06_kinetics) k;
    TYPED(tp06_potassium_kinetics)(&k, c, v, up, down);
    TP06_RELAX(Xr1)
    TP06_RELAX(Xr2) TP06_RELAX(Xs) TP06_RELAX(s) TP06_RELAX(r) TYPED(tp06_sodium_kinetics)(&k, v, up, down);
    TP06_RELAX(m) TP06_RELAX(h) TP06_RELAX(j) TYPED(tp06_calcium_kinetics)(&k, v, up, down, cell->Ca_ss);
    TP06_RELAX(d)
    TP06_RELAX(f) TP06_RELAX(f2) TP06_RELAX(fCass) TYPED(tp06_finish)(c, cell, &i, casr, stimulus);
}

#include "kernels/models/tp06_table.h"
