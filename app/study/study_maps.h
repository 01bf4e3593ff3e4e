/* study_maps.h: the maps of all runs of a study in one result, whose frames are the runs: frame k is run k +
 * 1 of this part, its time the number of the run. */
#ifndef CARDIAC_APP_STUDY_STUDY_MAPS_H
#define CARDIAC_APP_STUDY_STUDY_MAPS_H

#include "app/study/study.h"

/* *path <- DIR/maps.vtkhdf, or maps-K-of-N.vtkhdf, to be freed */
enum status study_maps_path(char **path, const struct study *study, struct error *error);
/* All runs need one mesh. Errors: STATUS_INPUT. */
enum status study_maps_check(const struct study *study, struct error *error);
/* Before the first run. Errors: STATUS_INPUT where the file is there although no run is made. */
enum status study_maps_begin(const struct study *study, struct error *error);
/* The maps of run k; failed: none. What earlier calls wrote for it is replaced. */
enum status study_maps_put(const struct study *study, int64_t k, const struct setup *setup, bool failed,
                           struct error *error);

#endif
