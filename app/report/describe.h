/* describe.h: describe a problem and what the set-up computed, for the log of a run and for `check`. */
#ifndef CARDIAC_APP_REPORT_DESCRIBE_H
#define CARDIAC_APP_REPORT_DESCRIBE_H

#include <stdio.h>

#include "app/problem/forecast.h"
#include "app/problem/problem.h"
#include "app/util/json.h"

/* Prints the numbers of nodes, elements, regions and stimulated nodes, which are cheap. */
void describe_counts(FILE *file, const struct problem *problem, const struct config *config);
/* Prints the conductivities found for `velocity:` of region r, on this mesh and on a fine one; nothing without it. */
void describe_velocity(FILE *file, const struct problem *problem, const struct config *config, int r);
/* Prints nodes, elements, edge lengths, quality, regions with counts, volume, stimulated nodes. */
enum status describe_mesh(FILE *file, const struct problem *problem, const struct config *config,
                          struct error *error);
/* Writes mesh, regions, stimuli, probes, memory and disk as members of a JSON object. */
void describe_json(struct json *json, const struct problem *problem, const struct config *config,
                   const struct forecast *forecast);
/* Prints the model texts that took more than 3 s to compile. */
void describe_compilations(FILE *file, const struct config *config);
/* Prints the method, and why `auto` chose it. */
void describe_method(FILE *file, const struct monodomain_report *report, const struct config *config);
/* text <- a warning if the config's method needs 3 times the sweeps or stages of another; else "" */
void describe_slow_method(char *text, size_t size, const struct monodomain_report *report,
                          const struct config *config);
/* Prints spectral bounds, the explicit limit, the error factor, precision classes, packing. */
void describe_report(FILE *file, const struct monodomain_report *report);
/* Prints the nodes of each rank and the exchange between ranks; nothing on one rank. */
void describe_ranks(FILE *file, const struct monodomain_report *report);
/* Prints the seconds of the set-up's stages. */
void describe_set_up(FILE *file, const struct monodomain_report *report);
void describe_forecast(FILE *file, const struct forecast *forecast, int64_t nodes);

#endif
