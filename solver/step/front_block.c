/* front_block.c: cuts a block out of a mesh, extends it by reflection, and times a front through its core. */
#include "solver/step/front_block.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/cancel.h"
#include "kernels/base/compare.h"
#include "kernels/base/union_find.h"
#include "kernels/base/vec3.h"
#include "solver/matrix/simplex.h"
#include "solver/mesh/near.h"
#include "solver/mesh/surface.h"
#include "solver/step/monodomain.h"

static const char what[] = "a block of the mesh";

/* In scales: the excited part, begin and end of the core, and the length below which a block is reflected */
static const double excited = 2, core_from = 5, core_to = 11.5, after_core = 1.5, short_of = 11;
static const double core_least = 2;       /* shortest core, in scales, if an oblique end truncates it */
static const double core_width = 2.0 / 3; /* relative to the block's width */

enum { MOST_COPIES = 48, LOW_END = 1, HIGH_END = 2 };

/* Elements of the mesh, then their nodes, as a mesh in the original order */
struct cutting {
    const struct mesh *mesh;
    const struct front_block_position *position;
    double centre[3];
    double half;      /* half the width, mm */
    double low, high; /* mm along the axis */
    double beyond;    /* distance from there to the end of the mesh, mm */
    const struct near *near;
    int32_t *element;
    struct mesh submesh;
};

void front_block_free(struct front_block *block)
{
    mesh_free(&block->mesh);
    free(block->along);
    free(block->copy);
    free(block->zone);
    *block = (struct front_block){0};
}

/* local[3] <- coordinates from the centre along the position's axes */
static void localise(double local[3], const struct cutting *cutting, const double *point)
{
    for (int k = 0; k < 3; k++) {
        local[k] = 0;
        for (int c = 0; c < 3; c++)
            local[k] += (point[c] - cutting->centre[c]) * cutting->position->axis[k][c];
    }
}

static double distance_from_axis(const double local[3])
{
    return fmax(fabs(local[1]), fabs(local[2]));
}

/* Half the width of a block, such that it has at most about 8000 nodes */
static double half_width(const struct front_block_position *position, int dimension)
{
    const double most = 8000, h = position->edge;
    double layer = most * h / (FRONT_BLOCK_LENGTH * position->scale); /* nodes across */
    double width = dimension == 3 ? sqrt(layer) * h : layer * h;
    return fmin(FRONT_BLOCK_WIDTH * position->scale, fmax(width, 3 * h)) / 2;
}

/* Whether the element is within the block; the position's element always is, so that no block is empty */
static bool is_within(const struct cutting *cutting, int64_t e)
{
    double centre[3], local[3];
    if (e == cutting->position->element)
        return true;
    if (mesh_corners(cutting->mesh, e) <= cutting->mesh->dimension)
        return false;
    mesh_centre(centre, cutting->mesh, e);
    localise(local, cutting, centre);
    return local[0] >= cutting->low && local[0] <= cutting->high &&
           distance_from_axis(local) <= cutting->half;
}

/* cutting->element <- the elements within, ascending */
static void gather_elements(struct cutting *cutting)
{
    const struct near *near = cutting->near;
    int64_t count = 0;
    for (int64_t i = 0; i < near->elements; i++)
        if (is_within(cutting, near->element[i]))
            cutting->element[count++] = near->element[i];
    cutting->submesh.elements = count;
}

/* cutting->submesh <- the elements in cutting->element */
static enum status make_submesh(struct cutting *cutting, struct error *error)
{
    const struct mesh *mesh = cutting->mesh;
    int corners = mesh->dimension + 1;
    int64_t elements = cutting->submesh.elements, count = elements * corners, nodes = 0;
    struct mesh *submesh = &cutting->submesh;
    enum status status = STATUS_OK;
    int32_t *node = array_new(count, sizeof *node, what, &status, error);
    TRY(status);
    for (int64_t i = 0; i < count; i++)
        node[i] = mesh->vertex[(int64_t)cutting->element[i / corners] * corners + i % corners];
    qsort(node, (size_t)count, sizeof *node, compare_int32);
    for (int64_t i = 0; i < count; i++)
        if (nodes == 0 || node[i] != node[nodes - 1])
            node[nodes++] = node[i];
    mesh_free(submesh);
    *submesh = (struct mesh){.dimension = mesh->dimension, .nodes = nodes, .elements = elements};
    TRY_DONE(mesh_allocate(submesh, 0, error));
    for (int64_t n = 0; n < nodes; n++)
        memcpy(submesh->point + 3 * n, mesh->point + 3 * (int64_t)node[n], 3 * sizeof *submesh->point);
    for (int64_t i = 0; i < count; i++) {
        const int32_t *old = &mesh->vertex[(int64_t)cutting->element[i / corners] * corners + i % corners];
        const int32_t *found = bsearch(old, node, (size_t)nodes, sizeof *node, compare_int32);
        submesh->vertex[i] = (int32_t)(found - node);
    }
done:
    free(node);
    return status;
}

/* Drops the elements that are not connected with the position's */
static enum status keep_connected(struct cutting *cutting, struct error *error)
{
    struct mesh *submesh = &cutting->submesh;
    int corners = submesh->dimension + 1;
    int64_t seed = 0, kept = 0;
    enum status status = STATUS_OK;
    int32_t *parent = array_new(submesh->nodes, sizeof *parent, what, &status, error);
    TRY(status);
    for (int64_t n = 0; n < submesh->nodes; n++)
        parent[n] = (int32_t)n;
    for (int64_t e = 0; e < submesh->elements; e++) {
        seed = cutting->element[e] == cutting->position->element ? e : seed;
        for (int c = 1; c < corners; c++)
            union_find_join(parent, submesh->vertex[e * corners], submesh->vertex[e * corners + c]);
    }
    int32_t root = union_find_root(parent, submesh->vertex[seed * corners]);
    for (int64_t e = 0; e < submesh->elements; e++)
        if (union_find_root(parent, submesh->vertex[e * corners]) == root)
            cutting->element[kept++] = cutting->element[e];
    free(parent);
    bool whole = kept == submesh->elements;
    submesh->elements = kept;
    return whole ? STATUS_OK : make_submesh(cutting, error);
}

/* low, high <- the extent, within one scale of the axis, of the gapless part around the centre */
static enum status find_ends(struct cutting *cutting, struct error *error)
{
    const struct mesh *submesh = &cutting->submesh;
    double near = fmin(cutting->position->scale, cutting->half), gap = 1.5 * cutting->position->edge;
    int64_t count = 0, first, last;
    enum status status = STATUS_OK;
    double *along = array_new(submesh->nodes, sizeof *along, what, &status, error);
    TRY(status);
    for (int64_t n = 0; n < submesh->nodes; n++) {
        double local[3];
        localise(local, cutting, submesh->point + 3 * n);
        if (distance_from_axis(local) <= near)
            along[count++] = local[0];
    }
    qsort(along, (size_t)count, sizeof *along, compare_double);
    for (first = 0; first + 1 < count && along[first + 1] <= 0;)
        first++;
    last = first;
    while (first > 0 && along[first] - along[first - 1] < gap)
        first--;
    while (last + 1 < count && along[last + 1] - along[last] < gap)
        last++;
    cutting->low = count > 0 ? along[first] : -gap;
    cutting->high = count > 0 ? along[last] : gap;
    free(along);
    return STATUS_OK;
}

static enum status cut_submesh(struct cutting *cutting, struct error *error)
{
    double length = FRONT_BLOCK_LENGTH * cutting->position->scale, edge = cutting->position->edge, end = 0;
    cutting->low = -length;
    cutting->high = length;
    for (int pass = 0; pass < 2; pass++) {
        gather_elements(cutting);
        TRY(make_submesh(cutting, error));
        TRY(keep_connected(cutting, error));
        TRY(find_ends(cutting, error));
        if (pass > 0)
            break;
        end = cutting->high;
        if (cutting->high - cutting->low > length) {
            cutting->low = fmin(fmax(-length / 2, cutting->low), cutting->high - length);
            cutting->high = cutting->low + length;
        } else { /* ends of the mesh need not be flat */
            cutting->low -= edge;
            cutting->high += edge;
        }
    }
    cutting->beyond = fmax(0, end - cutting->high);
    return STATUS_OK;
}

/* Faces of an end: their area, and that area projected along the axis */
struct end_area {
    double whole, projected;
};

/* end[] |= the end that a boundary face faces, for its nodes, unless the face lies at the sides; area[] +=
 * its area */
static void mark_face(uint8_t *end, struct end_area area[2], const struct cutting *cutting,
                      const struct mesh_face *face)
{
    const double facing = 0.7, ragged = 0.3,
                 inner = 5.0 / 6; /* a cut end is ragged, an end of the mesh smooth */
    const struct mesh *submesh = &cutting->submesh;
    int corners = submesh->dimension + 1;
    double gradient[4][3], local[3], square = 0, outward = 0, middle[3] = {0};
    double volume = simplex_gradients(submesh, face->from / corners, gradient);
    const double *inward = gradient[face->from % corners];
    for (int c = 0; c < 3; c++) {
        square += inward[c] * inward[c];
        outward -= inward[c] * cutting->position->axis[0][c];
        for (int a = 0; a < submesh->dimension; a++)
            middle[c] += submesh->point[3 * (int64_t)face->node[a] + c] / submesh->dimension;
    }
    localise(local, cutting, middle);
    double depth = outward > 0 ? cutting->high - local[0] : local[0] - cutting->low;
    double least = depth < cutting->position->edge ? ragged : facing;
    if (distance_from_axis(local) > inner * cutting->half || depth > (cutting->high - cutting->low) / 3 ||
        !(fabs(outward) > least * sqrt(square)))
        return;
    for (int a = 0; a < submesh->dimension; a++)
        end[face->node[a]] |= outward > 0 ? HIGH_END : LOW_END;
    area[outward > 0].whole += volume * sqrt(square);
    area[outward > 0].projected += volume * fabs(outward);
}

/* end[nodes] <- nodes shared with a mirrored copy: none at either end unless both are normal to the axis, because
 * the mirrored tensor would differ. Faces are judged one by one: at an edge of the mesh they can be
 * oblique although their mean is not. */
static enum status mark_ends(uint8_t *end, const struct cutting *cutting, struct error *error)
{
    const struct mesh *submesh = &cutting->submesh;
    int corners = submesh->dimension + 1;
    int64_t count = submesh->elements * corners;
    enum status status = STATUS_OK;
    const double across = 0.9;
    struct end_area area[2] = {{0}};
    struct mesh_face *face = array_new(count, sizeof *face, what, &status, error);
    TRY(status);
    for (int64_t i = 0; i < count; i++)
        face[i] = mesh_face_of(submesh->vertex + i / corners * corners, corners, (int)(i % corners), i);
    qsort(face, (size_t)count, sizeof *face, mesh_face_compare);
    for (int64_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && mesh_face_compare(&face[i], &face[next]) == 0;)
            next++;
        if (next == i + 1)
            mark_face(end, area, cutting, &face[i]);
    }
    free(face);
    for (int side = 0; side < 2; side++)
        for (int64_t n = 0; n < submesh->nodes && !(area[side].projected > across * area[side].whole); n++)
            end[n] = 0;
    return STATUS_OK;
}

/* Number of copies that are needed and possible at the ends */
static int count_copies(const uint8_t *end, const struct cutting *cutting)
{
    double length = cutting->high - cutting->low, scale = cutting->position->scale;
    int ends = 0;
    for (int64_t n = 0; n < cutting->submesh.nodes; n++)
        ends |= end[n];
    if (length >= short_of * scale || !ends)
        return 1;
    return (int)fmin(ceil(FRONT_BLOCK_LENGTH * scale / length), MOST_COPIES);
}

/* number[copies][nodes] <- node numbers in the block; returns their count */
static int64_t number_nodes(int32_t *number, const uint8_t *end, const struct cutting *cutting, int copies)
{
    int64_t nodes = cutting->submesh.nodes, count = 0;
    for (int j = 0; j < copies; j++)
        for (int64_t n = 0; n < nodes; n++) {
            bool shared = j > 0 && (end[n] & (j % 2 ? HIGH_END : LOW_END));
            number[j * nodes + n] = shared ? number[(j - 1) * nodes + n] : (int32_t)count++;
        }
    return count;
}

/* Where the core ends, mm from the low end. Near an end of the mesh a front is faster than elsewhere. One
 * that is not reflected may be oblique: at an angle of some 45 degrees the sides of the core reach it earlier
 * than the axis, which find_ends follows within its width. That occurs in the corners of a sheet, whose
 * positions may all be alike; in solids they differ, and their median ignores such blocks. */
static double find_core_end(const struct cutting *cutting, const uint8_t *end, int copies)
{
    double scale = cutting->position->scale, most = core_to * scale, length = cutting->high - cutting->low;
    bool flat = cutting->submesh.dimension != 2;
    if (copies > 1)
        return most;
    for (int64_t n = 0; n < cutting->submesh.nodes; n++)
        flat |= end[n] != 0;
    double askew = core_width * cutting->half + fmin(scale, cutting->half);
    double last = length - after_core * scale - (flat ? 0 : fmax(0, askew - cutting->beyond));
    if (last >= most)
        return most;
    return cutting->submesh.dimension != 2 || last >= (core_from + core_least) * scale ? last : 0;
}

static void put_node(struct front_block *block, const struct cutting *cutting, double core_end, int64_t n,
                     int j, int32_t to)
{
    const double *point = cutting->submesh.point + 3 * n;
    double length = cutting->high - cutting->low, scale = block->scale, local[3];
    localise(local, cutting, point);
    double travelled = j * length + (j % 2 ? cutting->high - local[0] : local[0] - cutting->low);
    memcpy(block->mesh.point + 3 * (int64_t)to, point, 3 * sizeof *point);
    block->along[to] = local[0];
    block->copy[to] = j;
    block->zone[to] = FRONT_BLOCK_MARGIN;
    if (j == 0 && travelled < excited * scale)
        block->zone[to] = FRONT_BLOCK_EXCITED;
    else if (travelled >= core_from * scale && travelled <= core_end &&
             distance_from_axis(local) <= cutting->half * core_width)
        block->zone[to] = FRONT_BLOCK_CORE;
}

static enum status put_copies(struct front_block *block, const struct cutting *cutting, const uint8_t *end,
                              struct error *error)
{
    const struct mesh *submesh = &cutting->submesh;
    int copies = count_copies(end, cutting), corners = submesh->dimension + 1;
    enum status status = STATUS_OK;
    int32_t *number = array_new(copies * submesh->nodes, sizeof *number, what, &status, error);
    TRY(status);
    int64_t nodes = number_nodes(number, end, cutting, copies);
    block->copies = copies;
    block->mesh = (struct mesh){.dimension = submesh->dimension,
                                .nodes = nodes,
                                .elements = copies * submesh->elements,
                                .fiber_location = LOCATION_ELEMENT};
    TRY_DONE(mesh_allocate(&block->mesh, 1, error));
    block->along = array_new(nodes, sizeof *block->along, what, &status, error);
    block->copy = array_new(nodes, sizeof *block->copy, what, &status, error);
    block->zone = array_new(nodes, sizeof *block->zone, what, &status, error);
    TRY_DONE(status);
    double core_end = find_core_end(cutting, end, copies);
    for (int j = copies - 1; j >= 0; j--) /* a shared node belongs to its first copy */
        for (int64_t n = 0; n < submesh->nodes; n++)
            put_node(block, cutting, core_end, n, j, number[j * submesh->nodes + n]);
    for (int64_t e = 0; e < block->mesh.elements; e++) {
        int64_t j = e / submesh->elements, from = e % submesh->elements;
        for (int c = 0; c < corners; c++)
            block->mesh.vertex[e * corners + c] =
                number[j * submesh->nodes + submesh->vertex[from * corners + c]];
        memcpy(block->mesh.fiber + 3 * e, cutting->position->fiber, 3 * sizeof *block->mesh.fiber);
        memcpy(block->mesh.sheet + 3 * e, cutting->position->sheet, 3 * sizeof *block->mesh.sheet);
    }
    for (int64_t n = 0; n < nodes; n++)
        block->core += block->zone[n] == FRONT_BLOCK_CORE;
done:
    free(number);
    return status;
}

/* share[k] <- (u . axis k of the frame)^2 */
static void find_share(double share[3], const struct front_block_position *position)
{
    const double *u = position->axis[0], *f = position->fiber, *s = position->sheet;
    double n[3];
    vec3_cross(n, f, s);
    const double *const axis[3] = {f, s, n};
    for (int k = 0; k < 3; k++)
        share[k] = vec3_dot(u, axis[k]) * vec3_dot(u, axis[k]);
    for (int k = 0; k < 3; k++)
        if (share[k] > 1 - 1e-12) /* ignores tilt due to rounding */
            share[0] = share[1] = share[2] = 0, share[k] = 1;
}

double front_block_tilt(const struct front_block *block, const double diffusion[3], int k)
{
    double along = 0;
    for (int j = 0; j < 3; j++)
        along += block->share[j] * diffusion[j];
    return block->share[k] == 1 || !(along > 0) ? 1 : sqrt(diffusion[k] / along);
}

/* near: contains all elements that cut_submesh() may need */
static enum status cut_block(struct front_block *block, const struct mesh *mesh,
                             const struct front_block_position *position, const struct near *near,
                             struct error *error)
{
    struct cutting cutting = {
        .mesh = mesh, .position = position, .half = half_width(position, mesh->dimension), .near = near};
    uint8_t *end = NULL;
    enum status status = STATUS_OK;
    *block = (struct front_block){.edge = position->edge, .scale = position->scale};
    find_share(block->share, position);
    memcpy(cutting.centre, near->centre, sizeof cutting.centre);
    cutting.element = array_new(near->elements, sizeof *cutting.element, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(cut_submesh(&cutting, error));
    end = array_zeroed(cutting.submesh.nodes, sizeof *end, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(mark_ends(end, &cutting, error));
    TRY_DONE(put_copies(block, &cutting, end, error));
done:
    free(end);
    free(cutting.element);
    mesh_free(&cutting.submesh);
    if (status)
        front_block_free(block);
    return status;
}

enum status front_blocks_cut(struct front_block *const block[], const struct mesh *mesh,
                             const struct front_block_position *const position[], int count,
                             struct error *error)
{
    const double extent = near_extent(mesh);
    enum status status = STATUS_OK;
    struct near *near = array_zeroed(count, sizeof *near, what, &status, error);
    TRY_DONE(status);
    for (int b = 0; b < count; b++) {
        double half = half_width(position[b], mesh->dimension),
               reach = FRONT_BLOCK_LENGTH * position[b]->scale + position[b]->edge;
        mesh_centre(near[b].centre, mesh, position[b]->element);
        near[b].radius = sqrt(reach * reach + 2 * half * half) + extent;
    }
    TRY_DONE(near_find(near, count, mesh, error));
#pragma omp parallel for schedule(dynamic, 1)
    for (int b = 0; b < count; b++) {
        struct error inner = {0};
        enum status own = cut_block(block[b], mesh, position[b], &near[b], &inner);
        error_first(&status, error, own, &inner);
    }
done:
    if (near)
        near_free(near, count);
    free(near);
    return status;
}

/* time[nodes] <- activation times once the whole core is activated, or no further node is within
 * `patience` */
static enum status step_block(struct monodomain *sim, const struct front_block *block, double start,
                              double patience, double *time, struct error *error)
{
    enum { STEPS = 64 };
    const double approach = core_from - excited; /* the first ones by units, before the first core node */
    int64_t nodes = block->mesh.nodes, reached = 0, before;
    double last = 0;
    int map = monodomain_find(sim, "activation_time");
    TRY(monodomain_voltage(sim, time, error));
    for (int64_t n = 0; n < nodes; n++)
        time[n] = block->zone[n] == FRONT_BLOCK_EXCITED ? start : time[n];
    TRY(monodomain_set(sim, 0, time, error));
    do {
        TRY(cancel_check(error));
        TRY(monodomain_advance(sim, STEPS, error));
        TRY(monodomain_get(sim, map, time, error));
        before = reached;
        reached = 0;
        for (int64_t n = 0; n < nodes; n++)
            reached += block->zone[n] == FRONT_BLOCK_CORE && !isnan(time[n]);
        last = reached > before ? monodomain_time(sim) : last;
    } while (reached < block->core && monodomain_time(sim) - last < (reached ? 1 : approach) * patience);
    return STATUS_OK;
}

/* Slope of position over time in the core, with separate means for each copy; 0 if too few nodes were
 * activated */
static double fit_speed(const struct front_block *block, const double *time)
{
    double count[MOST_COPIES] = {0}, along[MOST_COPIES] = {0}, mean[MOST_COPIES] = {0};
    double spread = 0, common = 0, reached = 0;
    for (int64_t n = 0; n < block->mesh.nodes; n++)
        if (block->zone[n] == FRONT_BLOCK_CORE && !isnan(time[n])) {
            count[block->copy[n]]++;
            along[block->copy[n]] += block->along[n];
            mean[block->copy[n]] += time[n];
            reached++;
        }
    for (int64_t n = 0; n < block->mesh.nodes; n++)
        if (block->zone[n] == FRONT_BLOCK_CORE && !isnan(time[n])) {
            int j = block->copy[n];
            double from_middle = block->along[n] - along[j] / count[j];
            spread += from_middle * from_middle;
            common += (j % 2 ? -1 : 1) * from_middle * (time[n] - mean[j] / count[j]);
        }
    return reached >= 0.8 * (double)block->core && common > 0 ? spread / common : 0;
}

static bool is_hopeless(const struct front_block *block, double speed, double along)
{
    const double hopeless = 50; /* edge length, in front widths D / c, at which a front blocks */
    return block->edge > hopeless * along / speed;
}

double front_block_work(const struct front_block *block, double speed, double along, double step)
{
    return is_hopeless(block, speed, along)
               ? 0
               : (double)block->mesh.nodes * FRONT_BLOCK_LENGTH * block->scale / speed / step;
}

enum status front_block_speed(double *speed, const struct front_block *block, const struct front *front,
                              const double diffusion[3], double along, struct error *error)
{
    struct monodomain *sim = NULL;
    enum status status = STATUS_OK;
    double fine = sqrt(along) * front->speed.fine;
    *speed = 0;
    if (is_hopeless(block, fine, along))
        return STATUS_OK;
    double patience = fmax(block->scale, 4 * along / fine) / (fine / 10);
    struct region region = front_region(front, diffusion);
    int32_t *element_region =
        array_zeroed(block->mesh.elements, sizeof *element_region, what, &status, error);
    double *time = array_new(block->mesh.nodes, sizeof *time, what, &status, error);
    const struct monodomain_params params = front_params(front, &region, element_region);
    TRY_DONE(status);
    TRY_DONE(monodomain_create(&sim, &block->mesh, &params, front->queue, error));
    TRY_DONE(step_block(sim, block, FRONT_START, patience, time, error));
    *speed = fit_speed(block, time);
done:
    monodomain_free(sim);
    free(element_region);
    free(time);
    return status;
}
