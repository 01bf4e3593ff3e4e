/* random_unit.c: a compiled text as a library: a model with its four ways of stepping. COMPILED is the header
 * that compile_text made, its formula `loaded`. */
#define IONIC_LOADED
#define IONIC_FORMULA loaded
#define IONIC_TEXT COMPILED
#include "kernels/ionic/loops.h"
#include "kernels/ionic/instantiate.h"

DEFINE_STEP(loaded, step, COMPUTED, double, LOAD64, STORE64)
DEFINE_STEP(loaded, step, COMPUTED, float, LOAD32, STORE32)
#ifdef IONIC_TABLED
DEFINE_STEP(loaded, tabled, TABLED, double, LOAD64, STORE64)
DEFINE_STEP(loaded, tabled, TABLED, float, LOAD32, STORE32)
#define TABLED_LOOPS                                                                                         \
    {                                                                                                        \
        loaded_tabled_block_double, loaded_tabled_block_float                                                \
    }
#else
#define TABLED_LOOPS                                                                                         \
    {                                                                                                        \
        NULL, NULL                                                                                           \
    }
#endif

IONIC_LISTS(loaded)
static const struct ionic_loops loops = {.lanes = IONIC_LANES,
                                         .step = {loaded_step_block_double, loaded_step_block_float},
                                         .tabled = TABLED_LOOPS};
extern const struct ionic_model random_model;
const struct ionic_model random_model = {.name = "random",
                                         .states = IONIC_COUNT(loaded_state),
                                         .state = loaded_state,
                                         .parameters = IONIC_COUNT(loaded_parameter),
                                         .parameter = loaded_parameter,
                                         IONIC_CODE(loaded),
                                         .plain = &loops};
