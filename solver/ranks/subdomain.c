/* subdomain.c: what nodes cost, who gets them, and which elements that takes. */
#include "solver/ranks/subdomain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

/* Costs of a node beside an entry of its row: a sweep's vectors, and a state of its cell, about */
enum { COST_ROW = 4, COST_STATE = 2 };

/* Entries of a row are counted from the node's elements: on a closed surface as many, and in a body half as
 * many and two (Euler's formula for the sphere around the node). */
static void count_costs(const struct monodomain_params *p, const struct mesh *mesh,
                        const struct subdomain *subdomain, int32_t *cost)
{
    memset(cost, 0, (size_t)mesh->nodes * sizeof *cost);
    for (int64_t k = 0; k < mesh->elements * (mesh->dimension + 1); k++)
        cost[mesh->vertex[k]]++;
    for (int64_t i = 0; i < mesh->nodes; i++)
        cost[i] = COST_ROW +
                  COST_STATE * p->region[subdomain->group[subdomain->group_of_node[i]].region].model->states +
                  (mesh->dimension == 3 ? cost[i] / 2 + 2 : cost[i]);
}

static enum status find_groups(struct subdomain *subdomain, const struct mesh *mesh,
                               const struct monodomain_params *p, struct error *error)
{
    enum status status = STATUS_OK;
    int32_t *group = array_new(mesh->nodes, sizeof *group, "the ranks' nodes", &status, error);
    subdomain->group_of_node = group;
    if (status)
        return status;
    if (p->node_region)
        memcpy(group, p->node_region, (size_t)mesh->nodes * sizeof *group);
    else
        mesh_node_regions(mesh, p->element_region, p->regions, group);
    return groups_find(&subdomain->group, &subdomain->groups, group, mesh->nodes, p, error);
}

enum status subdomain_make(struct subdomain *subdomain, const struct comm *comm, const struct mesh *mesh,
                           const struct monodomain_params *p, const int32_t *owner, struct error *error)
{
    static const char what[] = "the ranks' nodes";
    enum status status = STATUS_OK;
    int32_t *cost = NULL;
    const struct tensors tensors = {mesh, p->region, p->element_region, p->fiber};
    const double theta_dt = (params_explicit(p) ? 1 : p->theta) * p->step;
    *subdomain = (struct subdomain){0};
    subdomain->rows = array_new(SUBDOMAIN_BLOCK, SUBDOMAIN_WIDEST, what, &status, error);
    subdomain->number = array_new(SUBDOMAIN_BLOCK, sizeof *subdomain->number, what, &status, error);
    if (comm->rank == 0)
        AND(find_groups(subdomain, mesh, p, error));
    if (!status && comm->size > 1 && comm->rank == 0 && !owner)
        cost = array_new(mesh->nodes, sizeof *cost, what, &status, error);
    if (cost)
        count_costs(p, mesh, subdomain, cost);
    status = comm_agree(comm, COMM_STEPS, status, error);
    if (!status && comm->rank == 0)
        subdomain->elements = spectrum_elements(&tensors, p->mass_lumping, theta_dt);
    AND(partition_make(&subdomain->partition, comm, mesh, cost, owner, error));
    free(cost);
    if (status)
        subdomain_free(subdomain);
    return status;
}

void subdomain_free(struct subdomain *subdomain)
{
    partition_free(&subdomain->partition);
    free(subdomain->group);
    free(subdomain->group_of_node);
    free(subdomain->rows);
    free(subdomain->number);
    *subdomain = (struct subdomain){0};
}

static bool touches(const int32_t *owner, const struct mesh *mesh, int64_t e, int rank)
{
    for (int a = 0; a <= mesh->dimension; a++)
        if (owner[mesh->vertex[e * (mesh->dimension + 1) + a]] == rank)
            return true;
    return false;
}

enum status subdomain_elements(const struct subdomain *subdomain, const struct mesh *mesh, int rank,
                               int32_t **number, int64_t *count, struct error *error)
{
    static const char what[] = "the ranks' elements";
    const int32_t *owner = subdomain->partition.owner;
    int64_t elements = mesh->elements, blocks = (elements + SUBDOMAIN_BLOCK - 1) / SUBDOMAIN_BLOCK;
    enum status status = STATUS_OK;
    int64_t *begin = array_zeroed(blocks + 1, sizeof *begin, what, &status, error); /* of each block's */
    if (status)
        return status;
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t e = block * SUBDOMAIN_BLOCK; e < elements && e < (block + 1) * SUBDOMAIN_BLOCK; e++)
            begin[block + 1] += touches(owner, mesh, e, rank);
    for (int64_t block = 0; block < blocks; block++)
        begin[block + 1] += begin[block];
    *count = begin[blocks];
    int32_t *list = *number = array_new(*count, sizeof **number, what, &status, error);
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < blocks; block++) {
        int64_t at = begin[block];
        for (int64_t e = block * SUBDOMAIN_BLOCK; e < elements && at < begin[block + 1] && list; e++)
            if (touches(owner, mesh, e, rank))
                list[at++] = (int32_t)e;
    }
    free(begin);
    return status;
}

/* array[] of rows of so many bytes <- those of number[count], which ascend: they move to the front,
 * neighbours together, or stay */
static void *keep_rows(void *array, const int32_t *number, int64_t count, size_t row)
{
    char *bytes = array;
    for (int64_t k = 0, rows; k < count && bytes; k += rows) {
        for (rows = 1; k + rows < count && number[k + rows] == number[k] + rows;)
            rows++;
        memmove(bytes + (size_t)k * row, bytes + (size_t)number[k] * row, (size_t)rows * row);
    }
    void *shrunk = bytes ? realloc(array, ((size_t)count + 1) * row) : NULL;
    return shrunk ? shrunk : array;
}

void *subdomain_keep_rows(void *array, const struct mesh *mesh, size_t row)
{
    return keep_rows(array, mesh->number, mesh->elements, row);
}

enum status subdomain_keep(const struct subdomain *subdomain, struct mesh *mesh, struct error *error)
{
    int64_t count = 0, whole = mesh->elements;
    int32_t *number = NULL;
    if (!subdomain->partition.owner)
        return STATUS_OK;
    enum status status =
        subdomain_elements(subdomain, mesh, subdomain->partition.comm->rank, &number, &count, error);
    if (status)
        return status;
    mesh->whole = whole;
    mesh->number = number;
    mesh->elements = count;
    mesh->vertex =
        subdomain_keep_rows(mesh->vertex, mesh, ((size_t)mesh->dimension + 1) * sizeof *mesh->vertex);
    mesh->tag = subdomain_keep_rows(mesh->tag, mesh, sizeof *mesh->tag);
    if (mesh->fiber_location == LOCATION_ELEMENT) {
        mesh->fiber = subdomain_keep_rows(mesh->fiber, mesh, 3 * sizeof *mesh->fiber);
        mesh->sheet = subdomain_keep_rows(mesh->sheet, mesh, 3 * sizeof *mesh->sheet);
    }
    free(mesh->face);
    free(mesh->mark);
    mesh->face = mesh->mark = NULL;
    mesh->faces = 0;
    mesh_fields_free(&mesh->fields);
    return STATUS_OK;
}

/* here[nodes] of the whole mesh <- whether each has a place here; returns how many have */
static int64_t list_kept(const struct partition *partition, const struct mesh *mesh, char *here)
{
    int64_t count = 0;
    for (int64_t i = 0; i < mesh->nodes; i++)
        here[i] = partition_has(partition, i);
    for (int64_t k = 0; k < mesh->elements * (mesh->dimension + 1); k++)
        here[mesh->vertex[k]] = 1;
    for (int64_t i = 0; i < mesh->nodes; i++)
        count += here[i];
    return count;
}

enum status subdomain_keep_nodes(struct subdomain *subdomain, struct mesh *mesh, struct error *error)
{
    static const char what[] = "the ranks' nodes";
    struct partition *partition = &subdomain->partition;
    enum status status = STATUS_OK;
    int64_t nodes = mesh->nodes, kept = 0;
    if (!partition->owner)
        return STATUS_OK;
    char *here = array_new(nodes, 1, what, &status, error);
    int32_t *place = array_new(nodes, sizeof *place, what, &status, error);
    int64_t count = status ? 0 : list_kept(partition, mesh, here);
    int32_t *number = array_new(count, sizeof *number, what, &status, error);
    for (int64_t i = 0; i < nodes && !status; i++)
        if (here[i]) {
            place[i] = (int32_t)kept;
            number[kept++] = (int32_t)i;
        }
    AND(partition_keep(partition, number, count, error));
    free(here);
    if (status) {
        free(place);
        free(number);
        return status;
    }
    for (int64_t k = 0; k < mesh->elements * (mesh->dimension + 1); k++)
        mesh->vertex[k] = place[mesh->vertex[k]];
    free(place);
    mesh->point = keep_rows(mesh->point, number, count, 3 * sizeof *mesh->point);
    if (mesh->fiber_location == LOCATION_NODE) {
        mesh->fiber = keep_rows(mesh->fiber, number, count, 3 * sizeof *mesh->fiber);
        mesh->sheet = keep_rows(mesh->sheet, number, count, 3 * sizeof *mesh->sheet);
    }
    mesh->whole_nodes = nodes;
    mesh->nodes = count;
    return STATUS_OK;
}

struct request {
    int64_t which, first, count;
};

/* The array that is asked for, and the bytes of its rows */
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

/* Whether its rows are the nodes' */
static bool is_of_nodes(const struct mesh *mesh, int64_t which)
{
    return which == SUBDOMAIN_POINTS ||
           (which != SUBDOMAIN_VERTICES && which != SUBDOMAIN_TAGS && mesh->fiber_location == LOCATION_NODE);
}

/* The first element here whose number is not below that */
static int64_t first_from(const struct mesh *mesh, int64_t number)
{
    int64_t low = 0, high = mesh->elements;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (mesh->number[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* rows[] and number[] <- of the elements asked for those whose first vertex is this rank's: each is one's */
static int64_t find_element_rows(const struct subdomain *subdomain, const struct mesh *mesh,
                                 const struct request *request)
{
    const struct partition *partition = &subdomain->partition;
    size_t row, corners = (size_t)mesh->dimension + 1;
    const char *array = array_of(mesh, request->which, &row);
    int64_t found = 0, e = first_from(mesh, request->first);
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

/* The same of nodes that are this rank's */
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

/* Rank r's rows: found here, or sent */
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
    if (whole)
        memcpy(to, array + (size_t)first * row, (size_t)count * row);
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
    comm_most(partition->comm, COMM_STEPS, point, 3);
}

/* The other ranks that read each node, as chains of links, which begin at 1 */
struct readers {
    int32_t *first; /* [nodes] 0 = none */
    struct reader {
        int32_t rank, next;
    } * link; /* [room] */
    int64_t links, room;
};

static bool is_known(const struct readers *readers, int32_t node, int32_t rank)
{
    int32_t k = readers->first[node];
    while (k && readers->link[k].rank != rank)
        k = readers->link[k].next;
    return k;
}

static enum status add(struct readers *readers, int32_t node, int32_t rank, struct error *error)
{
    if (is_known(readers, node, rank))
        return STATUS_OK;
    if (readers->links + 1 >= readers->room) {
        int64_t room = 2 * readers->room + 1024;
        struct reader *link = room > INT32_MAX ? NULL : realloc(readers->link, (size_t)room * sizeof *link);
        if (!link)
            return error_memory(error, "the ranks' nodes", (double)room * sizeof *link);
        readers->link = link;
        readers->room = room;
    }
    readers->link[++readers->links] = (struct reader){rank, readers->first[node]};
    readers->first[node] = (int32_t)readers->links;
    return STATUS_OK;
}

static enum status find_readers(struct readers *readers, const struct mesh *mesh, const int32_t *owner,
                                struct error *error)
{
    int corners = mesh->dimension + 1;
    enum status status = STATUS_OK;
    for (int64_t e = 0; e < mesh->elements && !status; e++) {
        const int32_t *vertex = mesh->vertex + e * corners;
        for (int a = 0; a < corners; a++)
            for (int b = 0; b < corners; b++)
                if (owner[vertex[a]] != owner[vertex[b]])
                    AND(add(readers, vertex[a], owner[vertex[b]], error));
    }
    return status;
}

/* border[ranks] <- what each sends: a node as often as ranks read it */
static void count_border(const struct readers *readers, const struct partition *p, int64_t *border)
{
    for (int64_t i = 0; i < p->nodes; i++)
        for (int32_t k = readers->first[i]; k; k = readers->link[k].next)
            border[p->owner[i]]++;
}

static void count_nodes(struct monodomain_report *report, const struct partition *p, const int64_t *border)
{
    report->nodes_least = p->nodes;
    for (int r = 0; r < report->ranks; r++) {
        int64_t own = p->of.begin[r + 1] - p->of.begin[r];
        report->nodes_least = own < report->nodes_least ? own : report->nodes_least;
        report->nodes_most = own > report->nodes_most ? own : report->nodes_most;
        report->border_most = border[r] > report->border_most ? border[r] : report->border_most;
    }
}

enum status subdomain_count(struct monodomain_report *report, int ranks, const struct mesh *mesh,
                            const struct monodomain_params *params, struct error *error)
{
    static const char what[] = "the ranks' nodes";
    struct comm first = *comm_alone(); /* of so many, of whom only it is asked */
    struct subdomain subdomain = {0};
    struct readers readers = {0};
    int64_t *border = NULL;
    first.size = report->ranks = ranks;
    if (ranks == 1)
        return STATUS_OK;
    enum status status = subdomain_make(&subdomain, &first, mesh, params, NULL, error);
    readers.first = array_zeroed(mesh->nodes, sizeof *readers.first, what, &status, error);
    border = array_zeroed(ranks, sizeof *border, what, &status, error);
    AND(find_readers(&readers, mesh, subdomain.partition.owner, error));
    if (!status) {
        count_border(&readers, &subdomain.partition, border);
        count_nodes(report, &subdomain.partition, border);
    }
    free(border);
    free(readers.first);
    free(readers.link);
    subdomain_free(&subdomain);
    return status;
}
