/* resolve.h: checks keys against each other once all are read. */
#ifndef CARDIAC_APP_CONFIG_RESOLVE_H
#define CARDIAC_APP_CONFIG_RESOLVE_H

#include "app/config/value.h"

/* Checks keys against each other, fills what depends on other keys, and collects warnings. */
enum status config_resolve(struct reader *reader);

/* Parts of it in tissue.c */
enum status resolve_tissue(struct reader *reader);
enum status resolve_stimuli(struct reader *reader);
enum status resolve_conductor(struct reader *reader);
/* In electrodes.c */
enum status resolve_ecg(struct reader *reader);
/* In times.c; resolve_intervals warns about frames, rows and checkpoints that the run does not reach. */
enum status resolve_times(struct reader *reader);
void resolve_intervals(struct reader *reader);

/* *steps <- time / step for the time at that path, which must be a whole multiple of the step and of
 * time.longest */
enum status resolve_on_grid(struct reader *reader, const char *path, double time, int64_t *steps);

/* Default interval of frames and of rows of ecg.csv, ms: 1, or the next multiple of time.longest */
double resolve_interval(const struct config *config);

/* Warns about values that suggest a wrong unit (plausible.c). */
void resolve_plausible(struct reader *reader);
/* text <- "; 20 us was meant?" if the value at that path suggests it, else ""; returns text */
const char *resolve_unit_hint(char *text, size_t size, const struct reader *reader, const char *path);

#endif
