/* cell.c: a cell's memory. */
#include "kernels/compiler/language/cell.h"

#include <string.h>

void cell_free(struct cell *cell)
{
    expression_free(&cell->graph);
    arena_free(&cell->memory);
    memset(cell, 0, sizeof *cell);
}
