/* resolve.h: checks keys against each other once all are read. */
#ifndef CARDIAC_APP_CONFIG_RESOLVE_H
#define CARDIAC_APP_CONFIG_RESOLVE_H

#include "app/config/value.h"

/* Checks keys against each other, fills what depends on other keys, and collects warnings. */
enum status config_resolve(struct reader *reader);

/* Its parts in tissue.c */
enum status resolve_tissue(struct reader *reader);
enum status resolve_stimuli(struct reader *reader);
enum status resolve_conductor(struct reader *reader);
/* In electrodes.c */
enum status resolve_ecg(struct reader *reader);
/* In times.c; the last warns of frames, rows and checkpoints that the run does not reach. */
enum status resolve_times(struct reader *reader);
void resolve_intervals(struct reader *reader);

/* *steps <- time / step of the time at that path, which must be a whole number of steps, also of time.longest */
enum status resolve_on_grid(struct reader *reader, const char *path, double time, int64_t *steps);

/* ms between two frames, or two rows of ecg.csv, that no key gives: 1, or the next multiple of time.longest */
double resolve_interval(const struct config *config);

/* Warnings of values that a wrong unit gives (plausible.c) */
void resolve_plausible(struct reader *reader);
/* text <- "; 20 us was meant?" of the value at that path, or ""; returns text */
const char *resolve_unit_hint(char *text, size_t size, const struct reader *reader, const char *path);

#endif
