/* fields.h: the quantities that a config asks to be written, by name, from a running tissue. */
#ifndef CARDIAC_APP_FIELDS_H
#define CARDIAC_APP_FIELDS_H

#include "kernels/error.h"
#include "solver/monodomain.h"

/* A name and where it comes from: "V", a state or a current of some model, alone ("Cai": of every model that
 * has it) or as "model/name". Nodes whose model does not have it hold NaN. */
struct field {
    const char *name, *unit;
    int variable; /* monodomain variable, or -1: a state or current, looked up in every model group */
};

struct fields {
    int count;
    int64_t nodes;
    struct field *field; /* [count] */
    double **value;      /* [count][nodes] of the last fields_gather, mesh order */
};

/* Errors: STATUS_INPUT for a name that no model of the tissue knows. */
enum status fields_create(struct fields *fields, const struct monodomain *sim, int64_t nodes,
                          const char **name, int count, struct error *error);
void fields_free(struct fields *fields);

/* value[][] <- the present state */
enum status fields_gather(struct fields *fields, struct monodomain *sim, struct error *error);

#endif
