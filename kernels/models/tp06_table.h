/* tp06_table.h: the ten Tusscher-Panfilov cell with its functions of V read from a table
 * (kernels/base/lookup.h).
 *
 * Columns: limit and 1 - e^(-dt rate) of every gate that V alone moves, and the V-dependent factors of the
 * currents that are not ohmic. That of IK1 depends on V - E_K and is read there. The columns are made by the
 * exact step's own functions, in double; logarithms and all that depends on concentrations stay exact.
 * Read at the end of tp06.h. */
#ifndef CARDIAC_KERNELS_MODELS_TP06_TABLE_H
#define CARDIAC_KERNELS_MODELS_TP06_TABLE_H

#define IONIC_TABLED

/* Gates with a limit of their own; j shares that of h. */
#define TP06_TABLED_GATES(X) X(Xr1) X(Xr2) X(Xs) X(s) X(r) X(m) X(h) X(d) X(f) X(f2)

/* Columns are read two by two. */
#define TP06_GATE_COLUMNS(gate) TP06_LIMIT_##gate, TP06_RISE_##gate,
enum tp06_column {
    TP06_TABLED_GATES(TP06_GATE_COLUMNS) TP06_RISE_j,
    TP06_IpK,      /* IpK / (V - E_K) */
    TP06_INaK,     /* INaK (Na_i + K_mNa) / Na_i */
    TP06_ICaL,     /* y / (e^y - 1), y = 2 (V - 15) F / (R T) */
    TP06_INaCa_in, /* INaCa = in Na_i^3 - out Ca_i */
    TP06_INaCa_out,
    TP06_IK1,    /* IK1 / (V - E_K), read at V - E_K */
    TP06_UNUSED, /* 0 */
    COLUMNS_tp06
};

/* column[COLUMNS_tp06] <- the columns at v, from currents of a cell whose factors without V are 1 */
HOST_DEVICE void tp06_table_columns(double *column, const struct tp06_constants_double *c, double v)
{
    struct tp06_kinetics_double k;
    double up = tp06_exp_double(v, 0.05, 0), down = tp06_exp_double(v, -0.05, 0);
    tp06_potassium_kinetics_double(&k, c, v, up, down);
    tp06_sodium_kinetics_double(&k, v, up, down);
    tp06_calcium_kinetics_double(&k, v, up, down, 0);
#define TP06_FILL(gate)                                                                                      \
    column[TP06_LIMIT_##gate] = k.gate.limit;                                                                \
    column[TP06_RISE_##gate] = -real_expm1_falling_double(-c->dt * k.gate.rate);
    TP06_TABLED_GATES(TP06_FILL)
#undef TP06_FILL
    column[TP06_RISE_j] = -real_expm1_falling_double(-c->dt * k.j.rate);
    column[TP06_UNUSED] = 0;

    struct tp06_constants_double unit = *c;
    unit.cal = unit.Ca_o = 1;
    struct tp06_cell_double cell;
    cell.Ca_i = cell.Ca_ss = 0;
    cell.d = cell.f = cell.f2 = cell.fCass = cell.Na_i = 1;
    struct tp06_currents_double i;
    tp06_nonlinear_currents_double(&i, &unit, &cell, v, 1);
    column[TP06_IpK] = i.IpK;
    column[TP06_INaK] = i.INaK * (1 + c->K_mNa);
    column[TP06_INaCa_in] = i.INaCa;
    column[TP06_ICaL] = -i.ICaL;
    cell.Na_i = 0;
    cell.Ca_i = 1;
    tp06_nonlinear_currents_double(&i, &unit, &cell, v, 1);
    column[TP06_INaCa_out] = -i.INaCa;
    double above, below;
    tp06_rectification_double(&above, &below, v);
    column[TP06_IK1] = c->g_K1 * above / below;
}
#endif

/* The step of tp06.h, functions of V by interpolation. */
HOST_DEVICE void TYPED(tp06_tabled_step)(const struct TYPED(tp06_constants) *c,
                                         const struct ionic_table *table, const REAL *value,
                                         struct TYPED(tp06_cell) *cell, double stimulus)
{
    REAL casr, na = (REAL)cell->Na_i,
               v = TYPED(real_clamp)((REAL)cell->v, (REAL)table->low, (REAL)table->high);
    struct TYPED(tp06_driving) from = TYPED(tp06_driving_forces)(c, cell);
    struct TYPED(lookup) at = TYPED(lookup_at)(table, COLUMNS_tp06, v);
    struct TYPED(lookup) at_K = TYPED(lookup_at)(table, COLUMNS_tp06, from.K);
    REAL ss, ss_tau = TYPED(tp06_fCass_below)(&ss, cell->Ca_ss), per_nak, per_pca, per_ss;
    TYPED(real_reciprocals3)
    (&per_nak, &per_pca, &per_ss, na + c->K_mNa, cell->Ca_i + c->K_pCa, ss * ss_tau);

    REAL k1, unused, nak, drive, in, out, pk, rise_j;
    TYPED(lookup_pair)(&k1, &unused, value, at_K, TP06_IK1 / 2);
    TYPED(lookup_pair)(&nak, &drive, value, at, TP06_INaK / 2);
    TYPED(lookup_pair)(&in, &out, value, at, TP06_INaCa_in / 2);
    TYPED(lookup_pair)(&rise_j, &pk, value, at, TP06_RISE_j / 2);
    struct TYPED(tp06_currents) i;
    i.IK1 = k1 * from.K;
    i.IpK = pk * from.K;
    i.INaK = nak * na * per_nak;
    i.INaCa = in * (na * na * na) - out * cell->Ca_i;
    i.IpCa = c->g_pCa * cell->Ca_i * per_pca;
    i.ICaL = TYPED(tp06_calcium_current)(c, cell, 2 * (v - 15) * c->per_rtf, drive);
    TYPED(tp06_store_currents)(&i, &casr, c, cell);
    TYPED(tp06_ohmic_currents)(&i, c, cell, from);

    REAL limit, rise;
#define TP06_APPROACH(gate)                                                                                  \
    TYPED(lookup_pair)(&limit, &rise, value, at, TP06_LIMIT_##gate / 2);                                     \
    cell->gate = TYPED(real_fma)(limit - cell->gate, rise, cell->gate);
    TP06_TABLED_GATES(TP06_APPROACH)
#undef TP06_APPROACH
    TYPED(lookup_pair)(&limit, &rise, value, at, TP06_LIMIT_h / 2);
    cell->j = TYPED(real_fma)(limit - cell->j, rise_j, cell->j);
    cell->fCass = TYPED(tp06_relax)(cell->fCass, TYPED(tp06_fCass_gate)(ss, ss_tau, per_ss), c->dt);
    TYPED(tp06_finish)(c, cell, &i, casr, stimulus);
}
