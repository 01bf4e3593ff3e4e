/* velocity_tune.c: find conductivities for velocities, from fronts measured on a grid of diffusions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/problem/environment.h"
#include "app/problem/velocity.h"

/* The grid of D at which fronts are measured: OCTAVE equal steps from each power of 2 to the next. speed / sqrt(D) is
 * a function of h / sqrt(D) whose leading term is quadratic (front.h), so it is interpolated linearly in 1 / D. */
enum { OCTAVE = 4 };

/* The two grid values around a D, and their weights */
struct grid_cell {
    double at[2], weight[2];
};

static void find_cell(struct grid_cell *cell, double diffusion)
{
    int exponent;
    const double part = floor(2 * OCTAVE * frexp(diffusion, &exponent));
    *cell = (struct grid_cell){.weight = {1}};
    if (!(diffusion > 0))
        return;
    for (int s = 0; s < 2; s++)
        cell->at[s] = ldexp((part + s) / (2 * OCTAVE), exponent);
    cell->weight[1] = (1 / cell->at[0] - 1 / diffusion) / (1 / cell->at[0] - 1 / cell->at[1]);
    cell->weight[0] -= cell->weight[1];
}

/* *velocity <- interpolated on the grid, so that similar speeds share measurements. If there is no front at a grid
 * value, measured at this diffusion instead, and *exact <- true. */
static enum status interpolate(struct velocity *velocity, bool *exact, struct velocities *velocities, int r,
                               int k, const double diffusion[3], struct error *error)
{
    const int last = velocity_directions(&velocities->params->region[r]) - 1;
    struct grid_cell cell[3];
    double speed = 0;
    bool apart = false;
    *exact = false;
    for (int j = 0; j < 3; j++)
        find_cell(&cell[j], diffusion[j]);
    for (int c = 0; c < 2 << last; c++) {
        double at[3], weight = 1;
        for (int j = 0, side = 0; j < 3; j++) {
            if (j <= last) {
                side = c >> j & 1;
                weight *= cell[j].weight[side];
            }
            at[j] = cell[j].at[side];
        }
        if (weight == 0)
            continue;
        TRY(velocity_measure_in(velocity, velocities, r, k, at, at, error));
        if (velocity->length > 0)
            return STATUS_OK;
        if (!(velocity->here > 0)) {
            *exact = true;
            return velocity_measure(velocity, velocities, r, k, diffusion, error);
        }
        speed += weight * velocity->here / sqrt(at[k]);
        apart = apart || velocity->apart;
    }
    velocity->apart = apart;
    velocity->here = speed * sqrt(diffusion[k]);
    return STATUS_OK;
}

/* sqrt(D) and speed of the fastest front that is too slow (speed 0: blocks) and of the slowest that is too fast */
struct bracket {
    double low, high, slow, fast;
};

/* Fronts scale: on edges of s h and with s^2 D they are s times as fast. */
static enum status cannot_carry(const struct bracket *bracket, double c, double edge, struct error *error)
{
    char slow[60] = "blocks";
    if (bracket->slow > 0)
        snprintf(slow, sizeof slow, "runs at %.3g m/s", bracket->slow);
    if (isinf(bracket->fast))
        return error_set(error, STATUS_INPUT,
                         "this mesh cannot carry a front of %.3g m/s: on its edges of %.2g mm one %s", c,
                         edge, slow);
    return error_set(
        error, STATUS_INPUT,
        "this mesh cannot carry a front of %.3g m/s: on its edges of %.2g mm one %s, and runs at "
        "%.3g m/s with slightly more conductivity; edges of %.2g mm could",
        c, edge, slow, bracket->fast, 0.9 * edge * c / bracket->fast);
}

/* An error if the blocks disagree on the velocity */
static enum status check_alike(const struct velocity *velocity, struct error *error)
{
    return velocity->apart
               ? error_set(error, STATUS_INPUT,
                           "the velocity on this mesh is unknown: fronts run at %.3g to %.3g m/s in %d "
                           "blocks of it; use elements of more even size and shape, or `on: fine`, which "
                           "is measured on none",
                           velocity->low, velocity->high, velocity->blocks)
               : STATUS_OK;
}

/* The error for a front too wide for the mesh. length: of a block, mm; how: "" or ", in more than 1e+08 steps of
 * nodes" */
static enum status too_long(const struct velocities *velocities, int r, int k, double c, double length,
                            const char *how, struct error *error)
{
    return error_set(
        error, STATUS_INPUT,
        "a front of %.3g m/s %s is %.3g mm wide and is measured over %.3g mm%s, but the mesh is %.3g mm "
        "across; use `on: fine`, which needs no mesh",
        c, velocity_direction(&velocities->params->region[r], k), length / FRONT_BLOCK_LENGTH, length, how,
        environment_diagonal(velocities->mesh));
}

/* Refuses a front wider than the mesh: its blocks would consist of reflected copies only. */
static enum status check_width(const struct velocities *velocities, int r, int k, double c, double diffusion,
                               struct error *error)
{
    const double width = 2 * diffusion / c;
    if (velocity_on_lines(velocities->mesh, &velocities->params->region[r]) ||
        width < environment_diagonal(velocities->mesh))
        return STATUS_OK;
    return too_long(velocities, r, k, c, FRONT_BLOCK_LENGTH * width, "", error);
}

/* Tunes diffusion[k] with the other directions fixed: secant method for x = sqrt(D), since c ~ x, within a bracket.
 * *left: number of measurements left. */
static enum status tune_direction(double diffusion[3], struct velocities *velocities, int r, int k, double c,
                                  int *left, struct error *error)
{
    const double near = 0.005, nearer = 1e-6, enough = 0.03, narrow = 0.005, more = 1.25;
    const int last = k == velocity_directions(&velocities->params->region[r]) - 1 ? 2 : k;
    struct bracket bracket = {0, HUGE_VAL, 0, HUGE_VAL};
    struct velocity velocity;
    bool exact;
    double x = sqrt(diffusion[k]), before_x = 0, before = 0;
    if (velocity_on_lines(velocities->mesh, &velocities->params->region[r]))
        return STATUS_OK;
    for (;;) {
        for (int j = k; j <= last; j++)
            diffusion[j] = x * x;
        TRY(interpolate(&velocity, &exact, velocities, r, k, diffusion, error));
        if (velocity.length > 0) {
            char how[60];
            snprintf(how, sizeof how, ", in more than %.0e steps of nodes", (double)VELOCITY_WORK);
            return too_long(velocities, r, k, c, velocity.length, how, error);
        }
        double here = velocity.here, next = x * more;
        if (velocity.blocks == 0 && velocity.dropped > 0)
            return error_set(
                error, STATUS_INPUT,
                "the velocity on this mesh is unknown: no straight path in this direction is long "
                "enough; use `on: fine`, which needs none");
        if (velocity.blocks == 0 || fabs(here / c - 1) < (exact ? near : nearer))
            return check_alike(&velocity, error);
        if (here > c)
            bracket.high = x, bracket.fast = here;
        else
            bracket.low = x, bracket.slow = here;
        bool narrowed = bracket.high < bracket.low * (1 + narrow), spent = !narrowed && --*left <= 0;
        if ((narrowed || spent) && fabs(here / c - 1) < enough)
            return check_alike(&velocity, error);
        if (narrowed)
            return cannot_carry(&bracket, c, velocity.edge, error);
        if (spent)
            return error_set(
                error, STATUS_INPUT,
                "no conductivity for a front of %.3g m/s on this mesh was found by %d fronts in each "
                "block; the last one ran at %.3g m/s",
                c, VELOCITY_SEARCH, here);
        if (here > 0 && before > 0 && here != before)
            next = x + (c - here) * (x - before_x) / (here - before);
        else if (here > 0)
            next = x * c / here;
        before = here;
        before_x = x;
        if (!(next > bracket.low && next < bracket.high) || !(next < 2 * x))
            next = isinf(bracket.high) ? 2 * x : (bracket.low + bracket.high) / 2;
        x = next;
    }
}

/* Tunes the directions in turn until all speeds are right at once. */
enum status velocity_tune(double diffusion[3], struct velocities *velocities, int r, const double speed[3],
                          struct error *error)
{
    static const char *const names[] = {"longitudinal", "transverse", "normal"};
    const struct region *region = &velocities->params->region[r];
    const int directions = velocity_directions(region);
    int left = VELOCITY_SEARCH;
    bool right = false;
    velocity_fine(diffusion, velocities, r, speed);
    for (int k = 0; k < directions; k++)
        if (speed[k] > 0)
            TRY(check_width(velocities, r, k, speed[k], diffusion[k], error));
    for (int pass = 0; pass < 3 && !right; pass++) {
        right = true;
        for (int k = 0; k < directions; k++) {
            struct error inner = {0};
            double before = diffusion[k];
            if (!(speed[k] > 0))
                continue;
            enum status status = tune_direction(diffusion, velocities, r, k, speed[k], &left, &inner);
            if (status)
                return error_set(error, status, "%s%s%s", directions > 1 ? names[k] : "",
                                 directions > 1 ? ": " : "", inner.text);
            right = right && fabs(diffusion[k] / before - 1) < 1e-9;
        }
        right = right || directions == 1;
    }
    return STATUS_OK;
}

enum status velocity_find(struct velocity_goal *goal, const struct config *config,
                          const struct monodomain_params *params, const struct mesh *mesh, int *bad,
                          struct error *error)
{
    struct velocities velocities = {0};
    enum status status = STATUS_OK;
    for (int r = 0; r < params->regions; r++) {
        struct velocity_goal *own = &goal[r];
        struct error inner = {0};
        *bad = r;
        own->given = config_velocity(own->speed, &config->tissue.region[r]);
        if (!own->given)
            continue;
        if (!velocities.front)
            TRY_DONE(velocities_create(&velocities, config, params, mesh, NULL, error));
        if (!(velocities.front[r].fine > 0)) {
            status = error_set(error, STATUS_INPUT,
                               front_is_lifted(&params->region[r])
                                   ? "fronts are not measured in %s: initial V is above the threshold"
                                   : "no front travels in %s",
                               params->region[r].model->name);
            goto done;
        }
        velocity_fine(own->fine, &velocities, r, own->speed);
        enum status found = velocity_tune(own->mesh, &velocities, r, own->speed, &inner);
        if (found == STATUS_INPUT && config_velocity_fine(&config->tissue.region[r]))
            own->mesh[0] = own->mesh[1] = own->mesh[2] = NAN;
        else if (found)
            TRY_DONE(error_set(error, found, "%s", inner.text));
    }
done:
    velocities_free(&velocities);
    return status;
}
