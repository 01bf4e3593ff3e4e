/* share_counts.c: who reads which nodes, asked of the elements that several ranks touch. */
#include <stdlib.h>

#include "kernels/base/array.h"
#include "solver/report.h"
#include "solver/ranks/share.h"

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

enum status share_count(struct monodomain_report *report, int ranks, const struct mesh *mesh,
                        const struct monodomain_params *params, struct error *error)
{
    static const char what[] = "the ranks' nodes";
    struct comm first = *comm_alone(); /* of so many, of whom only it is asked */
    struct share share = {0};
    struct readers readers = {0};
    int64_t *border = NULL;
    first.size = report->ranks = ranks;
    if (ranks == 1)
        return STATUS_OK;
    enum status status = share_make(&share, &first, mesh, params, NULL, error);
    readers.first = array_zeroed(mesh->nodes, sizeof *readers.first, what, &status, error);
    border = array_zeroed(ranks, sizeof *border, what, &status, error);
    AND(find_readers(&readers, mesh, share.partition.owner, error));
    if (!status) {
        count_border(&readers, &share.partition, border);
        count_nodes(report, &share.partition, border);
    }
    free(border);
    free(readers.first);
    free(readers.link);
    share_free(&share);
    return status;
}
