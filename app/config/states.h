/* states.h: V and the states of one cell as text: by their names in a map, or in the file that `cardiac cell
 * --save` writes. */
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
 * states or one like it. Errors: STATUS_INPUT without the place, with the nearest name. */
enum status states_read_entry(double *value, const struct ionic_model *model, const struct tree *entry,
                              struct error *error);

/* V for 0, then the states, and the unit of each */
const char *states_name(const struct ionic_model *model, int k);
const char *states_unit(const struct ionic_model *model, int k);

/* "7.4 nS/pF" as a value of a config, with as many digits as it takes to read back the same bits; a unit that YAML would
 * not take as it stands is left out. NULL without memory */
struct tree *states_value_tree(struct arena *arena, double value, const char *unit);
/* "g_Na: 7.4 nS/pF"; a unit that YAML would not take as it stands is left out */
void states_write_value(FILE *file, const char *name, double value, const char *unit);
/* "V: -85.23 mV" of value k, with as many digits as it takes to read back the same bits */
void states_write_entry(FILE *file, const struct ionic_model *model, const double *value, int k);

/* Reads the values of a file, which joins `inputs` (NULL = no list); note[size] <- in what else the file differs from the record, or "". Errors:
 * STATUS_INPUT with the file's line and column, also if it is of another model. */
enum status states_read_file(double *value, const struct states_record *record, const char *path,
                             struct inputs *inputs, char *note, size_t size, struct error *error);

/* How such files begin */
extern const char states_mark[];
/* STATUS_INPUT if it cannot be created, STATUS_RUN if not written */
enum status states_write_file(const struct states_record *record, const char *path, struct error *error);

#endif
