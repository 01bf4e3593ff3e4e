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

/* to[] <- the nodes of order[] of one kind; returns how many */
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

/* Counts and rows from which the links to each rank are made */
struct lists {
    int64_t *received, *sent; /* [size] of each rank */
    int32_t *last;            /* [size] the node that was counted last for each rank */
    int32_t *row;             /* [border] as in struct halo; NULL = count only */
};

/* sent[] <- the number of values for each rank, or their end in row[], which is filled */
static void count_border(const struct partition *p, const struct csr *pattern, const struct layout *layout,
                         struct lists *lists)
{
    int rank = p->comm->rank, size = p->comm->size;
    for (int r = 0; r < size; r++)
        lists->last[r] = -1;
    for (int64_t n = p->of.begin[rank]; n < p->of.begin[rank + 1]; n++) {
        int32_t i = p->of.node[n];
        for (int64_t k = pattern->start[i]; k < pattern->start[i + 1]; k++) {
            int32_t r = p->owner[pattern->column[k]];
            if (r == rank || lists->last[r] == i)
                continue;
            lists->last[r] = i;
            if (lists->row)
                lists->row[lists->sent[r]] = layout->row[i];
            lists->sent[r]++;
        }
    }
}

/* link[] from received[] and sent[]; sent[] <- the start of each rank's values */
static void make_links(struct halo *halo, struct lists *lists)
{
    for (int r = 0; r < halo->comm->size; r++) {
        int64_t sent = lists->sent[r];
        lists->sent[r] = halo->border;
        if (sent > 0)
            halo->link[halo->links++] = (struct comm_link){r, sent, lists->received[r]};
        halo->border += sent;
    }
}

enum status halo_make(struct halo **out, const struct partition *p, const struct csr *pattern,
                      const struct layout *layout, struct queue *queue, struct error *error)
{
    static const char what[] = "the ranks' rows";
    int size = p->comm->size;
    enum status status = STATUS_OK;
    *out = NULL;
    if (!p->owner)
        return STATUS_OK;
    struct halo *halo = array_zeroed(1, sizeof *halo, what, &status, error);
    struct lists lists = {array_zeroed(size, 8, what, &status, error),
                          array_zeroed(size, 8, what, &status, error),
                          array_zeroed(size, sizeof(int32_t), what, &status, error), NULL};
    TRY_DONE(status);
    halo->link = array_zeroed(size, sizeof *halo->link, what, &status, error);
    halo->seconds = array_zeroed(1, sizeof *halo->seconds, what, &status, error);
    TRY_DONE(status);
    halo->comm = p->comm;
    halo->rows = layout->rows;
    halo->ghosts = layout->ghosts;
    for (int64_t k = layout->rows; k < layout->rows + layout->ghosts; k++)
        lists.received[p->owner[layout->node[k]]]++;
    count_border(p, pattern, layout, &lists);
    make_links(halo, &lists);
    lists.row = array_new(halo->border, sizeof *lists.row, what, &status, error);
    halo->row = device_array(queue, halo->border, sizeof *halo->row, what, &status, error);
    halo->out = device_array(queue, halo->border, sizeof *halo->out, what, &status, error);
    TRY_DONE(status);
    count_border(p, pattern, layout, &lists);
    status = device_upload(queue, halo->row, lists.row, (size_t)halo->border * sizeof *halo->row, error);
done:
    free(lists.received);
    free(lists.sent);
    free(lists.last);
    free(lists.row);
    if (status)
        halo_free(halo, queue);
    else
        *out = halo;
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
