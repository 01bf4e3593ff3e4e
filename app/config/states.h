/* states.h: V and the states of one cell as text, in a config's map or in the file that `cardiac cell --save`
 * writes. */
#ifndef CARDIAC_APP_CONFIG_STATES_H
#define CARDIAC_APP_CONFIG_STATES_H

#include <stdio.h>

#include "app/config/yaml.h"
#include "app/models/pacing.h"
#include "app/util/input.h"

/* A cell, and how it reached its state */
struct states_record {
    const struct ionic_model *model;
    const struct user_model *user; /* NULL = built in */
    const double *parameter;       /* [model->parameters] */
    const double *value;           /* [single_cell_values] */
    struct source_way way;
    const struct pacing *pacing;
    int64_t beats;
};

/* The entry NAME: VALUE of a map -> value[1 + model->states] (single_cell.h), in the unit that the model
 * states or a compatible one. Errors: STATUS_INPUT without a position, with the nearest name. */
enum status states_read_entry(double *value, const struct ionic_model *model, const struct tree *entry,
                              struct error *error);

/* Name and unit of value k: V for k = 0, then the states */
const char *states_name(const struct ionic_model *model, int k);
const char *states_unit(const struct ionic_model *model, int k);

/* "7.4 nS/pF" as a config value, with enough digits to read back the same bits; the unit is omitted if YAML would
 * need quotes for it. NULL if out of memory. */
struct tree *states_value_tree(struct arena *arena, double value, const char *unit);
/* Reads the values of a file and adds it to `inputs` (NULL = no record). note[size] <- other differences between the
 * file and the record, or "". Errors: STATUS_INPUT with the file's line and column, also for another model. */
enum status states_read_file(double *value, const struct states_record *record, const char *path,
                             struct inputs *inputs, char *note, size_t size, struct error *error);

/* The text with which such a file begins */
extern const char states_mark[];
/* Writes the record. Errors: STATUS_INPUT if the file cannot be created, STATUS_RUN if writing fails. */
enum status states_write_file(const struct states_record *record, const char *path, struct error *error);

#endif
