/* dimensions.h: the same fields and maps as arrays over (time, node), /fields, with HDF5's dimension scales:
 * what netCDF's readers and xarray open. They hold no data but the times. */
#ifndef CARDIAC_APP_IO_RESULT_DIMENSIONS_H
#define CARDIAC_APP_IO_RESULT_DIMENSIONS_H

#include "app/io/result/time_field.h"

struct dimensions_map {
    char name[64];
    int64_t width; /* values a node: over (node), or (node, beat) */
};

/* The dimension `node`, and `beat` of maps of several values, on the maps that stand in the file. */
enum status dimensions_create(struct h5_file *file, int64_t nodes, const struct dimensions_map *map, int maps,
                              struct error *error);
/* /fields <- a new group that shows n frames; times, a dataset of no name, becomes its dimension `time`. A
 * file without dimensions keeps none. */
enum status dimensions_show(struct h5_file *file, const struct time_field *field, int fields,
                            const struct dimensions_map *map, int maps, hid_t times, int64_t n,
                            struct error *error);

#endif
