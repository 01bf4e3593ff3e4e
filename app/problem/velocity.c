/* velocity.c: measure fronts in blocks of the mesh, or read them from the cache. */
#include "app/problem/velocity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config/maps.h"
#include "app/io/store/digest.h"
#include "app/util/cache.h"
#include "app/util/watch.h"
#include "app/models/single_cell.h"
#include "app/models/user_model.h"
#include "kernels/base/array.h"
#include "kernels/base/cancel.h"
#include "kernels/base/clock.h"
#include "kernels/base/compare.h"
#include "kernels/base/vec3.h"
#include "kernels/device/backend.h"

static const char what[] = "the velocities";

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

/* Refuses steps below 1e-5 ms: a front takes some ms to cross a block. */
static enum status check_step(const struct monodomain_params *params, struct error *error)
{
    const double least = 1e-5; /* ms */
    return params->step >= least
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "fronts are measured in steps of %g ms or more, not of %g ms",
                           least, params->step);
}

enum { STEP_FACTS = 11 };

/* fact[] <- the parameters that affect the steps of every front */
static void list_step_facts(double fact[STEP_FACTS], const struct monodomain_params *p)
{
    const double facts[STEP_FACTS] = {p->step,          p->mass_lumping,        p->splitting,
                                      front_staged(p),  p->max_sweeps,          p->tolerance,
                                      p->ionic_mixed,   p->ionic_tables,        p->ionic_substeps,
                                      p->voltage_limit, p->activation_threshold};
    memcpy(fact, facts, sizeof facts);
}

/* entry <- the cache name of a property of fronts of region r; it depends on the cells, their steps and more[mores] */
static void name_entry(char entry[CACHE_NAME], const struct velocities *velocities, int r,
                       const struct cache_input *more, int mores)
{
    const struct region *region = &velocities->params->region[r];
    const struct ionic_model *model = region->model;
    const struct user_model *user = user_model_of(velocities->config->models, model);
    const int given[] = {region->parameter != NULL, region->initial != NULL};
    double steps[STEP_FACTS];
    enum { OWN = 8, MOST = 11 };
    list_step_facts(steps, velocities->params);
    struct cache_input input[MOST] = {
        CACHE_TEXT(velocities->memory.program),
        CACHE_TEXT(model->name),
        CACHE_TEXT(user ? user->sha256 : ""),
        CACHE_TEXT(user ? user->compiled.formulas : ""),
        {steps, sizeof steps},
        {given, sizeof given},
        {region->parameter, region->parameter ? (size_t)model->parameters * sizeof(double) : 0},
        {region->initial, region->initial ? (size_t)single_cell_values(model) * sizeof(double) : 0},
    };
    for (int k = 0; k < mores; k++)
        input[OWN + k] = more[k];
    cache_name(entry, "fronts", input, OWN + mores);
}

/* velocities->front[r] <- the front on a fine cable, cached or measured */
static enum status find_front(struct velocities *velocities, int r, struct error *error)
{
    struct front front = {
        .params = velocities->params, .region = &velocities->params->region[r], .queue = velocities->queue};
    struct front_speed *to = &velocities->front[r];
    struct front_measurement measurement;
    enum status status = STATUS_OK;
    char entry[CACHE_NAME];
    name_entry(entry, velocities, r, NULL, 0);
    if (!front_measurement_begin(&measurement, &velocities->memory, entry, to, sizeof *to)) {
        watch_now("measuring fronts: region %d in a fine cable", r);
        status = front_fine(&front, error);
        *to = front.speed;
    }
    front_measurement_end(&measurement, to, !status);
    return status;
}

enum status velocities_create(struct velocities *to, const struct config *config,
                              const struct monodomain_params *params, const struct mesh *mesh,
                              const char *mesh_sha256, struct error *error)
{
    enum status status = STATUS_OK;
    *to = (struct velocities){.config = config,
                              .params = params,
                              .mesh = mesh,
                              .mesh_sha256 = mesh_sha256,
                              .told = clock_seconds() + VELOCITY_SILENT};
    TRY(check_step(params, error));
    const struct backend *backend = backend_find("cpu", error);
    if (!backend)
        return STATUS_INPUT;
    front_memory_open(&to->memory);
    to->front = array_zeroed(params->regions, sizeof *to->front, what, &status, error);
    to->blocks = array_zeroed(params->regions, sizeof *to->blocks, what, &status, error);
    TRY(status);
    TRY(queue_new(&to->queue, backend, 1, error));
    TRY(user_model_load(config->models, to->queue, config_way(config), error));
    for (int r = 0; r < params->regions; r++)
        TRY(find_front(to, r, error));
    return STATUS_OK;
}

static void free_front_blocks(struct velocity_blocks blocks[3])
{
    for (int k = 0; k < 3; k++) {
        for (int b = 0; b < blocks[k].count; b++)
            front_block_free(&blocks[k].block[b]);
        blocks[k] = (struct velocity_blocks){0};
    }
}

void velocities_free(struct velocities *velocities)
{
    for (int r = 0; velocities->blocks && r < velocities->params->regions; r++)
        free_front_blocks(velocities->blocks[r]);
    queue_free(velocities->queue);
    front_memory_free(&velocities->memory);
    free(velocities->front);
    free(velocities->blocks);
    *velocities = (struct velocities){0};
}

int velocity_directions(const struct region *region)
{
    return region->isotropic ? 1 : region->diffusion[1] == region->diffusion[2] ? 2 : 3;
}

const char *velocity_direction(const struct region *region, int k)
{
    static const char *const names[][3] = {
        {"in every direction", NULL, NULL},
        {"along the fibres", "across the fibres", NULL},
        {"along the fibres", "across them in the sheet", "across the sheets"}};
    return names[velocity_directions(region) - 1][k];
}

bool velocity_on_lines(const struct mesh *mesh, const struct region *region)
{
    return mesh->dimension > 1 && region->section[1] > 0;
}

void velocity_fine(double diffusion[3], const struct velocities *velocities, int r, const double speed[3])
{
    for (int k = 0; k < 3; k++)
        diffusion[k] = speed[k] / velocities->front[r].fine * (speed[k] / velocities->front[r].fine);
}

/* Drops the blocks that are too short to measure in, such as those between surfaces oblique to their axis. */
static void drop_short(struct velocity_blocks *blocks)
{
    const int64_t least = 5;
    int count = 0;
    for (int b = 0; b < blocks->count; b++) {
        if (blocks->block[b].core < least) {
            front_block_free(&blocks->block[b]);
            continue;
        }
        blocks->axis[count] = blocks->axis[b];
        blocks->position[count] = blocks->position[b];
        blocks->block[count++] = blocks->block[b];
    }
    blocks->dropped = blocks->count - count;
    blocks->count = count;
}

/* diffusion[3] <- D for which a region's blocks are cut: its own, or that of its velocity on a fine mesh */
static void find_base(double diffusion[3], const struct velocities *velocities, int r)
{
    double speed[3];
    memcpy(diffusion, velocities->params->region[r].diffusion, 3 * sizeof *diffusion);
    if (config_velocity(speed, &velocities->config->tissue.region[r]))
        velocity_fine(diffusion, velocities, r, speed);
}

/* Sorts value[count] and returns its median; for an even count the mean of the middle two, or 0 if the lower is 0 */
static double median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, compare_double);
    double low = value[(count - 1) / 2], high = value[count / 2];
    return low > 0 ? (low + high) / 2 : 0;
}

/* The extent of the block's central element along the front's axis, mm */
static double reach(const struct mesh *mesh, const struct front_block_position *position)
{
    const int32_t *vertex = mesh->vertex + position->element * (mesh->dimension + 1);
    double low = INFINITY, high = -INFINITY;
    for (int a = 0; a < mesh_corners(mesh, position->element); a++) {
        double at = vec3_dot(mesh->point + 3 * (int64_t)vertex[a], position->axis[0]);
        low = fmin(low, at);
        high = fmax(high, at);
    }
    return high - low;
}

/* blocks->edge <- the median over all positions, before any is dropped; 0 = there are none */
static void find_edge(struct velocity_blocks *blocks, const struct mesh *mesh)
{
    double edge[FRONT_BLOCK_POSITIONS * FRONT_BLOCK_POSITIONS_AXES];
    for (int b = 0; b < blocks->count; b++)
        edge[b] = fmax(blocks->position[b].edge, reach(mesh, &blocks->position[b]));
    blocks->edge = blocks->count > 0 ? median(edge, blocks->count) : 0;
}

/* Chooses the positions of the blocks of region r; their size follows from the width of fronts with diffusion base[3]
 * on a fine mesh. */
static enum status choose_positions(struct velocities *velocities, int r, const double base[3],
                                    struct error *error)
{
    struct front_block_position position[FRONT_BLOCK_POSITIONS][FRONT_BLOCK_POSITIONS_AXES];
    uint8_t there[FRONT_BLOCK_POSITIONS][FRONT_BLOCK_POSITIONS_AXES];
    const struct monodomain_params *params = velocities->params;
    const struct region *region = &params->region[r];
    const struct tensors tensors = {velocities->mesh, params->region, params->element_region, params->fiber};
    double width[3];
    struct velocity_blocks *blocks = velocities->blocks[r];
    if (blocks->chosen && memcmp(blocks->base, base, sizeof blocks->base) == 0)
        return STATUS_OK;
    free_front_blocks(blocks);
    memcpy(blocks->base, base, sizeof blocks->base);
    for (int k = 0; k < 3; k++)
        width[k] = 2 * sqrt(base[k]) / velocities->front[r].fine;
    TRY(front_block_positions_choose(position, there, &tensors, r, width, error));
    for (int p = 0; p < FRONT_BLOCK_POSITIONS; p++)
        for (int k = 0; k < FRONT_BLOCK_POSITIONS_AXES; k++) {
            int direction = k < velocity_directions(region) ? k : velocity_directions(region) - 1;
            struct velocity_blocks *to = &blocks[direction];
            if (!there[p][k])
                continue;
            to->axis[to->count] = k;
            to->position[to->count++] = position[p][k];
        }
    for (int k = 0; k < 3; k++)
        find_edge(&blocks[k], velocities->mesh);
    blocks->chosen = true;
    return STATUS_OK;
}

static enum status cut_blocks(struct velocities *velocities, int r, const double base[3], struct error *error)
{
    struct front_block *block[3 * FRONT_BLOCK_POSITIONS * FRONT_BLOCK_POSITIONS_AXES];
    const struct front_block_position *position[3 * FRONT_BLOCK_POSITIONS * FRONT_BLOCK_POSITIONS_AXES];
    struct velocity_blocks *blocks = velocities->blocks[r];
    int count = 0;
    TRY(choose_positions(velocities, r, base, error));
    if (blocks->cut)
        return STATUS_OK;
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < blocks[k].count; b++) {
            position[count] = &blocks[k].position[b];
            block[count++] = &blocks[k].block[b];
        }
    TRY(front_blocks_cut(block, velocities->mesh, position, count, error));
    for (int k = 0; k < 3; k++)
        drop_short(&blocks[k]);
    blocks->cut = true;
    return STATUS_OK;
}

/* speed[blocks] <- the speed of a front through each block; blocks run in parallel, one thread each */
static enum status send_fronts(double *speed, const struct velocities *velocities, int r,
                               const struct velocity_blocks *blocks, const double diffusion[3],
                               struct error *error)
{
    enum status status = STATUS_OK;
    const int *flag = cancel_watched();
#pragma omp parallel for schedule(dynamic, 1)
    for (int b = 0; b < blocks->count; b++) {
        const int *before = cancel_watch(flag);
        struct error inner = {0};
        struct front front = {.params = velocities->params,
                              .region = &velocities->params->region[r],
                              .speed = velocities->front[r]};
        enum status own = queue_new(&front.queue, velocities->queue->backend, 1, &inner);
        if (!own)
            own = front_block_speed(&speed[b], &blocks->block[b], &front, diffusion,
                                    diffusion[blocks->axis[b]], &inner);
        queue_free(front.queue);
        error_first(&status, error, own, &inner);
        cancel_watch(before);
    }
    return status;
}

/* entry <- the cache name of a velocity in direction k, or of the edges in all directions (k = -1). Computes the digest
 * of the mesh and its regions on first use. */
static void name_velocity(char entry[CACHE_NAME], struct velocities *velocities, int r, int k,
                          const double diffusion[3], const double base[3])
{
    const struct monodomain_params *params = velocities->params;
    const struct region *region = &params->region[r];
    double numbers[10] = {r, k, velocity_directions(region), region->scale[1] == region->scale[2]};
    if (!velocities->tissue[0]) {
        struct sha256 sha;
        char mesh[SHA256_HEX];
        if (!velocities->mesh_sha256)
            digest_mesh(velocities->mesh, NULL, mesh);
        sha256_start(&sha);
        sha256_add(&sha, velocities->mesh_sha256 ? velocities->mesh_sha256 : mesh, SHA256_HEX);
        digest_add(&sha, params->element_region,
                   (size_t)velocities->mesh->elements * sizeof *params->element_region);
        if (params->fiber)
            sha256_add(&sha, params->fiber, 3 * sizeof *params->fiber);
        sha256_end(&sha, velocities->tissue);
    }
    memcpy(numbers + 4, diffusion, 3 * sizeof *numbers);
    memcpy(numbers + 7, base, 3 * sizeof *numbers);
    const struct cache_input more[] = {CACHE_TEXT(velocities->tissue), {numbers, sizeof numbers}};
    name_entry(entry, velocities, r, more, sizeof more / sizeof *more);
}

static enum status measure_blocks(struct velocity *velocity, struct velocities *velocities, int r, int k,
                                  const double diffusion[3], const double base[3], struct error *error)
{
    double speed[FRONT_BLOCK_POSITIONS * FRONT_BLOCK_POSITIONS_AXES] = {0},
                                         edge[FRONT_BLOCK_POSITIONS * FRONT_BLOCK_POSITIONS_AXES];
    const struct velocity_blocks *blocks = &velocities->blocks[r][k];
    const double alike = 1.2, step = velocities->params->step;
    TRY(cut_blocks(velocities, r, base, error));
    velocity->blocks = blocks->count;
    velocity->dropped = blocks->dropped;
    for (int b = 0; b < blocks->count; b++)
        if (front_block_work(&blocks->block[b], velocity->fine, diffusion[blocks->axis[b]], step) >
            VELOCITY_WORK)
            velocity->length = fmax(velocity->length, FRONT_BLOCK_LENGTH * blocks->block[b].scale);
    if (blocks->count == 0 || velocity->length > 0)
        return STATUS_OK;
    TRY(send_fronts(speed, velocities, r, blocks, diffusion, error));
    for (int b = 0; b < blocks->count; b++) {
        int64_t nodes = blocks->block[b].core;
        edge[b] = blocks->block[b].edge;
        velocity->blocked += !(speed[b] > 0);
        speed[b] *= front_block_tilt(&blocks->block[b], diffusion, blocks->axis[b]);
        velocity->reflected += blocks->block[b].copies > 1;
        velocity->nodes = b == 0 || nodes < velocity->nodes ? nodes : velocity->nodes;
    }
    velocity->here = median(speed, blocks->count);
    velocity->edge = median(edge, blocks->count);
    const int quartile = (blocks->count - 1) / 4;
    velocity->apart = velocity->here > 0 && speed[blocks->count - 1 - quartile] > alike * speed[quartile];
    velocity->low = speed[0];
    velocity->high = speed[blocks->count - 1];
    return STATUS_OK;
}

/* Prints a progress line if standard error is a terminal and one is due. */
static void tell(struct velocities *velocities, int r, int k, const struct velocity *velocity)
{
    double now = clock_seconds();
    if (now < velocities->told || !isatty(STDERR_FILENO))
        return;
    velocities->told = now + VELOCITY_SILENT;
    watch_printed();
    fprintf(stderr, "cardiac: measuring fronts: region %d %s, %.3g m/s\n", r,
            velocity_direction(&velocities->params->region[r], k), velocity->here);
}

/* *velocity <- what is known without a measurement. True if none is needed or possible: no front travels, or the region
 * consists of lines */
static bool is_still(struct velocity *velocity, const struct velocities *velocities, int r, int k,
                     const double diffusion[3])
{
    memset(velocity, 0, sizeof *velocity); /* its padding is stored as well */
    velocity->fine = sqrt(diffusion[k]) * velocities->front[r].fine;
    return !(velocity->fine > 0) || velocity_on_lines(velocities->mesh, &velocities->params->region[r]);
}

enum status velocity_measure_in(struct velocity *velocity, struct velocities *velocities, int r, int k,
                                const double diffusion[3], const double base[3], struct error *error)
{
    struct front_measurement measurement;
    char entry[CACHE_NAME];
    enum status status = STATUS_OK;
    if (is_still(velocity, velocities, r, k, diffusion))
        return STATUS_OK;
    name_velocity(entry, velocities, r, k, diffusion, base);
    if (!front_measurement_begin(&measurement, &velocities->memory, entry, velocity, sizeof *velocity)) {
        watch_now("measuring fronts: region %d %s", r, velocity_direction(&velocities->params->region[r], k));
        status = measure_blocks(velocity, velocities, r, k, diffusion, base, error);
        if (!status)
            tell(velocities, r, k, velocity);
    }
    front_measurement_end(&measurement, velocity, !status);
    return status;
}

enum status velocity_measure(struct velocity *velocity, struct velocities *velocities, int r, int k,
                             const double diffusion[3], struct error *error)
{
    double base[3];
    find_base(base, velocities, r);
    return velocity_measure_in(velocity, velocities, r, k, diffusion, base, error);
}

/* The edge of the uniform cable whose h^2 term equals the mean over the region's lines: sqrt(sum h^3 / sum h), mm */
static double edge_of_lines(const struct velocities *velocities, int r)
{
    const struct mesh *mesh = velocities->mesh;
    double length = 0, cubes = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
        if (velocities->params->element_region[e] != r || mesh_corners(mesh, e) != 2)
            continue;
        double h = mesh_distance(mesh->point + 3 * (int64_t)vertex[0], mesh->point + 3 * (int64_t)vertex[1]);
        length += h;
        cubes += h * h * h;
    }
    return length > 0 ? sqrt(cubes / length) : 0;
}

enum status velocity_edge(double *edge, struct velocities *velocities, int r, int k, struct error *error)
{
    enum { LEAST = 100000 }; /* elements; with fewer, finding positions is as fast as reading an entry */
    const struct region *region = &velocities->params->region[r];
    struct front_measurement measurement;
    char entry[CACHE_NAME];
    double edges[3], base[3];
    enum status status = STATUS_OK;
    if (velocity_on_lines(velocities->mesh, region)) {
        *edge = edge_of_lines(velocities, r);
        return STATUS_OK;
    }
    find_base(base, velocities, r);
    if (velocities->mesh->elements < LEAST) {
        TRY(choose_positions(velocities, r, base, error));
        *edge = velocities->blocks[r][k].edge;
        return STATUS_OK;
    }
    name_velocity(entry, velocities, r, -1, region->diffusion, base);
    if (!front_measurement_begin(&measurement, &velocities->memory, entry, edges, sizeof edges)) {
        status = choose_positions(velocities, r, base, error);
        for (int d = 0; d < 3; d++)
            edges[d] = velocities->blocks[r][d].edge;
    }
    front_measurement_end(&measurement, edges, !status);
    *edge = status ? 0 : edges[k];
    return status;
}

bool velocity_measured(const struct config *config, int64_t elements)
{
    const int64_t cheap = 4000000; /* elements, about 1 s */
    double asked[3];
    bool measured =
        elements <= cheap || maps_ask(config->output.map, config->output.maps, MAPS_CONDUCTION_VELOCITY);
    for (int r = 0; r < config->tissue.regions; r++)
        measured = measured || config_velocity(asked, &config->tissue.region[r]);
    return measured;
}
