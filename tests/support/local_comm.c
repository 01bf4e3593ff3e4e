/* local_comm.c: a library of ranks for tests (kernels/device/comm.h): processes of this machine that
 * start_ranks has joined by sockets, without MPI. Each message names its call: two ranks that are not in the
 * same call, or one that waits too long, end the test with status LOCAL_MISMATCH and a line that names both.
 */
#include "tests/support/local_comm.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernels/device/comm.h"

enum call { LARGEST, BROADCAST, SEND, EXCHANGE, CLOSE };
static const char *const names[] = {"largest", "broadcast", "send and receive", "exchange", "close"};

struct head {
    uint64_t call, bytes;
};

static struct comm self;

static void mismatch(enum comm_channel channel, enum call call, int other, const char *what)
{
    fprintf(stderr, "ranks: rank %d, channel %d, in %s: rank %d %s\n", self.rank, (int)channel, names[call],
            other, what);
    _exit(LOCAL_MISMATCH);
}

/* A rank that has ended without closing is handled by the launcher, which then ends this one. */
static void outlive(enum comm_channel channel, enum call call, int other)
{
    sleep(10);
    mismatch(channel, call, other, "has ended");
}

static void put_bytes(enum comm_channel channel, enum call call, int to, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t done = send(LOCAL_FILE(channel, to), at, bytes, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            outlive(channel, call, to);
        at += done;
        bytes -= (size_t)done;
    }
}

static void get_bytes(enum comm_channel channel, enum call call, int from, void *data, size_t bytes)
{
    const char *patience = getenv(LOCAL_PATIENCE);
    char *at = data;
    while (bytes > 0) {
        struct pollfd wait = {.fd = LOCAL_FILE(channel, from), .events = POLLIN};
        int came = poll(&wait, 1, 1000 * (patience ? atoi(patience) : 30));
        if (came < 0 && errno == EINTR)
            continue;
        if (came == 0)
            mismatch(channel, call, from, "does not come");
        ssize_t done = recv(wait.fd, at, bytes, 0);
        if (done <= 0)
            outlive(channel, call, from);
        at += done;
        bytes -= (size_t)done;
    }
}

static void put(enum comm_channel channel, enum call call, int to, const void *data, size_t bytes)
{
    const struct head head = {call, bytes};
    put_bytes(channel, call, to, &head, sizeof head);
    put_bytes(channel, call, to, data, bytes);
}

static void get(enum comm_channel channel, enum call call, int from, void *data, size_t bytes)
{
    struct head head;
    char what[60];
    get_bytes(channel, call, from, &head, sizeof head);
    snprintf(what, sizeof what, "is in %s of %llu bytes, not %zu", names[head.call % 5],
             (unsigned long long)head.bytes, bytes);
    if (head.call != call || head.bytes != bytes)
        mismatch(channel, call, from, what);
    get_bytes(channel, call, from, data, bytes);
}

/* By way of rank 0 */
static void combine(enum comm_channel channel, enum call call, uint64_t *value, int count)
{
    size_t bytes = (size_t)count * sizeof *value;
    for (int r = 1; r < self.size && self.rank == 0; r++)
        for (int k = 0; k < count; k++) {
            uint64_t other = 0;
            if (k == 0) {
                struct head head;
                get_bytes(channel, call, r, &head, sizeof head);
                if (head.call != call || head.bytes != bytes)
                    mismatch(channel, call, r, names[head.call % 5]);
            }
            get_bytes(channel, call, r, &other, sizeof other);
            value[k] = other > value[k] ? other : value[k];
        }
    for (int r = 1; r < self.size && self.rank == 0; r++)
        put(channel, call, r, value, bytes);
    if (self.rank > 0) {
        put(channel, call, 0, value, bytes);
        get(channel, call, 0, value, bytes);
    }
}

static void largest(const struct comm *comm, enum comm_channel channel, uint64_t *value, int count)
{
    (void)comm;
    combine(channel, LARGEST, value, count);
}

static void broadcast(const struct comm *comm, enum comm_channel channel, int root, void *data, size_t bytes)
{
    for (int r = 0; r < comm->size && comm->rank == root; r++)
        if (r != root)
            put(channel, BROADCAST, r, data, bytes);
    if (comm->rank != root)
        get(channel, BROADCAST, root, data, bytes);
}

static void send_data(const struct comm *comm, enum comm_channel channel, int to, const void *data,
                      size_t bytes)
{
    (void)comm;
    put(channel, SEND, to, data, bytes);
}

static void receive_data(const struct comm *comm, enum comm_channel channel, int from, void *data,
                         size_t bytes)
{
    (void)comm;
    get(channel, SEND, from, data, bytes);
}

static void exchange(const struct comm *comm, const struct comm_link *link, int links, const double *out,
                     double *in)
{
    (void)comm;
    for (int k = 0; k < links; out += link[k++].sent)
        put(COMM_STEPS, EXCHANGE, link[k].rank, out, (size_t)link[k].sent * sizeof *out);
    for (int k = 0; k < links; in += link[k++].received)
        get(COMM_STEPS, EXCHANGE, link[k].rank, in, (size_t)link[k].received * sizeof *in);
}

static void end_all(const struct comm *comm, int status)
{
    (void)comm;
    _exit(status);
}

static void close_all(struct comm *comm)
{
    uint64_t none = 0;
    struct local_state *state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, LOCAL_STATE, 0);
    combine(COMM_STEPS, CLOSE, &none, 1);
    combine(COMM_FILES, CLOSE, &none, 1);
    if (state != MAP_FAILED)
        state->closed[comm->rank] = 1;
}

comm_entry comm_mpi_open;

__attribute__((visibility("default"))) enum status comm_mpi_open(struct comm **out, struct error *error)
{
    static const struct comm_engine engine = {.close = close_all,
                                              .end = end_all,
                                              .largest = largest,
                                              .broadcast = broadcast,
                                              .send = send_data,
                                              .receive = receive_data,
                                              .exchange = exchange};
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *size = getenv("OMPI_COMM_WORLD_SIZE");
    (void)error;
    int own = rank ? atoi(rank) : 0, all = size ? atoi(size) : 1;
    self = (struct comm){own, all, own, all, all, &engine, NULL};
    *out = &self;
    return STATUS_OK;
}
