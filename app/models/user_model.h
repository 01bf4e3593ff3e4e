/* user_model.h: an ionic model made from a text, a user's or a bundled one: read, described, compiled at its
 * first use, loaded. */
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
    const struct bundled *bundled;      /* NULL of a file; else path is its name */
    const struct cell_variant *variant; /* of the cell; NULL = the text's own values */
    char *path, *name;
    char sha256[SHA256_HEX], equations[SHA256_HEX]; /* of the text; of all but its variants */
    struct mmt_scale scale;
    int *varied;                    /* [source.varies] of user_model_vary, ascending; NULL = none */
    const struct ionic_model *base; /* of which they vary */
    struct cell cell;
    struct compiled compiled;
    struct model_source source;
    bool cached; /* `compiled` is in the cache, with the longest steps: */
    double step_accurate, step_largest, staggered_accurate, staggered_largest; /* 0 = not found yet */
    struct ionic_value *values;
    struct ionic_loops loops[3]; /* of plain, avx2, avx512, as far as they are loaded: */
    void *library[3][2][2][2];   /* [][mixed][tables][staggered] */
    struct ionic_kernels kernels;
    struct user_model *next;
};

enum { USER_MODEL_BYTES = 1 << 20 }; /* of a text at most */

/* Whether a word is a file's name, not a model's: it ends in ".mmt" */
bool user_model_is_file(const char *word);
/* STATUS_INPUT for a file of another language of models (.cellml, .ode, .model), with how it is converted */
enum status user_model_foreign(const char *path, struct error *error);

/* *out <- the described model of the text at path, or of that variant of it (NULL = none), added to the list
 * unless it is there; the file joins `inputs` (NULL = no list). Errors: STATUS_INPUT with the text's line and column. */
enum status user_model_read(struct user_model **list, struct user_model **out, const char *path,
                            const char *variant, const struct mmt_scale *scale, struct inputs *inputs,
                            struct error *error);

/* Whether both scale V and time alike where their texts have no units */
bool user_model_same_scale(const struct user_model *a, const struct user_model *b);

/* The text of a model; NULL = it is built in */
const struct user_model *user_model_of(const struct user_model *list, const struct ionic_model *model);

/* The same of a model that the program carries */
enum status user_model_bundled(struct user_model **list, struct user_model **out,
                               const struct bundled *bundled, struct error *error);

/* *out <- that model with these parameters, ascending, as values of each cell: to be stepped with rows
 * (kernels/ionic/ionic.h), compiled as a text is. Everything else is the model's own. Errors: STATUS_INPUT if it
 * has no text. */
enum status user_model_vary(struct user_model **list, const struct ionic_model **out,
                            const struct ionic_model *model, const int *parameter, int parameters,
                            struct error *error);

/* Compiles for the fastest of this CPU's instruction sets, or loads the code from the cache; the longest
 * steps are known then. */
enum status user_model_compile(struct user_model *user, struct source_way way, struct error *error);

/* The same for every model of the list on the queue's device */
enum status user_model_load(struct user_model *list, struct queue *queue, struct source_way way,
                            struct error *error);

void user_model_free(struct user_model *list);

#endif
