/* local_comm.h: what start_ranks leaves to the ranks that it starts (tests/support/local_comm.c). */
#ifndef CARDIAC_TESTS_SUPPORT_LOCAL_COMM_H
#define CARDIAC_TESTS_SUPPORT_LOCAL_COMM_H

enum { LOCAL_MOST = 8, LOCAL_STATE = 200, LOCAL_MISMATCH = 70 };

/* The socket to another rank, on each channel */
#define LOCAL_FILE(channel, rank) (LOCAL_STATE + 1 + (int)(channel)*LOCAL_MOST + (rank))

/* Seconds that a rank waits for another, in the environment */
#define LOCAL_PATIENCE "LOCAL_RANKS_PATIENCE"

/* In memory that all share: the file LOCAL_STATE */
struct local_state {
    int closed[LOCAL_MOST]; /* ranks that have come to the end together */
};

#endif
