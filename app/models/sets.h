/* sets.h: the models that one text is built in as, each with values of its own.
 *
 * Of NAME.mmt they stand in NAME.sets beside it, a line each: a name, the longest steps (struct ionic_model:
 * step_accurate and step_largest, ms; 0 0 = not known) and a title, if not the text's. Indented lines behind
 * it say what differs from the text, NAME=VALUE of states and parameters, V, and `capacitance`, uF/cm^2. With
 * a line `names short` before them all, variables go by the shortest end of their names that no other one
 * has. # begins a comment, as does nothing else. */
#ifndef CARDIAC_APP_MODELS_SETS_H
#define CARDIAC_APP_MODELS_SETS_H

#include "kernels/ionic/ionic.h"

enum { SETS_MODELS = 16, SETS_CHANGES = 1024 };

struct sets {
    const char *path; /* for messages */
    bool short_names;
    int models, changes;
    struct sets_model {
        const char *name, *title;
        double step_accurate, step_largest;
        int first, changes; /* of change[] */
    } model[SETS_MODELS];
    struct sets_change {
        const char *name;
        double value;
        int line;
    } change[SETS_CHANGES];
};

/* sets <- text[bytes], with text[bytes] = 0, which is cut into words and read from as long as they are used.
 * Errors: STATUS_INPUT with path:line. */
enum status sets_read(struct sets *sets, char *text, size_t bytes, const char *path, struct error *error);

/* model <- set k of what the text says, whose `values` are states, parameters and currents in this order.
 * Errors: a name that is none of them, STATUS_INPUT with path:line. */
enum status sets_apply(struct ionic_model *model, struct ionic_value *values, const struct sets *sets, int k,
                       struct error *error);

/* name of each of the values <- without its component, where no other has that name */
enum status sets_shorten(struct ionic_value *values, int count, struct error *error);

#endif
