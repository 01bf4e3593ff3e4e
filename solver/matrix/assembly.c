/* assembly.c: assembly of stiffness and mass. All threads compute a block of elements; then each adds it
 * to its own rows, without atomics and with every sum in mesh order. Entries right of the diagonal are
 * summed and copied to the left, which is exact because the sums have the same terms in the same order. */
#include "solver/matrix/assembly.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/mesh/deal.h"
#include "solver/mesh/neighbours.h"

/* The index of the entry in column j, which the row has; no branches on columns, which are unpredictable */
static int64_t entry_of(const struct system *system, int64_t i, int32_t j)
{
    const int32_t *column = system->k.column;
    int64_t at = system->k.start[i];
    for (int64_t left = system->k.start[i + 1] - at; left > 1;) {
        int64_t half = left / 2;
        at = column[at + half] <= j ? at + half : at;
        left -= half;
    }
    return at;
}

/* An element's part of the matrix */
struct element {
    int corners;
    double volume, stiffness[4][4];
};

/* Whether k_ij is summed rather than copied: right of the diagonal, or if row j is another rank's */
static bool is_summed(const struct partition *partition, int64_t i, int32_t j)
{
    return j > i || (j < i && !partition_has(partition, j));
}

/* Adds the element's k_ij, m_ij and m_i to the row of its corner `own` */
static void add_row(struct system *system, const struct element *element, const int32_t *vertex, int own,
                    const struct partition *partition)
{
    int64_t i = vertex[own];
    const int corners = element->corners;
    for (int a = 0; a < corners; a++) {
        if (!is_summed(partition, i, vertex[a]))
            continue;
        int64_t entry = entry_of(system, i, vertex[a]);
        system->k.value[entry] += element->stiffness[own][a];
        if (system->mass)
            system->mass[entry] += element->volume / (corners * (corners + 1));
    }
    system->lumped[i] += element->volume / corners;
    if (system->consistent)
        system->consistent[i] += 2 * element->volume / (corners * (corners + 1));
}

/* Adds these elements to this thread's rows. Entries are scattered in memory, so those of later rows are
 * prefetched. */
static void add_rows(struct system *system, const struct element *element, const int32_t *vertex, int corners,
                     const int32_t *item, int64_t count, const struct partition *partition)
{
    enum { NEAR = 8 };
    for (int64_t k = 0; k < count; k++) {
        if (k + 2 * NEAR < count) {
            const int32_t i = vertex[item[k + 2 * NEAR]];
            __builtin_prefetch(&system->k.start[i]);
            __builtin_prefetch(&system->lumped[i], 1);
        }
        if (k + NEAR < count) {
            const int64_t at = system->k.start[vertex[item[k + NEAR]]];
            __builtin_prefetch(system->k.column + at);
            __builtin_prefetch(system->k.column + at + 12);
            for (int line = 0; line < 3; line++)
                __builtin_prefetch(system->k.value + at + 7 * line, 1);
        }
        const int32_t e = corners == 4 ? item[k] / 4 : item[k] / corners, own = item[k] - e * corners;
        if (own < element[e].corners && partition_has(partition, vertex[item[k]]))
            add_row(system, element + e, vertex + e * corners, own, partition);
    }
}

/* k_ij and m_ij left of the diagonal <- k_ji and m_ji */
static void copy_left(struct system *system, const struct partition *partition)
{
    const struct csr *k = &system->k;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < k->rows; i++)
        for (int64_t at = k->start[i]; at < k->start[i + 1] && k->column[at] < i; at++) {
            if (is_summed(partition, i, k->column[at]))
                continue;
            const int64_t from = entry_of(system, k->column[at], (int32_t)i);
            k->value[at] = k->value[from];
            if (system->mass)
                system->mass[at] = system->mass[from];
        }
}

/* Whether the element has a row of this rank */
static bool is_needed(const struct partition *partition, const int32_t *vertex, int corners)
{
    for (int a = 0; a < corners; a++)
        if (partition_has(partition, vertex[a]))
            return true;
    return false;
}

/* Adds the elements in ascending order */
static enum status add_elements(struct system *system, const struct tensors *tensors,
                                const struct partition *partition, struct error *error)
{
    enum { LEAST = 1 << 12, MOST = 1 << 16, BLOCKS = 64, TASK = 256 };
    const struct mesh *mesh = tensors->mesh;
    const int corners = mesh->dimension + 1;
    const int64_t even = mesh->elements / BLOCKS, block = even < LEAST ? LEAST : even < MOST ? even : MOST;
    enum status status = STATUS_OK;
    struct deal deal;
    struct element *element = array_new(block, sizeof *element, "the matrix", &status, error);
    const enum status dealt = deal_create(&deal, block * corners, "the matrix", error);
    TRY_DONE(status ? status : dealt);
#pragma omp parallel
    for (int64_t first = 0; first < mesh->elements; first += block) {
        int64_t count = mesh->elements - first < block ? mesh->elements - first : block;
        const int32_t *vertex = mesh->vertex + first * corners;
        deal_keys(&deal, vertex, count * corners);
#pragma omp for schedule(dynamic, TASK)
        for (int64_t k = 0; k < count; k++) {
            element[k].corners = mesh_corners(mesh, first + k);
            if (!is_needed(partition, vertex + k * corners, corners))
                continue;
            element[k].volume = tensor_stiffness(tensors, first + k, element[k].stiffness);
        }
        for (int part = 0; part < deal_parts(&deal); part++) {
            const int64_t *at = deal_part(&deal, part);
            add_rows(system, element, vertex, corners, deal.item + at[0], at[1] - at[0], partition);
        }
#pragma omp barrier
    }
done:
    deal_free(&deal);
    free(element);
    return status;
}

double system_most(const struct system *system, double value)
{
    if (system->comm)
        comm_most(system->comm, &value, 1);
    return value;
}

enum status system_assemble(struct system *system, const struct tensors *tensors, bool with_mass,
                            const struct partition *partition, struct error *error)
{
    const struct mesh *mesh = tensors->mesh;
    const struct partition whole = {0};
    memset(system, 0, sizeof *system);
    system->dimension = mesh->dimension;
    partition = partition ? partition : &whole;
    system->comm = partition->comm;
    enum status status = STATUS_OK;
    TRY_DONE(partition->owner
                 ? mesh_neighbours_create(&system->k, mesh, partition->owner, partition->comm->rank, error)
                 : mesh_neighbours_use(&system->k, mesh, error));
    int64_t entries = system->k.start[mesh->nodes];
    system->k.value = array_zeroed(entries, sizeof *system->k.value, "the matrix", &status, error);
    if (with_mass)
        system->mass = array_zeroed(entries, sizeof *system->mass, "the matrix", &status, error);
    system->lumped = array_zeroed(mesh->nodes, sizeof *system->lumped, "the matrix", &status, error);
    if (with_mass && mesh_is_mixed(mesh))
        system->consistent =
            array_zeroed(mesh->nodes, sizeof *system->consistent, "the matrix", &status, error);
    TRY_DONE(status);
    TRY_DONE(add_elements(system, tensors, partition, error));
    copy_left(system, partition);
done:
    if (status)
        system_free(system);
    return status;
}

void system_free(struct system *system)
{
    csr_free(&system->k);
    csr_free(&system->narrow);
    free(system->mass);
    free(system->lumped);
    free(system->consistent);
    memset(system, 0, sizeof *system);
}

/* Two entries per edge. The number of edges follows from Euler's formula, nodes - edges + triangles -
 * tetrahedra ~ 0. Triangles on the surface, about twice its nodes, belong to one tetrahedron, the others
 * to two. There are 6 to 6.5 tetrahedra per inner node and half as many per surface node, which gives the
 * number of surface nodes; a compact body has the fewest. */
double system_entries(const struct mesh *mesh)
{
    double n = (double)mesh->nodes, elements = (double)mesh->elements;
    if (mesh->dimension == 1)
        return 2 * elements;
    if (mesh->dimension == 2)
        return 2 * (n + elements);
    double surface = fmax(2 * n - elements / 3.25, 6 * cbrt(n) * cbrt(n));
    return 2 * (n + elements + fmin(surface, n));
}

double system_bytes(const struct mesh *mesh, bool with_mass)
{
    return system_entries(mesh) * (4 + 8 + (with_mass ? 8 : 0)) + 16 * (double)mesh->nodes;
}

double system_workspace(const struct mesh *mesh)
{
    return 4 * (double)mesh->elements * (mesh->dimension + 1) + 8 * (double)mesh->nodes;
}
