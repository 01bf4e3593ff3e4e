/* nvrtc.h: NVIDIA's run-time compiler for GPU code, loaded at its first use. */
#ifndef CARDIAC_APP_MODELS_NVRTC_H
#define CARDIAC_APP_MODELS_NVRTC_H

#include <stddef.h>

#include "kernels/base/error.h"

struct nvrtc {
    void *library;
    int major, minor; /* its version */
};

/* Opens libnvrtc as found by the loader, or in $CUDA_HOME. Errors: STATUS_INPUT, with what to install, if there is
 * none. */
enum status nvrtc_open(struct nvrtc *nvrtc, struct error *error);
void nvrtc_close(struct nvrtc *nvrtc);

/* flags <- the options for code of an architecture (90 = sm_90), on one line */
void nvrtc_flags(char *flags, size_t size, int architecture);

/* *image <- the machine code of the source; the caller frees it */
enum status nvrtc_compile(const struct nvrtc *nvrtc, const char *source, int architecture, char **image,
                          size_t *bytes, struct error *error);

#endif
