/* loaded.h: the unit of a model that is compiled while the program runs, for one instruction set and one way
 * of stepping.
 *
 * The formula is called `loaded` and IONIC_TEXT is its text; the text after this header selects the way by
 * DEFINE_STEP, DEFINE_CURRENT (loops.h) and an IONIC_EXPORT of its IONIC_LOOPs. A GPU needs only loops.cuh
 * and the first two. */
#ifndef CARDIAC_KERNELS_IONIC_LOADED_H
#define CARDIAC_KERNELS_IONIC_LOADED_H

#include "kernels/ionic/loops.h"
#include "kernels/ionic/instantiate.h"

/* The one symbol: a model with its code alone; `plain` has the loops, whatever instruction set they are
 * compiled for */
#define IONIC_LOOP(how, real, mixed) .how = {[mixed] = loaded_##how##_block_##real}
#define IONIC_EXPORT(real, mixed, ...)                                                                       \
    static const struct ionic_loops loops = {                                                                \
        .lanes = IONIC_LANES, .current = {[mixed] = loaded_current_block_##real}, __VA_ARGS__};              \
    extern const struct ionic_model ionic_loaded;                                                            \
    __attribute__((visibility("default")))                                                                   \
    const struct ionic_model ionic_loaded = {IONIC_CODE(loaded), .plain = &loops};

#endif
