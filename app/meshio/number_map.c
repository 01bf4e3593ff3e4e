/* number_map.c: file numbers to indices. */
#include "app/meshio/number_map.h"

#include "app/meshio/builder.h"

#include <stdlib.h>

enum status number_map_add(struct number_map *map, int64_t number, struct error *error)
{
    enum status status =
        builder_grow((void **)&map->entry, &map->room, map->count, sizeof *map->entry, error);
    if (status)
        return status;
    int64_t last = map->count ? map->entry[map->count - 1].number : 0;
    map->consecutive = map->count == 0 || (map->consecutive && number > last && number - 1 == last);
    map->entry[map->count] = (struct number_entry){number, map->count};
    map->count++;
    return STATUS_OK;
}

static int compare(const void *a, const void *b)
{
    const struct number_entry *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

bool number_map_close(struct number_map *map, int64_t *twice)
{
    if (map->consecutive || map->count == 0)
        return false;
    qsort(map->entry, (size_t)map->count, sizeof *map->entry, compare);
    for (int64_t i = 1; i < map->count; i++)
        if (map->entry[i].number == map->entry[i - 1].number) {
            *twice = map->entry[i].number;
            return true;
        }
    return false;
}

int64_t number_map_find(const struct number_map *map, int64_t number)
{
    if (map->count == 0 || number < map->entry[0].number)
        return -1;
    if (map->consecutive) {
        uint64_t index = (uint64_t)number - (uint64_t)map->entry[0].number;
        return index < (uint64_t)map->count ? (int64_t)index : -1;
    }
    const struct number_entry key = {number, 0};
    const struct number_entry *found = bsearch(&key, map->entry, (size_t)map->count, sizeof key, compare);
    return found ? found->index : -1;
}

void number_map_free(struct number_map *map)
{
    free(map->entry);
    *map = (struct number_map){0};
}
