/* mpi.c: the ranks of a run by MPI. */
#include "kernels/device/comm.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

struct mpi_comm {
    struct comm comm;
    MPI_Comm channel[COMM_CHANNELS];
    MPI_Request *request; /* [2 (size - 1)] */
    void *device;         /* ncclComm_t, once open */
};

static const struct mpi_comm *mpi(const struct comm *comm)
{
    return (const struct mpi_comm *)comm;
}

#ifdef CARDIAC_NCCL
#include <nccl.h>

#define DEVICE(function) function

static const char *error_text(ncclResult_t result)
{
    return result == ncclSuccess ? NULL : ncclGetErrorString(result);
}

static const char *open_nccl(struct comm *comm)
{
    struct mpi_comm *self = (struct mpi_comm *)comm;
    ncclUniqueId id = {{0}};
    ncclComm_t device = NULL;
    ncclResult_t result = comm->rank == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, self->channel[COMM_STEPS]);
    if (result == ncclSuccess)
        result = ncclCommInitRank(&device, comm->size, id, comm->rank);
    self->device = device;
    return error_text(result);
}

static void close_nccl(struct mpi_comm *self)
{
    if (self->device)
        ncclCommDestroy(self->device);
}

static const char *exchange_nccl(const struct comm *comm, void *stream, const struct comm_link *link,
                                 int links, const double *out, double *in)
{
    ncclComm_t device = mpi(comm)->device;
    ncclResult_t result = ncclGroupStart();
    for (int k = 0; k < links && result == ncclSuccess; k++) {
        result = ncclSend(out, (size_t)link[k].sent, ncclDouble, link[k].rank, device, stream);
        if (result == ncclSuccess)
            result = ncclRecv(in, (size_t)link[k].received, ncclDouble, link[k].rank, device, stream);
        out += link[k].sent;
        in += link[k].received;
    }
    ncclResult_t ended = ncclGroupEnd();
    return error_text(result == ncclSuccess ? ended : result);
}

static const char *largest_nccl(const struct comm *comm, void *stream, void *value, int count, size_t size)
{
    return error_text(ncclAllReduce(value, value, (size_t)count, size == 4 ? ncclUint32 : ncclUint64, ncclMax,
                                    mpi(comm)->device, stream));
}
#else
#define DEVICE(function) NULL

static void close_nccl(struct mpi_comm *self)
{
    (void)self;
}
#endif

static void close_mpi(struct comm *comm)
{
    struct mpi_comm *self = (struct mpi_comm *)comm;
    close_nccl(self);
    for (int c = 0; c < COMM_CHANNELS; c++)
        MPI_Comm_free(&self->channel[c]);
    free(self->request);
    free(self);
    MPI_Finalize();
}

static void end_mpi(const struct comm *comm, int status)
{
    (void)comm;
    MPI_Abort(MPI_COMM_WORLD, status);
}

static void largest_mpi(const struct comm *comm, enum comm_channel channel, uint64_t *value, int count)
{
    MPI_Allreduce(MPI_IN_PLACE, value, count, MPI_UINT64_T, MPI_MAX, mpi(comm)->channel[channel]);
}

/* MPI counts have 31 bits. */
enum { MESSAGE = 1 << 28 };

static int next_message(size_t left)
{
    return left < MESSAGE ? (int)left : MESSAGE;
}

static void broadcast_mpi(const struct comm *comm, enum comm_channel channel, int root, void *data,
                          size_t bytes)
{
    for (char *at = data; bytes > 0; at += next_message(bytes), bytes -= (size_t)next_message(bytes))
        MPI_Bcast(at, next_message(bytes), MPI_BYTE, root, mpi(comm)->channel[channel]);
}

static void send_mpi(const struct comm *comm, enum comm_channel channel, int to, const void *data,
                     size_t bytes)
{
    for (const char *at = data; bytes > 0; at += next_message(bytes), bytes -= (size_t)next_message(bytes))
        MPI_Send(at, next_message(bytes), MPI_BYTE, to, 0, mpi(comm)->channel[channel]);
}

static void receive_mpi(const struct comm *comm, enum comm_channel channel, int from, void *data,
                        size_t bytes)
{
    for (char *at = data; bytes > 0; at += next_message(bytes), bytes -= (size_t)next_message(bytes))
        MPI_Recv(at, next_message(bytes), MPI_BYTE, from, 0, mpi(comm)->channel[channel], MPI_STATUS_IGNORE);
}

/* Each message has fewer than 2^31 values, as rows have 31-bit numbers. */
static void exchange_mpi(const struct comm *comm, const struct comm_link *link, int links, const double *out,
                         double *in)
{
    const struct mpi_comm *self = mpi(comm);
    MPI_Comm channel = self->channel[COMM_STEPS];
    for (int k = 0; k < links; k++) {
        MPI_Irecv(in, (int)link[k].received, MPI_DOUBLE, link[k].rank, 1, channel, &self->request[k]);
        in += link[k].received;
    }
    for (int k = 0; k < links; k++) {
        MPI_Isend(out, (int)link[k].sent, MPI_DOUBLE, link[k].rank, 1, channel, &self->request[links + k]);
        out += link[k].sent;
    }
    MPI_Waitall(2 * links, self->request, MPI_STATUSES_IGNORE);
}

/* Sets local_rank, local_size and sharing: ranks that a launcher has bound to different cores share none. */
static enum status find_neighbours(struct mpi_comm *self, struct error *error)
{
    cpu_set_t own, *all;
    MPI_Comm local;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, self->comm.rank, MPI_INFO_NULL, &local);
    MPI_Comm_rank(local, &self->comm.local_rank);
    MPI_Comm_size(local, &self->comm.local_size);
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    all = calloc((size_t)self->comm.local_size, sizeof own);
    if (!all)
        return error_memory(error, "the ranks", (double)sizeof own * self->comm.local_size);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, local);
    for (int k = 0; k < self->comm.local_size; k++)
        self->comm.sharing += CPU_EQUAL(&own, &all[k]);
    free(all);
    MPI_Comm_free(&local);
    return STATUS_OK;
}

enum status comm_mpi_open(struct comm **out, struct error *error);

__attribute__((visibility("default"))) enum status comm_mpi_open(struct comm **out, struct error *error)
{
    static const struct comm_engine engine = {.close = close_mpi,
                                              .end = end_mpi,
                                              .largest = largest_mpi,
                                              .broadcast = broadcast_mpi,
                                              .send = send_mpi,
                                              .receive = receive_mpi,
                                              .exchange = exchange_mpi,
                                              .device_open = DEVICE(open_nccl),
                                              .device_exchange = DEVICE(exchange_nccl),
                                              .device_largest = DEVICE(largest_nccl)};
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    struct mpi_comm *self = calloc(1, sizeof *self);
    if (!self)
        return error_memory(error, "the ranks", sizeof *self);
    self->comm.engine = &engine;
    MPI_Comm_rank(MPI_COMM_WORLD, &self->comm.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &self->comm.size);
    for (int c = 0; c < COMM_CHANNELS; c++)
        MPI_Comm_dup(MPI_COMM_WORLD, &self->channel[c]);
    self->request = calloc(2 * (size_t)self->comm.size, sizeof *self->request);
    *out = &self->comm;
    if (!self->request)
        return error_memory(error, "the ranks", sizeof *self->request * 2.0 * self->comm.size);
    if (provided < MPI_THREAD_MULTIPLE)
        return error_set(error, STATUS_INPUT,
                         "this MPI lets one thread of a rank speak only; one with MPI_THREAD_MULTIPLE is "
                         "needed");
    return find_neighbours(self, error);
}
