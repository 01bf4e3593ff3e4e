/* comm.h: the ranks of a run: processes that step one part of a tissue each, and the messages between them.
 *
 * Most runs are one process and need no library for this. If a launcher (mpirun, srun) has started several,
 * libcardiac_comm.so next to the program is loaded: the only code that uses MPI and NCCL
 * (kernels/device/comm/). Ranks are equal except rank 0, which prints and writes.
 *
 * All ranks make the calls here in the same order, each thread of a rank on its own channel. */
#ifndef CARDIAC_KERNELS_DEVICE_COMM_H
#define CARDIAC_KERNELS_DEVICE_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/error.h"

enum comm_channel { COMM_STEPS, COMM_FILES, COMM_CHANNELS };

/* What one rank exchanges with another: values of double, those sent and those received one after the other
 * for all links */
struct comm_link {
    int rank;
    int64_t sent, received;
};

struct comm;

/* The library's functions. An error of MPI ends all ranks, with MPI's message. */
struct comm_engine {
    void (*close)(struct comm *comm);               /* called by all ranks, at the end */
    void (*end)(const struct comm *comm, int exit); /* ends all ranks at once; nothing on a single rank */
    /* value[count] <- the largest of all ranks */
    void (*largest)(const struct comm *comm, enum comm_channel channel, uint64_t *value, int count);
    /* data of `root` -> all */
    void (*broadcast)(const struct comm *comm, enum comm_channel channel, int root, void *data, size_t bytes);
    void (*send)(const struct comm *comm, enum comm_channel channel, int to, const void *data, size_t bytes);
    void (*receive)(const struct comm *comm, enum comm_channel channel, int from, void *data, size_t bytes);
    /* out and in: host memory */
    void (*exchange)(const struct comm *comm, const struct comm_link *link, int links, const double *out,
                     double *in);

    /* The same between GPUs, queued on a stream (cudaStream_t) and recorded in its graph; NULL if the library
     * has no NCCL. device_open: once, by all ranks, for the thread's current GPU. They return NULL or an
     * error's text. */
    const char *(*device_open)(struct comm *comm);
    const char *(*device_exchange)(const struct comm *comm, void *stream, const struct comm_link *link,
                                   int links, const double *out, double *in);
    /* of numbers of 4 or 8 bytes */
    const char *(*device_largest)(const struct comm *comm, void *stream, void *value, int count, size_t size);
};

struct comm {
    int rank, size;
    int local_rank, local_size; /* among the ranks of this machine */
    int sharing;                /* of those, how many may run on this rank's cores, itself included */
    const struct comm_engine *engine;
    void (*report)(const struct comm *comm, const struct error *error); /* of comm_give_up; NULL = not set */
};

/* The only rank of a run of one process */
struct comm *comm_alone(void);

/* Whether a launcher has started this process as one of several ranks, by its environment variables */
bool comm_launched(void);
/* Whether srun has started several processes that are not ranks, for lack of MPI support */
bool comm_strangers(void);
/* Prefix of a command that is not to take itself for a rank */
#define COMM_UNSET "env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE -u PMIX_RANK"
/* *comm <- the ranks of this run. Errors: STATUS_INPUT if a launcher has started several and there is no
 * library for them. */
enum status comm_open(struct comm **comm, struct error *error);
void comm_close(struct comm *comm);

/* The status of all ranks together: STATUS_OK, or status and error of the lowest rank that failed */
enum status comm_agree(const struct comm *comm, enum comm_channel channel, enum status status,
                       struct error *error);

/* Waits until all ranks have called it. */
void comm_meet(const struct comm *comm);

/* Reports the error and ends all ranks, for errors after which the others would wait for this one for ever,
 * such as a lost device. Nothing on a single rank. */
void comm_give_up(const struct comm *comm, const struct error *error);

/* value[count] <- the largest of all ranks; the sum over all ranks. By COMM_STEPS, but not between steps. */
void comm_most(const struct comm *comm, double *value, int count);
int64_t comm_sum(const struct comm *comm, int64_t value);

/* The library's one function by name */
#define COMM_LIBRARY "libcardiac_comm.so"
#define COMM_ENTRY "comm_mpi_open"
typedef enum status comm_entry(struct comm **comm, struct error *error);

#endif
