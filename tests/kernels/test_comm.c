/* test_comm.c: what ranks agree on, with threads as ranks: the error of the lowest that failed, maxima, sums, and the end of all; which
 * processes are ranks by their environment. */
#include "kernels/device/comm.h"

#include <float.h>
#include <pthread.h>
#include <string.h>

#include "kernels/base/bits.h"
#include "tests/support/check.h"

enum { RANKS = 4, ROUNDS = 60 };

/* What the threads share */
static struct world {
    pthread_barrier_t all;
    pthread_mutex_t lock;
    uint64_t most;
    void *data;
    int calls[COMM_CHANNELS], ended, reported, closed;
} world;

static void largest(const struct comm *comm, enum comm_channel channel, uint64_t *value, int count)
{
    for (int k = 0; k < count; k++) {
        if (comm->rank == 0)
            world.most = 0;
        pthread_barrier_wait(&world.all);
        pthread_mutex_lock(&world.lock);
        world.most = value[k] > world.most ? value[k] : world.most;
        world.calls[channel]++;
        pthread_mutex_unlock(&world.lock);
        pthread_barrier_wait(&world.all);
        value[k] = world.most;
        pthread_barrier_wait(&world.all);
    }
}

static void broadcast(const struct comm *comm, enum comm_channel channel, int root, void *data, size_t bytes)
{
    CHECK(root >= 0 && root < comm->size, "there is no rank %d", root);
    (void)channel;
    if (comm->rank == root)
        world.data = data;
    pthread_barrier_wait(&world.all);
    if (comm->rank != root)
        memcpy(data, world.data, bytes);
    pthread_barrier_wait(&world.all);
}

static void end_all(const struct comm *comm, int exit)
{
    world.ended += 100 * comm->rank + exit;
}

static void report(const struct comm *comm, const struct error *error)
{
    world.reported += comm->rank + (strcmp(error->text, "lost") ? 1000 : 0);
}

static void close_one(struct comm *comm)
{
    world.closed += comm->size;
}

static const struct comm_engine engine = {
    .close = close_one, .end = end_all, .largest = largest, .broadcast = broadcast};

/* In each round other ranks fail, in the last of every four none */
static void agree(const struct comm *comm, int round)
{
    static const enum status kinds[] = {STATUS_INPUT, STATUS_RUN, STATUS_DIFFERS, STATUS_STOPPED};
    struct error error = {.text = "nothing"};
    enum status own[RANKS], want = STATUS_OK;
    char text[40] = "nothing";
    for (int r = RANKS - 1; r >= 0; r--) {
        const bool fails = round % 4 < 3 && bits_random((uint64_t)(RANKS * round + r)) < 0.4;
        own[r] = fails ? kinds[(round + r) % 4] : STATUS_OK;
        want = fails ? own[r] : want;
        if (fails)
            snprintf(text, sizeof text, "rank %d in round %d", r, round);
    }
    if (own[comm->rank])
        error_set(&error, own[comm->rank], "rank %d in round %d", comm->rank, round);
    const enum status got = comm_agree(comm, COMM_FILES, own[comm->rank], round % 5 ? &error : NULL);
    CHECK(got == want, "round %d, rank %d: status %d, want %d", round, comm->rank, (int)got, (int)want);
    CHECK(round % 5 == 0 || (!strcmp(error.text, text) && (!want || error.status == want)), "'%s', want '%s'",
          error.text, text);
}

static double number(int round, int rank)
{
    static const double some[] = {-INFINITY,    -DBL_MAX, -1,  -DBL_TRUE_MIN, -0.0,    0.0,
                                  DBL_TRUE_MIN, 1,        1.5, DBL_MAX,       INFINITY};
    return some[(size_t)(bits_random((uint64_t)(1000 + RANKS * round + rank)) *
                         (sizeof some / sizeof *some))];
}

static void *rank_of(void *argument)
{
    const struct comm *comm = argument;
    for (int round = 0; round < ROUNDS; round++) {
        agree(comm, round);
        double value[3], most[3] = {-INFINITY, -INFINITY, -INFINITY};
        int64_t sum = 0;
        for (int r = 0; r < RANKS; r++)
            for (int k = 0; k < 3; k++)
                most[k] = fmax(most[k], number(round + ROUNDS * k, r));
        for (int k = 0; k < 3; k++)
            value[k] = number(round + ROUNDS * k, comm->rank);
        const double behind = value[2];
        comm_most(comm, value, 2);
        CHECK(value[0] == most[0] && value[1] == most[1] && value[2] == behind,
              "round %d: %g and %g, want %g and %g", round, value[0], value[1], most[0], most[1]);
        for (int r = 0; r < RANKS; r++)
            sum += (r - 1) * (INT64_C(1) << 40) + round;
        const int64_t got = comm_sum(comm, (comm->rank - 1) * (INT64_C(1) << 40) + round);
        CHECK(got == sum, "round %d: the sum is %lld, want %lld", round, (long long)got, (long long)sum);
    }
    comm_meet(comm);
    return NULL;
}

static void test_agreement(void)
{
    struct comm comm[RANKS];
    struct error error = {0};
    pthread_t thread[RANKS];
    pthread_barrier_init(&world.all, NULL, RANKS);
    pthread_mutex_init(&world.lock, NULL);
    for (int r = 0; r < RANKS; r++) {
        comm[r] = (struct comm){r, RANKS, r, RANKS, 1, &engine, NULL};
        CHECK(pthread_create(&thread[r], NULL, rank_of, &comm[r]) == 0, "no thread");
    }
    for (int r = 0; r < RANKS; r++)
        pthread_join(thread[r], NULL);
    CHECK(world.calls[COMM_FILES] == RANKS * ROUNDS, "%d agreements of files", world.calls[COMM_FILES]);
    CHECK(world.calls[COMM_STEPS] == RANKS * (2 * ROUNDS + 1), "%d calls of steps", world.calls[COMM_STEPS]);

    error_set(&error, STATUS_INPUT, "lost");
    comm_give_up(&comm[2], &error);
    CHECK(world.ended == 200 + STATUS_RUN && world.reported == 0, "ended %d", world.ended);
    const struct comm pair = {.rank = 1, .size = 2, .engine = &engine};
    comm_give_up(&pair, &error);
    CHECK(world.ended == 300 + 2 * STATUS_RUN, "of two: ended %d", world.ended);
    comm[3].report = report;
    comm_give_up(&comm[3], &error);
    CHECK(world.ended == 600 + 3 * STATUS_RUN && world.reported == 3, "%d, reported %d", world.ended,
          world.reported);
    comm_close(&comm[1]);
    comm_close(NULL);
    CHECK(world.closed == RANKS, "closed %d", world.closed);
    pthread_barrier_destroy(&world.all);
    pthread_mutex_destroy(&world.lock);
}

static void test_alone(void)
{
    struct error error = {.text = "own"};
    struct comm *comm = NULL;
    CHECK_OK(comm_open(&comm, &error), error);
    CHECK(comm == comm_alone() && comm->rank == 0 && comm->size == 1 && comm->local_rank == 0 &&
              comm->local_size == 1 && comm->sharing == 1,
          "alone as rank %d of %d", comm->rank, comm->size);
    double value = -3;
    comm_most(comm, &value, 1);
    comm_meet(comm);
    comm_give_up(comm, &error);
    CHECK(value == -3 && comm_sum(comm, 17) == 17, "alone: %g", value);
    CHECK(comm_agree(comm, COMM_STEPS, STATUS_OK, &error) == STATUS_OK && !strcmp(error.text, "own"), "%s",
          error.text);
    CHECK(comm_agree(comm, COMM_STEPS, STATUS_RUN, &error) == STATUS_RUN && !strcmp(error.text, "own"), "%s",
          error.text);
    comm_close(comm);
}

static void test_environment(void)
{
    static const char *const name[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK",
                                       "SLURM_STEP_NUM_TASKS"};
    static const struct {
        const char *value[4];
        bool launched, strangers;
    } table[] = {{{0}, false, false},
                 {{"1"}, false, false},
                 {{"2"}, true, false},
                 {{0, "1"}, false, false},
                 {{0, "2"}, true, false},
                 {{0, 0, "0"}, false, false},
                 {{0, 0, "0", "1"}, false, false},
                 {{0, 0, "0", "2"}, true, false},
                 {{0, 0, 0, "2"}, false, true},
                 {{0, 0, 0, "1"}, false, false},
                 {{0, "2", 0, "2"}, true, false},
                 {{"1", "1", 0, "3"}, false, true}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        for (int n = 0; n < 4; n++)
            table[k].value[n] ? setenv(name[n], table[k].value[n], 1) : unsetenv(name[n]);
        CHECK(comm_launched() == table[k].launched && comm_strangers() == table[k].strangers,
              "row %zu: %d, %d", k, comm_launched(), comm_strangers());
    }
    for (int n = 0; n < 4; n++)
        unsetenv(name[n]);
}

int main(void)
{
    test_environment();
    test_alone();
    test_agreement();
    return 0;
}
