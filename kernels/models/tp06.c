/* tp06.c: the unit of ten Tusscher and Panfilov 2006. */
#define IONIC_FORMULA tp06
#define IONIC_TEXT "kernels/models/tp06.h"
#include "kernels/ionic/unit.h"

#ifdef IONIC_DESCRIPTIONS
#define NARROW_EPI(name, unit, meaning, epi, endo, m) IONIC_NARROW(name, unit, meaning, epi)
#define NARROW_ENDO(name, unit, meaning, epi, endo, m) IONIC_NARROW(name, unit, meaning, endo)
#define NARROW_M(name, unit, meaning, epi, endo, m) IONIC_NARROW(name, unit, meaning, m)
#define WIDE_EPI(name, unit, meaning, epi, endo, m) IONIC_WIDE(name, unit, meaning, epi)
#define WIDE_ENDO(name, unit, meaning, epi, endo, m) IONIC_WIDE(name, unit, meaning, endo)
#define WIDE_M(name, unit, meaning, epi, endo, m) IONIC_WIDE(name, unit, meaning, m)
IONIC_LIST(tp06_epi_state, STATES_tp06(NARROW_EPI, WIDE_EPI))
IONIC_LIST(tp06_endo_state, STATES_tp06(NARROW_ENDO, WIDE_ENDO))
IONIC_LIST(tp06_m_state, STATES_tp06(NARROW_M, WIDE_M))
IONIC_LIST(tp06_epi_parameter, PARAMETERS_tp06(NARROW_EPI))
IONIC_LIST(tp06_endo_parameter, PARAMETERS_tp06(NARROW_ENDO))
IONIC_LIST(tp06_m_parameter, PARAMETERS_tp06(NARROW_M))
IONIC_LIST(tp06_current, CURRENTS_tp06(IONIC_NAME))
#define TP06_MODEL(model, cell, v, which, values)                                                            \
    {                                                                                                        \
        .name = model, .title = "human ventricular " cell " cell, ten Tusscher and Panfilov 2006",           \
        .reference = "ten Tusscher, Panfilov, Am. J. Physiol. Heart Circ. Physiol. 291:H1088, 2006, doi "    \
                     "10.1152/ajpheart.00109.2006, appendix",                                                \
        .v_initial = v, .capacitance = 1, .order = 1, .step_accurate = 0.05, .step_largest = 0.2,            \
        .variant = which, IONIC_UNIT(tp06, values)                                                           \
    }
const struct ionic_model tp06_epi_model = TP06_MODEL("tp06-epi", "epicardial", -85.23, TP06_EPI, tp06_epi);
const struct ionic_model tp06_endo_model =
    TP06_MODEL("tp06-endo", "endocardial", -86.709, TP06_ENDO, tp06_endo);
const struct ionic_model tp06_m_model = TP06_MODEL("tp06-m", "M", -85.423, TP06_M, tp06_m);
#endif
