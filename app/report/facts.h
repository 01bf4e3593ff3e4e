/* facts.h: the table of facts about a run. Its log, its JSON, tables of studies and pages print it; nothing else says
 * what a run did. A fact is a count or a cause: a value, a sentence, or both. */
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
    int which;       /* region, stimulus or probe of the config */
    double value[2]; /* [values] NaN = none; two: of the first beat and of the last */
    int values;
    char *sentence; /* NULL = none */
    bool warning;
};

struct facts {
    struct fact *fact; /* [facts] in the order of the log */
    int64_t facts, room;
};

/* facts <- the values of results that are complete. Errors: STATUS_RUN without memory. Free *facts in any case. */
enum status facts_make(struct facts *facts, const struct results *results, struct error *error);
void facts_free(struct facts *facts);
/* Takes over fact.sentence. Errors: STATUS_RUN without memory. */
enum status facts_add(struct facts *facts, struct fact fact, struct error *error);
/* facts <- more, the sentences (verdict.c). Errors: STATUS_RUN without memory. */
enum status facts_tell(struct facts *facts, const struct results *results, struct error *error);

void facts_log(const struct facts *facts, struct progress *progress);
/* "facts": [{"name", "unit", "region" | "stimulus" | "probe", "value", "sentence", "severity"}] */
void facts_json(struct json *json, const struct facts *facts, const struct config *config);

/* Values as columns of a table: once for each region, probe .. of a config, and for the first and the last beat */
enum { FACTS_COLUMN = 200 }; /* bytes of a name */
int facts_columns(const struct config *config);
/* Column k's name and unit, NULL = none; unit may be NULL */
void facts_column_name(char name[FACTS_COLUMN], const char **unit, const struct config *config, int k);
/* Column k's value in a run, whose config may have other regions and probes; NaN = none */
double facts_column(const struct config *config, int k, const struct facts *facts, const struct config *own);

/* % of the excitable nodes */
double facts_activated(const struct results *results);

#endif
