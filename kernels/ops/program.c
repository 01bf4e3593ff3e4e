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

void program_repeat_cpu(struct queue *queue, const struct control *control, int times, void (*body)(void *),
                        void *argument)
{
    (void)queue;
    for (int k = 0; k < times && !control->converged && !control->failure; k++)
        body(argument);
}
