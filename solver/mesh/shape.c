/* shape.c: angles from the normals of faces. */
#include "solver/mesh/shape.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "solver/mesh/stats.h"

const double mesh_shape_bound[MESH_SHAPE_BOUNDS] = {5, 10, 20, 30};

static const double *corner(const struct mesh *mesh, int64_t element, int c)
{
    return mesh->point + 3 * (int64_t)mesh->vertex[element * (mesh->dimension + 1) + c];
}

/* The cosine between two edges from a, to b and to c */
static double cosine(const double *a, const double *b, const double *c)
{
    double bb = 0, cc = 0, bc = 0;
    for (int d = 0; d < 3; d++) {
        double p = b[d] - a[d], q = c[d] - a[d];
        bb += p * p;
        cc += q * q;
        bc += p * q;
    }
    return bc / sqrt(bb * cc);
}

/* The cosine of the angle along the edge from a to b, between the faces with c and with e: that between what
 * is left of the edges to c and e without their parts along it */
static double edge_cosine(const double *a, const double *b, const double *c, const double *e)
{
    double along = 0, pc = 0, pe = 0, p[3], q[3], cc = 0, ee = 0, ce = 0;
    for (int d = 0; d < 3; d++) {
        double step = b[d] - a[d];
        along += step * step;
        pc += step * (c[d] - a[d]);
        pe += step * (e[d] - a[d]);
    }
    for (int d = 0; d < 3; d++) {
        p[d] = c[d] - a[d] - pc / along * (b[d] - a[d]);
        q[d] = e[d] - a[d] - pe / along * (b[d] - a[d]);
        cc += p[d] * p[d];
        ee += q[d] * q[d];
        ce += p[d] * q[d];
    }
    return ce / sqrt(cc * ee);
}

double mesh_smallest_angle(const struct mesh *mesh, int64_t element)
{
    static const int edges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                    {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    const double degrees = 57.29577951308232;
    const double *x[4] = {NULL};
    double most = -1;
    for (int c = 0; c <= mesh->dimension; c++)
        x[c] = corner(mesh, element, c);
    if (mesh->dimension == 1)
        return 60;
    for (int k = 0; k < 3 && mesh->dimension == 2; k++)
        most = fmax(most, cosine(x[k], x[(k + 1) % 3], x[(k + 2) % 3]));
    for (int k = 0; k < 6 && mesh->dimension == 3; k++)
        most = fmax(most, edge_cosine(x[edges[k][0]], x[edges[k][1]], x[edges[k][2]], x[edges[k][3]]));
    return acos(fmin(most, 1)) * degrees;
}

struct angle {
    double degrees;
    int64_t element;
};

static int ascending(const void *a, const void *b)
{
    const struct angle *x = a, *y = b;
    if (x->degrees != y->degrees)
        return x->degrees < y->degrees ? -1 : 1;
    return (x->element > y->element) - (x->element < y->element);
}

enum status mesh_shape_create(struct mesh_shape *shape, const struct mesh *mesh, struct error *error)
{
    enum status status = STATUS_OK;
    struct angle *angle = array_new(mesh->elements, sizeof *angle, "the angles of the mesh", &status, error);
    *shape = (struct mesh_shape){0};
    TRY(status);
    for (int64_t e = 0; e < mesh->elements; e++) {
        angle[e] = (struct angle){mesh_smallest_angle(mesh, e), e};
        for (int k = 0; k < MESH_SHAPE_BOUNDS; k++)
            shape->under[k] += angle[e].degrees < mesh_shape_bound[k];
    }
    qsort(angle, (size_t)mesh->elements, sizeof *angle, ascending);
    shape->least = angle[0].degrees;
    shape->percent = angle[mesh->elements / 100].degrees;
    shape->median = angle[mesh->elements / 2].degrees;
    for (; shape->worsts < MESH_SHAPE_WORST && shape->worsts < mesh->elements; shape->worsts++) {
        int k = shape->worsts;
        shape->worst[k].element = angle[k].element;
        shape->worst[k].degrees = angle[k].degrees;
        shape->worst[k].quality = mesh_quality(mesh, angle[k].element);
        for (int c = 0; c <= mesh->dimension; c++)
            for (int d = 0; d < 3; d++)
                shape->worst[k].centre[d] += corner(mesh, angle[k].element, c)[d] / (mesh->dimension + 1);
    }
    free(angle);
    return STATUS_OK;
}
