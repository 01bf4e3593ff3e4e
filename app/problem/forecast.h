/* forecast.h: forecast the memory and the disk that a run needs from the counts alone, and check that they
 * are there. */
#ifndef CARDIAC_APP_PROBLEM_FORECAST_H
#define CARDIAC_APP_PROBLEM_FORECAST_H

#include <stdio.h>

#include "app/problem/problem.h"
#include "kernels/device/queue.h"

/* Bytes at the peak, upper estimates: of the set-up and of the time loop on the host, and on the device. On a
 * CPU run includes device. With several ranks they are those of the first, which needs most; others: of each
 * other rank at any time, 0 where there are none. */
struct forecast {
    double set_up, run, device, others;
};
struct forecast forecast_make(const struct problem *problem, const struct config *config);

/* Of so many ranks: each one's subdomain, and what the first has of the whole */
struct forecast forecast_subdomain(const struct problem *problem, const struct config *config, int ranks);

/* A run that cannot fit is refused before it makes the machine swap or the GPU run out. STATUS_INPUT, with
 * what is needed, what is there and what would help. ranks: those that share this machine. */
enum status forecast_check_host(const struct forecast *forecast, int64_t nodes, int ranks,
                                struct error *error);
enum status forecast_check_device(const struct forecast *forecast, int64_t nodes, const struct config *config,
                                  struct queue *queue, struct error *error);

/* The bytes that the files of a whole run take */
double forecast_disk_bytes(const struct problem *problem, const struct config *config);
/* Prints it, and a warning where the disk has less. */
void forecast_disk(FILE *file, const struct problem *problem, const struct config *config);

#endif
