/* forecast.h: forecast the memory and disk space of a run from counts alone, and check that they are available. */
#ifndef CARDIAC_APP_PROBLEM_FORECAST_H
#define CARDIAC_APP_PROBLEM_FORECAST_H

#include <stdio.h>

#include "app/problem/problem.h"
#include "kernels/device/queue.h"

/* Peak memory in bytes, upper estimates: host during set-up, host during the time loop, device. On a CPU `run`
 * includes `device`. With several ranks these are for rank 0, which needs most; others: each other rank at any time,
 * 0 on a single rank. */
struct forecast {
    double set_up, run, device, others;
};
struct forecast forecast_make(const struct problem *problem, const struct config *config);

/* The forecast with `ranks` ranks: a subdomain each, and on rank 0 also the data of the whole mesh */
struct forecast forecast_subdomain(const struct problem *problem, const struct config *config, int ranks);

/* Refuse a run that cannot fit, before it swaps or exhausts the GPU: STATUS_INPUT, with the memory needed, the
 * memory available and what would help. ranks: the number of ranks on this host. */
enum status forecast_check_host(const struct forecast *forecast, int64_t nodes, int ranks,
                                struct error *error);
enum status forecast_check_device(const struct forecast *forecast, int64_t nodes, const struct config *config,
                                  struct queue *queue, struct error *error);

/* Bytes of all files of a whole run */
double forecast_disk_bytes(const struct problem *problem, const struct config *config);
/* Prints that size, and a warning if the disk has less free space. */
void forecast_disk(FILE *file, const struct problem *problem, const struct config *config);

#endif
