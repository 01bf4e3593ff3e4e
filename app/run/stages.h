/* stages.h: the stages of a run, the only place where its ranks do different work and agree on the outcome.
 *
 * All ranks pass through the same stages in the same order. Rank 0 runs the task `on_root`, the others run
 * `on_others` (NULL = nothing), at the same time. After each stage they agree on its status, so that no rank enters a
 * stage that another skips. A stage that exchanges data is a task of all ranks, and does not return before the
 * exchange. */
#ifndef CARDIAC_APP_RUN_STAGES_H
#define CARDIAC_APP_RUN_STAGES_H

#include <stdbool.h>

#include "app/run/writer.h"
#include "kernels/device/comm.h"

struct stage {
    writer_task *on_root, *on_others;
    bool files; /* run on the writer's thread, which makes all calls of HDF5 */
};

/* Runs the stages up to the first that fails on some rank; all ranks return its status and error. writer: NULL in a run
 * without files. */
enum status stages_run(const struct stage *stage, int stages, const struct comm *comm, struct writer *writer,
                       void *argument, struct error *error);

/* *yes <- what rank 0 answers */
void stages_decide(const struct comm *comm, bool (*question)(void *), void *argument, bool *yes);

#endif
