/* test_snapshot.c: frames read by another thread while steps continue hold the values of monodomain_get and
 * monodomain_current at their time, in every slot and in both storage types, of all nodes and of a few; taking them
 * changes no bit.
 * `test_snapshot [BACKEND]` */
#include "solver/step/snapshot.h"

#include <math.h>
#include <pthread.h>

#include "tests/support/case.h"

enum { FRAMES = 2 * READBACK_SLOTS + 1, BETWEEN = 3, MOST = 160, FEW = 5 };

/* What is read of a few nodes */
struct few {
    double value[MOST][FEW], largest;
    int64_t node; /* of the largest V */
};

struct reading {
    struct snapshot *snapshot, *at;
    int slot, quantities;
    int64_t nodes;
    double *value; /* [quantities][nodes] */
    struct few *few;
};

static void *read_frame(void *argument)
{
    struct reading *r = argument;
    struct error error = {0};
    CHECK_OK(snapshot_arrive(r->snapshot, r->slot, &error), error);
    for (int k = 0; k < r->quantities; k++)
        snapshot_read(r->snapshot, r->slot, k, r->value + k * r->nodes);
    CHECK_OK(snapshot_arrive(r->at, r->slot, &error), error);
    for (int k = 0; k < r->quantities; k++)
        snapshot_read_at(r->at, r->slot, k, k + 1, r->few->value[k]);
    r->few->largest = snapshot_largest(r->at, r->slot, &r->few->node);
    return NULL;
}

/* quantity[] <- V, every state of each model, every current of each model */
static int list_all(struct monodomain *sim, struct snapshot_quantity *quantity)
{
    int count = 0;
    for (int k = 0; k < monodomain_variables(sim); k++)
        if (k == 0 || monodomain_variable(sim, k)->model >= 0)
            quantity[count++] = (struct snapshot_quantity){.variable = k};
    for (int g = 0; g < monodomain_models(sim); g++)
        for (int c = 0; c < monodomain_model(sim, g)->currents; c++)
            quantity[count++] = (struct snapshot_quantity){-1, g, c};
    CHECK(count > 4 && count <= MOST, "%d quantities", count);
    return count;
}

static void get_all(struct monodomain *sim, const struct snapshot_quantity *quantity, int count,
                    int64_t nodes, double *value)
{
    struct error error = {0};
    for (int k = 0; k < count; k++)
        if (quantity[k].variable >= 0)
            CHECK_OK(monodomain_get(sim, quantity[k].variable, value + k * nodes, &error), error);
        else
            CHECK_OK(
                monodomain_current(sim, quantity[k].model, quantity[k].current, value + k * nodes, &error),
                error);
}

/* few against want[quantities][nodes], which is 0 where a node does not have a quantity; returns how many it has */
static int check_few(const struct few *few, const int64_t *node, const double *want, int quantities,
                     int64_t nodes)
{
    int covered = 0;
    int64_t first = 0;
    for (int k = 0; k < quantities * FEW; k++) {
        const double value = few->value[k / FEW][k % FEW], whole = want[k / FEW * nodes + node[k % FEW]];
        CHECK(isnan(value) ? whole == 0 : value == whole, "quantity %d at node %lld: %.17g, want %.17g",
              k / FEW, (long long)node[k % FEW], value, whole);
        covered += !isnan(value);
    }
    for (int64_t i = 1; i < nodes; i++)
        first = want[i] > want[first] ? i : first;
    CHECK(few->largest == want[first] && few->node == first,
          "the largest V: %.17g at node %lld, want %.17g at %lld", few->largest, (long long)few->node,
          want[first], (long long)first);
    return covered;
}

/* FRAMES frames, each read when the steps have gone on and `late` more have been taken */
static void test_frames(const struct backend *backend, const char *second, bool mixed, int late,
                        enum splitting splitting)
{
    struct test_case c;
    struct error error = {0};
    struct queue *queue;
    struct monodomain *sim;
    struct snapshot *snapshot, *at;
    static struct few few[FRAMES];
    struct snapshot_quantity quantity[MOST];
    int64_t length;
    case_make(&c, 3, "tp06-epi", 1);
    c.region[1].model = ionic_find(second);
    c.params.ionic_mixed = mixed;
    c.params.splitting = splitting;
    int64_t nodes = c.mesh.nodes;
    double *plain = case_run(&c, backend, 2, FRAMES * BETWEEN, &length, NULL);
    queue = test_queue(backend, 2);
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    int count = list_all(sim, quantity);
    CHECK_OK(snapshot_create(&snapshot, sim, quantity, count, READBACK_SLOTS, &error), error);
    const int64_t chosen[FEW] = {0, nodes / 2, nodes - 1, nodes / 2, nodes / 3};
    CHECK_OK(snapshot_create_at(&at, sim, quantity, count, chosen, FEW, READBACK_SLOTS, &error), error);
    double *want = calloc((size_t)(FRAMES * count) * (size_t)nodes, sizeof *want);
    double *got = calloc((size_t)(FRAMES * count) * (size_t)nodes, sizeof *got);
    CHECK(want && got, "no memory");
    for (int f = 0; f < FRAMES + late; f++) {
        if (f < FRAMES) {
            CHECK_OK(monodomain_show(sim, &error), error);
            CHECK_OK(snapshot_take(snapshot, f % READBACK_SLOTS, &error), error);
            CHECK_OK(snapshot_take(at, f % READBACK_SLOTS, &error), error);
            if (f % 2)
                get_all(sim, quantity, count, nodes, want + f * count * nodes);
            monodomain_hide(sim);
            CHECK_OK(monodomain_advance(sim, BETWEEN, &error), error);
        }
        if (f < late)
            continue;
        struct reading reading = {snapshot,      at,    (f - late) % READBACK_SLOTS,
                                  count,         nodes, got + (f - late) * count * nodes,
                                  &few[f - late]};
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, read_frame, &reading) == 0, "no thread");
        pthread_join(thread, NULL);
    }
    double *after = case_state(sim, nodes, &length);
    int64_t apart = first_difference(plain, after, length), compared = 0;
    CHECK(apart < 0, "frames change value %lld: %.17g, was %.17g", (long long)apart, after[apart],
          plain[apart]);
    for (int f = 1; f < FRAMES; f += 2, compared++) {
        apart = first_difference(want + f * count * nodes, got + f * count * nodes, count * nodes);
        CHECK(apart < 0, "frame %d, quantity %lld, node %lld: %.17g, want %.17g", f,
              (long long)(apart / nodes), (long long)(apart % nodes), got[f * count * nodes + apart],
              want[f * count * nodes + apart]);
        const int covered = check_few(&few[f], chosen, want + f * count * nodes, count, nodes);
        CHECK(covered > 2 * FEW && covered <= FEW * count, "%d values of a few nodes", covered);
    }
    CHECK(compared == FRAMES / 2, "%lld frames compared", (long long)compared);
    CHECK(memcmp(got, got + 2 * count * nodes, (size_t)nodes * sizeof *got) != 0, "V does not change");
    snapshot_free(snapshot);
    snapshot_free(at);
    monodomain_free(sim);
    queue_free(queue);
    free(plain);
    free(after);
    free(want);
    free(got);
    case_free(&c);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    test_frames(backend, "mitchell-schaeffer", false, READBACK_SLOTS - 1, SPLITTING_GODUNOV);
    test_frames(backend, "tp06-epi", true, 1, SPLITTING_STAGGERED);
    test_frames(backend, "tp06-endo", true, 0, SPLITTING_GODUNOV);
    test_frames(backend, "mitchell-schaeffer", false, 1, SPLITTING_STAGGERED);
    return 0;
}
