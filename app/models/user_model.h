/* user_model.h: an ionic model from a text, the user's or a bundled one: read, parsed, compiled at its first use,
 * loaded. */
#ifndef CARDIAC_APP_MODELS_USER_MODEL_H
#define CARDIAC_APP_MODELS_USER_MODEL_H

#include <stdbool.h>

#include "app/models/bundled.h"
#include "app/models/source.h"
#include "app/util/input.h"
#include "kernels/base/sha256.h"
#include "kernels/device/queue.h"
#include "kernels/compiler/emit/compiler.h"
#include "kernels/compiler/language/mmt.h"
#include "kernels/ionic/ionic.h"

struct user_model {
    struct ionic_model model;           /* "my" or "my-endo" of my.mmt; once loaded, with its code */
    const struct bundled *bundled;      /* NULL = from a file; else path is its name */
    const struct cell_variant *variant; /* of the cell; NULL = the text's own values */
    char *path, *name;
    char sha256[SHA256_HEX], equations[SHA256_HEX]; /* of the text; of all but its variants */
    struct mmt_scale scale;
    int *varied;                    /* [source.varies] of user_model_vary(), ascending; NULL = none */
    const struct ionic_model *base; /* the model whose parameters vary */
    struct cell cell;
    struct compiled compiled;
    struct model_source source;
    bool cached; /* `compiled` is in the cache, with the longest steps: */
    double step_accurate, step_largest, staggered_accurate, staggered_largest; /* 0 = not found yet */
    struct ionic_value *values;
    struct ionic_loops loops[3]; /* of plain, avx2, avx512, as far as loaded: */
    void *library[3][2][2][2];   /* [][mixed][tables][staggered] */
    struct ionic_kernels kernels;
    struct user_model *next;
};

enum { USER_MODEL_BYTES = 1 << 20 }; /* largest text */

/* Whether a word is a file name (it ends in ".mmt"), not a model's name */
bool user_model_is_file(const char *word);
/* STATUS_INPUT for a file in another model language (.cellml, .ode, .model), with how to convert it */
enum status user_model_foreign(const char *path, struct error *error);

/* *out <- the parsed model of the text at path, or of that variant of it (NULL = none). It is added to the list unless
 * it is already there; the file is added to `inputs` (NULL = no record). Errors: STATUS_INPUT with the text's line and
 * column. */
enum status user_model_read(struct user_model **list, struct user_model **out, const char *path,
                            const char *variant, const struct mmt_scale *scale, struct inputs *inputs,
                            struct error *error);

/* Whether both use the same scales of V and time for texts without units */
bool user_model_same_scale(const struct user_model *a, const struct user_model *b);

/* The user_model of a model; NULL = it is built in */
const struct user_model *user_model_of(const struct user_model *list, const struct ionic_model *model);

/* user_model_read() for a bundled model */
enum status user_model_bundled(struct user_model **list, struct user_model **out,
                               const struct bundled *bundled, struct error *error);

/* *out <- the model with these parameters, ascending, stored for each cell: it is stepped with rows
 * (kernels/ionic/ionic.h) and compiled like a text. Everything else is as in the model. Errors: STATUS_INPUT if the
 * model has no text. */
enum status user_model_vary(struct user_model **list, const struct ionic_model **out,
                            const struct ionic_model *model, const int *parameter, int parameters,
                            struct error *error);

/* Compiles the model for the fastest of this CPU's instruction sets, or loads the code from the cache, and finds its
 * longest steps. */
enum status user_model_compile(struct user_model *user, struct source_way way, struct error *error);

/* Does so for every model of the list, for the queue's device. */
enum status user_model_load(struct user_model *list, struct queue *queue, struct source_way way,
                            struct error *error);

void user_model_free(struct user_model *list);

#endif
