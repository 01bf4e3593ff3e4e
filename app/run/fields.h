/* fields.h: the quantities that a config writes, by name, from a running tissue. */
#ifndef CARDIAC_APP_RUN_FIELDS_H
#define CARDIAC_APP_RUN_FIELDS_H

#include "kernels/base/error.h"
#include "solver/step/monodomain.h"
#include "solver/step/snapshot.h"

/* A name and where it comes from: "V", a state or a current of some model, alone ("Cai": of every model that
 * has it) or as "model/name". Nodes whose model does not have it hold NaN. */
struct field {
    const char *name, *unit;
    int first, end; /* range of its quantities: one for each model, or group, that has it */
};

struct fields {
    int count;
    int64_t nodes;       /* held (monodomain_held) */
    struct field *field; /* [count] */
    double **value;      /* [count][nodes] from the last fields_gather(), mesh order */
    struct snapshot *snapshot;
    struct snapshot *few; /* the same at the probes, with the largest V of all nodes */
    int64_t probes;
    double *at_probe; /* [probes] */
    struct monodomain *sim;
    bool voltage, states; /* whether some field is V; whether some is not */
};

/* quantity[*count] <- the quantities that form the field of that name, at most monodomain_models + 1. Errors:
 * STATUS_INPUT for a name that no model of the tissue has. */
enum status fields_find(const struct monodomain *sim, const char *name, struct snapshot_quantity *quantity,
                        int *count, const char **unit, struct error *error);

/* *fields <- count fields at all nodes, and at node[probes] of the whole mesh. Errors: as above. */
enum status fields_create(struct fields *fields, struct monodomain *sim, const char **name, int count,
                          const int64_t *node, int64_t probes, struct error *error);
void fields_free(struct fields *fields);

/* Starts copying the current state (solver/step/snapshot.h): of all nodes to slot `whole` (-1 = do not), of the probes
 * to slot `few`. The steps may continue meanwhile. */
enum status fields_take(struct fields *fields, int whole, int few, struct error *error);
/* Waits until the copies are complete. One thread calls this and the next functions, and owns value[][]. */
enum status fields_arrive(struct fields *fields, int whole, int few, struct error *error);
/* After fields_arrive(), collective: value[][] <- the copy; rank 0 gets all nodes. */
void fields_gather(struct fields *fields, int whole);
/* row[probes][count] <- the values at the probes */
void fields_gather_row(struct fields *fields, int few, double *row);
/* The largest V of all nodes; *node <- the first node that has it. NaN if no field is V */
double fields_largest(const struct fields *fields, int few, int64_t *node);

#endif
