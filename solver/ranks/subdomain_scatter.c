/* subdomain_scatter.c: the other ranks' parts of the mesh that rank 0 has, one rank after the other, a block
 * of rows at a time. */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/ranks/subdomain.h"

static const char what[] = "the ranks' nodes";

/* What a rank is told before its part comes */
struct parcel {
    int64_t nodes, elements, whole_nodes, whole_elements; /* nodes < 0: none comes */
    int64_t dimension, fiber_location, sheet, all_nodes, groups;
    int64_t beside; /* a bit for each array that there is */
};

/* A rank's part of the whole */
struct part {
    int32_t *element, *node; /* [elements], [nodes] of the whole, ascending */
    int64_t elements, nodes;
    int32_t *place; /* [nodes of the whole] where each is in node[]; -1 = nowhere */
};

static void free_part(struct part *part)
{
    free(part->element);
    free(part->node);
    free(part->place);
    *part = (struct part){0};
}

/* part->node[] and place[], in which the nodes of its elements are marked */
static enum status list_nodes(struct part *part, const struct partition *p, int rank, bool all,
                              struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < p->nodes; i++)
        part->nodes += part->place[i] >= 0 || all || p->owner[i] == rank;
    part->node = array_new(part->nodes, sizeof *part->node, what, &status, error);
    int32_t count = 0;
    for (int64_t i = 0; i < p->nodes && !status; i++)
        if (part->place[i] >= 0 || all || p->owner[i] == rank) {
            part->node[count] = (int32_t)i;
            part->place[i] = count++;
        }
    return status;
}

static enum status list_part(struct part *part, const struct subdomain *subdomain, const struct mesh *mesh,
                             int rank, bool all_nodes, struct error *error)
{
    int corners = mesh->dimension + 1;
    *part = (struct part){0};
    enum status status = subdomain_elements(subdomain, mesh, rank, &part->element, &part->elements, error);
    part->place = array_new(mesh->nodes, sizeof *part->place, what, &status, error);
    if (status)
        return status;
    memset(part->place, -1, (size_t)mesh->nodes * sizeof *part->place);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < part->elements; k++)
        for (int a = 0; a < corners; a++) {
#pragma omp atomic write
            part->place[mesh->vertex[(int64_t)part->element[k] * corners + a]] = 0;
        }
    return list_nodes(part, &subdomain->partition, rank, all_nodes, error);
}

/* To rank r: rows list[count] of an array; place[] what stands in them is told as, NULL = as it is */
static void send_rows(const struct subdomain *subdomain, int r, const void *array, size_t row,
                      const int32_t *list, int64_t count, const int32_t *place)
{
    const struct comm *comm = subdomain->partition.comm;
    for (int64_t at = 0; at < count && array; at += SUBDOMAIN_BLOCK) {
        size_t rows = (size_t)(count - at < SUBDOMAIN_BLOCK ? count - at : SUBDOMAIN_BLOCK);
        int32_t *told = (int32_t *)(void *)subdomain->rows;
#pragma omp parallel for schedule(static)
        for (size_t k = 0; k < rows; k++)
            memcpy(subdomain->rows + k * row, (const char *)array + (size_t)list[(size_t)at + k] * row, row);
        for (size_t k = 0; k < rows * row / sizeof *told && place; k++)
            told[k] = place[told[k]];
        comm->engine->send(comm, COMM_STEPS, r, subdomain->rows, rows * row);
    }
}

/* From rank 0: array[count] */
static void receive_rows(const struct subdomain *subdomain, void *array, size_t row, int64_t count)
{
    const struct comm *comm = subdomain->partition.comm;
    for (int64_t at = 0; at < count && array; at += SUBDOMAIN_BLOCK) {
        size_t rows = (size_t)(count - at < SUBDOMAIN_BLOCK ? count - at : SUBDOMAIN_BLOCK);
        comm->engine->receive(comm, COMM_STEPS, 0, (char *)array + (size_t)at * row, rows * row);
    }
}

static struct parcel describe(const struct subdomain *subdomain, const struct mesh *mesh,
                              const struct part *part, bool all_nodes, const struct subdomain_array *beside,
                              int count)
{
    struct parcel parcel = {
        part->nodes,          part->elements,      mesh->nodes, mesh->elements,    mesh->dimension,
        mesh->fiber_location, mesh->sheet != NULL, all_nodes,   subdomain->groups, 0};
    for (int k = 0; k < count; k++)
        parcel.beside |= (int64_t)(*beside[k].array != NULL) << k;
    return parcel;
}

/* The whole -> rank r */
static enum status send_part(const struct subdomain *subdomain, const struct mesh *mesh, int r,
                             bool all_nodes, const struct subdomain_array *beside, int count,
                             struct error *error)
{
    const struct partition *p = &subdomain->partition;
    const struct comm *comm = p->comm;
    struct part part;
    enum status status = list_part(&part, subdomain, mesh, r, all_nodes, error);
    struct parcel parcel = describe(subdomain, mesh, &part, all_nodes, beside, count);
    int64_t good = 0;
    parcel.nodes = status ? -1 : parcel.nodes;
    comm->engine->send(comm, COMM_STEPS, r, &parcel, sizeof parcel);
    if (!status)
        comm->engine->receive(comm, COMM_STEPS, r, &good, sizeof good);
    if (good) {
        const bool at_nodes = mesh->fiber_location == LOCATION_NODE;
        const int32_t *list = at_nodes ? part.node : part.element;
        int64_t rows = at_nodes ? part.nodes : part.elements;
        comm->engine->send(comm, COMM_STEPS, r, part.node, (size_t)part.nodes * sizeof *part.node);
        comm->engine->send(comm, COMM_STEPS, r, part.element, (size_t)part.elements * sizeof *part.element);
        send_rows(subdomain, r, p->owner, sizeof *p->owner, part.node, part.nodes, NULL);
        send_rows(subdomain, r, subdomain->group_of_node, sizeof(int32_t), part.node, part.nodes, NULL);
        send_rows(subdomain, r, mesh->point, 3 * sizeof(double), part.node, part.nodes, NULL);
        send_rows(subdomain, r, mesh->vertex, ((size_t)mesh->dimension + 1) * sizeof(int32_t), part.element,
                  part.elements, part.place);
        send_rows(subdomain, r, mesh->tag, sizeof(int32_t), part.element, part.elements, NULL);
        send_rows(subdomain, r, mesh->fiber, 3 * sizeof(double), list, rows, NULL);
        send_rows(subdomain, r, mesh->sheet, 3 * sizeof(double), list, rows, NULL);
        for (int k = 0; k < count; k++)
            send_rows(subdomain, r, *beside[k].array, beside[k].row, part.element, part.elements, NULL);
    }
    free_part(&part);
    return status;
}

/* Room for what the parcel tells of; lists of the partition's in *number and *owner */
static enum status make_room(struct subdomain *subdomain, struct mesh *mesh, const struct parcel *parcel,
                             const struct subdomain_array *beside, int count, int32_t **number,
                             int32_t **owner, struct error *error)
{
    *mesh = (struct mesh){.dimension = (int)parcel->dimension,
                          .nodes = parcel->nodes,
                          .elements = parcel->elements,
                          .fiber_location = (enum location)parcel->fiber_location};
    enum status status = mesh_allocate(mesh, (int)parcel->sheet, error);
    mesh->number = array_new(parcel->elements, sizeof *mesh->number, what, &status, error);
    mesh->whole = parcel->whole_elements;
    mesh->whole_nodes = parcel->all_nodes ? 0 : parcel->whole_nodes;
    *number = array_new(parcel->nodes, sizeof **number, what, &status, error);
    *owner = array_new(parcel->nodes, sizeof **owner, what, &status, error);
    subdomain->group_of_node =
        array_new(parcel->nodes, sizeof *subdomain->group_of_node, what, &status, error);
    subdomain->groups = (int)parcel->groups;
    subdomain->group = array_new(subdomain->groups, sizeof *subdomain->group, what, &status, error);
    for (int k = 0; k < count; k++)
        if (parcel->beside >> k & 1)
            *beside[k].array = array_new(parcel->elements, beside[k].row, what, &status, error);
    return status;
}

/* This rank's part */
static enum status receive_part(struct subdomain *subdomain, struct mesh *mesh,
                                const struct subdomain_array *beside, int count, struct error *error)
{
    const struct comm *comm = subdomain->partition.comm;
    int32_t *number = NULL, *owner = NULL;
    struct parcel parcel;
    comm->engine->receive(comm, COMM_STEPS, 0, &parcel, sizeof parcel);
    if (parcel.nodes < 0)
        return STATUS_OK; /* rank 0 says why */
    enum status status = make_room(subdomain, mesh, &parcel, beside, count, &number, &owner, error);
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
        if (parcel.all_nodes) {
            free(number);
            number = NULL;
        }
        status = partition_take(&subdomain->partition, number, owner, nodes, error);
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
        enum status sent = send_part(subdomain, mesh, r, all_nodes, beside, count, status ? NULL : error);
        status = status ? status : sent;
    }
    if (comm->rank > 0)
        status = receive_part(subdomain, mesh, beside, count, error);
    status = comm_agree(comm, COMM_STEPS, status, error);
    if (status)
        return status;
    comm->engine->broadcast(comm, COMM_STEPS, 0, &subdomain->elements, sizeof subdomain->elements);
    comm->engine->broadcast(comm, COMM_STEPS, 0, subdomain->group,
                            (size_t)subdomain->groups * sizeof *subdomain->group);
    for (int g = 0; g < subdomain->groups && comm->rank > 0; g++)
        subdomain->group[g].node = g;
    return STATUS_OK;
}
