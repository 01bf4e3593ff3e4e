/* loaded.h: the translation unit of a model compiled at run time, for one instruction set and one kind of
 * step.
 *
 * The formula is called `loaded` and IONIC_TEXT is its text. The text after this header selects the kind
 * of step with DEFINE_STEP, DEFINE_CURRENT (loops.h) and an IONIC_EXPORT of its IONIC_LOOPs. A GPU needs
 * only loops.cuh and the first two. */
#ifndef CARDIAC_KERNELS_IONIC_LOADED_H
#define CARDIAC_KERNELS_IONIC_LOADED_H

#include "kernels/ionic/loops.h"
#include "kernels/ionic/instantiate.h"

#define IONIC_ONE(name) +1
#define IONIC_PUT(name) row[k++ * stride + at] = c->name;
#define IONIC_DEFINE_FILL(real)                                                                              \
    static void fill_own_##real(void *rows, int64_t stride, int64_t at, const void *constants)               \
    {                                                                                                        \
        const struct loaded_constants_##real *c = constants;                                                 \
        real *row = rows;                                                                                    \
        int64_t k = 0;                                                                                       \
        IONIC_OWN(IONIC_PUT)                                                                                 \
        (void)c, (void)row, (void)k;                                                                         \
    }
IONIC_DEFINE_FILL(double)
IONIC_DEFINE_FILL(float)

/* The exported symbol: a model with only its code; `plain` points to the loops, whatever instruction set
 * they are compiled for */
#define IONIC_LOOP(how, real, mixed) .how = {[mixed] = loaded_##how##_block_##real}
#define IONIC_EXPORT(real, mixed, ...)                                                                       \
    static const struct ionic_loops loops = {                                                                \
        .lanes = IONIC_LANES, .current = {[mixed] = loaded_current_block_##real}, __VA_ARGS__};              \
    extern const struct ionic_model ionic_loaded;                                                            \
    __attribute__((visibility("default"))) const struct ionic_model ionic_loaded = {                         \
        IONIC_CODE(loaded), .own = 0 IONIC_OWN(IONIC_ONE), .fill_own = {fill_own_double, fill_own_float},    \
        .plain = &loops};

#endif
