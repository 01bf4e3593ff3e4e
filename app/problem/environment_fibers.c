/* environment_fibers.c: fibres by a rule for hearts, or along the gradients of fields. */
#include "app/problem/environment.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/suggest.h"
#include "solver/heart/gradient.h"
#include "solver/mesh/fibers.h"
#include "solver/mesh/winding.h"

static const char what[] = "the values of an expression";

enum status environment_fibers(struct environment *environment, struct mesh *mesh, const struct ldrb *angles,
                               struct error *error)
{
    int64_t filled;
    TRY(environment_heart(environment, LDRB_COORDINATES, error));
    TRY(ldrb_fibers(mesh, environment->on, &environment->coordinates, angles, error));
    return mesh_fill_fibers(mesh, &filled, error);
}

/* degrees[elements] <- the angle of a rule; in[elements] <- 1 where it is the first rule that holds */
static enum status find_rule(struct environment *environment, const struct config_fiber_rule *rule,
                             double *degrees, uint8_t *in, uint8_t *taken, struct error *error)
{
    const int64_t elements = environment->mesh->elements;
    enum status status = STATUS_OK;
    int at;
    double *holds = array_new(elements, sizeof *holds, what, &status, error);
    for (int64_t e = 0; e < elements && !status; e++) {
        degrees[e] = 0;
        holds[e] = 1;
    }
    if (!status && rule->where)
        status = environment_values(environment, rule->where, LOCATION_ELEMENT, holds, &at, error);
    if (!status && rule->angle)
        status = environment_values(environment, rule->angle, LOCATION_ELEMENT, degrees, &at, error);
    for (int64_t e = 0; e < elements && !status; e++) {
        in[e] = !taken[e] && holds[e] != 0;
        taken[e] |= in[e];
        if (in[e] && !isfinite(degrees[e]))
            status = error_set(error, STATUS_INPUT, "angle: '%.80s' gives %g in element %lld",
                               rule->angle->text, degrees[e], (long long)e);
    }
    free(holds);
    return status;
}

/* fiber[] <- the fibres by the config's rules, 0 where the gradient vanishes (*vanishing elements). side: NULL = no
 * rule has an angle */
static enum status lay_fibers(double *fiber, int64_t *vanishing, struct environment *environment,
                              const struct config_tissue *from, const int8_t *side, struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    enum status status = STATUS_OK;
    int64_t left = mesh->elements;
    double *degrees = array_new(mesh->elements, sizeof *degrees, what, &status, error);
    uint8_t *in = array_new(mesh->elements, sizeof *in, what, &status, error);
    uint8_t *taken = array_zeroed(mesh->elements, sizeof *taken, what, &status, error);
    TRY_DONE(status);
    for (int k = 0; k < from->fiber_rules; k++) {
        const struct config_fiber_rule *rule = &from->fiber_rule[k];
        const int of = environment_find_laplace(environment, rule->field);
        const double *value;
        struct suggestion suggestion = suggest_for(rule->field);
        for (int n = 0; n < environment->from->laplaces; n++)
            suggest_try(&suggestion, environment->from->laplace[n].key);
        if (of < 0)
            TRY_DONE(error_set(error, STATUS_INPUT, "mesh.laplace has no field '%.60s'%s", rule->field,
                               suggest_hint(&suggestion)));
        TRY_DONE(find_rule(environment, rule, degrees, in, taken, error));
        TRY_DONE(environment_laplace(environment, of, &value, error));
        *vanishing += gradient_fibers(fiber, mesh, value, degrees, side, in);
    }
    for (int64_t e = 0; e < mesh->elements; e++)
        left -= taken[e];
    if (left)
        status = error_set(error, STATUS_INPUT,
                           "no rule holds in %lld elements; add a last one without `where`", (long long)left);
    else if (*vanishing == mesh->elements)
        status = error_set(error, STATUS_INPUT, "the gradient of '%.60s' vanishes in every element",
                           from->fiber_rule[0].field);
done:
    free(degrees);
    free(in);
    free(taken);
    return status;
}

enum status environment_field_fibers(struct environment *environment, struct mesh *mesh,
                                     const struct config_tissue *from, int64_t *filled, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t vanishing = 0;
    bool turned = false;
    for (int k = 0; k < from->fiber_rules; k++)
        turned = turned || from->fiber_rule[k].angle;
    if (turned && mesh->dimension != 2)
        return error_set(error, STATUS_INPUT,
                         "an angle turns fibres in the plane of a shell's triangles, and this mesh has none; "
                         "leave it out");
    double *fiber = array_zeroed(3 * mesh->elements, sizeof *fiber, what, &status, error);
    int8_t *side = array_new(mesh->elements, sizeof *side, what, &status, error);
    if (!status && turned)
        status = winding_find(side, mesh, error);
    if (!status)
        status = lay_fibers(fiber, &vanishing, environment, from, turned ? side : NULL, error);
    free(side);
    if (status) {
        free(fiber);
        return status;
    }
    free(mesh->fiber);
    free(mesh->sheet);
    mesh->sheet = NULL;
    mesh->fiber = fiber;
    mesh->fiber_location = LOCATION_ELEMENT;
    return mesh_fill_fibers(mesh, filled, error);
}
