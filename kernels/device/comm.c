/* comm.c: a single rank, the loaded library for several, and collective agreement. */
#include "kernels/device/comm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/bits.h"

static void close_alone(struct comm *comm)
{
    (void)comm;
}

static void end_alone(const struct comm *comm, int status)
{
    (void)comm, (void)status; /* there are no others */
}

static void largest_alone(const struct comm *comm, enum comm_channel channel, uint64_t *value, int count)
{
    (void)comm, (void)channel, (void)value, (void)count;
}

static void broadcast_alone(const struct comm *comm, enum comm_channel channel, int root, void *data,
                            size_t bytes)
{
    (void)comm, (void)channel, (void)root, (void)data, (void)bytes;
}

/* A single rank has nobody to send to or receive from */
static void send_alone(const struct comm *comm, enum comm_channel channel, int to, const void *data,
                       size_t bytes)
{
    (void)comm, (void)channel, (void)to, (void)data, (void)bytes;
}

static void receive_alone(const struct comm *comm, enum comm_channel channel, int from, void *data,
                          size_t bytes)
{
    (void)comm, (void)channel, (void)from, (void)data, (void)bytes;
}

static void exchange_alone(const struct comm *comm, const struct comm_link *link, int links,
                           const double *out, double *in)
{
    (void)comm, (void)link, (void)links, (void)out, (void)in;
}

struct comm *comm_alone(void)
{
    static const struct comm_engine engine = {.close = close_alone,
                                              .end = end_alone,
                                              .largest = largest_alone,
                                              .broadcast = broadcast_alone,
                                              .send = send_alone,
                                              .receive = receive_alone,
                                              .exchange = exchange_alone};
    static struct comm alone = {0, 1, 0, 1, 1, &engine, NULL};
    return &alone;
}

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

/* A batch script is not started by srun, though it sees SLURM_NTASKS. */
bool comm_launched(void)
{
    return number("OMPI_COMM_WORLD_SIZE") > 1 || number("PMI_SIZE") > 1 ||
           (getenv("PMIX_RANK") && number("SLURM_STEP_NUM_TASKS") > 1);
}

bool comm_strangers(void)
{
    return number("SLURM_STEP_NUM_TASKS") > 1 && !comm_launched();
}

/* path <- the library next to the program, or where it is installed; false if it is in neither directory */
static bool find_library(char *path, size_t room)
{
    static const char *const folders[] = {"", "../lib/cardiac/"};
    char program[3800];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = 0;
    *(strrchr(program, '/') + 1) = 0;
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        snprintf(path, room, "%s%s" COMM_LIBRARY, program, folders[k]);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

enum status comm_open(struct comm **comm, struct error *error)
{
    char path[4096];
    *comm = comm_alone();
    if (!comm_launched())
        return STATUS_OK;
    if (!find_library(path, sizeof path))
        return error_set(error, STATUS_INPUT,
                         "a launcher has started several ranks, and this build has no MPI to join them: "
                         "install an MPI with mpicc and build again (docs/user/large-runs.md)");
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* parts of MPI look up its symbols globally */
    void *entry = library ? dlsym(library, COMM_ENTRY) : NULL;
    comm_entry *join;
    memcpy(&join, &entry, sizeof join);
    return entry ? join(comm, error) : error_set(error, STATUS_INPUT, "%s: %s", path, dlerror());
}

void comm_close(struct comm *comm)
{
    if (comm)
        comm->engine->close(comm);
}

enum status comm_agree(const struct comm *comm, enum comm_channel channel, enum status status,
                       struct error *error)
{
    uint64_t first =
        status ? (uint64_t)(comm->size - comm->rank) : 0; /* the lowest rank has the largest number */
    struct error sent = {0};
    comm->engine->largest(comm, channel, &first, 1);
    if (first == 0)
        return STATUS_OK;
    int root = comm->size - (int)first;
    if (root == comm->rank) {
        sent.status = status;
        if (error)
            memcpy(sent.text, error->text, sizeof sent.text);
    }
    comm->engine->broadcast(comm, channel, root, &sent, sizeof sent);
    if (error && root != comm->rank)
        *error = sent;
    return sent.status;
}

void comm_meet(const struct comm *comm)
{
    uint64_t none = 0;
    comm->engine->largest(comm, COMM_STEPS, &none, 1);
}

void comm_give_up(const struct comm *comm, const struct error *error)
{
    if (comm->size == 1)
        return;
    if (comm->report)
        comm->report(comm, error);
    comm->engine->end(comm, STATUS_RUN);
}

/* An unsigned number, in the order of doubles: negative ones complemented, the others above them */
static uint64_t in_order(double value)
{
    uint64_t bits = bits_of(value), sign = UINT64_C(1) << 63;
    return bits & sign ? ~bits : bits | sign;
}

static double from_order(uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << 63;
    return bits_to_real(bits & sign ? bits & ~sign : ~bits);
}

void comm_most(const struct comm *comm, double *value, int count)
{
    for (int k = 0; k < count; k++) {
        uint64_t bits = in_order(value[k]);
        comm->engine->largest(comm, COMM_STEPS, &bits, 1);
        value[k] = from_order(bits);
    }
}

int64_t comm_sum(const struct comm *comm, int64_t value)
{
    int64_t sum = 0;
    for (int r = 0; r < comm->size; r++) {
        int64_t one = value;
        comm->engine->broadcast(comm, COMM_STEPS, r, &one, sizeof one);
        sum += one;
    }
    return sum;
}
