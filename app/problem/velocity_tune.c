/* velocity_tune.c: conductivities for velocities, from fronts at diffusions of a grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/problem/velocity.h"
#include "kernels/base/array.h"
#include "kernels/base/cancel.h"
#include "kernels/base/clock.h"

/* The D at which fronts are measured: so many in an octave, from each power of 2 on in equal steps. speed /
 * sqrt(D) is a function of h / sqrt(D), which begins with its square (front.h). Between two of them it is
 * linear in 1 / D or, in wider steps, a parabola in 1 / sqrt(D) through the next one as well. */
struct grid {
    int octave, nodes;
};

static const struct grid narrow_grid = {4, 2}, wide_grid = {2, 3};

/* The nodes around a D, and their weights */
struct grid_cell {
    double at[3], weight[3];
};

/* That many steps of the grid above D, rounded down to it */
static double grid_node(const struct grid *grid, double diffusion, int steps)
{
    int exponent;
    const double part = floor(2 * grid->octave * frexp(diffusion, &exponent));
    const double node = ldexp(part / (2 * grid->octave), exponent);
    return steps == 0 ? node : grid_node(grid, ldexp((part + 1) / (2 * grid->octave), exponent), steps - 1);
}

static double grid_coordinate(const struct grid *grid, double diffusion)
{
    return grid->nodes == 2 ? 1 / diffusion : 1 / sqrt(diffusion);
}

static void find_cell(struct grid_cell *cell, const struct grid *grid, double diffusion)
{
    const double x = grid_coordinate(grid, diffusion);
    double node[3];
    *cell = (struct grid_cell){.weight = {1}};
    for (int s = 0; s < grid->nodes && diffusion > 0; s++) {
        cell->at[s] = grid_node(grid, diffusion, s);
        node[s] = grid_coordinate(grid, cell->at[s]);
    }
    for (int s = 1; s < grid->nodes && diffusion > 0; s++) {
        cell->weight[s] = 1;
        for (int other = 0; other < grid->nodes; other++)
            if (other != s)
                cell->weight[s] *= (node[other] - x) / (node[other] - node[s]);
        cell->weight[0] -= cell->weight[s];
    }
}

/* A region whose velocity a fit varies has the wide grid, of which few nodes cover the bounds. */
static const struct grid *grid_of(const struct velocities *velocities, int r)
{
    return config_fit_varies(velocities->config, r) ? &wide_grid : &narrow_grid;
}

/* *velocity <- from the grid, so that fronts with other speeds need no measurement of their own; measured
 * where one of its nodes has no front. *exact: it is. */
static enum status interpolate(struct velocity *velocity, bool *exact, struct velocities *velocities, int r,
                               int k, const double diffusion[3], struct error *error)
{
    const struct grid *grid = grid_of(velocities, r);
    const int last = velocity_directions(&velocities->params->region[r]) - 1;
    struct grid_cell cell[3];
    double speed = 0;
    int nodes = 1;
    *exact = false;
    for (int j = 0; j < 3; j++) {
        find_cell(&cell[j], grid, diffusion[j]);
        nodes *= j <= last ? grid->nodes : 1;
    }
    for (int c = 0; c < nodes; c++) {
        double at[3], weight = 1;
        for (int j = 0, rest = c, side = 0; j < 3; j++) {
            if (j <= last) {
                side = rest % grid->nodes;
                rest /= grid->nodes;
                weight *= cell[j].weight[side];
            }
            at[j] = cell[j].at[side];
        }
        if (weight == 0)
            continue;
        TRY(velocity_measure_in(velocity, velocities, r, k, at, at, error));
        if (!(velocity->here > 0)) {
            *exact = true;
            return velocity_measure(velocity, velocities, r, k, diffusion, error);
        }
        speed += weight * velocity->here / sqrt(at[k]);
    }
    velocity->here = speed * sqrt(diffusion[k]);
    return STATUS_OK;
}

/* sqrt(D) of the fastest front that is too slow or blocks, and of the slowest that is too fast; their speeds
 */
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

/* Of direction k alone, with the others as they are: x = sqrt(D) by secants, since c ~ x, within a bracket.
 * *left: measurements. */
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
        double here = velocity.here, next = x * more;
        if (velocity.blocks == 0 && velocity.dropped > 0)
            return error_set(
                error, STATUS_INPUT,
                "the velocity on this mesh is unknown: no straight path in this direction is long "
                "enough; use `on: fine`, which needs none");
        if (velocity.blocks == 0 || fabs(here / c - 1) < (exact ? near : nearer))
            return STATUS_OK;
        if (here > c)
            bracket.high = x, bracket.fast = here;
        else
            bracket.low = x, bracket.slow = here;
        bool narrowed = bracket.high < bracket.low * (1 + narrow), spent = !narrowed && --*left <= 0;
        if ((narrowed || spent) && fabs(here / c - 1) < enough)
            return STATUS_OK;
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

/* diffusion[3] <- from which the search starts: that of a fine mesh or, since fronts may block with that and
 * then each has to be measured, of one 1.5 times as fast */
static void find_start(double diffusion[3], const struct velocities *velocities, int r, const double speed[3])
{
    velocity_fine(diffusion, velocities, r, speed);
    for (int k = 0; k < 3 && grid_of(velocities, r) == &wide_grid; k++)
        diffusion[k] *= 1.5 * 1.5;
}

/* A direction after the other, until all are right with the conductivities of all */
enum status velocity_tune(double diffusion[3], struct velocities *velocities, int r, const double speed[3],
                          struct error *error)
{
    static const char *const names[] = {"longitudinal", "transverse", "normal"};
    const struct region *region = &velocities->params->region[r];
    const int directions = velocity_directions(region);
    int left = VELOCITY_SEARCH;
    bool right = false;
    find_start(diffusion, velocities, r, speed);
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

enum { RANGE_NODES = 100 }; /* of a direction; those beyond are measured when they are needed */

/* A node of the grid in one direction */
struct range_front {
    int k;
    double at[3];
};

/* node[] <- those in whose cells a D between low and high lies; returns how many */
static int list_nodes(double node[RANGE_NODES + 3], const struct grid *grid, double low, double high)
{
    int count = 0;
    for (double at = grid_node(grid, low, 0); at <= high && count < RANGE_NODES; at = grid_node(grid, at, 1))
        node[count++] = at;
    for (int s = 1; s < grid->nodes; s++)
        node[count++] = grid_node(grid, high, s);
    return count;
}

/* *front <- [*count] unknown ones with D between low[3] and high[3] */
static enum status list_unknown(struct range_front **front, int64_t *count, struct velocities *velocities,
                                int r, const double low[3], const double high[3], struct error *error)
{
    const struct grid *grid = grid_of(velocities, r);
    const int directions = velocity_directions(&velocities->params->region[r]);
    int64_t room = 0;
    *count = 0;
    for (int k = 0; k < directions; k++) {
        double node[3][RANGE_NODES + 3] = {{0}};
        int nodes[3] = {1, 1, 1};
        for (int j = 0; j < directions; j++)
            nodes[j] = list_nodes(node[j], grid, low[j], high[j]);
        for (int64_t c = 0; c < (int64_t)nodes[0] * nodes[1] * nodes[2]; c++) {
            struct range_front one = {.k = k};
            struct velocity unused;
            for (int j = 0, rest = (int)c; j < 3; rest /= nodes[j++])
                one.at[j] = j < directions ? node[j][rest % nodes[j]] : one.at[directions - 1];
            if (velocity_known_in(&unused, velocities, r, k, one.at, one.at))
                continue;
            TRY(array_grow((void **)front, &room, *count, sizeof **front, "the velocities", error));
            (*front)[(*count)++] = one;
        }
    }
    return STATUS_OK;
}

/* Those that can be measured in so many seconds, each by one thread */
static enum status measure_all(struct velocities *velocities, int r, const struct range_front *front,
                               int64_t count, double seconds, struct error *error)
{
    const double until = clock_seconds() + seconds;
    enum status status = STATUS_OK;
    struct error failed = {0};
    const int *flag = cancel_watched();
#pragma omp parallel
    {
        const int *before = cancel_watch(flag);
        struct velocities own;
        struct error inner = {0};
        enum status mine = velocities_share(&own, velocities, &inner);
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < count; i++) {
            struct velocity unused;
            if (!mine && (i == 0 || clock_seconds() < until))
                mine = velocity_measure_in(&unused, &own, r, front[i].k, front[i].at, front[i].at, &inner);
        }
#pragma omp critical
        {
            front_memory_merge(velocities->memory, &own.own);
            if (mine) {
                status = mine;
                failed = inner;
            }
        }
        velocities_free(&own);
        cancel_watch(before);
    }
    return status ? error_set(error, status, "%s", failed.text) : STATUS_OK;
}

enum status velocity_range(int64_t *left, struct velocities *velocities, int r, const double low[3],
                           const double high[3], double seconds, struct error *error)
{
    struct range_front *front = NULL;
    struct error unused = {0};
    double from[3], to[3], tuned[3];
    int64_t count = 0;
    enum status status = STATUS_OK;
    find_start(from, velocities, r, low);
    find_start(to, velocities, r, high);
    for (int pass = 0; pass < 2; pass++) {
        TRY_DONE(list_unknown(&front, &count, velocities, r, from, to, error));
        if (seconds > 0 && count > 0) {
            TRY_DONE(measure_all(velocities, r, front, count, seconds, error));
            TRY_DONE(list_unknown(&front, &count, velocities, r, from, to, error));
        }
        if (!(seconds > 0) || count > 0 || velocity_tune(tuned, velocities, r, low, &unused))
            break;
        for (int k = 0; k < 3; k++) /* on fine meshes the search for the slowest goes below its start */
            from[k] = fmin(from[k], tuned[k]);
    }
    *left = count;
done:
    free(front);
    return status;
}

enum status velocity_find(struct velocity_goal *goal, const struct config *config,
                          const struct monodomain_params *params, const struct mesh *mesh,
                          struct front_memory *memory, int *bad, struct error *error)
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
            TRY_DONE(velocities_create(&velocities, config, params, mesh, memory, error));
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
