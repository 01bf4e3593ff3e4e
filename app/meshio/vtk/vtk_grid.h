/* vtk_grid.h: an unstructured grid of VTK, once its arrays are read: cells, and what stands beside them. */
#ifndef CARDIAC_APP_MESHIO_VTK_VTK_GRID_H
#define CARDIAC_APP_MESHIO_VTK_VTK_GRID_H

#include "app/meshio/format.h"
#include "app/meshio/vtk/vtk_values.h"

struct vtk_grid {
    const char *path;
    struct mesh_builder *builder;
    struct mesh_notes *notes;
    struct length_unit unit;
    int64_t points, cells;    /* as the file says; -1 = not yet */
    struct vtk_values point;  /* [3 points] */
    struct vtk_values node;   /* nodes of all cells, one cell behind the other */
    struct vtk_values end;    /* [cells] where each cell's nodes end */
    struct vtk_values type;   /* [cells] */
    struct mesh_fields field; /* rows of points and cells, those that are wanted with values */
};

void vtk_grid_start(struct vtk_grid *grid, const char *path, struct mesh_builder *builder,
                    struct length_unit unit, struct mesh_notes *notes);
/* *wanted <- whether the values of this array are to be read, which it then waits for */
enum status vtk_grid_field(struct vtk_grid *grid, const char *name, enum location location, int components,
                           bool *wanted, struct error *error);
/* The builder's mesh and fields <- the grid: cells of other shapes are split, lower ones of a tag become
 * faces. STATUS_INPUT for cells that cannot be used, with their count, and for ones that do not fit together.
 */
enum status vtk_grid_finish(struct vtk_grid *grid, struct error *error);
void vtk_grid_free(struct vtk_grid *grid);

/* Types of the cells of a mesh that is written, its faces behind its elements */
int vtk_grid_type(const struct mesh *mesh, bool face);

#endif
