/* comm.h: the ranks of a run: processes that step one part of a tissue each, and the messages between them.
 *
 * Most runs are one process and need no library for this: its messages go to no one. Where a launcher
 * (mpirun, srun) has started several, libcardiac_comm.so next to the program is loaded: the only code that
 * uses MPI and NCCL (kernels/device/comm/). Ranks are equal except rank 0, which prints and writes.
 *
 * A call here is made by all ranks, each thread of a rank on a channel of its own, in the same order. */
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

/* The library's functions. What MPI cannot do ends all ranks, with its own message. */
struct comm_engine {
    void (*close)(struct comm *comm);               /* after an end that all ranks come to */
    void (*end)(const struct comm *comm, int exit); /* ends all ranks at once; alone it does nothing */
    /* value[count] <- the largest of all ranks */
    void (*largest)(const struct comm *comm, enum comm_channel channel, uint64_t *value, int count);
    /* data of `root` -> all */
    void (*broadcast)(const struct comm *comm, enum comm_channel channel, int root, void *data, size_t bytes);
    void (*send)(const struct comm *comm, enum comm_channel channel, int to, const void *data, size_t bytes);
    void (*receive)(const struct comm *comm, enum comm_channel channel, int from, void *data, size_t bytes);
    /* out and in: host memory */
    void (*exchange)(const struct comm *comm, const struct comm_link *link, int links, const double *out,
                     double *in);

    /* The same between GPUs, placed on a stream (cudaStream_t) and on its graph; NULL where the library has
     * no NCCL. device_open: for the thread's present GPU, by all ranks together, once. They return NULL, or
     * what went wrong. */
    const char *(*device_open)(struct comm *comm);
    const char *(*device_exchange)(const struct comm *comm, void *stream, const struct comm_link *link,
                                   int links, const double *out, double *in);
    /* of numbers of 4 or 8 bytes */
    const char *(*device_largest)(const struct comm *comm, void *stream, void *value, int count, size_t size);
};

struct comm {
    int rank, size;
    int local_rank, local_size; /* among those of this machine */
    int sharing;                /* of those the ones that may run on the same cores, this one included */
    const struct comm_engine *engine;
    void (*report)(const struct comm *comm, const struct error *error); /* of comm_give_up; NULL = not set */
};

/* The one rank of a run that is a process of its own */
struct comm *comm_alone(void);

/* Whether a launcher has started this process as one of several ranks, by what it has put into the
 * environment */
bool comm_launched(void);
/* Whether srun has started several that are no ranks, since it was started without MPI support */
bool comm_strangers(void);
/* Before a command: no launcher has started it */
#define COMM_UNSET "env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE -u PMIX_RANK"
/* *comm <- the ranks of this run; alone if it is. Errors: STATUS_INPUT when a launcher has started several
 * and there is no library for them. */
enum status comm_open(struct comm **comm, struct error *error);
void comm_close(struct comm *comm);

/* How all ranks go on: STATUS_OK, or the status and error of the first rank that failed */
enum status comm_agree(const struct comm *comm, enum comm_channel channel, enum status status,
                       struct error *error);

/* Waits until all ranks have come here. */
void comm_meet(const struct comm *comm, enum comm_channel channel);

/* Reports the error and ends all ranks, where the others cannot be notified because they wait for what this
 * one will not give, such as rows from a lost device. Alone it does nothing. */
void comm_give_up(const struct comm *comm, const struct error *error);

/* value[count] <- the largest of all ranks; and the sum of theirs. Not made between steps. */
void comm_most(const struct comm *comm, enum comm_channel channel, double *value, int count);
int64_t comm_sum(const struct comm *comm, enum comm_channel channel, int64_t value);

/* The library's one function by name */
#define COMM_LIBRARY "libcardiac_comm.so"
#define COMM_ENTRY "comm_mpi_open"
typedef enum status comm_entry(struct comm **comm, struct error *error);

#endif
