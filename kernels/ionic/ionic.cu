/* ionic.cu: one step of every cell on the GPU, with the kernels of the cells' model (loops.cuh). */
#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/ionic/ionic.h"
}

/* Number of blocks: one per run, or per IONIC_CUDA_CELLS cells */
static int count_blocks(const struct ionic_cells *cells)
{
    return cells->runs ? cells->runs->runs : blocks_for(cells->cells, IONIC_CUDA_CELLS);
}

/* The kernel that steps the cells */
static const void *kernel_of(const struct ionic_cells *cells, const struct ionic_drive *drive)
{
    const struct ionic_kernels *k = cells->model->cuda;
    const bool tabled = cells->table.value, runs = cells->runs, mixed = cells->mixed;
    if (drive->subset == IONIC_GATES)
        return (runs ? k->gates_runs : k->gates)[mixed];
    if (drive->v_before)
        return tabled ? (runs ? k->tabled_staggered_runs : k->tabled_staggered)[mixed]
                      : (runs ? k->staggered_runs : k->staggered)[mixed];
    return tabled ? (runs ? k->tabled_runs : k->tabled)[mixed] : (runs ? k->step_runs : k->step)[mixed];
}

extern "C" void ionic_step_cuda(struct queue *queue, const struct ionic_cells *cells,
                                const struct ionic_drive *drive)
{
    const struct ionic_model *model = cells->model;
    const void *kernel = kernel_of(cells, drive);
    assert(!cells->table.value || drive->subset == IONIC_GATES || cells->table.dt == drive->dt);
    if (cells->cells == 0)
        return;
    alignas(64) unsigned char constants[IONIC_CONSTANTS_BYTES];
    assert(!cells->runs || cells->runs->dt == drive->dt);
    if (!cells->runs)
        model->constants[cells->mixed](constants, cells->parameter, drive->dt);
    /* states are read before the previous kernel has ended, which is wrong directly after the kernel that
       writes them */
    if (cuda(queue)->last == kernel)
        cuda(queue)->last = NULL;
    void *arguments[] = {(void *)cells, (void *)drive, cells->runs ? (void *)cells->runs : constants};
    cudaLaunchAttribute early;
    const cudaLaunchConfig_t config = launch_config(queue, &early, count_blocks(cells), IONIC_CUDA_CELLS);
    queue_note(queue, cudaLaunchKernelExC(&config, kernel, arguments), "placing a step of the cells");
    cuda(queue)->last = kernel;
}

extern "C" void ionic_current_cuda(struct queue *queue, const struct ionic_cells *cells, const double *v,
                                   int current, double *out)
{
    const struct ionic_model *model = cells->model;
    if (cells->cells == 0)
        return;
    alignas(64) unsigned char constants[IONIC_CONSTANTS_BYTES];
    if (!cells->runs)
        model->constants[cells->mixed](constants, cells->parameter, 0);
    const struct ionic_runs none = {}, *runs = cells->runs ? cells->runs : &none;
    void *arguments[] = {(void *)cells, (void *)runs, &v, &current, &out, constants};
    queue_note(queue,
               cudaLaunchKernel(model->cuda->current[cells->mixed], dim3(count_blocks(cells)),
                                dim3(IONIC_CUDA_CELLS), arguments, 0, cuda(queue)->stream),
               "placing the currents of the cells");
}
