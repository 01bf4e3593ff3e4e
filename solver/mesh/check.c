/* check.c: one O(n) pass per fault. Every thread counts separately; the first example is the lowest of all
 * threads. */
#include "solver/mesh/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "kernels/base/compare.h"
#include "kernels/base/vec3.h"
#include "solver/mesh/mesh.h"
#include "solver/mesh/surface.h"

static const double FAR = 1e9; /* mm; a heart of a kilometre means a wrong unit */
static const double FLAT =
    1e-12; /* smallest measure of an element relative to its longest edge; rounding errors are below 1e-14 */

struct finding {
    int64_t count, first;
};

/* Counts another occurrence, after earlier ones */
static void note_finding(struct finding *finding, int64_t item)
{
    if (finding->count++ == 0)
        finding->first = item;
}

static void join(int64_t *count, int64_t *first, struct finding own)
{
    if (own.count > 0 && (*count == 0 || own.first < *first))
        *first = own.first;
    *count += own.count;
}

static void check_indices(const struct mesh *mesh, struct mesh_health *health)
{
    int corners = mesh->dimension + 1;
#pragma omp parallel
    {
        struct finding range = {0};
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->elements * corners; i++)
            if (mesh->vertex[i] < 0 || mesh->vertex[i] >= mesh->nodes)
                note_finding(&range, i / corners);
#pragma omp critical(mesh_check)
        join(&health->out_of_range, &health->range_element, range);
    }
}

static bool is_usable_point(const double x[3], double far)
{
    return fabs(x[0]) <= far && fabs(x[1]) <= far && fabs(x[2]) <= far;
}

static void check_numbers(const struct mesh *mesh, struct mesh_health *health)
{
    int64_t directions = mesh->fiber_location == LOCATION_NODE ? mesh->nodes : mesh->elements;
#pragma omp parallel
    {
        struct finding points = {0}, fibers = {0};
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++)
            if (!is_usable_point(mesh->point + 3 * i, FAR))
                note_finding(&points, i);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < directions; i++)
            if ((mesh->fiber && !is_usable_point(mesh->fiber + 3 * i, HUGE_VAL)) ||
                (mesh->sheet && !is_usable_point(mesh->sheet + 3 * i, HUGE_VAL)))
                note_finding(&fibers, i);
#pragma omp critical(mesh_check)
        {
            join(&health->not_finite, &health->not_finite_node, points);
            join(&health->bad_fibers, &health->bad_fiber, fibers);
        }
    }
}

/* The measure, and the longest of the edges from vertex 0 */
static double measure(const struct mesh *mesh, int64_t element, double *longest)
{
    const int32_t *vertex = mesh->vertex + element * (mesh->dimension + 1);
    const int dimension = mesh_corners(mesh, element) - 1;
    double e[3][3] = {{0}}, normal[3];
    *longest = 0;
    for (int c = 0; c < dimension; c++) {
        vec3_between(e[c], mesh->point + 3 * (int64_t)vertex[0], mesh->point + 3 * (int64_t)vertex[c + 1]);
        *longest = fmax(*longest, vec3_length(e[c]));
    }
    if (dimension == 1)
        return *longest;
    vec3_cross(normal, e[0], e[1]);
    return dimension == 2 ? vec3_length(normal) : vec3_dot(normal, e[2]);
}

double mesh_measure(const struct mesh *mesh, int64_t element)
{
    double longest;
    return measure(mesh, element, &longest);
}

bool mesh_repeats_node(const struct mesh *mesh, int64_t element)
{
    const int32_t *vertex = mesh->vertex + element * (mesh->dimension + 1);
    const int corners = mesh_corners(mesh, element);
    for (int a = 0; a < corners; a++)
        for (int b = a + 1; b < corners; b++)
            if (vertex[a] == vertex[b])
                return true;
    return false;
}

bool mesh_is_flat(const struct mesh *mesh, int64_t element)
{
    const int dimension = mesh_corners(mesh, element) - 1;
    double longest, size = measure(mesh, element, &longest);
    if (dimension == 1 && mesh->dimension > 1)
        return false; /* a resistor may have no length */
    return !(fabs(size) > (dimension == 1   ? 0
                           : dimension == 2 ? FLAT * longest * longest
                                            : FLAT * longest * longest * longest));
}

static void check_shapes(struct mesh *mesh, struct mesh_health *health)
{
    int corners = mesh->dimension + 1;
#pragma omp parallel
    {
        struct finding repeated = {0}, flat = {0};
        int64_t turned = 0;
#pragma omp for schedule(static)
        for (int64_t e = 0; e < mesh->elements; e++) {
            int32_t *vertex = mesh->vertex + corners * e;
            const int dimension = mesh_corners(mesh, e) - 1;
            if (mesh_repeats_node(mesh, e))
                note_finding(&repeated, e);
            else if (mesh_is_flat(mesh, e))
                note_finding(&flat, e);
            else if (dimension == 3 && mesh_measure(mesh, e) < 0) {
                int32_t swapped = vertex[2];
                vertex[2] = vertex[3];
                vertex[3] = swapped;
                turned++;
            }
        }
#pragma omp critical(mesh_check)
        {
            join(&health->repeated, &health->repeated_element, repeated);
            join(&health->flat, &health->flat_element, flat);
            health->turned += turned;
        }
    }
}

/* Components and loose nodes; component[nodes] is workspace. */
static void count_components(const struct mesh *mesh, int32_t *component, struct mesh_health *health)
{
    int64_t components = 0;
    mesh_components(component, mesh);
#pragma omp parallel
    {
        struct finding loose = {0};
#pragma omp for schedule(static) reduction(+ : components)
        for (int64_t i = 0; i < mesh->nodes; i++) {
            if (component[i] < 0)
                note_finding(&loose, i);
            components += component[i] == i;
        }
#pragma omp critical(mesh_check)
        join(&health->loose, &health->loose_node, loose);
    }
    health->components = components;
}

static void point_key(const struct mesh *mesh, int64_t i, uint64_t key[3])
{
    double point[3];
    for (int d = 0; d < 3; d++)
        point[d] = mesh->point[3 * i + d] + 0.0; /* -0 becomes +0 */
    memcpy(key, point, sizeof point);
}

void mesh_element_key(const struct mesh *mesh, int64_t e, uint64_t key[3])
{
    const int corners = mesh_corners(mesh, e);
    int32_t sorted[6] = {0};
    for (int c = 0; c < corners; c++)
        sorted[c] = mesh->vertex[(mesh->dimension + 1) * e + c] + 1;
    compare_sort_few(sorted, corners);
    memcpy(key, sorted, sizeof sorted);
}

enum status mesh_check(struct mesh *mesh, struct mesh_health *health, struct error *error)
{
    *health = (struct mesh_health){.range_element = -1,
                                   .not_finite_node = -1,
                                   .bad_fiber = -1,
                                   .repeated_element = -1,
                                   .flat_element = -1,
                                   .duplicate_element = -1,
                                   .duplicate_of = -1,
                                   .overlap_element = -1,
                                   .overlap_other = -1,
                                   .loose_node = -1,
                                   .double_node = -1,
                                   .double_of = -1};
    check_indices(mesh, health);
    check_numbers(mesh, health);
    if (health->out_of_range || health->not_finite)
        return STATUS_OK;
    check_shapes(mesh, health);
    enum status status = STATUS_OK;
    int32_t *component = array_new(mesh->nodes, sizeof *component, "checking the mesh", &status, error);
    TRY(status);
    count_components(mesh, component, health);
    free(component);
    struct duplicates duplicates = {0};
    TRY(duplicates_find(&duplicates, mesh, mesh->elements, mesh_element_key, NULL, error));
    health->duplicates = duplicates.count, health->duplicate_element = duplicates.first,
    health->duplicate_of = duplicates.first_of;
    if (!health->duplicates && !health->repeated && !health->flat) {
        struct mesh_overlaps overlaps;
        TRY(mesh_overlaps_find(&overlaps, mesh, error));
        health->overlaps = overlaps.faces;
        health->overlap_element = overlaps.element;
        health->overlap_other = overlaps.other;
    }
    TRY(duplicates_find(&duplicates, mesh, mesh->nodes, point_key, NULL, error));
    health->doubles = duplicates.count, health->double_node = duplicates.first,
    health->double_of = duplicates.first_of;
    return STATUS_OK;
}

#define COUNT(n) (long long)(n), (n) == 1 ? "" : "s"

bool mesh_health_fault(const struct mesh_health *h, int *which, struct mesh_fault *fault)
{
    const size_t room = sizeof fault->text;
    *fault = (struct mesh_fault){.node = -1, .element = -1};
    while (!fault->text[0]) {
        switch ((*which)++) {
        case 0:
            if (h->out_of_range)
                snprintf(fault->text, room, "element %lld names a node that does not exist",
                         (long long)h->range_element);
            break;
        case 1:
            if (h->not_finite)
                snprintf(
                    fault->text, room,
                    "%lld node%s with a coordinate that is no number or farther out than 1e9 mm, the first "
                    "node %lld (counted from 0); is the scale right?",
                    COUNT(h->not_finite), (long long)h->not_finite_node);
            break;
        case 2:
            if (h->bad_fibers)
                snprintf(
                    fault->text, room,
                    "%lld fibre%s with a component that is not finite, the first is number %lld (counted "
                    "from 0)",
                    COUNT(h->bad_fibers), (long long)h->bad_fiber);
            break;
        case 3:
            fault->element = h->repeated_element;
            if (h->repeated)
                snprintf(fault->text, room,
                         "element %lld (counted from 0) names one node twice (%lld such elements); `cardiac "
                         "mesh repair "
                         "IN OUT --drop-duplicates` removes them",
                         (long long)h->repeated_element, (long long)h->repeated);
            break;
        case 4:
            fault->element = h->flat_element;
            if (h->flat)
                snprintf(
                    fault->text, room,
                    "%lld element%s of no length, area or volume, the first element %lld (counted from 0); "
                    "`cardiac mesh repair IN OUT --collapse LENGTH` removes them and their edges below "
                    "LENGTH",
                    COUNT(h->flat), (long long)h->flat_element);
            break;
        case 5:
            fault->element = h->duplicate_element;
            if (h->duplicates)
                snprintf(fault->text, room,
                         "%lld element%s given twice, the first element %lld with the nodes of element %lld "
                         "(counted from 0); `cardiac mesh repair IN OUT --drop-duplicates` keeps one of each",
                         COUNT(h->duplicates), (long long)h->duplicate_element, (long long)h->duplicate_of);
            break;
        case 6:
            fault->element = h->overlap_element;
            if (h->overlaps)
                snprintf(
                    fault->text, room,
                    "tetrahedra overlap at %lld face%s, which more than two of them have or two on the same "
                    "side; the first are elements %lld and %lld (counted from 0)",
                    COUNT(h->overlaps), (long long)h->overlap_element, (long long)h->overlap_other);
            break;
        case 7:
            fault->node = h->loose_node;
            if (h->loose)
                snprintf(fault->text, room,
                         "%lld node%s of no element, the first node %lld (counted from 0); `cardiac mesh "
                         "repair IN OUT "
                         "--drop-loose` removes them",
                         COUNT(h->loose), (long long)h->loose_node);
            break;
        default:
            return false;
        }
    }
    return true;
}

enum status mesh_health_verdict(const struct mesh_health *health, struct error *error)
{
    struct mesh_fault fault;
    int which = 0;
    return mesh_health_fault(health, &which, &fault) ? error_set(error, STATUS_INPUT, "%s", fault.text)
                                                     : STATUS_OK;
}

int mesh_health_warning(const struct mesh_health *h, int *which, char text[256])
{
    switch ((*which)++) {
    case 0:
        if (h->turned == 0)
            return mesh_health_warning(h, which, text);
        snprintf(text, 256, "%lld tetrahedr%s had a negative volume and %s turned", (long long)h->turned,
                 h->turned == 1 ? "on" : "a", h->turned == 1 ? "was" : "were");
        return true;
    case 1:
        if (h->components < 2)
            return mesh_health_warning(h, which, text);
        snprintf(text, 256, "the mesh falls into %lld parts that no element joins", (long long)h->components);
        return true;
    case 2:
        if (h->doubles == 0)
            return mesh_health_warning(h, which, text);
        snprintf(text, 256,
                 "%lld node%s at the same place as another, the first node %lld at the place of node %lld "
                 "(counted from 0): no current flows between them; `cardiac mesh repair IN OUT --merge "
                 "LENGTH` joins "
                 "them",
                 COUNT(h->doubles), (long long)h->double_node, (long long)h->double_of);
        return true;
    default:
        return false;
    }
}

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
static void find_offsets(int64_t *at, int64_t buckets)
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
                int64_t *offset = &at[p * buckets + (bits ? (int64_t)(hash >> (64 - bits)) : 0)];
                if (fill)
                    hashed[*offset] = (struct hashed){(uint32_t)hash, (int32_t)i};
                ++*offset;
            }
        if (!fill)
            find_offsets(at, buckets);
    }
}

/* Makes the table at least 3/2 as large as the number of items, all slots free; false if out of memory */
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

static void join_duplicates(struct duplicates *duplicates, const struct duplicates *more)
{
    if (more->count > 0 && (duplicates->count == 0 || more->first < duplicates->first)) {
        duplicates->first = more->first;
        duplicates->first_of = more->first_of;
    }
    duplicates->count += more->count;
}

/* *duplicates += the duplicates in a bucket, by linear probing */
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
                join_duplicates(duplicates, &(struct duplicates){1, hashed[i].item, before->item});
        }
        if (!found)
            table->slot[slot] = i;
        if (again)
            again[hashed[i].item] = found;
    }
}

/* Returns false if out of memory */
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
            join_duplicates(duplicates, &own);
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
