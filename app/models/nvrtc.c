/* nvrtc.c: the few functions of libnvrtc, by their names. */
#include "app/models/nvrtc.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

struct functions {
    int (*version)(int *major, int *minor);
    int (*create)(void **program, const char *source, const char *name, int headers,
                  const char *const *header, const char *const *header_name);
    int (*compile)(void *program, int options, const char *const *option);
    int (*log_size)(void *program, size_t *bytes);
    int (*log)(void *program, char *text);
    int (*image_size)(void *program, size_t *bytes);
    int (*image)(void *program, char *image);
    int (*destroy)(void **program);
};

static bool find_functions(struct functions *f, void *library)
{
    struct {
        const char *name;
        void *into;
    } const names[] = {{"nvrtcVersion", &f->version},        {"nvrtcCreateProgram", &f->create},
                       {"nvrtcCompileProgram", &f->compile}, {"nvrtcGetProgramLogSize", &f->log_size},
                       {"nvrtcGetProgramLog", &f->log},      {"nvrtcGetCUBINSize", &f->image_size},
                       {"nvrtcGetCUBIN", &f->image},         {"nvrtcDestroyProgram", &f->destroy}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        void *function = dlsym(library, names[k].name);
        if (!function)
            return false;
        memcpy(names[k].into, &function, sizeof function);
    }
    return true;
}

enum status nvrtc_open(struct nvrtc *nvrtc, struct error *error)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    const char *home = getenv("CUDA_HOME");
    struct functions f;
    *nvrtc = (struct nvrtc){0};
    for (size_t k = 0; k < sizeof names / sizeof *names && !nvrtc->library; k++) {
        char path[1024];
        nvrtc->library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
        if (!nvrtc->library && home && *home == '/' &&
            snprintf(path, sizeof path, "%s/lib64/%s", home, names[k]) < (int)sizeof path)
            nvrtc->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!nvrtc->library)
        return error_set(
            error, STATUS_INPUT,
            "this model is compiled by NVRTC at its first use, and libnvrtc.so was not found (it is part of "
            "the CUDA Toolkit; set $CUDA_HOME to its folder); --device cpu runs it without");
    if (find_functions(&f, nvrtc->library) && f.version(&nvrtc->major, &nvrtc->minor) == 0)
        return STATUS_OK;
    nvrtc_close(nvrtc);
    return error_set(error, STATUS_INPUT, "libnvrtc.so is older than CUDA 11.1");
}

void nvrtc_close(struct nvrtc *nvrtc)
{
    if (nvrtc->library)
        dlclose(nvrtc->library);
    nvrtc->library = NULL;
}

void nvrtc_flags(char *flags, size_t size, int architecture)
{
    snprintf(flags, size,
             "--gpu-architecture=sm_%d --std=c++17 --device-as-default-execution-space --fmad=false "
             "--disable-warnings",
             architecture);
}

/* The few declarations of the C library that device code uses; memcpy, fma and the like are built into the
 * compiler. */
static const char *const headers[] = {
    "typedef signed char int8_t; typedef unsigned char uint8_t; typedef short int16_t;\n"
    "typedef unsigned short uint16_t; typedef int int32_t; typedef unsigned uint32_t;\n"
    "typedef long int64_t; typedef unsigned long uint64_t; typedef unsigned long uintptr_t;\n",
    "", "", "", "#define INFINITY __int_as_float(0x7f800000)\n#define NAN __int_as_float(0x7fc00000)\n"};
static const char *const header_names[] = {"stdint.h", "stddef.h", "stdbool.h", "string.h", "math.h"};

/* The error for a program that does not compile, with its log */
static enum status refuse(const struct functions *f, void *program, struct error *error)
{
    size_t bytes = 0;
    f->log_size(program, &bytes);
    char *text = calloc(bytes + 1, 1);
    if (text)
        f->log(program, text);
    enum status status = error_set(error, STATUS_RUN, "NVRTC cannot compile it: %.600s", text ? text : "");
    free(text);
    return status;
}

enum status nvrtc_compile(const struct nvrtc *nvrtc, const char *source, int architecture, char **image,
                          size_t *bytes, struct error *error)
{
    struct functions f;
    void *program = NULL;
    char flags[256];
    const char *option[16];
    int options = 0;
    nvrtc_flags(flags, sizeof flags, architecture);
    for (char *flag = strtok(flags, " "); flag; flag = strtok(NULL, " "))
        option[options++] = flag;
    *image = NULL;
    if (!find_functions(&f, nvrtc->library) ||
        f.create(&program, source, "model.cu", 5, headers, header_names))
        return error_set(error, STATUS_RUN, "NVRTC cannot begin");
    enum status status = f.compile(program, options, option) ? refuse(&f, program, error) : STATUS_OK;
    if (!status && f.image_size(program, bytes))
        status = error_set(error, STATUS_RUN, "NVRTC does not support sm_%d", architecture);
    if (!status)
        *image = array_new((int64_t)*bytes, 1, "a model's code", &status, error);
    if (!status && f.image(program, *image))
        status = error_set(error, STATUS_RUN, "NVRTC returned no machine code");
    f.destroy(&program);
    if (status) {
        free(*image);
        *image = NULL;
    }
    return status;
}
