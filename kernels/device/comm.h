/* comm.h: the ranks of a run: processes that each step one part of a tissue, and the messages between
 * them.
 *
 * Most runs are one process and need no library for this. If a launcher (mpirun, srun) has started
 * several, the program loads libcardiac_comm.so from its own folder: the only code that uses MPI and NCCL
 * (kernels/device/comm/). All ranks are equal except rank 0, which prints and writes files.
 *
 * All ranks make the calls below in the same order, each thread of a rank on its own channel. */
#ifndef CARDIAC_KERNELS_DEVICE_COMM_H
#define CARDIAC_KERNELS_DEVICE_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/error.h"

enum comm_channel { COMM_STEPS, COMM_FILES, COMM_CHANNELS };

/* The numbers of doubles that this rank sends to and receives from another; buffers hold the values link
 * by link */
struct comm_link {
    int rank;
    int64_t sent, received;
};

struct comm;

/* Functions of the library. An error in MPI ends all ranks with MPI's message. */
struct comm_engine {
    void (*close)(struct comm *comm);               /* called by all ranks at the end */
    void (*end)(const struct comm *comm, int exit); /* ends all ranks at once; no effect on a single rank */
    /* value[count] <- the maximum over all ranks */
    void (*largest)(const struct comm *comm, enum comm_channel channel, uint64_t *value, int count);
    /* data of rank `root` is copied to all ranks */
    void (*broadcast)(const struct comm *comm, enum comm_channel channel, int root, void *data, size_t bytes);
    void (*send)(const struct comm *comm, enum comm_channel channel, int to, const void *data, size_t bytes);
    void (*receive)(const struct comm *comm, enum comm_channel channel, int from, void *data, size_t bytes);
    /* out and in: host memory */
    void (*exchange)(const struct comm *comm, const struct comm_link *link, int links, const double *out,
                     double *in);

    /* The same between GPUs, queued on a stream (cudaStream_t) and recorded in its graph; NULL if the
       library has no NCCL. device_open is called once, by all ranks, for the thread's current GPU. All
       return NULL or an error message. */
    const char *(*device_open)(struct comm *comm);
    const char *(*device_exchange)(const struct comm *comm, void *stream, const struct comm_link *link,
                                   int links, const double *out, double *in);
    /* size: 4 or 8 bytes per number */
    const char *(*device_largest)(const struct comm *comm, void *stream, void *value, int count, size_t size);
};

struct comm {
    int rank, size;
    int local_rank, local_size; /* among the ranks of this machine */
    int sharing;                /* number of these that may run on this rank's cores, including itself */
    const struct comm_engine *engine;
    void (*report)(const struct comm *comm, const struct error *error); /* called by comm_give_up; NULL =
                                                                           not set */
};

/* The single rank of a run with one process */
struct comm *comm_alone(void);

/* Whether a launcher has started this process as one of several ranks, according to its environment
 * variables */
bool comm_launched(void);
/* Whether srun has started several processes that are not ranks because it has no MPI support */
bool comm_strangers(void);
/* Prefix of a command that must not consider itself a rank */
#define COMM_UNSET "env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE -u PMIX_RANK"
/* *comm <- the ranks of this run. Errors: STATUS_INPUT if a launcher has started several and the library
 * is missing. */
enum status comm_open(struct comm **comm, struct error *error);
void comm_close(struct comm *comm);

/* The combined status of all ranks: STATUS_OK, or status and error of the lowest rank that failed */
enum status comm_agree(const struct comm *comm, enum comm_channel channel, enum status status,
                       struct error *error);

/* Barrier: waits until all ranks have called it. */
void comm_meet(const struct comm *comm);

/* Reports the error and ends all ranks, for errors after which the other ranks would wait for this one for
 * ever, such as a lost device. No effect on a single rank. */
void comm_give_up(const struct comm *comm, const struct error *error);

/* value[count] <- the maximum over all ranks; and the sum over all ranks. Uses COMM_STEPS, so not between
 * steps. */
void comm_most(const struct comm *comm, double *value, int count);
int64_t comm_sum(const struct comm *comm, int64_t value);

/* The one function that the library exports */
#define COMM_LIBRARY "libcardiac_comm.so"
#define COMM_ENTRY "comm_mpi_open"
typedef enum status comm_entry(struct comm **comm, struct error *error);

#endif
