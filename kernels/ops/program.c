/* program.c: steps on the CPU, one after the other. */
#include "kernels/ops/program.h"

enum status program_run_cpu(struct queue *queue, struct control *control, int64_t steps,
                            struct program *program, struct error *error)
{
    (void)queue, (void)error;
    for (int64_t k = 0; k < steps && !control->failure; k++)
        program->place(program->argument);
    return STATUS_OK;
}

void program_forget_cpu(struct queue *queue, struct program *program)
{
    (void)queue, (void)program;
}
