/* test_subdomain.c: the forecast of nodes and borders of several ranks is that of the parts that they would have; the
 * elements of a rank touch one of its nodes, and are kept in their order. What ranks send to each other are the nodes
 * that have neighbours there. */
#include "solver/matrix/halo.h"
#include "solver/ranks/subdomain.h"
#include "tests/support/case.h"

static void test_parts(int dimension, int ranks)
{
    struct error error = {0};
    struct test_case c;
    struct monodomain_report report = {0};
    struct subdomain subdomain;
    struct comm comm = *comm_alone();
    case_make(&c, dimension, "passive", 1);
    const int corners = dimension + 1;
    comm.size = ranks;
    CHECK_OK(subdomain_count(&report, ranks, &c.mesh, &c.params, &error), error);
    CHECK_OK(subdomain_make(&subdomain, &comm, &c.mesh, &c.params, NULL, &error), error);
    const int32_t *owner = subdomain.partition.owner;
    bool *reads = calloc((size_t)c.mesh.nodes * (size_t)ranks, sizeof *reads); /* of a node, by a rank */
    CHECK(reads, "no memory");
    for (int64_t e = 0; e < c.mesh.elements; e++)
        for (int a = 0; a < corners; a++)
            for (int b = 0; b < corners; b++)
                reads[c.mesh.vertex[e * corners + a] * ranks + owner[c.mesh.vertex[e * corners + b]]] = true;
    int64_t least = c.mesh.nodes, most = 0, border = 0;
    for (int r = 0; r < ranks; r++) {
        int64_t own = 0, sent = 0, at = 0, count;
        int32_t *number;
        for (int64_t i = 0; i < c.mesh.nodes; i++) {
            own += owner[i] == r;
            for (int other = 0; other < ranks; other++)
                sent += owner[i] == r && other != r && reads[i * ranks + other];
        }
        least = own < least ? own : least;
        most = own > most ? own : most;
        border = sent > border ? sent : border;
        CHECK_OK(subdomain_elements(&subdomain, &c.mesh, r, &number, &count, &error), error);
        for (int64_t e = 0; e < c.mesh.elements; e++) {
            bool touches = false;
            for (int a = 0; a < corners; a++)
                touches |= owner[c.mesh.vertex[e * corners + a]] == r;
            CHECK(!touches || (at < count && number[at] == e), "element %lld of rank %d", (long long)e, r);
            at += touches;
        }
        CHECK(at == count, "%lld elements of rank %d, want %lld", (long long)count, r, (long long)at);
        free(number);
    }
    CHECK(report.ranks == ranks && report.nodes_least == least && report.nodes_most == most &&
              report.border_most == border && border > 0,
          "%d ranks: %lld to %lld nodes, %lld sent; want %lld to %lld, %lld", ranks,
          (long long)report.nodes_least, (long long)report.nodes_most, (long long)report.border_most,
          (long long)least, (long long)most, (long long)border);
    free(reads);
    subdomain_free(&subdomain);
    case_free(&c);
}

/* Whether node i, of rank `from`, has a neighbour on rank `to` */
static bool is_read(const struct csr *pattern, const int32_t *owner, int64_t i, int from, int to)
{
    bool found = false;
    for (int64_t k = pattern->start[i]; k < pattern->start[i + 1]; k++)
        found |= owner[i] == from && owner[pattern->column[k]] == to;
    return found;
}

/* Of nodes given to ranks at random, the first one not to the first rank */
static void test_halo(int dimension, int ranks)
{
    struct error error = {0};
    struct test_case c;
    struct system system;
    case_make_small(&c, dimension, 12, "passive", 1);
    const struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    CHECK_OK(system_assemble(&system, &tensors, false, NULL, &error), error);
    const struct csr *pattern = &system.k;
    int32_t *owner = calloc((size_t)c.mesh.nodes, sizeof *owner),
            *cost = calloc((size_t)c.mesh.nodes, sizeof *cost);
    CHECK(owner && cost, "no memory");
    for (int64_t i = 0; i < c.mesh.nodes; i++) {
        owner[i] = (int32_t)((i / 3 + ranks - 1 + (int64_t)(1.5 * bits_random((uint64_t)i))) % ranks);
        cost[i] = 1;
    }
    for (int rank = 0; rank < ranks; rank++) {
        struct comm comm = *comm_alone();
        struct partition partition;
        struct halo_nodes halo;
        comm.rank = rank;
        comm.size = ranks;
        CHECK_OK(partition_make(&partition, &comm, &c.mesh, cost, owner, &(struct together){0}, &error),
                 error);
        if (rank > 0) {
            int32_t *copy = malloc((size_t)c.mesh.nodes * sizeof *copy);
            CHECK(copy, "no memory");
            memcpy(copy, owner, (size_t)c.mesh.nodes * sizeof *copy);
            CHECK_OK(partition_set(&partition, NULL, copy, c.mesh.nodes, &error), error);
        }
        CHECK_OK(halo_nodes_make(&halo, &partition, pattern, &error), error);
        int64_t sent = 0, received = 0;
        int link = 0;
        for (int other = 0; other < ranks; other++) {
            const int64_t first_sent = sent, first_received = received;
            for (int64_t i = 0; i < c.mesh.nodes && other != rank; i++) {
                if (is_read(pattern, owner, i, rank, other))
                    CHECK(sent < halo.sent_count && halo.sent[sent++] == i,
                          "rank %d sends node %lld to rank %d", rank, (long long)i, other);
                if (is_read(pattern, owner, i, other, rank))
                    CHECK(received < halo.received_count && halo.received[received++] == i,
                          "rank %d receives node %lld of rank %d", rank, (long long)i, other);
            }
            if (sent == first_sent)
                continue;
            CHECK(link < halo.links && halo.link[link].rank == other &&
                      halo.link[link].sent == sent - first_sent &&
                      halo.link[link].received == received - first_received,
                  "link %d of rank %d", link, rank);
            link++;
        }
        CHECK(link == halo.links && sent == halo.sent_count && received == halo.received_count && sent > 0,
              "rank %d: %d links", rank, halo.links);
        halo_nodes_free(&halo);
        partition_free(&partition);
    }
    free(owner);
    free(cost);
    system_free(&system);
    case_free(&c);
}

int main(void)
{
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int ranks = 2; ranks <= 4; ranks++)
            test_halo(dimension, ranks);
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int ranks = 2; ranks <= 7; ranks += 2 + (ranks == 4))
            test_parts(dimension, ranks);
    return 0;
}
