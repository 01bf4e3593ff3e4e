/* cc.h: the C compiler of this computer, run without a shell. */
#ifndef CARDIAC_APP_MODELS_CC_H
#define CARDIAC_APP_MODELS_CC_H

#include <stdbool.h>

#include "kernels/base/error.h"

enum { CC_WORDS = 64, CC_LETTERS = 4096, CC_SECONDS = 600 };

/* The compiler of $CC, which may hold options, or the first of cc, gcc and clang in the folders of $PATH */
struct cc {
    char path[1024];
    char version[256]; /* the first line of its --version */
    bool is_gcc;
    int seconds;                  /* limit of a compilation, by the clock */
    const char *chosen;           /* $CC, "" if it is not set */
    char words[CC_LETTERS];       /* the same, one word after the other */
    const char *option[CC_WORDS]; /* the words after the name there, up to NULL */
};

/* STATUS_INPUT, with what to install, if there is none, or if $CC holds more than fits here. */
enum status cc_find(struct cc *cc, struct error *error);

/* The options that a shared object of `clone` ("plain", "avx2", "avx512") is made with, in one line */
const char *cc_flags(const char *clone);

/* The file `object` <- the compiled file `source`. STATUS_RUN, with the first of what the compiler prints, if
 * it fails or reaches its limit. If this program ends first, the compiler is ended too and both files are
 * removed. */
enum status cc_compile(const struct cc *cc, const char *clone, const char *source, const char *object,
                       struct error *error);

#endif
