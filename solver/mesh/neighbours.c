/* neighbours.c: the elements of each node, then of each row the other corners of its elements. */
#include "solver/mesh/neighbours.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"

static const char what[] = "the neighbours of the nodes";

/* Elements of each node: element[start[i] .. start[i + 1]), in any order; none for nodes of others. */
struct incidence {
    int64_t *start;
    int32_t *element;
};

static void incidence_free(struct incidence *incidence)
{
    free(incidence->start);
    free(incidence->element);
}

/* fill[i] += the number of elements of node i; or, if element is not NULL, stores them at
 * element[fill[i]++] */
static void add_elements(int64_t *fill, int32_t *element, const struct mesh *mesh, const int32_t *owner,
                         int32_t rank)
{
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
        const int corners = mesh_corners(mesh, e);
        for (int c = 0; c < corners; c++) {
            if (owner && owner[vertex[c]] != rank)
                continue;
            const int64_t at = __atomic_fetch_add(&fill[vertex[c]], 1, __ATOMIC_RELAXED);
            if (element)
                element[at] = (int32_t)e;
        }
    }
}

static enum status incidence_build(struct incidence *incidence, const struct mesh *mesh, const int32_t *owner,
                                   int32_t rank, struct error *error)
{
    const int64_t n = mesh->nodes;
    enum status status = STATUS_OK;
    incidence->start = array_zeroed(n + 2, sizeof *incidence->start, what, &status, error);
    TRY(status);
    int64_t *fill = incidence->start + 1; /* fill[i] is the position of node i's next element */
    add_elements(fill + 1, NULL, mesh, owner, rank);
    for (int64_t i = 1; i <= n; i++)
        fill[i] += fill[i - 1];
    incidence->element = array_new(fill[n], sizeof *incidence->element, what, &status, error);
    TRY(status);
    add_elements(fill, incidence->element, mesh, owner, rank);
    return STATUS_OK;
}

/* find_neighbours() for a node with very many elements */
static int64_t find_hub_neighbours(const struct mesh *mesh, const struct incidence *incidence, int64_t i,
                                   int32_t *neighbour)
{
    int corners = mesh->dimension + 1;
    int64_t all = 0, count = 0;
    for (int64_t k = incidence->start[i]; k < incidence->start[i + 1]; k++)
        for (int a = 0; a < corners; a++) {
            int32_t j = mesh->vertex[(int64_t)incidence->element[k] * corners + a];
            if (j != i)
                neighbour[all++] = j;
        }
    qsort(neighbour, (size_t)all, sizeof *neighbour, compare_int32);
    for (int64_t k = 0; k < all; k++)
        if (count == 0 || neighbour[k] != neighbour[count - 1])
            neighbour[count++] = neighbour[k];
    return count;
}

/* A hash table of the neighbours found so far: node[] is valid where row[] is the current row. It has more
 * than twice as many slots as the 3 HUB other nodes of HUB tetrahedra. */
enum { HUB = 256, SLOT_BITS = 11, SLOTS = 1 << SLOT_BITS };

struct neighbour_table {
    int32_t node[SLOTS], row[SLOTS];
};

/* neighbour[] <- the other nodes of row i's elements, ascending and unique; returns how many */
static int64_t find_neighbours(const struct mesh *mesh, const struct incidence *incidence, int32_t i,
                               struct neighbour_table *table, int32_t *neighbour)
{
    int corners = mesh->dimension + 1;
    int64_t count = 0;
    if (incidence->start[i + 1] - incidence->start[i] > HUB)
        return find_hub_neighbours(mesh, incidence, i, neighbour);
    for (int64_t k = incidence->start[i]; k < incidence->start[i + 1]; k++) {
        const int32_t *vertex = mesh->vertex + (int64_t)incidence->element[k] * corners;
        for (int a = 0; a < corners; a++) {
            int32_t j = vertex[a];
            uint32_t at = (uint32_t)j * 2654435769u >> (32 - SLOT_BITS); /* Fibonacci hashing */
            while (table->row[at] == i && table->node[at] != j)
                at = (at + 1) % SLOTS;
            if (j == i || table->row[at] == i)
                continue;
            table->row[at] = i;
            table->node[at] = j;
            neighbour[count++] = j;
        }
    }
    if (count > 64)
        qsort(neighbour, (size_t)count, sizeof *neighbour, compare_int32);
    else
        compare_sort_few(neighbour, count);
    return count;
}

/* The longest list of elements of a node, times the other corners: an upper bound of a row's length. */
static int64_t longest_row(const struct mesh *mesh, const struct incidence *incidence)
{
    int64_t most = 0;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        int64_t count = incidence->start[i + 1] - incidence->start[i];
        most = count > most ? count : most;
    }
    return most * mesh->dimension;
}

/* The rows of a thread, from `first` on */
struct found_rows {
    int64_t first, count, room;
    int32_t *column;
};

/* Reserves memory for `more` columns; false if out of memory */
static bool reserve_columns(struct found_rows *rows, int64_t more)
{
    if (rows->room - rows->count >= more)
        return true;
    int64_t room = rows->room + rows->room / 2 + more;
    int32_t *column = realloc(rows->column, (size_t)room * sizeof *column);
    if (!column)
        return false;
    rows->column = column;
    rows->room = room;
    return true;
}

/* Every thread finds the rows of its nodes, which are then concatenated. */
static enum status find_rows(struct csr *to, const struct mesh *mesh, const struct incidence *incidence,
                             struct error *error)
{
    int64_t n = mesh->nodes, longest = longest_row(mesh, incidence);
    bool failed = false;
    enum status status = STATUS_OK;
    int64_t *start = to->start = array_new(n + 1, sizeof *start, what, &status, error);
    TRY(status);
#pragma omp parallel
    {
        struct found_rows rows = {.first = -1};
        struct neighbour_table table;
        memset(table.row, -1, sizeof table.row);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            start[i + 1] = 0;
            if (rows.first < 0)
                rows.first = i;
            if (!reserve_columns(&rows, longest)) {
#pragma omp atomic write
                failed = true;
                continue;
            }
            start[i + 1] = find_neighbours(mesh, incidence, (int32_t)i, &table, rows.column + rows.count);
            rows.count += start[i + 1];
        }
#pragma omp single
        {
            start[0] = 0;
            for (int64_t i = 0; i < n; i++)
                start[i + 1] += start[i];
            if (!failed)
                to->column = array_new(start[n], sizeof *to->column, what, &status, error);
        }
        if (rows.count > 0 && !failed && !status)
            memcpy(to->column + start[rows.first], rows.column, (size_t)rows.count * sizeof *rows.column);
        free(rows.column);
    }
    return failed ? error_memory(error, what, 4.0 * (double)start[n]) : status;
}

static enum status copy_pattern(struct csr *to, const struct csr *from, struct error *error)
{
    enum status status = STATUS_OK;
    to->start = array_new(from->rows + 1, sizeof *to->start, what, &status, error);
    to->column = array_new(from->start[from->rows], sizeof *to->column, what, &status, error);
    TRY(status);
    memcpy(to->start, from->start, ((size_t)from->rows + 1) * sizeof *to->start);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < from->start[from->rows]; k++)
        to->column[k] = from->column[k];
    return STATUS_OK;
}

enum status mesh_neighbours_create(struct csr *neighbours, const struct mesh *mesh, const int32_t *owner,
                                   int32_t rank, struct error *error)
{
    struct incidence incidence = {0};
    enum status status = STATUS_OK;
    *neighbours = (struct csr){.rows = mesh->nodes, .columns = mesh->nodes};
    if (!owner && mesh->neighbours.start)
        TRY_DONE(copy_pattern(neighbours, &mesh->neighbours, error));
    if (neighbours->start)
        return STATUS_OK;
    TRY_DONE(incidence_build(&incidence, mesh, owner, rank, error));
    status = find_rows(neighbours, mesh, &incidence, error);
done:
    incidence_free(&incidence);
    if (status)
        csr_free(neighbours);
    return status;
}

enum status mesh_neighbours_keep(struct mesh *mesh, struct error *error)
{
    return mesh->neighbours.start ? STATUS_OK
                                  : mesh_neighbours_create(&mesh->neighbours, mesh, NULL, 0, error);
}

enum status mesh_neighbours_use(struct csr *neighbours, const struct mesh *mesh, struct error *error)
{
    if (!mesh->neighbours.start)
        return mesh_neighbours_create(neighbours, mesh, NULL, 0, error);
    *neighbours = mesh->neighbours;
    neighbours->borrowed = true;
    return STATUS_OK;
}

enum status mesh_edges_create(struct mesh_edges *edges, const struct mesh *mesh, struct error *error)
{
    struct csr row;
    int64_t begin = 0;
    TRY(mesh_neighbours_create(&row, mesh, NULL, 0, error));
    *edges = (struct mesh_edges){0, row.start, row.column};
    for (int64_t a = 0; a < mesh->nodes; a++) {
        const int64_t end = row.start[a + 1];
        edges->first[a] = edges->count;
        for (int64_t k = begin; k < end; k++)
            if (row.column[k] > a)
                edges->other[edges->count++] = row.column[k];
        begin = end;
    }
    edges->first[mesh->nodes] = edges->count;
    return STATUS_OK;
}

void mesh_edges_free(struct mesh_edges *edges)
{
    free(edges->first);
    free(edges->other);
    *edges = (struct mesh_edges){0};
}

int64_t mesh_edges_find(const struct mesh_edges *edges, int32_t a, int32_t b)
{
    const int32_t low = a < b ? a : b, high = a < b ? b : a;
    const int64_t end = edges->first[low + 1],
                  at = edges->first[low] +
                       compare_search(edges->other + edges->first[low], end - edges->first[low], high);
    return at < end && edges->other[at] == high ? at : -1;
}
