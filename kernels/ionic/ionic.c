/* ionic.c: a step of every cell on the CPU, by the loops of the cells' model. */
#include "kernels/ionic/ionic.h"

#include <assert.h>

#include "kernels/ops/control.h"

void CLONE_NAME(ionic_step_cpu)(struct queue *queue, const struct ionic_cells *cells,
                                const struct ionic_drive *drive)
{
    const struct ionic_loops *loops = cells->model->CLONE;
    if (drive->control && drive->control->failure)
        return;
    assert(!cells->table.value || cells->table.dt == drive->dt);
    (cells->table.value ? loops->tabled : loops->step)[cells->mixed](queue, cells, drive);
}

void CLONE_NAME(ionic_current_cpu)(struct queue *queue, const struct ionic_cells *cells, const double *v,
                                   int current, double *out)
{
    assert(current >= 0 && current < cells->model->currents);
    cells->model->CLONE->current[cells->mixed](queue, cells, v, current, out);
}
