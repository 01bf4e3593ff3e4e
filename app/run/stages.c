/* stages.c: run a stage's task, then agree on its status with the other ranks. */
#include "app/run/stages.h"

#include "kernels/base/cancel.h"

enum status stages_run(const struct stage *stage, int stages, const struct comm *comm, struct writer *writer,
                       void *argument, struct error *error)
{
    for (int k = 0; k < stages; k++) {
        writer_task *task = comm->rank == 0 ? stage[k].on_root : stage[k].on_others;
        enum status status = cancel_check(error);
        if (task && !status)
            status =
                stage[k].files && writer ? writer_call(writer, task, argument, error) : task(argument, error);
        TRY(comm_agree(comm, COMM_STEPS, status, error));
    }
    return STATUS_OK;
}

void stages_decide(const struct comm *comm, bool (*question)(void *), void *argument, bool *yes)
{
    *yes = comm->rank == 0 && question(argument);
    comm->engine->broadcast(comm, COMM_STEPS, 0, yes, sizeof *yes);
}
