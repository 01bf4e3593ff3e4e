/* halo.c: border and ghost rows from the partition and the matrix pattern. */
#include "solver/matrix/halo.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

enum kind { ELSEWHERE, INTERIOR, BORDER, GHOST };

/* kind[nodes] */
static void find_kinds(const struct partition *p, const struct csr *pattern, uint8_t *kind)
{
    memset(kind, ELSEWHERE, (size_t)p->here);
    for (int64_t i = 0; i < p->here; i++) {
        if (!partition_has(p, i))
            continue;
        kind[i] = INTERIOR;
        for (int64_t k = pattern->start[i]; k < pattern->start[i + 1]; k++)
            if (!partition_has(p, pattern->column[k])) {
                kind[i] = BORDER;
                kind[pattern->column[k]] = GHOST;
            }
    }
}

/* to[] <- the nodes of order[] of one kind; returns their number */
static int64_t select_kind(const uint8_t *kind, enum kind selected, const int32_t *order, int64_t nodes,
                           int32_t *to)
{
    int64_t count = 0;
    for (int64_t k = 0; k < nodes; k++)
        if (kind[order[k]] == selected)
            to[count++] = order[k];
    return count;
}

enum status halo_order(struct layout_order *of, const struct partition *p, const struct csr *pattern,
                       int32_t *order, struct error *error)
{
    *of = (struct layout_order){order, p->here, 0, 0};
    if (!p->owner)
        return STATUS_OK;
    enum status status = STATUS_OK;
    uint8_t *kind = array_new(p->here, sizeof *kind, "the ranks' rows", &status, error);
    int32_t *sorted = array_new(p->here, sizeof *sorted, "the ranks' rows", &status, error);
    TRY_DONE(status);
    find_kinds(p, pattern, kind);
    of->interior = select_kind(kind, INTERIOR, order, p->here, sorted);
    of->border = select_kind(kind, BORDER, order, p->here, sorted + of->interior);
    of->ghosts = select_kind(kind, GHOST, p->of.node, p->here, sorted + of->interior + of->border);
    memcpy(order, sorted, (size_t)(of->interior + of->border + of->ghosts) * sizeof *order);
done:
    free(kind);
    free(sorted);
    return status;
}

/* sent[count[r] ...] <- the nodes of this rank that rank r reads, ascending; count[r] <- their end. sent
 * NULL: only counts. last[size]: the last node counted for each rank. */
static void walk_border(const struct partition *p, const struct csr *pattern, int32_t *last, int64_t *count,
                        int32_t *sent)
{
    int rank = p->comm->rank;
    for (int r = 0; r < p->comm->size; r++)
        last[r] = -1;
    for (int64_t n = p->of.begin[rank]; n < p->of.begin[rank + 1]; n++) {
        int32_t i = p->of.node[n];
        for (int64_t k = pattern->start[i]; k < pattern->start[i + 1]; k++) {
            int32_t r = p->owner[pattern->column[k]];
            if (r == rank || last[r] == i)
                continue;
            last[r] = i;
            if (sent)
                sent[count[r]] = i;
            count[r]++;
        }
    }
}

/* received[] <- the ghosts, rank by rank, ascending in each; number[r]: those of rank r. received NULL:
 * only counts. */
static void list_ghosts(const struct partition *p, const uint8_t *kind, int64_t *number, int32_t *received)
{
    int64_t count = 0;
    for (int64_t n = 0; n < p->here; n++) {
        int32_t i = p->of.node[n];
        if (kind[i] != GHOST)
            continue;
        if (received)
            received[count] = i;
        else
            number[p->owner[i]]++;
        count++;
    }
}

/* link[] <- numbers of values sent and received; sent[r] <- first index of those for rank r */
static void make_links(struct halo_nodes *nodes, int64_t *sent, const int64_t *received)
{
    for (int r = 0; r < nodes->comm->size; r++) {
        int64_t count = sent[r];
        sent[r] = nodes->sent_count;
        if (count > 0)
            nodes->link[nodes->links++] = (struct comm_link){r, count, received[r]};
        nodes->sent_count += count;
        nodes->received_count += received[r];
    }
}

enum status halo_nodes_make(struct halo_nodes *nodes, const struct partition *p, const struct csr *pattern,
                            struct error *error)
{
    static const char what[] = "the ranks' rows";
    int size = p->comm->size;
    enum status status = STATUS_OK;
    *nodes = (struct halo_nodes){.comm = p->comm};
    if (!p->owner)
        return STATUS_OK;
    nodes->link = array_zeroed(size, sizeof *nodes->link, what, &status, error);
    int64_t *sent = array_zeroed(size, sizeof *sent, what, &status, error);
    int64_t *received = array_zeroed(size, sizeof *received, what, &status, error);
    int32_t *last = array_zeroed(size, sizeof *last, what, &status, error);
    uint8_t *kind = array_new(p->here, sizeof *kind, what, &status, error);
    TRY_DONE(status);
    find_kinds(p, pattern, kind);
    walk_border(p, pattern, last, sent, NULL);
    list_ghosts(p, kind, received, NULL);
    make_links(nodes, sent, received);
    nodes->sent = array_new(nodes->sent_count, sizeof *nodes->sent, what, &status, error);
    nodes->received = array_new(nodes->received_count, sizeof *nodes->received, what, &status, error);
    nodes->out = array_new(nodes->sent_count, sizeof *nodes->out, what, &status, error);
    nodes->in = array_new(nodes->received_count, sizeof *nodes->in, what, &status, error);
    TRY_DONE(status);
    walk_border(p, pattern, last, sent, nodes->sent);
    list_ghosts(p, kind, received, nodes->received);
done:
    free(sent);
    free(received);
    free(last);
    free(kind);
    if (status)
        halo_nodes_free(nodes);
    return status;
}

void halo_nodes_free(struct halo_nodes *nodes)
{
    free(nodes->link);
    free(nodes->sent);
    free(nodes->received);
    free(nodes->out);
    free(nodes->in);
    *nodes = (struct halo_nodes){.comm = nodes->comm};
}

void halo_nodes_exchange(const struct halo_nodes *nodes, double *x)
{
    for (int64_t k = 0; k < nodes->sent_count; k++)
        nodes->out[k] = x[nodes->sent[k]];
    if (nodes->links > 0)
        nodes->comm->engine->exchange(nodes->comm, nodes->link, nodes->links, nodes->out, nodes->in);
    for (int64_t k = 0; k < nodes->received_count; k++)
        x[nodes->received[k]] = nodes->in[k];
}

enum status halo_make(struct halo **out, const struct halo_nodes *nodes, const struct layout *layout,
                      struct queue *queue, struct error *error)
{
    static const char what[] = "the ranks' rows";
    enum status status = STATUS_OK;
    int64_t count = nodes->sent_count;
    *out = NULL;
    if (nodes->comm->size == 1)
        return STATUS_OK;
    struct halo *halo = array_zeroed(1, sizeof *halo, what, &status, error);
    int32_t *row = array_new(count, sizeof *row, what, &status, error);
    TRY_DONE(status);
    halo->comm = nodes->comm;
    halo->rows = layout->rows;
    halo->ghosts = layout->ghosts;
    halo->border = count;
    halo->links = nodes->links;
    halo->link = array_new(nodes->links, sizeof *halo->link, what, &status, error);
    halo->seconds = array_zeroed(1, sizeof *halo->seconds, what, &status, error);
    halo->row = device_array(queue, count, sizeof *halo->row, what, &status, error);
    halo->out = device_array(queue, count, sizeof *halo->out, what, &status, error);
    TRY_DONE(status);
    memcpy(halo->link, nodes->link, (size_t)nodes->links * sizeof *halo->link);
    for (int64_t k = 0; k < count; k++)
        row[k] = layout->row[nodes->sent[k]];
    TRY_DONE(device_upload(queue, halo->row, row, (size_t)count * sizeof *halo->row, error));
    *out = halo;
done:
    free(row);
    if (status)
        halo_free(halo, queue);
    return status;
}

void halo_free(struct halo *halo, struct queue *queue)
{
    if (!halo)
        return;
    queue->backend->halo_close(queue, halo);
    device_release(queue, halo->row);
    device_release(queue, halo->out);
    free(halo->link);
    free(halo->seconds);
    free(halo);
}
