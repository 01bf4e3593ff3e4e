/* number_map.h: the numbers that a file gives to its items -> their index in order of appearance.
 *
 * Numbers that rise by one from item to item, the common case, are kept as they are and looked up by a
 * subtraction; any others are sorted once and found by bisection. */
#ifndef CARDIAC_APP_MESHIO_NUMBER_MAP_H
#define CARDIAC_APP_MESHIO_NUMBER_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/error.h"

struct number_entry {
    int64_t number, index;
};

struct number_map {
    struct number_entry *entry; /* [count] */
    int64_t count, room;
    bool consecutive; /* entry[i].number = entry[0].number + i */
};

enum status number_map_add(struct number_map *map, int64_t number, struct error *error);
/* To be called between the last add and the first find. *twice <- a number given to two items; returns
 * whether there is one. */
bool number_map_close(struct number_map *map, int64_t *twice);
/* The index of the item with that number, -1 if there is none. */
int64_t number_map_find(const struct number_map *map, int64_t number);
void number_map_free(struct number_map *map);

#endif
