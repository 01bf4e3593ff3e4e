/* tp06_table.h: the ten Tusscher-Panfilov cell with its functions of V read from a table (kernels/lookup.h).
 *
 * Columns: limit and 1 - e^(-dt rate) of every gate that V alone moves, and the V-dependent factors of the
 * currents that are not ohmic. That of IK1 depends on V - E_K and is read there. The columns are made by the
 * exact step's own functions, in double; logarithms and all that depends on concentrations stay exact.
 * Read by list.h after tp06.h, once per arithmetic type. */
#ifndef CARDIAC_MODELS_TP06_TABLE_H
#define CARDIAC_MODELS_TP06_TABLE_H

/* gate, the gate whose limit it shares */
#define TP06_TABLED_GATES(X)                                                                                 \
    X(Xr1, Xr1) X(Xr2, Xr2) X(Xs, Xs) X(m, m) X(h, h) X(j, h) X(d, d) X(f, f) X(f2, f2) X(s, s) X(r, r)

enum tp06_column {
    TP06_LIMIT_Xr1,
    TP06_RISE_Xr1,
    TP06_LIMIT_Xr2,
    TP06_RISE_Xr2,
    TP06_LIMIT_Xs,
    TP06_RISE_Xs,
    TP06_LIMIT_s,
    TP06_RISE_s,
    TP06_LIMIT_r,
    TP06_RISE_r,
    TP06_LIMIT_m,
    TP06_RISE_m,
    TP06_LIMIT_h,
    TP06_RISE_h,
    TP06_RISE_j,
    TP06_LIMIT_d,
    TP06_RISE_d,
    TP06_LIMIT_f,
    TP06_RISE_f,
    TP06_LIMIT_f2,
    TP06_RISE_f2,
    TP06_IpK,      /* IpK / (V - E_K) */
    TP06_INaK,     /* INaK (Na_i + K_mNa) / Na_i */
    TP06_INaCa_in, /* INaCa = in Na_i^3 - out Ca_i */
    TP06_INaCa_out,
    TP06_ICaL, /* y / (e^y - 1), y = 2 (V - 15) F / (R T) */
    TP06_IK1,  /* IK1 / (V - E_K), read at V - E_K */
    COLUMNS_tp06
};

/* column[COLUMNS_tp06] <- the columns at v, from currents of a cell whose factors without V are 1 */
CELL_FN void tp06_table_columns(double *column, const struct tp06_constants_double *c, double v)
{
    struct tp06_kinetics_double k;
    double up = tp06_exp_double(v, 0.05, 0), down = tp06_exp_double(v, -0.05, 0);
    tp06_potassium_kinetics_double(&k, c, v, up, down);
    tp06_sodium_kinetics_double(&k, v, up, down);
    tp06_calcium_kinetics_double(&k, v, up, down, 0);
#define TP06_FILL(gate, shared)                                                                              \
    column[TP06_LIMIT_##shared] = k.gate.limit;                                                              \
    column[TP06_RISE_##gate] = -real_expm1_falling_double(-c->dt * k.gate.rate);
    TP06_TABLED_GATES(TP06_FILL)
#undef TP06_FILL

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
CELL_FN void TYPED(tp06_tabled_step)(const struct TYPED(tp06_constants) * c, const struct ionic_table *table,
                                     const REAL *value, struct TYPED(tp06_cell) * cell, double stimulus)
{
    REAL casr, na = (REAL)cell->Na_i,
               v = TYPED(real_clamp)((REAL)cell->v, (REAL)table->low, (REAL)table->high);
    struct TYPED(tp06_driving) from = TYPED(tp06_driving_forces)(c, cell);
    struct TYPED(lookup) at = TYPED(lookup_at)(table, COLUMNS_tp06, v);
    struct TYPED(lookup) at_K = TYPED(lookup_at)(table, COLUMNS_tp06, from.K);
    REAL ss, ss_tau = TYPED(tp06_fCass_below)(&ss, cell->Ca_ss), per_nak, per_pca, per_ss;
    TYPED(real_reciprocals3)
    (&per_nak, &per_pca, &per_ss, na + c->K_mNa, cell->Ca_i + c->K_pCa, ss * ss_tau);

    struct TYPED(tp06_currents) i;
    i.IK1 = TYPED(lookup)(value, at_K, TP06_IK1) * from.K;
    i.IpK = TYPED(lookup)(value, at, TP06_IpK) * from.K;
    i.INaK = TYPED(lookup)(value, at, TP06_INaK) * na * per_nak;
    i.INaCa = TYPED(lookup)(value, at, TP06_INaCa_in) * (na * na * na) -
              TYPED(lookup)(value, at, TP06_INaCa_out) * cell->Ca_i;
    i.IpCa = c->g_pCa * cell->Ca_i * per_pca;
    i.ICaL =
        TYPED(tp06_calcium_current)(c, cell, 2 * (v - 15) * c->per_rtf, TYPED(lookup)(value, at, TP06_ICaL));
    TYPED(tp06_store_currents)(&i, &casr, c, cell);
    TYPED(tp06_ohmic_currents)(&i, c, cell, from);

#define TP06_APPROACH(gate, shared)                                                                          \
    cell->gate = TYPED(real_fma)(TYPED(lookup)(value, at, TP06_LIMIT_##shared) - cell->gate,                 \
                                 TYPED(lookup)(value, at, TP06_RISE_##gate), cell->gate);
    TP06_TABLED_GATES(TP06_APPROACH)
#undef TP06_APPROACH
    cell->fCass = TYPED(tp06_relax)(cell->fCass, TYPED(tp06_fCass_gate)(ss, ss_tau, per_ss), c->dt);
    TYPED(tp06_finish)(c, cell, &i, casr, stimulus);
}
