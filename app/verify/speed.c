/* speed.c: the speed that cables find (solver/step/front.h) against Huxley's exact front, and the edges that
 * a lattice has for it (solver/matrix/spacing.h). */
#include <math.h>

#include "app/verify/tissue.h"
#include "app/verify/verify.h"
#include "solver/step/front.h"
#include "solver/matrix/spacing.h"

static const double rate = 1, threshold = 0.1; /* k, 1/ms, and a */

/* c = sqrt(k D / 2) (1 - 2 a), and so D of c */
static enum status check_cable(struct verify *verify, struct error *error)
{
    const double size[3] = {1, 1, 1}, wanted = 0.4;
    double exact = sqrt(rate / 2) * (1 - 2 * threshold), diffusion = NAN;
    struct verify_tissue tissue;
    struct queue *queue = NULL;
    enum status status = verify_tissue_make(&tissue, 1, size, 0.5, "huxley", error);
    if (!status) {
        verify_tissue_parameter(&tissue, "k", rate * verify_diffusion(verify));
        verify_tissue_parameter(&tissue, "a", threshold);
        tissue.region.parameter = tissue.parameter;
        tissue.params.theta = 0.5;
        tissue.params.splitting = SPLITTING_STRANG;
        tissue.params.tolerance = 1e-7;
    }
    AND(queue_new(&queue, backend_find("cpu", error), 1, error));
    struct front front = {.params = &tissue.params, .region = &tissue.region, .queue = queue};
    AND(front_fine(&front, error));
    AND(front_diffusion(&front, wanted, 0, &diffusion, error));
    if (!status) {
        double known = wanted / exact * (wanted / exact);
        verify_case(verify, "Huxley's front on cables: %.6f sqrt(D / ms), exactly %.6f", front.fine, exact);
        verify_interval(verify, "speed, error in %", 100 * (front.fine / exact - 1), -0.02, 0.02);
        verify_interval(verify, "diffusion of 0.4 m/s, error in %", 100 * (diffusion / known - 1), -0.04,
                        0.04);
    }
    queue_free(queue);
    verify_tissue_free(&tissue);
    return status;
}

/* Along the fibre and an axis of the lattice its edges are h; across, the mean over directions is that of
 * (n.d)^4 over (n.d)^2 of two axes: 3/8 over 1/2 of h^2. */
static enum status check_lattice(struct verify *verify, struct error *error)
{
    const double size[3] = {3, 2, 1.5}, h = 0.5, along = 0.2, across = 0.05;
    struct verify_tissue tissue;
    struct spacing spacing = {0};
    double planted = verify_diffusion(verify);
    enum status status = verify_tissue_make(&tissue, 3, size, h, "huxley", error);
    if (!status)
        verify_tissue_fiber(&tissue, planted * along, planted * across, 1, 0, 0);
    const struct tensors tensors = {&tissue.mesh, &tissue.region, tissue.element_region, tissue.fiber};
    AND(spacing_make(&spacing, &tensors, 1, error));
    if (!status) {
        verify_case(verify, "a lattice of %g mm", h);
        verify_interval(verify, "edge along the fibre, error in %", 100 * (spacing.edge[0] / h - 1), -1e-9,
                        1e-9);
        verify_interval(verify, "edge across, error in %", 100 * (spacing.edge[1] / (sqrt(0.75) * h) - 1),
                        -1e-9, 1e-9);
        verify_interval(verify, "D along, error in %", 100 * (spacing.diffusion[0] / along - 1), -1e-9, 1e-9);
        verify_interval(verify, "D across, error in %", 100 * (spacing.diffusion[1] / across - 1), -1e-9,
                        1e-9);
    }
    verify_tissue_free(&tissue);
    return status;
}

enum status verify_speed(struct verify *verify, const char *name, struct error *error)
{
    (void)name;
    enum status status = check_cable(verify, error);
    return status ? status : check_lattice(verify, error);
}
