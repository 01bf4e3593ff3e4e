/* facts.h: the table of facts about a run, the only source for its log, its JSON, the tables of studies and the
 * pages. A fact has a value, a sentence, or both. */
#ifndef CARDIAC_APP_REPORT_FACTS_H
#define CARDIAC_APP_REPORT_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/config/config.h"
#include "app/util/json.h"
#include "app/util/progress.h"

struct results;

enum fact_of { FACT_RUN, FACT_REGION, FACT_STIMULUS, FACT_PROBE, FACT_LEADS };

struct fact {
    const char *name, *unit; /* unit NULL = a plain number, or no value */
    enum fact_of of;
    int which;       /* index of the region, stimulus or probe in the config */
    double value[2]; /* [values] NaN = none; two values: first and last beat */
    int values;
    char *sentence; /* NULL = none */
    bool warning;
};

struct facts {
    struct fact *fact; /* [facts] in the order of the log */
    int64_t facts, room;
};

/* *facts <- the values of complete results. Errors: STATUS_RUN if out of memory. Free *facts even then. */
enum status facts_make(struct facts *facts, const struct results *results, struct error *error);
void facts_free(struct facts *facts);
/* Appends a fact; takes ownership of fact.sentence. Errors: STATUS_RUN if out of memory. */
enum status facts_add(struct facts *facts, struct fact fact, struct error *error);
/* Appends the facts with sentences (verdict.c). Errors: STATUS_RUN if out of memory. */
enum status facts_tell(struct facts *facts, const struct results *results, struct error *error);

void facts_log(const struct facts *facts, struct progress *progress);
/* "facts": [{"name", "unit", "region" | "stimulus" | "probe", "value", "sentence", "severity"}] */
void facts_json(struct json *json, const struct facts *facts, const struct config *config);

/* The values as columns of a table: one for each region, probe .. of a config, and for the first and last beat */
enum { FACTS_COLUMN = 200 }; /* bytes of a name */
int facts_columns(const struct config *config);
/* Column k's name and unit, NULL = none; unit may be NULL */
void facts_column_name(char name[FACTS_COLUMN], const char **unit, const struct config *config, int k);
/* The value of column k in a run; own: its config, whose regions and probes may differ. NaN = none */
double facts_column(const struct config *config, int k, const struct facts *facts, const struct config *own);

/* Activated nodes in % of the excitable nodes */
double facts_activated(const struct results *results);

#endif
