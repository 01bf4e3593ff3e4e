/* embedded.h: texts that the program carries with it: those of the built-in models, and the sources that a
 * user's model is compiled with, each as one file that includes no other of ours. The build makes them
 * (app/model_compiler.c). */
#ifndef CARDIAC_APP_MODELS_EMBEDDED_H
#define CARDIAC_APP_MODELS_EMBEDDED_H

#include "kernels/ionic/ionic.h"

struct embedded {
    const char *name, *text;
};

/* Up to a name that is NULL */
extern const struct embedded embedded_texts[];

/* The text of that name, or NULL; that a model which is built in is made of, or NULL */
const char *embedded_find(const char *name);
const char *embedded_of(const struct ionic_model *model);

#endif
