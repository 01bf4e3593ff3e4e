/* fibers.c: fibres and sheets given at nodes, each with a random sign, as in files.
 *
 *   f = (cos a cos b, sin a cos b, sin b),  s = (-sin a, cos a, 0),  a, b functions of position
 *
 * A fibre has no sign: no bit of an element's tensor or of V may depend on the signs. The mean over an element is
 * the direction at its centroid up to O(h^2). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verify/tissue.h"
#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "solver/matrix/tensor.h"
#include "solver/mesh/refine.h"

static const double diffusion[3] = {0.2, 0.1, 0.05}; /* along f, s and their normal, mm^2/ms */
static const double coarse_spacing = 0.1;            /* mm */

enum { STEPS = 20 };

static void axes_at(const double *point, int dimension, double fiber[3], double sheet[3])
{
    double a = 0.3 + (2.2 + 0.8 * point[0]) * point[0] + 1.1 * point[1] + 1.7 * point[2];
    double b = dimension == 3 ? 0.4 + 1.3 * point[1] - 0.9 * point[2] : 0;
    fiber[0] = cos(a) * cos(b);
    fiber[1] = sin(a) * cos(b);
    fiber[2] = sin(b);
    sheet[0] = -sin(a);
    sheet[1] = cos(a);
    sheet[2] = 0;
}

/* mesh->fiber, sheet <- directions at the nodes, with random signs if `sides` */
static enum status put_axes(struct mesh *mesh, bool sides, struct error *error)
{
    mesh->fiber_location = LOCATION_NODE;
    enum status status = STATUS_OK;
    mesh->fiber = array_new(3 * mesh->nodes, sizeof *mesh->fiber, "the fibres", &status, error);
    mesh->sheet = array_new(3 * mesh->nodes, sizeof *mesh->sheet, "the fibres", &status, error);
    if (status)
        return status;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        axes_at(mesh->point + 3 * i, mesh->dimension, mesh->fiber + 3 * i, mesh->sheet + 3 * i);
        double fiber_side = sides && bits_random_signed((uint64_t)(2 * i)) < 0 ? -1 : 1;
        double sheet_side = sides && bits_random_signed((uint64_t)(2 * i + 1)) < 0 ? -1 : 1;
        for (int64_t k = 3 * i; k < 3 * i + 3; k++) {
            mesh->fiber[k] *= fiber_side;
            mesh->sheet[k] *= sheet_side;
        }
    }
    return STATUS_OK;
}

/* The planted error: *direction <- the sum over each element's vertices, without aligning their signs */
static enum status plain_mean(double **direction, const struct mesh *mesh, struct error *error)
{
    int corners = mesh->dimension + 1;
    enum status status = STATUS_OK;
    double *mean = array_zeroed(3 * mesh->elements, sizeof *mean, "the fibres", &status, error);
    if (status)
        return status;
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int a = 0; a < corners; a++)
            for (int c = 0; c < 3; c++)
                mean[3 * e + c] += (*direction)[3 * mesh->vertex[corners * e + a] + c];
    free(*direction);
    *direction = mean;
    return STATUS_OK;
}

static enum status plant_mean(struct mesh *mesh, struct error *error)
{
    TRY(plain_mean(&mesh->fiber, mesh, error));
    TRY(plain_mean(&mesh->sheet, mesh, error));
    mesh->fiber_location = LOCATION_ELEMENT;
    return STATUS_OK;
}

static enum status make_tissue(struct verify *verify, struct verify_tissue *tissue, int dimension,
                               double spacing, bool sides, struct error *error)
{
    const double size[3] = {1.0, 0.7, 0.5};
    enum status status = verify_tissue_make(tissue, dimension, size, spacing, "passive", error);
    if (status)
        return status;
    verify_tissue_bend(tissue, 0.1 * spacing);
    tissue->region.isotropic = 0;
    memcpy(tissue->region.diffusion, diffusion, sizeof diffusion);
    tissue->params.max_sweeps = 200;
    for (int64_t i = 0; i < tissue->mesh.nodes; i++)
        tissue->v[i] = 50 * bits_random_signed((uint64_t)i);
    status = put_axes(&tissue->mesh, sides, error);
    return status || !sides || !verify->inject ? status : plant_mean(&tissue->mesh, error);
}

/* Largest difference of an entry of an element's tensor from the exact tensor at its centroid, relative to D along
 * the fibre; NaN if an element has no tensor */
static double tensor_error(const struct mesh *mesh, const struct region *region, const int32_t *regions)
{
    const struct tensors tensors = {mesh, region, regions, NULL};
    double worst = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        double centre[3], f[3], s[3], got[6];
        mesh_centre(centre, mesh, e);
        axes_at(centre, mesh->dimension, f, s);
        if (!tensor_of_element(&tensors, e, got))
            return NAN;
        for (int a = 0, k = 0; a < 3; a++)
            for (int b = a; b < 3; b++, k++) {
                double want = (a == b) * diffusion[2] + (diffusion[0] - diffusion[2]) * f[a] * f[b] +
                              (diffusion[1] - diffusion[2]) * s[a] * s[b];
                worst = fmax(worst, fabs(got[k] - want) / diffusion[0]);
            }
    }
    return worst;
}

/* Number of elements whose tensors differ in any bit */
static double tensors_apart(const struct verify_tissue *a, const struct verify_tissue *b)
{
    const struct tensors one = {&a->mesh, &a->region, a->element_region, NULL};
    const struct tensors other = {&b->mesh, &b->region, b->element_region, NULL};
    double apart = 0;
    for (int64_t e = 0; e < a->mesh.elements; e++) {
        double p[6] = {0}, q[6] = {0};
        tensor_of_element(&one, e, p);
        tensor_of_element(&other, e, q);
        apart += memcmp(p, q, sizeof p) != 0;
    }
    return apart;
}

/* Compares tensors and V with and without random signs, bit for bit. */
static enum status sides_case(struct verify *verify, int dimension, struct error *error)
{
    struct verify_tissue plain, turned = {0};
    double apart = 0;
    enum status status;
    TRY_DONE(make_tissue(verify, &plain, dimension, coarse_spacing, false, error));
    TRY_DONE(make_tissue(verify, &turned, dimension, coarse_spacing, true, error));
    double tensors = status ? NAN : tensors_apart(&plain, &turned);
    TRY_DONE(verify_tissue_start(verify, &plain, error));
    TRY_DONE(verify_tissue_start(verify, &turned, error));
    TRY_DONE(verify_tissue_advance(&plain, STEPS, error));
    TRY_DONE(verify_tissue_advance(&turned, STEPS, error));
    for (int64_t i = 0; i < plain.mesh.nodes; i++)
        apart += memcmp(&plain.v[i], &turned.v[i], sizeof *plain.v) != 0;
    verify_case(verify, "%d-D, nodal fibres and sheets turned to either side at random", dimension);
    verify_interval(verify, "tensors that differ in a bit", tensors, 0, 0);
    verify_interval(verify, "values of V that differ in a bit, 20 steps", apart, 0, 0);
done:
    verify_tissue_free(&plain);
    verify_tissue_free(&turned);
    return status;
}

/* worst[] <- tensor_error() with nodal directions, with directions moved to elements, on the refined mesh */
static enum status tensor_errors(struct verify *verify, int dimension, double spacing, double worst[3],
                                 struct error *error)
{
    struct verify_tissue tissue;
    struct mesh fine = {0};
    int32_t *region = NULL;
    enum status status;
    TRY_DONE(make_tissue(verify, &tissue, dimension, spacing, true, error));
    TRY_DONE(mesh_refine(&fine, &tissue.mesh, error));
    region = array_zeroed(fine.elements, sizeof *region, "the regions", &status, error);
    if (status)
        goto done;
    worst[0] = tensor_error(&tissue.mesh, &tissue.region, region);
    worst[2] = tensor_error(&fine, &tissue.region, region);
    TRY_DONE(mesh_fibers_to_elements(&tissue.mesh, error));
    worst[1] = tensor_error(&tissue.mesh, &tissue.region, region);
done:
    free(region);
    mesh_free(&fine);
    verify_tissue_free(&tissue);
    return status;
}

static enum status field_case(struct verify *verify, int dimension, struct error *error)
{
    static const char *const what[] = {"nodal directions", "directions moved to elements", "a mesh refined"};
    double coarse[3] = {NAN, NAN, NAN}, fine[3] = {NAN, NAN, NAN};
    TRY(tensor_errors(verify, dimension, coarse_spacing, coarse, error));
    TRY(tensor_errors(verify, dimension, coarse_spacing / 2, fine, error));
    for (int k = 0; k < 3; k++) {
        char line[80];
        verify_case(verify, "%d-D, tensors of %s: error at the centroids %.3g, with half the edge %.3g",
                    dimension, what[k], coarse[k], fine[k]);
        snprintf(line, sizeof line, "error at h = %g mm, relative", coarse_spacing / 2);
        verify_interval(verify, line, fine[k], 0, 0.006);
        verify_interval(verify, "order", verify_order(coarse[k], fine[k]), 1.7, 2.3);
    }
    return STATUS_OK;
}

enum status verify_fibers(struct verify *verify, struct error *error)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        TRY(sides_case(verify, dimension, error));
        TRY(field_case(verify, dimension, error));
    }
    return STATUS_OK;
}
