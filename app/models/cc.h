/* cc.h: the C compiler of this computer, run without a shell. */
#ifndef CARDIAC_APP_MODELS_CC_H
#define CARDIAC_APP_MODELS_CC_H

#include <stdbool.h>

#include "kernels/base/error.h"

enum { CC_WORDS = 64, CC_LETTERS = 4096, CC_SECONDS = 600 };

/* The compiler in $CC, which may contain options, or the first of cc, gcc and clang in $PATH */
struct cc {
    char path[1024];
    char version[256]; /* the first line of its --version */
    bool is_gcc;
    int seconds;                  /* limit of a compilation, wall time */
    const char *chosen;           /* $CC, "" if it is not set */
    char words[CC_LETTERS];       /* the words of $CC, each NUL-terminated */
    const char *option[CC_WORDS]; /* pointers to the words after the first, NULL-terminated */
};

/* Finds the compiler. Errors: STATUS_INPUT, with what to install, if there is none, or if $CC is too long. */
enum status cc_find(struct cc *cc, struct error *error);

/* The options for a shared object of `clone` ("plain", "avx2", "avx512"), on one line */
const char *cc_flags(const char *clone);

/* Compiles the file `source` to the file `object`. Errors: STATUS_RUN, with the beginning of the compiler's output, if
 * it fails or exceeds its time limit. If this program ends first, the compiler is ended as well and both files are
 * removed. */
enum status cc_compile(const struct cc *cc, const char *clone, const char *source, const char *object,
                       struct error *error);

#endif
