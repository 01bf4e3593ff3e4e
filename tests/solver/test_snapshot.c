/* test_snapshot.c: frames read by another thread while steps continue hold the values of monodomain_get and
 * monodomain_current at their time, in every slot and in both storage types; taking them changes no bit.
 * `test_snapshot [BACKEND]` */
#include "solver/step/snapshot.h"

#include <pthread.h>

#include "tests/support/case.h"

enum { FRAMES = 2 * READBACK_SLOTS + 1, BETWEEN = 3, MOST = 160 };

struct reading {
    struct snapshot *snapshot;
    int slot, quantities;
    int64_t nodes;
    double *value; /* [quantities][nodes] */
};

static void *read_frame(void *argument)
{
    struct reading *r = argument;
    struct error error = {0};
    CHECK_OK(snapshot_arrive(r->snapshot, r->slot, &error), error);
    for (int k = 0; k < r->quantities; k++)
        snapshot_read(r->snapshot, r->slot, k, r->value + k * r->nodes);
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

/* FRAMES frames, each read when the steps have gone on and `late` more have been taken */
static void test_frames(const struct backend *backend, const char *second, bool mixed, int late,
                        enum splitting splitting)
{
    struct test_case c;
    struct error error = {0};
    struct queue *queue;
    struct monodomain *sim;
    struct snapshot *snapshot;
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
    double *want = calloc((size_t)(FRAMES * count) * (size_t)nodes, sizeof *want);
    double *got = calloc((size_t)(FRAMES * count) * (size_t)nodes, sizeof *got);
    CHECK(want && got, "no memory");
    for (int f = 0; f < FRAMES + late; f++) {
        if (f < FRAMES) {
            CHECK_OK(monodomain_show(sim, &error), error);
            CHECK_OK(snapshot_take(snapshot, f % READBACK_SLOTS, &error), error);
            if (f % 2)
                get_all(sim, quantity, count, nodes, want + f * count * nodes);
            monodomain_hide(sim);
            CHECK_OK(monodomain_advance(sim, BETWEEN, &error), error);
        }
        if (f < late)
            continue;
        struct reading reading = {snapshot, (f - late) % READBACK_SLOTS, count, nodes,
                                  got + (f - late) * count * nodes};
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, read_frame, &reading) == 0, "no thread");
        pthread_join(thread, NULL);
    }
    double *after = case_state(sim, nodes, &length);
    int64_t at = first_difference(plain, after, length), compared = 0;
    CHECK(at < 0, "frames change value %lld: %.17g, was %.17g", (long long)at, after[at], plain[at]);
    for (int f = 1; f < FRAMES; f += 2, compared++) {
        at = first_difference(want + f * count * nodes, got + f * count * nodes, count * nodes);
        CHECK(at < 0, "frame %d, quantity %lld, node %lld: %.17g, want %.17g", f, (long long)(at / nodes),
              (long long)(at % nodes), got[f * count * nodes + at], want[f * count * nodes + at]);
    }
    CHECK(compared == FRAMES / 2, "%lld frames compared", (long long)compared);
    CHECK(memcmp(got, got + 2 * count * nodes, (size_t)nodes * sizeof *got) != 0, "V does not change");
    snapshot_free(snapshot);
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
