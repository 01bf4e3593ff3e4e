/* velocity.c: measure fronts in blocks of the mesh and upstrokes in cells, find conductivities, describe. */
#include "app/problem/velocity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/maps.h"
#include "app/models/cache.h"
#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "kernels/device/backend.h"
#include "solver/matrix/spacing.h"

static const char what[] = "the velocities";
static const double velocity_tolerance =
    0.05;                     /* the part of its speed that a front may lose without a word */
static const double much = 2; /* times the tissue's conductivity: beyond that a mesh is too coarse */

bool velocity_fibers_turn(const struct mesh *mesh, const struct monodomain_params *params, int r)
{
    const double parallel = cos(10 * acos(-1.0) / 180);
    const struct tensors tensors = {mesh, params->region, params->element_region, params->fiber};
    double first[3][3], axis[3][3];
    bool found = false;
    for (int64_t e = 0; e < mesh->elements && mesh->vertex; e++) {
        if (params->element_region[e] != r || tensor_axes(&tensors, e, found ? axis : first) == 0)
            continue;
        if (found &&
            fabs(axis[0][0] * first[0][0] + axis[0][1] * first[0][1] + axis[0][2] * first[0][2]) < parallel)
            return true;
        found = true;
    }
    return false;
}

static bool same_values(const double *a, const double *b, int count)
{
    return a == b || (a && b && memcmp(a, b, (size_t)count * sizeof *a) == 0);
}

/* Whether fronts run alike in both, whatever their conductivities */
static bool same_cells(const struct region *a, const struct region *b)
{
    return a->model == b->model && same_values(a->parameter, b->parameter, a->model->parameters) &&
           same_values(a->initial, b->initial, 1 + a->model->states);
}

/* A front crosses a block in some ms. */
static enum status check_step(const struct monodomain_params *params, struct error *error)
{
    const double least = 1e-5; /* ms */
    return params->step >= least
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "fronts are measured in steps of %g ms or more, not of %g ms",
                           least, params->step);
}

/* hex <- of all that fronts in a mesh depend on, but conductivities */
static void digest_tissue(char hex[SHA256_HEX], const struct velocities *velocities)
{
    const struct monodomain_params *p = velocities->params;
    const double numbers[] = {p->step,         p->theta,          p->mass_lumping,  p->splitting,
                              p->method,       p->max_sweeps,     p->tolerance,     p->ionic_mixed,
                              p->ionic_tables, p->ionic_substeps, p->voltage_limit, p->activation_threshold};
    struct sha256 sha;
    sha256_start(&sha);
    sha256_add(&sha, numbers, sizeof numbers);
    sha256_add(&sha, p->element_region, (size_t)velocities->mesh->elements * sizeof *p->element_region);
    if (p->fiber)
        sha256_add(&sha, p->fiber, 3 * sizeof *p->fiber);
    for (int r = 0; r < p->regions; r++) {
        const struct region *region = &p->region[r];
        const struct ionic_model *model = region->model;
        const struct user_model *user = user_model_of(velocities->config->models, model);
        const int facts[] = {velocity_directions(region), region->parameter != NULL, region->initial != NULL};
        sha256_add(&sha, facts, sizeof facts);
        sha256_add(&sha, model->name, strlen(model->name) + 1);
        if (user)
            sha256_add(&sha, user->sha256, sizeof user->sha256);
        if (region->parameter)
            sha256_add(&sha, region->parameter, (size_t)model->parameters * sizeof *region->parameter);
        if (region->initial)
            sha256_add(&sha, region->initial, (size_t)single_cell_values(model) * sizeof *region->initial);
    }
    sha256_end(&sha, hex);
}

void velocity_grid_free(struct velocity_grid *grid)
{
    free(grid->corner);
    free(grid->front);
    *grid = (struct velocity_grid){0};
}

/* The grid's fronts on fine cables */
static enum status measure_cables(struct velocities *velocities, struct error *error)
{
    const struct monodomain_params *params = velocities->params;
    struct velocity_grid *grid = velocities->grid;
    enum status status = STATUS_OK;
    grid->front = array_zeroed(params->regions, sizeof *grid->front, what, &status, error);
    TRY(status);
    for (int r = 0; r < params->regions; r++) {
        struct front front = {.params = params, .region = &params->region[r], .queue = velocities->queue};
        int earlier = 0;
        while (!same_cells(&params->region[earlier], &params->region[r]))
            earlier++;
        if (earlier == r) {
            TRY(front_fine(&front, error));
            grid->front[r][0] = front.fine;
            grid->front[r][1] = front.bend;
        }
        memcpy(grid->front[r], grid->front[earlier], sizeof grid->front[r]);
    }
    return STATUS_OK;
}

enum status velocities_create(struct velocities *to, const struct config *config,
                              const struct monodomain_params *params, const struct mesh *mesh,
                              struct velocity_grid *grid, struct error *error)
{
    enum status status = STATUS_OK;
    char tissue[SHA256_HEX];
    *to = (struct velocities){.config = config, .params = params, .mesh = mesh};
    to->grid = grid ? grid : &to->own;
    TRY(check_step(params, error));
    const struct backend *backend = backend_find("cpu", error);
    if (!backend)
        return STATUS_INPUT;
    if (!cache_program(to->program))
        to->program[0] = 0;
    to->front = array_zeroed(params->regions, sizeof *to->front, what, &status, error);
    to->blocks = array_zeroed(params->regions, sizeof *to->blocks, what, &status, error);
    TRY(status);
    TRY(queue_new(&to->queue, backend, 1, error));
    TRY(user_model_load(config->models, to->queue, config_way(config), error));
    digest_tissue(tissue, to);
    if (!to->grid->front || memcmp(tissue, to->grid->tissue, sizeof tissue) != 0) {
        velocity_grid_free(to->grid);
        TRY(measure_cables(to, error));
        memcpy(to->grid->tissue, tissue, sizeof tissue);
    }
    for (int r = 0; r < params->regions; r++)
        to->front[r] = (struct front){.params = params,
                                      .region = &params->region[r],
                                      .queue = to->queue,
                                      .fine = to->grid->front[r][0],
                                      .bend = to->grid->front[r][1]};
    return STATUS_OK;
}

static void free_blocks(struct velocity_blocks blocks[3])
{
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < blocks[k].count; b++)
            block_free(&blocks[k].block[b]);
}

void velocities_free(struct velocities *velocities)
{
    for (int r = 0; velocities->blocks && r < velocities->params->regions; r++)
        free_blocks(velocities->blocks[r]);
    queue_free(velocities->queue);
    velocity_grid_free(&velocities->own);
    free(velocities->front);
    free(velocities->blocks);
    *velocities = (struct velocities){0};
}

int velocity_directions(const struct region *region)
{
    return region->isotropic ? 1 : region->diffusion[1] == region->diffusion[2] ? 2 : 3;
}

void velocity_fine(double diffusion[3], const struct velocities *velocities, int r, const double speed[3])
{
    for (int k = 0; k < 3; k++)
        diffusion[k] = speed[k] / velocities->front[r].fine * (speed[k] / velocities->front[r].fine);
}

/* Drops the blocks that are too short to measure in: between surfaces askew to their axis */
static void drop_short(struct velocity_blocks *blocks)
{
    const int64_t least = 5;
    int count = 0;
    for (int b = 0; b < blocks->count; b++) {
        if (blocks->block[b].core < least) {
            block_free(&blocks->block[b]);
            continue;
        }
        blocks->axis[count] = blocks->axis[b];
        blocks->block[count++] = blocks->block[b];
    }
    blocks->dropped = blocks->count - count;
    blocks->count = count;
}

/* Cuts the blocks of region r, whose width is that of fronts with this diffusion on a fine mesh */
static enum status cut_blocks(struct velocity_blocks blocks[3], const struct velocities *velocities, int r,
                              const double diffusion[3], struct error *error)
{
    struct block_place place[BLOCK_PLACES][BLOCK_PLACES_AXES];
    uint8_t there[BLOCK_PLACES][BLOCK_PLACES_AXES];
    const struct monodomain_params *params = velocities->params;
    const struct region *region = &params->region[r];
    const struct tensors tensors = {velocities->mesh, params->region, params->element_region, params->fiber};
    double width[3];
    for (int k = 0; k < 3; k++)
        width[k] = 2 * sqrt(diffusion[k]) / velocities->front[r].fine;
    TRY(block_places_choose(place, there, &tensors, r, width, error));
    struct block *block[BLOCK_PLACES * BLOCK_PLACES_AXES];
    const struct block_place *at[BLOCK_PLACES * BLOCK_PLACES_AXES];
    int count = 0;
    for (int p = 0; p < BLOCK_PLACES; p++)
        for (int k = 0; k < BLOCK_PLACES_AXES; k++) {
            int direction = k < velocity_directions(region) ? k : velocity_directions(region) - 1;
            struct velocity_blocks *to = &blocks[direction];
            if (!there[p][k])
                continue;
            to->axis[to->count] = k;
            at[count] = &place[p][k];
            block[count++] = &to->block[to->count++];
        }
    TRY(blocks_cut(block, velocities->mesh, at, count, error));
    for (int k = 0; k < 3; k++)
        drop_short(&blocks[k]);
    return STATUS_OK;
}

/* entry <- the name of the speeds in the cache; false if they cannot be stored */
static bool name_entry(char entry[CACHE_NAME], const struct velocities *velocities, int r,
                       const struct velocity_blocks *blocks, const double diffusion[3])
{
    const struct monodomain_params *p = velocities->params;
    const struct region *region = &p->region[r];
    const struct ionic_model *model = region->model;
    const struct user_model *user = user_model_of(velocities->config->models, model);
    const double numbers[] = {p->step,          p->theta,
                              p->mass_lumping,  p->splitting,
                              p->method,        p->max_sweeps,
                              p->tolerance,     p->ionic_mixed,
                              p->ionic_tables,  p->ionic_substeps,
                              p->voltage_limit, p->activation_threshold,
                              diffusion[0],     diffusion[1],
                              diffusion[2],     region->parameter != NULL,
                              blocks->count,    region->initial != NULL};
    enum { EACH = 6, OWN = 7 };
    struct cache_part part[OWN + EACH * BLOCK_PLACES * BLOCK_PLACES_AXES] = {
        CACHE_TEXT(velocities->program),
        CACHE_TEXT(model->name),
        CACHE_TEXT(user ? user->sha256 : ""),
        CACHE_TEXT(user ? user->compiled.formulas : ""),
        {numbers, sizeof numbers},
        {region->parameter, region->parameter ? (size_t)model->parameters * sizeof(double) : 0},
        {region->initial, region->initial ? (size_t)single_cell_values(model) * sizeof(double) : 0},
    };
    int parts = OWN;
    for (int b = 0; b < blocks->count; b++) {
        const struct block *block = &blocks->block[b];
        const struct mesh *mesh = &block->mesh;
        size_t nodes = (size_t)mesh->nodes, elements = (size_t)mesh->elements;
        const struct cache_part own[EACH] = {
            {mesh->point, 3 * nodes * sizeof *mesh->point},
            {mesh->vertex, elements * (size_t)(mesh->dimension + 1) * sizeof *mesh->vertex},
            {mesh->fiber, 3 * elements * sizeof *mesh->fiber},
            {mesh->sheet, 3 * elements * sizeof *mesh->sheet},
            {block->along, nodes * sizeof *block->along},
            {block->part, nodes * sizeof *block->part},
        };
        memcpy(part + parts, own, sizeof own);
        parts += EACH;
    }
    cache_name(entry, "fronts", part, parts);
    return velocities->program[0] != 0;
}

/* speed[blocks] <- of a front through each, by as many threads */
static enum status send_fronts(double *speed, const struct velocities *velocities, int r,
                               const struct velocity_blocks *blocks, const double diffusion[3],
                               struct error *error)
{
    enum status status = STATUS_OK;
    struct error failed = {0};
#pragma omp parallel for schedule(dynamic, 1)
    for (int b = 0; b < blocks->count; b++) {
        struct error inner = {0};
        struct front front = velocities->front[r];
        front.queue = NULL;
        enum status own = queue_new(&front.queue, velocities->queue->backend, 1, &inner);
        if (!own)
            own = block_speed(&speed[b], &blocks->block[b], &front, diffusion, diffusion[blocks->axis[b]],
                              &inner);
        queue_free(front.queue);
#pragma omp critical
        if (own) {
            status = own;
            failed = inner;
        }
    }
    return status ? error_set(error, status, "%s", failed.text) : STATUS_OK;
}

/* The same from the cache, if they are there; a cache that cannot be used is none */
static enum status find_speeds(double *speed, const struct velocities *velocities, int r,
                               const struct velocity_blocks *blocks, const double diffusion[3],
                               struct error *error)
{
    struct cache cache = {.folder = -1};
    struct error unused = {0};
    char entry[CACHE_NAME];
    size_t size, bytes = (size_t)blocks->count * sizeof *speed;
    enum status status = STATUS_OK;
    bool named = name_entry(entry, velocities, r, blocks, diffusion) && !cache_open(&cache, &unused);
    double *stored = named ? cache_read(&cache, entry, &size) : NULL;
    if (stored && size != bytes) {
        free(stored);
        stored = NULL; /* it is replaced */
    }
    if (stored)
        memcpy(speed, stored, bytes);
    else
        status = send_fronts(speed, velocities, r, blocks, diffusion, error);
    if (named && !stored && !status)
        cache_write(&cache, entry, speed, bytes, &unused);
    free(stored);
    cache_close(&cache);
    return status;
}

/* value[count] is sorted <-; of an even count the mean of the two in the middle, 0 if one of them is */
static double median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, compare_double);
    double low = value[(count - 1) / 2], high = value[count / 2];
    return low > 0 ? (low + high) / 2 : 0;
}

/* Whether the region is of lines in a mesh of other elements, where no front is measured */
static bool is_on_lines(const struct mesh *mesh, const struct region *region)
{
    return mesh->dimension > 1 && region->section[1] > 0;
}

/* *velocity <- of direction k in these blocks, cut for about this diffusion */
static enum status measure_in(struct velocity *velocity, const struct velocity_blocks all[3],
                              const struct velocities *velocities, int r, int k, const double diffusion[3],
                              struct error *error)
{
    double speed[BLOCK_PLACES * BLOCK_PLACES_AXES] = {0}, edge[BLOCK_PLACES * BLOCK_PLACES_AXES];
    const struct velocity_blocks *blocks = &all[k];
    velocity->blocks = blocks->count;
    velocity->dropped = blocks->dropped;
    if (blocks->count == 0)
        return STATUS_OK;
    TRY(find_speeds(speed, velocities, r, blocks, diffusion, error));
    for (int b = 0; b < blocks->count; b++) {
        int64_t nodes = blocks->block[b].core;
        edge[b] = blocks->block[b].edge;
        velocity->blocked += !(speed[b] > 0);
        speed[b] *= block_tilt(&blocks->block[b], diffusion, blocks->axis[b]);
        velocity->reflected += blocks->block[b].copies > 1;
        velocity->nodes = b == 0 || nodes < velocity->nodes ? nodes : velocity->nodes;
    }
    velocity->here = median(speed, blocks->count);
    velocity->edge = median(edge, blocks->count);
    velocity->low = speed[0];
    velocity->high = speed[blocks->count - 1];
    return STATUS_OK;
}

enum status velocity_measure(struct velocity *velocity, struct velocities *velocities, int r, int k,
                             const double diffusion[3], struct error *error)
{
    const struct region *region = &velocities->params->region[r];
    struct velocity_blocks *all = velocities->blocks[r];
    double speed[3], own[3];
    *velocity = (struct velocity){.fine = sqrt(diffusion[k]) * velocities->front[r].fine};
    if (!(velocity->fine > 0))
        return STATUS_OK;
    velocity->lines = is_on_lines(velocities->mesh, region);
    memcpy(own, region->diffusion, sizeof own);
    if (config_velocity(speed, &velocities->config->tissue.region[r]))
        velocity_fine(own, velocities, r, speed);
    if (all[0].count + all[1].count + all[2].count == 0)
        TRY(cut_blocks(all, velocities, r, own, error));
    return measure_in(velocity, all, velocities, r, k, diffusion, error);
}

/* *corner <- of region r with this diffusion, from the grid or measured and added to it */
static enum status find_corner(const struct velocity_corner **corner, const struct velocities *velocities,
                               int r, const double diffusion[3], struct error *error)
{
    struct velocity_grid *grid = velocities->grid;
    enum status status = STATUS_OK;
    for (int64_t c = 0; c < grid->corners; c++)
        if (grid->corner[c].region == r &&
            memcmp(grid->corner[c].diffusion, diffusion, 3 * sizeof *diffusion) == 0) {
            *corner = &grid->corner[c];
            return STATUS_OK;
        }
    TRY(array_grow((void **)&grid->corner, &grid->room, grid->corners, sizeof *grid->corner, what, error));
    struct velocity_corner *to = &grid->corner[grid->corners];
    *to = (struct velocity_corner){.region = r};
    memcpy(to->diffusion, diffusion, sizeof to->diffusion);
    struct velocity_blocks *blocks = array_zeroed(3, sizeof *blocks, what, &status, error);
    TRY(status);
    status = cut_blocks(blocks, velocities, r, diffusion, error);
    for (int k = 0; k < velocity_directions(&velocities->params->region[r]) && !status; k++)
        if (diffusion[k] > 0)
            status = measure_in(&to->velocity[k], blocks, velocities, r, k, diffusion, error);
    free_blocks(blocks);
    free(blocks);
    grid->corners += !status;
    *corner = to;
    return status;
}

/* The cell of a grid of 2^n k / 8, k = 4 .. 8, and how far D is in it, by 1 / D: speed / sqrt(D) is a function
 * of h / sqrt(D), which begins with its square (front.h). 0: in none */
static double cell_of(double cell[2], double diffusion)
{
    int exponent;
    double mantissa = frexp(diffusion, &exponent);
    cell[0] = cell[1] = diffusion;
    if (!(diffusion > 0))
        return 0;
    for (int side = 0; side < 2; side++)
        cell[side] = ldexp(floor(8 * mantissa) + side, exponent - 3);
    return (1 / cell[0] - 1 / diffusion) / (1 / cell[0] - 1 / cell[1]);
}

/* The same from the grid, so that fronts with other speeds need no measurement of their own; measured where
 * one of its corners has no front. *exact: it is. */
static enum status interpolate(struct velocity *velocity, bool *exact, struct velocities *velocities, int r,
                               int k, const double diffusion[3], struct error *error)
{
    const int directions = velocity_directions(&velocities->params->region[r]);
    double cell[3][2], far[3], speed = 0;
    *exact = false;
    for (int j = 0; j < 3; j++)
        far[j] = cell_of(cell[j], diffusion[j]);
    for (int c = 0; c < 1 << directions; c++) {
        double at[3], weight = 1;
        for (int j = 0; j < 3; j++) {
            int side = c >> (j < directions ? j : directions - 1) & 1;
            at[j] = cell[j][side];
            if (j < directions)
                weight *= side ? far[j] : 1 - far[j];
        }
        const struct velocity_corner *corner;
        if (weight == 0)
            continue;
        TRY(find_corner(&corner, velocities, r, at, error));
        *velocity = corner->velocity[k];
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

/* A direction after the other, until all are right with the conductivities of all */
enum status velocity_tune(double diffusion[3], struct velocities *velocities, int r, const double speed[3],
                          struct error *error)
{
    static const char *const names[] = {"longitudinal", "transverse", "normal"};
    const struct region *region = &velocities->params->region[r];
    const int directions = velocity_directions(region);
    int left = VELOCITY_SEARCH;
    bool right = false;
    velocity_fine(diffusion, velocities, r, speed);
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
                          const struct monodomain_params *params, const struct mesh *mesh,
                          struct velocity_grid *grid, int *bad, struct error *error)
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
            TRY_DONE(velocities_create(&velocities, config, params, mesh, grid, error));
        if (!(velocities.front[r].fine > 0)) {
            status = error_set(error, STATUS_INPUT, "no front travels in %s", params->region[r].model->name);
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

/* *upstroke <- of the region's cells, in the steps that they take in tissue */
static enum status find_upstroke(struct upstroke *upstroke, const struct config *config,
                                 const struct region *region, struct error *error)
{
    const struct monodomain_params *physics = &config->physics;
    const struct ionic_model *model = region->model;
    const struct source_way way = config_way(config);
    enum status status = STATUS_OK;
    struct single_cell cell = {0};
    double *rest = array_new(single_cell_values(model), sizeof *rest, what, &status, error);
    double *parameter = array_new(model->parameters, sizeof *parameter, what, &status, error);
    if (status)
        goto done;
    for (int k = 0; k < model->parameters; k++)
        parameter[k] = region->parameter ? region->parameter[k] : model->parameter[k].value;
    TRY_DONE(single_cell_new(&cell, model, parameter, way, params_cell_step(physics), error));
    TRY_DONE(user_model_load(config->models, cell.queue, way, error));
    single_cell_rest(rest, model);
    upstroke_find(upstroke, &cell, region->initial ? region->initial : rest);
done:
    single_cell_free(&cell);
    free(parameter);
    free(rest);
    return status;
}

enum status velocity_upstrokes(struct upstroke *upstroke, const struct config *config,
                               const struct monodomain_params *params, struct error *error)
{
    enum status status = check_step(params, error);
    for (int r = 0; r < params->regions && !status; r++) {
        int earlier = 0;
        while (!same_cells(&params->region[earlier], &params->region[r]))
            earlier++;
        upstroke[r] = upstroke[earlier];
        if (earlier == r)
            status = find_upstroke(&upstroke[r], config, &params->region[r], error);
    }
    return status;
}

/* `or`: what else a front may do that is much slower; NULL: it is measured */
static void warn(FILE *warnings, int r, const char *direction, double lost, double width, double edge,
                 double enough, const char * or)
{
    const double coarse = 0.2, none = 0.9;
    if (!(fabs(lost) > velocity_tolerance))
        return;
    fprintf(warnings, "tissue.regions[%d]: %sa front %s ", r, lost > coarse ? "too coarse: " : "", direction);
    if (lost > none)
        fputs("blocks on this mesh", warnings);
    else
        fprintf(warnings, "runs %s%.2g %% %s on this mesh than on a fine one%s", or ? "about " : "",
                100 * fabs(lost), lost > 0 ? "slower" : "faster", lost > coarse && or ? or : "");
    fprintf(warnings, ": it is %.2g mm wide and edges are %.3g mm there; to stay within %g %%, use ", width,
            edge, 100 * velocity_tolerance);
    if (enough > 0)
        fprintf(warnings, "%.2g mm\n", enough);
    else
        fputs("finer ones\n", warnings);
}

/* What is lost on coarse edges can be made up for by conductivity, but not without a price */
static void warn_much(FILE *warnings, int r, const char *direction, double times)
{
    if (times > much)
        fprintf(
            warnings,
            "tissue.regions[%d]: %s this mesh needs %.3g times the tissue's conductivity for its velocity: "
            "it is too coarse; stimuli, curved fronts and the ECG differ from the tissue's; use finer "
            "edges\n",
            r, direction, times);
}

/* Names of the directions of a region */
static const char *const *directions(const struct region *region)
{
    static const char *const names[][3] = {
        {"in every direction", NULL, NULL},
        {"along the fibres", "across the fibres", NULL},
        {"along the fibres", "across them in the sheet", "across the sheets"}};
    return names[velocity_directions(region) - 1];
}

/* Whether the region's conductivities are for its velocity on this mesh */
static bool is_tuned(const struct velocity_goal *goal, const struct config_region *region)
{
    return goal->given && !config_velocity_fine(region);
}

/* Of all regions, or of those on lines alone */
static enum status warn_estimated(FILE *warnings, const struct upstroke *upstroke,
                                  const struct velocity_goal *goal, const struct config *config,
                                  const struct mesh *mesh, const struct monodomain_params *params,
                                  bool lines_alone, struct error *error)
{
    const struct tensors tensors = {mesh, params->region, params->element_region, params->fiber};
    const double lumping = params->mass_lumping;
    enum status status = STATUS_OK;
    struct spacing *spacing = array_zeroed(params->regions, sizeof *spacing, what, &status, error);
    TRY(status);
    TRY_DONE(spacing_make(spacing, &tensors, params->regions, error));
    for (int r = 0; r < params->regions; r++)
        for (int k = 0; k < velocity_directions(&params->region[r]); k++) {
            const struct upstroke *u = &upstroke[r];
            const char *direction = directions(&params->region[r])[k];
            double unit = sqrt(spacing[r].diffusion[k]) / u->speed; /* D / c, mm */
            double edge = isnan(spacing[r].edge[k]) ? spacing[r].longest[k] : spacing[r].edge[k];
            const bool lines = is_on_lines(mesh, &params->region[r]);
            if (lines_alone && !lines)
                continue;
            if (!lines && is_tuned(&goal[r], &config->tissue.region[r]))
                warn_much(warnings, r, direction, goal[r].mesh[k] / goal[r].fine[k]);
            else
                warn(warnings, r, direction, u->speed > 0 ? upstroke_lost(u, edge / unit, lumping) : NAN,
                     u->width * unit, edge, unit * upstroke_enough(u, velocity_tolerance, lumping),
                     lines ? ", or blocks" : ", or blocks (cardiac check measures it)");
        }
done:
    free(spacing);
    return status;
}

enum status velocity_warn(FILE *warnings, const struct upstroke *upstroke, const struct velocity_goal *goal,
                          const struct config *config, const struct mesh *mesh,
                          const struct monodomain_params *params, struct error *error)
{
    return warn_estimated(warnings, upstroke, goal, config, mesh, params, false, error);
}

static void print_velocity(FILE *file, int r, const char *direction, const struct velocity *v)
{
    fprintf(file, "front in region %d %s: %.3g m/s", r, direction, v->fine);
    if (v->blocks == 0) {
        fputs(v->dropped > 0 ? "; no straight path on this mesh is long enough to measure it\n"
              : v->lines     ? "; not measured on lines in a mesh of other elements\n"
                             : "; this mesh does not extend in that direction\n",
              file);
        return;
    }
    if (v->here > 0)
        fprintf(file, ", %.3g m/s on this mesh (%+.2g %%; %.3g to %.3g m/s", v->here,
                100 * (v->here / v->fine - 1), v->low, v->high);
    else
        fputs("; on this mesh it blocks (", file);
    if (v->here > 0 ? v->blocked > 0 : v->blocked < v->blocks)
        fprintf(file, "%sin %d of", v->here > 0 ? ", blocked " : "", v->blocked);
    else
        fprintf(file, "%sin", v->here > 0 ? " " : "");
    fprintf(file, " %d block%s", v->blocks, v->blocks == 1 ? "" : "s");
    if (v->reflected > 0)
        fprintf(file, ", %d reflected", v->reflected);
    fprintf(file, ", %lld nodes each; edges of %.3g mm)\n", (long long)v->nodes, v->edge);
}

static enum status describe_direction(FILE *file, FILE *warnings, struct velocities *velocities,
                                      const struct velocity_goal *goal, int r, int k, struct error *error)
{
    const struct region *region = &velocities->params->region[r];
    const struct front *front = &velocities->front[r];
    const char *direction = directions(region)[k];
    double root = sqrt(region->diffusion[k]);
    struct velocity v;
    TRY(velocity_measure(&v, velocities, r, k, region->diffusion, error));
    print_velocity(file, r, direction, &v);
    if (is_tuned(goal, &velocities->config->tissue.region[r]))
        warn_much(warnings, r, direction, goal->mesh[k] / goal->fine[k]);
    else if (v.blocks > 0)
        warn(warnings, r, direction, 1 - v.here / v.fine, 2 * root / front->fine, v.edge,
             root * sqrt(velocity_tolerance / front->bend), NULL);
    else if (v.dropped > 0)
        fprintf(warnings,
                "tissue.regions[%d]: the speed of a front %s is not measured on this mesh: no straight path "
                "is long enough\n",
                r, direction);
    return STATUS_OK;
}

enum status velocity_describe(FILE *file, FILE *warnings, const struct config *config,
                              const struct velocity_goal *goal, const struct mesh *mesh,
                              const struct monodomain_params *params, struct error *error)
{
    struct velocities velocities = {0};
    struct upstroke *upstroke = NULL;
    bool lines = false;
    enum status status;
    TRY_DONE(velocities_create(&velocities, config, params, mesh, NULL, error));
    for (int r = 0; r < params->regions; r++) {
        const struct region *region = &params->region[r];
        lines = lines || is_on_lines(mesh, region);
        if (region->resistor)
            continue;
        if (!(velocities.front[r].fine > 0))
            fprintf(file, "front in region %d: none travels in %s\n", r, region->model->name);
        for (int k = 0; k < velocity_directions(region) && velocities.front[r].fine > 0; k++)
            if (region->diffusion[k] > 0)
                TRY_DONE(describe_direction(file, warnings, &velocities, &goal[r], r, k, error));
    }
    if (lines) {
        upstroke = array_zeroed(params->regions, sizeof *upstroke, what, &status, error);
        TRY_DONE(status);
        TRY_DONE(velocity_upstrokes(upstroke, config, params, error));
        status = warn_estimated(warnings, upstroke, goal, config, mesh, params, true, error);
    }
done:
    free(upstroke);
    velocities_free(&velocities);
    return status;
}

bool velocity_measured(const struct config *config, int64_t elements)
{
    const int64_t cheap = 4000000; /* 1 s */
    double asked[3];
    bool measured =
        elements <= cheap || maps_ask(config->output.map, config->output.maps, MAPS_CONDUCTION_VELOCITY);
    for (int r = 0; r < config->tissue.regions; r++)
        measured = measured || config_velocity(asked, &config->tissue.region[r]);
    return measured;
}
