/* ionic.cu: a step of every cell on the GPU, by the loops of the cells' model. */
#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/ionic/ionic.h"
}

extern "C" void ionic_step_cuda(struct queue *queue, const struct ionic_cells *cells,
                                const struct ionic_drive *drive)
{
    const struct ionic_loops *loops = cells->model->cuda;
    assert(!cells->table.value || cells->table.dt == drive->dt);
    if (cells->cells > 0)
        (cells->table.value ? loops->tabled : loops->step)[cells->mixed](queue, cells, drive);
}

extern "C" void ionic_current_cuda(struct queue *queue, const struct ionic_cells *cells, const double *v,
                                   int current, double *out)
{
    if (cells->cells > 0)
        cells->model->cuda->current[cells->mixed](queue, cells, v, current, out);
    CUDA_LAUNCHED(queue);
}
