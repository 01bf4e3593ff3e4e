/* library.cuh: functions of a library that is opened while running: their types come from its header, its
 * code is never linked. */
#ifndef CARDIAC_KERNELS_BENCH_LIBRARY_CUH
#define CARDIAC_KERNELS_BENCH_LIBRARY_CUH

#include <dlfcn.h>

/* "libNAME.so.12" and the like, from the toolkit that this was compiled with up to older ones; NULL if none
 */
static inline void *library_open(const char *stem)
{
    char name[64];
    for (int version = CUDART_VERSION / 1000 + 1; version >= 10; version--) {
        snprintf(name, sizeof name, "%s.so.%d", stem, version);
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    snprintf(name, sizeof name, "%s.so", stem);
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

/* target <- the function of that name, or NULL */
#define LIBRARY_FUNCTION(target, library, name) ((target) = (decltype(&name))dlsym(library, #name))

#endif
