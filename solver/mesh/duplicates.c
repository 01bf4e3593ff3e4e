/* duplicates.c: items go to buckets by the upper bits of their hashes, in ascending order, and every bucket
 * has a table of its own, small enough for a cache. */
#include "solver/mesh/duplicates.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"

enum { PARTS = 64, BUCKET_ITEMS = 4096, BUCKET_BITS_MOST = 12 };

struct hashed {
    uint32_t hash; /* the lower half; the upper half selects the bucket */
    int32_t item;
};

struct table {
    int64_t *slot;       /* [room] items of a bucket, -1 = free */
    int64_t slots, room; /* slots of this bucket, a power of two; the most so far */
};

static uint64_t hash_of(const uint64_t key[3])
{
    return bits_stir(key[0] + bits_stir(key[1] + bits_stir(key[2])));
}

/* at[part][bucket] <- first position of a part's items in a bucket */
static void find_places(int64_t *at, int64_t buckets)
{
    int64_t sum = 0;
    for (int64_t b = 0; b < buckets; b++)
        for (int p = 0; p < PARTS; p++) {
            int64_t count = at[p * buckets + b];
            at[p * buckets + b] = sum;
            sum += count;
        }
}

/* hashed[] <- all items by bucket; at[] then holds the end of each part */
static void fill_buckets(struct hashed *hashed, int64_t *at, int bits, const struct mesh *mesh, int64_t items,
                         duplicates_key *key_of)
{
    int64_t buckets = (int64_t)1 << bits;
    for (int fill = 0; fill < 2; fill++) {
#pragma omp parallel for schedule(static)
        for (int p = 0; p < PARTS; p++)
            for (int64_t i = items * p / PARTS; i < items * (p + 1) / PARTS; i++) {
                uint64_t key[3];
                key_of(mesh, i, key);
                uint64_t hash = hash_of(key);
                int64_t *place = &at[p * buckets + (bits ? (int64_t)(hash >> (64 - bits)) : 0)];
                if (fill)
                    hashed[*place] = (struct hashed){(uint32_t)hash, (int32_t)i};
                ++*place;
            }
        if (!fill)
            find_places(at, buckets);
    }
}

/* At least three slots for two items, all free; false without memory */
static bool clear_table(struct table *table, int64_t items)
{
    table->slots = 16;
    while (table->slots < items + items / 2)
        table->slots *= 2;
    if (table->slots > table->room) {
        free(table->slot);
        table->slot = malloc((size_t)table->slots * sizeof *table->slot);
        table->room = table->slot ? table->slots : 0;
    }
    if (table->slot)
        memset(table->slot, -1, (size_t)table->slots * sizeof *table->slot);
    return table->slot;
}

static void join(struct duplicates *duplicates, const struct duplicates *more)
{
    if (more->count > 0 && (duplicates->count == 0 || more->first < duplicates->first)) {
        duplicates->first = more->first;
        duplicates->first_of = more->first_of;
    }
    duplicates->count += more->count;
}

/* *duplicates += those in a bucket, by linear probing */
static void search_bucket(struct duplicates *duplicates, struct table *table, const struct hashed *hashed,
                          int64_t count, const struct mesh *mesh, duplicates_key *key_of, uint8_t *again)
{
    uint64_t mask = (uint64_t)table->slots - 1;
    for (int64_t i = 0; i < count; i++) {
        uint64_t slot = hashed[i].hash & mask, key[3], other[3];
        bool found = false;
        for (; table->slot[slot] >= 0 && !found; slot = (slot + 1) & mask) {
            const struct hashed *before = &hashed[table->slot[slot]];
            if (before->hash != hashed[i].hash)
                continue;
            key_of(mesh, hashed[i].item, key);
            key_of(mesh, before->item, other);
            found = memcmp(key, other, sizeof key) == 0;
            if (found)
                join(duplicates, &(struct duplicates){1, hashed[i].item, before->item});
        }
        if (!found)
            table->slot[slot] = i;
        if (again)
            again[hashed[i].item] = found;
    }
}

/* False without memory */
static bool search_buckets(struct duplicates *duplicates, const struct hashed *hashed, const int64_t *end,
                           int64_t buckets, const struct mesh *mesh, duplicates_key *key_of, uint8_t *again)
{
    bool good = true;
#pragma omp parallel
    {
        struct table table = {0};
        struct duplicates own = {0, -1, -1};
        bool room = true;
#pragma omp for schedule(dynamic, 8)
        for (int64_t b = 0; b < buckets; b++) {
            int64_t first = b ? end[b - 1] : 0;
            room = room && clear_table(&table, end[b] - first);
            if (room)
                search_bucket(&own, &table, hashed + first, end[b] - first, mesh, key_of, again);
        }
#pragma omp critical(duplicates)
        {
            join(duplicates, &own);
            good = good && room;
        }
        free(table.slot);
    }
    return good;
}

enum status duplicates_find(struct duplicates *duplicates, const struct mesh *mesh, int64_t items,
                            duplicates_key *key_of, uint8_t *again, struct error *error)
{
    static const char what[] = "the equal items of a mesh";
    enum status status = STATUS_OK;
    int bits = 0;
    while (bits < BUCKET_BITS_MOST && items >> bits > BUCKET_ITEMS)
        bits++;
    int64_t buckets = (int64_t)1 << bits;
    *duplicates = (struct duplicates){0, -1, -1};
    struct hashed *hashed = array_new(items, sizeof *hashed, what, &status, error);
    int64_t *at = array_zeroed(PARTS * buckets, sizeof *at, what, &status, error);
    TRY_DONE(status);
    fill_buckets(hashed, at, bits, mesh, items, key_of);
    if (!search_buckets(duplicates, hashed, at + (PARTS - 1) * buckets, buckets, mesh, key_of, again))
        status = error_memory(error, what, 24.0 * (double)items / (double)buckets);
done:
    free(hashed);
    free(at);
    return status;
}
