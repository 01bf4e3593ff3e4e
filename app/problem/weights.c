/* weights.c: a linked list of conditions; a cache entry is the memory image of one of its elements. */
#include "app/problem/weights.h"

#include <stdlib.h>
#include <string.h>

#include "app/util/cache.h"

static const char kind[] = "weights";
static const double most_bytes = 2e8;

void weights_key_make(struct weights_key *key, const struct where *where)
{
    struct sha256 sha;
    sha256_start(&sha);
    where_digest(&sha, where);
    sha256_end(&sha, key->condition);
    key->read[0] = 0;
}

void weights_key_read(struct weights_key *key, const struct environment_view *view,
                      const struct heart_cache *cache)
{
    const struct mesh *mesh = view->mesh;
    struct mesh bare = *mesh; /* weights do not depend on fibres */
    char hex[SHA256_HEX];
    struct sha256 sha;
    key->read[0] = 0;
    if (mesh->elements < WEIGHTS_CACHE_LEAST)
        return;
    bare.fiber_location = LOCATION_NONE;
    digest_mesh(&bare, cache->blocks, hex);
    sha256_start(&sha);
    sha256_add(&sha, hex, sizeof hex);
    sha256_add(&sha, key->condition, sizeof key->condition);
    for (int k = 0; k < view->where->leaves; k++) {
        const struct environment_array *array = &view->array[k];
        const int64_t count = array->location == LOCATION_ELEMENT ? mesh->elements : mesh->nodes;
        const int32_t how[] = {array->value != NULL, (int32_t)array->location, array->periodic};
        sha256_add(&sha, how, sizeof how);
        if (array->value)
            digest_add(&sha, array->value, (size_t)count * sizeof *array->value);
    }
    sha256_end(&sha, key->read);
}

const struct environment_weights *weights_known(const struct environment *environment,
                                                const struct weights_key *key)
{
    const struct environment_weights *known = environment->weights;
    while (known && strcmp(known->condition, key->condition) != 0)
        known = known->next;
    return known;
}

/* Inserts a list at the front; only the latest MOST are kept. */
static void push(struct environment *environment, struct environment_weights *list)
{
    enum { MOST = 32 };
    struct environment_weights **last = &environment->weights;
    for (int k = 1; *last && k < MOST; k++)
        last = &(*last)->next;
    free(*last);
    *last = NULL;
    list->next = environment->weights;
    environment->weights = list;
}

static size_t bytes_of(int64_t count)
{
    return sizeof(struct environment_weights) +
           (size_t)count * sizeof((struct environment_weights *)0)->of[0];
}

/* Whether bytes read from the cache form a valid list for a mesh of that many nodes */
static bool is_list(const struct environment_weights *list, size_t bytes, int64_t nodes)
{
    if (bytes < sizeof *list || list->count < 0 || list->count > nodes || bytes != bytes_of(list->count))
        return false;
    for (int64_t k = 0; k < list->count; k++)
        if (list->of[k].node >= nodes || list->of[k].node < (k > 0 ? list->of[k - 1].node + 1 : 0))
            return false;
    return true;
}

const struct environment_weights *weights_read(struct environment *environment, const struct weights_key *key)
{
    struct cache folder;
    char name[CACHE_NAME];
    size_t bytes = 0;
    if (!key->read[0] || !cache_open_entry(&folder, name, kind, key->read))
        return NULL;
    struct environment_weights *list = cache_read(&folder, name, &bytes);
    cache_close(&folder);
    if (!list || !is_list(list, bytes, environment->mesh->nodes)) {
        free(list);
        return NULL;
    }
    push(environment, list);
    return list;
}

enum status weights_keep(const struct environment_weights **kept, struct environment *environment,
                         const struct weights_key *key, const double *weight, const struct volume *volume,
                         struct error *error)
{
    const int64_t nodes = environment->mesh->nodes;
    int64_t count = 0;
    for (int64_t i = 0; i < nodes; i++)
        count += weight[i] != 0;
    struct environment_weights *list = calloc(1, bytes_of(count)); /* padding is written: set it to 0 */
    if (!list)
        return error_memory(error, "the weights of a stimulus", (double)bytes_of(count));
    memcpy(list->condition, key->condition, sizeof list->condition);
    list->asked = volume->asked;
    list->given = volume->given;
    list->count = count;
    for (int64_t i = 0, k = 0; i < nodes; i++)
        if (weight[i] != 0) {
            list->of[k].weight = weight[i];
            list->of[k++].node = i;
        }
    push(environment, list);
    *kept = list;
    return STATUS_OK;
}

void weights_store(const struct environment_weights *list, const struct weights_key *key)
{
    struct cache folder;
    char name[CACHE_NAME];
    const size_t bytes = bytes_of(list->count);
    struct environment_weights *entry = (double)bytes <= most_bytes && key->read[0] ? malloc(bytes) : NULL;
    if (entry && cache_open_entry(&folder, name, kind, key->read)) {
        memcpy(entry, list, bytes);
        entry->next = NULL;
        cache_bound(&folder, kind, (double)bytes, most_bytes);
        cache_write(&folder, name, entry, bytes, NULL);
        cache_close(&folder);
    }
    free(entry);
}
