/* nvrtc.h: NVIDIA's compiler for a GPU's code while a program runs, loaded at its first use. */
#ifndef CARDIAC_APP_MODELS_NVRTC_H
#define CARDIAC_APP_MODELS_NVRTC_H

#include <stddef.h>

#include "kernels/base/error.h"

struct nvrtc {
    void *library;
    int major, minor; /* its version */
};

/* The library libnvrtc as the loader finds it, or of $CUDA_HOME. STATUS_INPUT, with what to install, if there
 * is none. */
enum status nvrtc_open(struct nvrtc *nvrtc, struct error *error);
void nvrtc_close(struct nvrtc *nvrtc);

/* The options that code of an architecture (90 = sm_90) is made with, in one line */
void nvrtc_flags(char *flags, size_t size, int architecture);

/* *image <- the machine code of the source, to be freed */
enum status nvrtc_compile(const struct nvrtc *nvrtc, const char *source, int architecture, char **image,
                          size_t *bytes, struct error *error);

#endif
