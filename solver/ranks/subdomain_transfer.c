/* subdomain_transfer.c: transfers parts of a mesh between ranks in blocks of rows: from rank 0 at the
 * start, and to rank 0 on request. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "solver/ranks/subdomain.h"

static const char what[] = "the ranks' nodes";

/* The sizes of a part, sent before it */
struct selection_header {
    int64_t nodes, elements, whole_nodes, whole_elements; /* nodes < 0: no part follows */
    int64_t dimension, fiber_location, sheet, all_nodes, groups;
    int64_t beside; /* a bit for each array that is not NULL */
};

/* A rank's part of the whole */
struct selection {
    int32_t *element, *node; /* [elements], [nodes] of the whole, ascending */
    int64_t elements, nodes;
    int32_t *local; /* [nodes of the whole] index in node[]; -1 = none */
};

static void free_selection(struct selection *selection)
{
    free(selection->element);
    free(selection->node);
    free(selection->local);
    *selection = (struct selection){0};
}

/* selection->node[], local[] <- from local[], in which the nodes of its elements are marked */
static enum status list_nodes(struct selection *selection, const struct partition *p, int rank, bool all,
                              struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < p->nodes; i++)
        selection->nodes += selection->local[i] >= 0 || all || p->owner[i] == rank;
    selection->node = array_new(selection->nodes, sizeof *selection->node, what, &status, error);
    TRY(status);
    int32_t count = 0;
    for (int64_t i = 0; i < p->nodes; i++)
        if (selection->local[i] >= 0 || all || p->owner[i] == rank) {
            selection->node[count] = (int32_t)i;
            selection->local[i] = count++;
        }
    return STATUS_OK;
}

static enum status list_selection(struct selection *selection, const struct subdomain *subdomain,
                                  const struct mesh *mesh, int rank, bool all_nodes, struct error *error)
{
    int corners = mesh->dimension + 1;
    *selection = (struct selection){0};
    enum status status =
        subdomain_elements(subdomain, mesh, rank, &selection->element, &selection->elements, error);
    selection->local = array_new(mesh->nodes, sizeof *selection->local, what, &status, error);
    TRY(status);
    memset(selection->local, -1, (size_t)mesh->nodes * sizeof *selection->local);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < selection->elements; k++)
        for (int a = 0; a < corners; a++) {
#pragma omp atomic write
            selection->local[mesh->vertex[(int64_t)selection->element[k] * corners + a]] = 0;
        }
    return list_nodes(selection, &subdomain->partition, rank, all_nodes, error);
}

/* Sends rank r rows list[count] of an array; unless local is NULL, their int32 values x as local[x] */
static void send_rows(const struct subdomain *subdomain, int r, const void *array, size_t row,
                      const int32_t *list, int64_t count, const int32_t *local)
{
    const struct comm *comm = subdomain->partition.comm;
    for (int64_t at = 0; at < count && array; at += SUBDOMAIN_BLOCK) {
        size_t rows = (size_t)(count - at < SUBDOMAIN_BLOCK ? count - at : SUBDOMAIN_BLOCK);
        int32_t *words = (int32_t *)(void *)subdomain->rows;
#pragma omp parallel for schedule(static)
        for (size_t k = 0; k < rows; k++)
            memcpy(subdomain->rows + k * row, (const char *)array + (size_t)list[(size_t)at + k] * row, row);
        for (size_t k = 0; k < rows * row / sizeof *words && local; k++)
            words[k] = local[words[k]];
        comm->engine->send(comm, COMM_STEPS, r, subdomain->rows, rows * row);
    }
}

/* Receives array[count] from rank 0 */
static void receive_rows(const struct subdomain *subdomain, void *array, size_t row, int64_t count)
{
    const struct comm *comm = subdomain->partition.comm;
    for (int64_t at = 0; at < count && array; at += SUBDOMAIN_BLOCK) {
        size_t rows = (size_t)(count - at < SUBDOMAIN_BLOCK ? count - at : SUBDOMAIN_BLOCK);
        comm->engine->receive(comm, COMM_STEPS, 0, (char *)array + (size_t)at * row, rows * row);
    }
}

static struct selection_header describe_selection(const struct subdomain *subdomain, const struct mesh *mesh,
                                                  const struct selection *selection, bool all_nodes,
                                                  const struct subdomain_array *beside, int count)
{
    struct selection_header header = {
        selection->nodes,     selection->elements, mesh->nodes, mesh->elements,    mesh->dimension,
        mesh->fiber_location, mesh->sheet != NULL, all_nodes,   subdomain->groups, 0};
    for (int k = 0; k < count; k++)
        header.beside |= (int64_t)(*beside[k].array != NULL) << k;
    return header;
}

/* Sends rank r its part of the whole */
static enum status send_subdomain(const struct subdomain *subdomain, const struct mesh *mesh, int r,
                                  bool all_nodes, const struct subdomain_array *beside, int count,
                                  struct error *error)
{
    const struct partition *p = &subdomain->partition;
    const struct comm *comm = p->comm;
    struct selection selection;
    enum status status = list_selection(&selection, subdomain, mesh, r, all_nodes, error);
    struct selection_header header =
        describe_selection(subdomain, mesh, &selection, all_nodes, beside, count);
    int64_t good = 0;
    header.nodes = status ? -1 : header.nodes;
    comm->engine->send(comm, COMM_STEPS, r, &header, sizeof header);
    if (!status)
        comm->engine->receive(comm, COMM_STEPS, r, &good, sizeof good);
    if (good) {
        const bool at_nodes = mesh->fiber_location == LOCATION_NODE;
        const int32_t *list = at_nodes ? selection.node : selection.element;
        int64_t rows = at_nodes ? selection.nodes : selection.elements;
        comm->engine->send(comm, COMM_STEPS, r, selection.node,
                           (size_t)selection.nodes * sizeof *selection.node);
        comm->engine->send(comm, COMM_STEPS, r, selection.element,
                           (size_t)selection.elements * sizeof *selection.element);
        send_rows(subdomain, r, p->owner, sizeof *p->owner, selection.node, selection.nodes, NULL);
        send_rows(subdomain, r, subdomain->group_of_node, sizeof(int32_t), selection.node, selection.nodes,
                  NULL);
        send_rows(subdomain, r, mesh->point, 3 * sizeof(double), selection.node, selection.nodes, NULL);
        send_rows(subdomain, r, mesh->vertex, ((size_t)mesh->dimension + 1) * sizeof(int32_t),
                  selection.element, selection.elements, selection.local);
        send_rows(subdomain, r, mesh->tag, sizeof(int32_t), selection.element, selection.elements, NULL);
        send_rows(subdomain, r, mesh->fiber, 3 * sizeof(double), list, rows, NULL);
        send_rows(subdomain, r, mesh->sheet, 3 * sizeof(double), list, rows, NULL);
        for (int k = 0; k < count; k++)
            send_rows(subdomain, r, *beside[k].array, beside[k].row, selection.element, selection.elements,
                      NULL);
    }
    free_selection(&selection);
    return status;
}

/* Allocates the part described by the header; *number and *owner are lists for the partition */
static enum status allocate_subdomain(struct subdomain *subdomain, struct mesh *mesh,
                                      const struct selection_header *header,
                                      const struct subdomain_array *beside, int count, int32_t **number,
                                      int32_t **owner, struct error *error)
{
    *mesh = (struct mesh){.dimension = (int)header->dimension,
                          .nodes = header->nodes,
                          .elements = header->elements,
                          .fiber_location = (enum location)header->fiber_location};
    enum status status = mesh_allocate(mesh, (int)header->sheet, error);
    mesh->number = array_new(header->elements, sizeof *mesh->number, what, &status, error);
    mesh->whole = header->whole_elements;
    mesh->whole_nodes = header->all_nodes ? 0 : header->whole_nodes;
    *number = array_new(header->nodes, sizeof **number, what, &status, error);
    *owner = array_new(header->nodes, sizeof **owner, what, &status, error);
    subdomain->group_of_node =
        array_new(header->nodes, sizeof *subdomain->group_of_node, what, &status, error);
    subdomain->groups = (int)header->groups;
    subdomain->group = array_new(subdomain->groups, sizeof *subdomain->group, what, &status, error);
    for (int k = 0; k < count; k++)
        if (header->beside >> k & 1)
            *beside[k].array = array_new(header->elements, beside[k].row, what, &status, error);
    return status;
}

/* Receives this rank's part */
static enum status receive_subdomain(struct subdomain *subdomain, struct mesh *mesh,
                                     const struct subdomain_array *beside, int count, struct error *error)
{
    const struct comm *comm = subdomain->partition.comm;
    int32_t *number = NULL, *owner = NULL;
    struct selection_header header;
    comm->engine->receive(comm, COMM_STEPS, 0, &header, sizeof header);
    if (header.nodes < 0)
        return STATUS_OK; /* rank 0 reports why */
    enum status status = allocate_subdomain(subdomain, mesh, &header, beside, count, &number, &owner, error);
    int64_t good = !status, nodes = mesh->nodes, elements = mesh->elements;
    comm->engine->send(comm, COMM_STEPS, 0, &good, sizeof good);
    if (good) {
        int64_t rows = mesh->fiber_location == LOCATION_NODE ? nodes : elements;
        comm->engine->receive(comm, COMM_STEPS, 0, number, (size_t)nodes * sizeof *number);
        comm->engine->receive(comm, COMM_STEPS, 0, mesh->number, (size_t)elements * sizeof *mesh->number);
        receive_rows(subdomain, owner, sizeof *owner, nodes);
        receive_rows(subdomain, subdomain->group_of_node, sizeof(int32_t), nodes);
        receive_rows(subdomain, mesh->point, 3 * sizeof(double), nodes);
        receive_rows(subdomain, mesh->vertex, ((size_t)mesh->dimension + 1) * sizeof(int32_t), elements);
        receive_rows(subdomain, mesh->tag, sizeof(int32_t), elements);
        receive_rows(subdomain, mesh->fiber, 3 * sizeof(double), rows);
        receive_rows(subdomain, mesh->sheet, 3 * sizeof(double), rows);
        for (int k = 0; k < count; k++)
            receive_rows(subdomain, *beside[k].array, beside[k].row, elements);
        if (header.all_nodes) {
            free(number);
            number = NULL;
        }
        status = partition_set(&subdomain->partition, number, owner, nodes, error);
    }
    if (status) {
        free(number);
        free(owner);
    }
    return status;
}

enum status subdomain_scatter(struct subdomain *subdomain, struct mesh *mesh, bool all_nodes,
                              const struct subdomain_array *beside, int count, struct error *error)
{
    const struct comm *comm = subdomain->partition.comm;
    enum status status = STATUS_OK;
    for (int r = 1; r < comm->size && comm->rank == 0; r++) {
        enum status sent =
            send_subdomain(subdomain, mesh, r, all_nodes, beside, count, status ? NULL : error);
        status = status ? status : sent;
    }
    if (comm->rank > 0)
        status = receive_subdomain(subdomain, mesh, beside, count, error);
    status = comm_agree(comm, COMM_STEPS, status, error);
    if (status)
        return status;
    comm->engine->broadcast(comm, COMM_STEPS, 0, &subdomain->found.elements,
                            sizeof subdomain->found.elements);
    TRY(clusters_broadcast(&subdomain->found.solved, comm, error));
    TRY(clusters_broadcast(&subdomain->found.held, comm, error));
    comm->engine->broadcast(comm, COMM_STEPS, 0, subdomain->group,
                            (size_t)subdomain->groups * sizeof *subdomain->group);
    return STATUS_OK;
}

struct request {
    int64_t which, first, count;
};

/* The requested array, and the bytes of its rows */
static char *array_of(const struct mesh *mesh, int64_t which, size_t *row)
{
    *row = which == SUBDOMAIN_VERTICES ? ((size_t)mesh->dimension + 1) * sizeof *mesh->vertex
           : which == SUBDOMAIN_TAGS   ? sizeof *mesh->tag
                                       : 3 * sizeof *mesh->fiber;
    return which == SUBDOMAIN_POINTS     ? (char *)mesh->point
           : which == SUBDOMAIN_VERTICES ? (char *)mesh->vertex
           : which == SUBDOMAIN_TAGS     ? (char *)mesh->tag
           : which == SUBDOMAIN_FIBERS   ? (char *)mesh->fiber
                                         : (char *)mesh->sheet;
}

/* Whether the array has one row per node */
static bool is_of_nodes(const struct mesh *mesh, int64_t which)
{
    return which == SUBDOMAIN_POINTS ||
           (which != SUBDOMAIN_VERTICES && which != SUBDOMAIN_TAGS && mesh->fiber_location == LOCATION_NODE);
}

/* rows[], number[] <- those of the requested elements whose first vertex is this rank's, so that exactly
 * one rank sends each */
static int64_t find_element_rows(const struct subdomain *subdomain, const struct mesh *mesh,
                                 const struct request *request)
{
    const struct partition *partition = &subdomain->partition;
    size_t row, corners = (size_t)mesh->dimension + 1;
    const char *array = array_of(mesh, request->which, &row);
    int64_t found = 0, e = compare_search(mesh->number, mesh->elements, request->first);
    for (; e < mesh->elements && mesh->number[e] < request->first + request->count; e++) {
        const int32_t *vertex = mesh->vertex + (size_t)e * corners;
        int32_t *to = (int32_t *)(void *)(subdomain->rows + (size_t)found * row);
        if (!partition_has(partition, vertex[0]))
            continue;
        memcpy(to, array + (size_t)e * row, row);
        for (size_t a = 0; a < corners && request->which == SUBDOMAIN_VERTICES; a++)
            to[a] = (int32_t)partition_number(partition, vertex[a]);
        subdomain->number[found++] = mesh->number[e];
    }
    return found;
}

/* The same for nodes of this rank */
static int64_t find_node_rows(const struct subdomain *subdomain, const struct mesh *mesh,
                              const struct request *request)
{
    const struct partition *partition = &subdomain->partition;
    size_t row;
    const char *array = array_of(mesh, request->which, &row);
    int64_t found = 0, end = request->first + request->count;
    for (int64_t i = partition_from(partition, request->first);
         i < mesh->nodes && partition_number(partition, i) < end; i++)
        if (partition_has(partition, i)) {
            memcpy(subdomain->rows + (size_t)found * row, array + (size_t)i * row, row);
            subdomain->number[found++] = (int32_t)partition_number(partition, i);
        }
    return found;
}

static int64_t find_rows(const struct subdomain *subdomain, const struct mesh *mesh,
                         const struct request *request)
{
    return is_of_nodes(mesh, request->which) ? find_node_rows(subdomain, mesh, request)
                                             : find_element_rows(subdomain, mesh, request);
}

/* value[] <- the rows of rank r: copied here if it is this rank, else received */
static void fetch_rows(const struct subdomain *subdomain, const struct mesh *mesh,
                       const struct request *request, int r, char *value)
{
    const struct comm *comm = subdomain->partition.comm;
    size_t row;
    int64_t found;
    array_of(mesh, request->which, &row);
    if (r == 0) {
        found = find_rows(subdomain, mesh, request);
    } else {
        comm->engine->receive(comm, COMM_FILES, r, &found, sizeof found);
        comm->engine->receive(comm, COMM_FILES, r, subdomain->number,
                              (size_t)found * sizeof *subdomain->number);
        comm->engine->receive(comm, COMM_FILES, r, subdomain->rows, (size_t)found * row);
    }
    for (int64_t k = 0; k < found; k++)
        memcpy(value + (size_t)(subdomain->number[k] - request->first) * row,
               subdomain->rows + (size_t)k * row, row);
}

void subdomain_rows(const struct subdomain *subdomain, const struct mesh *mesh, enum subdomain_rows which,
                    int64_t first, int64_t count, void *value)
{
    size_t row;
    char *to = value, *array = array_of(mesh, which, &row);
    bool whole = is_of_nodes(mesh, which) ? !mesh->whole_nodes : !mesh->number;
#pragma omp parallel for schedule(static)
    for (int64_t at = 0; at < (whole ? count : 0); at += SUBDOMAIN_BLOCK)
        memcpy(to + (size_t)at * row, array + (size_t)(first + at) * row,
               (size_t)(count - at < SUBDOMAIN_BLOCK ? count - at : SUBDOMAIN_BLOCK) * row);
    for (int64_t at = first; at < first + count && !whole;
         at += SUBDOMAIN_BLOCK, to += SUBDOMAIN_BLOCK * row) {
        const struct comm *comm = subdomain->partition.comm;
        struct request request = {
            which, at, first + count - at < SUBDOMAIN_BLOCK ? first + count - at : SUBDOMAIN_BLOCK};
        comm->engine->broadcast(comm, COMM_FILES, 0, &request, sizeof request);
        for (int r = 0; r < comm->size; r++)
            fetch_rows(subdomain, mesh, &request, r, to);
    }
}

void subdomain_serve(const struct subdomain *subdomain, const struct mesh *mesh)
{
    const struct comm *comm = subdomain->partition.comm;
    for (struct request request;;) {
        size_t row;
        comm->engine->broadcast(comm, COMM_FILES, 0, &request, sizeof request);
        if (request.which == SUBDOMAIN_END)
            return;
        array_of(mesh, request.which, &row);
        int64_t found = find_rows(subdomain, mesh, &request);
        comm->engine->send(comm, COMM_FILES, 0, &found, sizeof found);
        comm->engine->send(comm, COMM_FILES, 0, subdomain->number, (size_t)found * sizeof *subdomain->number);
        comm->engine->send(comm, COMM_FILES, 0, subdomain->rows, (size_t)found * row);
    }
}

void subdomain_end(const struct subdomain *subdomain)
{
    const struct comm *comm = subdomain->partition.comm;
    struct request request = {.which = SUBDOMAIN_END};
    if (comm && comm->size > 1)
        comm->engine->broadcast(comm, COMM_FILES, 0, &request, sizeof request);
}

void subdomain_point(const struct subdomain *subdomain, const struct mesh *mesh, int64_t number,
                     double point[3])
{
    const struct partition *partition = &subdomain->partition;
    int64_t here = partition_find(partition, number);
    bool own = here >= 0 && partition_has(partition, here);
    for (int d = 0; d < 3; d++)
        point[d] = own ? mesh->point[3 * here + d] : -INFINITY;
    comm_most(partition->comm, point, 3);
}
