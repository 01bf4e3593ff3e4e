/* describe.h: describe a problem and what the set-up computed, for the log of a run and for `check`. */
#ifndef CARDIAC_APP_REPORT_DESCRIBE_H
#define CARDIAC_APP_REPORT_DESCRIBE_H

#include <stdio.h>

#include "app/problem/forecast.h"
#include "app/problem/problem.h"
#include "app/util/json.h"

/* Nodes, elements, regions and stimulated nodes: what costs nothing to say of any mesh. */
void describe_counts(FILE *file, const struct problem *problem, const struct config *config);
/* The conductivities found for the velocities of region r on this mesh and on a fine one; nothing where it
 * gives none. */
void describe_velocity(FILE *file, const struct problem *problem, const struct config *config, int r);
/* Nodes, elements, edge lengths, quality, regions with counts, volume, stimulated nodes. */
enum status describe_mesh(FILE *file, const struct problem *problem, const struct config *config,
                          struct error *error);
/* Mesh, regions, stimuli, probes, and the memory and disk of the run, as members of an object. */
void describe_json(struct json *json, const struct problem *problem, const struct config *config,
                   const struct forecast *forecast);
/* The models' texts that took a few seconds to compile. */
void describe_compilations(FILE *file, const struct config *config);
/* The method of `auto` and why. */
void describe_method(FILE *file, const struct monodomain_report *report, const struct config *config);
/* text <- a warning where the config's method takes 3 times the sweeps or stages of another one; else "" */
void describe_slow_method(char *text, size_t size, const struct monodomain_report *report,
                          const struct config *config);
/* Spectral bounds, the explicit limit, the error factor, precision classes, packing. */
void describe_report(FILE *file, const struct monodomain_report *report, const struct config *config);
/* How the nodes are shared, where several ranks do. */
void describe_ranks(FILE *file, const struct monodomain_report *report);
/* Seconds of the set-up's stages. */
void describe_set_up(FILE *file, const struct monodomain_report *report);
void describe_forecast(FILE *file, const struct forecast *forecast, int64_t nodes);

#endif
