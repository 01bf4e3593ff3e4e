/* plain_block.h: what a block that is cut out of a mesh holds, by plain loops over all elements (solver/step/front_block.h). */
#ifndef CARDIAC_TESTS_PLAIN_BLOCK_H
#define CARDIAC_TESTS_PLAIN_BLOCK_H

#include "kernels/base/vec3.h"
#include "solver/step/front_block.h"
#include "tests/support/case.h"

/* How many of the elements lie in a part of the mesh that an element's corners belong to, by one edge after the other */
static inline int64_t flood(uint8_t *in, const struct mesh *mesh, int64_t from)
{
    const int corners = mesh->dimension + 1;
    uint8_t *node = calloc((size_t)mesh->nodes, 1);
    int64_t count = 0, before;
    CHECK(node, "no memory");
    for (int a = 0; a < corners; a++)
        node[mesh->vertex[from * corners + a]] = 1;
    do {
        before = count;
        count = 0;
        for (int64_t e = 0; e < mesh->elements; e++) {
            bool reached = false;
            for (int a = 0; a < corners; a++)
                reached |= in[e] && node[mesh->vertex[e * corners + a]];
            for (int a = 0; a < corners && reached; a++)
                node[mesh->vertex[e * corners + a]] = 1;
            count += reached;
        }
    } while (count > before);
    for (int64_t e = 0; e < mesh->elements; e++)
        in[e] = in[e] && node[mesh->vertex[e * corners]];
    free(node);
    return count;
}

static inline void localise_at(double local[3], const struct front_block_position *position,
                               const double *centre, const double *point)
{
    double x[3];
    vec3_between(x, centre, point);
    for (int k = 0; k < 3; k++)
        local[k] = vec3_dot(x, position->axis[k]);
}

/* ends[] <- along the axis, from the node last below the middle, or the first, as far as nodes of the elements follow
 * without a gap, which lie within `near` of the axis */
static inline void find_ends_plainly(double ends[2], const uint8_t *in, const struct mesh *mesh,
                                     const struct front_block_position *position, double near)
{
    const int corners = mesh->dimension + 1;
    double *along = calloc((size_t)(mesh->elements * corners), sizeof *along), centre[3], below = -INFINITY,
           first = INFINITY;
    int64_t count = 0;
    CHECK(along, "no memory");
    mesh_centre(centre, mesh, position->element);
    for (int64_t k = 0; k < mesh->elements * corners; k++) {
        double local[3];
        localise_at(local, position, centre, mesh_sample_corner(mesh, k / corners, (int)(k % corners)));
        if (!in[k / corners] || !(fabs(local[1]) <= near && fabs(local[2]) <= near))
            continue;
        along[count++] = local[0];
        below = local[0] <= 0 ? fmax(below, local[0]) : below;
        first = fmin(first, local[0]);
    }
    ends[0] = ends[1] = isinf(below) ? first : below;
    for (bool grown = true; grown;) {
        grown = false;
        for (int64_t k = 0; k < count; k++) {
            const double down = ends[0] - along[k], up = along[k] - ends[1];
            const bool under = down > 0 && down < 1.5 * position->edge;
            const bool over = up > 0 && up < 1.5 * position->edge;
            ends[0] = under ? along[k] : ends[0];
            ends[1] = over ? along[k] : ends[1];
            grown |= under || over;
        }
    }
    free(along);
}

/* The elements in[] at each node: those of node n are element[start[n] .. start[n + 1] - 1]; start[] is 0 at first */
static inline int32_t *list_at_nodes(int64_t *start, const uint8_t *in, const struct mesh *mesh)
{
    const int corners = mesh->dimension + 1;
    int32_t *element = calloc((size_t)(mesh->elements * corners), sizeof *element);
    CHECK(element, "no memory");
    for (int64_t k = 0; k < mesh->elements * corners; k++)
        start[mesh->vertex[k] + 1] += in[k / corners];
    for (int64_t n = 0; n < mesh->nodes; n++)
        start[n + 1] += start[n];
    for (int64_t k = mesh->elements * corners - 1; k >= 0; k--) /* from the end of each node's */
        if (in[k / corners])
            element[--start[mesh->vertex[k] + 1]] = (int32_t)(k / corners);
    for (int64_t n = 0; n < mesh->nodes; n++) /* each has become the beginning of the next one's */
        start[n] = start[n + 1];
    start[mesh->nodes] = 0;
    for (int64_t k = 0; k < mesh->elements * corners; k++)
        start[mesh->nodes] += in[k / corners];
    return element;
}

/* outward[3] <- the unit normal of the face of element e that leaves out corner a; returns a multiple of its area, the same of all */
static inline double face_normal(double outward[3], const struct mesh *mesh, int64_t e, int a)
{
    const int d = mesh->dimension;
    const double *of[3] = {NULL}, *apex = mesh_sample_corner(mesh, e, a);
    double side[2][3] = {{0}}, inward[3], area = 1;
    for (int b = 0, at = 0; b <= d; b++)
        if (b != a)
            of[at++] = mesh_sample_corner(mesh, e, b);
    vec3_between(inward, of[0], apex);
    for (int k = 0; k + 1 < d; k++)
        vec3_between(side[k], of[0], of[k + 1]);
    if (d == 3) {
        vec3_cross(outward, side[0], side[1]);
        area = vec3_length(outward);
    } else { /* within the element, across its side */
        area = d == 2 ? vec3_length(side[0]) : 1;
        const double along = d == 2 ? vec3_dot(inward, side[0]) / (area * area) : 0;
        for (int c = 0; c < 3; c++)
            outward[c] = inward[c] - along * side[0][c];
    }
    const double scale = (vec3_dot(outward, inward) > 0 ? -1 : 1) / vec3_length(outward);
    for (int c = 0; c < 3; c++)
        outward[c] *= scale;
    return area;
}

/* end[nodes] <- 1: of a flat low end, 2: of a high one, from faces of one element that face along the axis, by 0.7 of their area, within
 * an edge of the end by 0.3, whose middle is near the axis and in the outer third; of ends whose faces together face by 0.9 */
static inline void mark_ends_plainly(uint8_t *end, const uint8_t *in, const struct mesh *mesh,
                                     const struct front_block_position *position, const double ends[2],
                                     double half)
{
    const int d = mesh->dimension;
    int64_t *start = calloc((size_t)mesh->nodes + 1, sizeof *start);
    double area[2] = {0}, facing[2] = {0}, centre[3];
    CHECK(start, "no memory");
    int32_t *element = list_at_nodes(start, in, mesh);
    mesh_centre(centre, mesh, position->element);
    for (int64_t k = 0; k < mesh->elements * (d + 1); k++) {
        const int64_t e = k / (d + 1);
        const int a = (int)(k % (d + 1));
        const int32_t first = mesh->vertex[e * (d + 1) + (a == 0)];
        double outward[3], middle[3] = {0}, local[3];
        int sharing = 0;
        for (int64_t o = start[first]; o < start[first + 1] && in[e]; o++) {
            int same = 0;
            for (int b = 0; b <= d; b++)
                for (int c = 0; c <= d; c++)
                    same += b != a && mesh->vertex[e * (d + 1) + b] == mesh->vertex[element[o] * (d + 1) + c];
            sharing += same == d;
        }
        if (sharing != 1)
            continue;
        const double own = face_normal(outward, mesh, e, a), cosine = vec3_dot(outward, position->axis[0]);
        for (int b = 0; b <= d; b++)
            for (int c = 0; c < 3 && b != a; c++)
                middle[c] += mesh_sample_corner(mesh, e, b)[c] / d;
        localise_at(local, position, centre, middle);
        const double depth = cosine > 0 ? ends[1] - local[0] : local[0] - ends[0];
        if (fmax(fabs(local[1]), fabs(local[2])) > half * 5 / 6 || depth > (ends[1] - ends[0]) / 3 ||
            fabs(cosine) <= (depth < position->edge ? 0.3 : 0.7))
            continue;
        for (int b = 0; b <= d; b++)
            if (b != a)
                end[mesh->vertex[e * (d + 1) + b]] |= cosine > 0 ? 2 : 1;
        area[cosine > 0] += own;
        facing[cosine > 0] += own * fabs(cosine);
    }
    if (!(facing[0] > 0.9 * area[0]) || !(facing[1] > 0.9 * area[1])) /* one that is not flat spoils both */
        memset(end, 0, (size_t)mesh->nodes);
    free(element);
    free(start);
}

/* How many copies are made, how many nodes they have, and where the core ends */
static inline void check_copies(const struct front_block *block, const uint8_t *in, const struct mesh *mesh,
                                const struct front_block_position *position, const double ends[2],
                                double half, double beyond)
{
    const int d = mesh->dimension;
    const double unit = position->scale, length = ends[1] - ends[0];
    uint8_t *end = calloc((size_t)mesh->nodes, 1), *used = calloc((size_t)mesh->nodes, 1);
    int64_t nodes = 0, high = 0, low = 0;
    CHECK(end && used, "no memory");
    mark_ends_plainly(end, in, mesh, position, ends, half);
    for (int64_t k = 0; k < mesh->elements * (d + 1); k++)
        used[mesh->vertex[k]] |= in[k / (d + 1)];
    for (int64_t n = 0; n < mesh->nodes; n++) {
        nodes += used[n];
        high += end[n] >> 1;
        low += end[n] & 1;
    }
    int copies = 1;
    if (length < 11 * unit && high && low)
        copies = (int)fmin(ceil(14 * unit / length), 48);
    CHECK(block->copies == copies,
          "%d copies, want %d: %lld nodes of the high end, %lld of the low, length %g", block->copies, copies,
          (long long)high, (long long)low, length / unit);
    CHECK(block->mesh.nodes == copies * nodes - copies / 2 * high - (copies - 1) / 2 * low,
          "%lld nodes in %d copies", (long long)block->mesh.nodes, copies);
    double last = length - 1.5 * unit;
    if (d == 2 && !high)
        last -= fmax(0, half * 2 / 3 + fmin(unit, half) - beyond);
    if (copies > 1 || last > 11.5 * unit)
        last = 11.5 * unit;
    else if (d == 2 && last < 7 * unit)
        last = 0;
    double centre[3];
    mesh_centre(centre, mesh, position->element);
    for (int64_t n = 0; n < block->mesh.nodes; n++) {
        const int j = block->copy[n];
        double local[3];
        localise_at(local, position, centre, block->mesh.point + 3 * n);
        const double travelled = j * length + (j % 2 ? ends[1] - local[0] : local[0] - ends[0]),
                     across = fmax(fabs(local[1]), fabs(local[2])), near = 1e-9 * (1 + length);
        if (fabs(travelled - last) < near || fabs(travelled - 5 * unit) < near ||
            fabs(across - half * 2 / 3) < near)
            continue; /* rounding decides */
        const bool core = travelled > 5 * unit && travelled < last && across < half * 2 / 3 &&
                          !(j == 0 && travelled < 2 * unit);
        CHECK((block->zone[n] == FRONT_BLOCK_CORE) == core, "zone %d at %g units of %g, %g across",
              block->zone[n], travelled / unit, last / unit, across / unit);
    }
    free(end);
    free(used);
}

/* in[] <- the elements of a block, where it ends along its axis, and how far the mesh goes on behind */
static inline int64_t cut_plainly(uint8_t *in, double ends[2], double *beyond, const struct mesh *mesh,
                                  const struct front_block_position *position)
{
    const int d = mesh->dimension;
    const double h = position->edge, unit = position->scale, layer = 8000 * h / (14 * unit),
                 wide = fmax(3 * h, (d == 3 ? sqrt(layer) : layer) * h), half = fmin(6 * unit, wide) / 2;
    double centre[3], low = -14 * unit, high = 14 * unit;
    int64_t count = 0;
    mesh_centre(centre, mesh, position->element);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t e = 0; e < mesh->elements; e++) {
            double middle[3], local[3];
            mesh_centre(middle, mesh, e);
            localise_at(local, position, centre, middle);
            in[e] = e == position->element ||
                    (local[0] >= low && local[0] <= high && fabs(local[1]) <= half && fabs(local[2]) <= half);
        }
        count = flood(in, mesh, position->element);
        find_ends_plainly(ends, in, mesh, position, fmin(unit, half));
        *beyond = pass == 1 ? fmax(0, *beyond - ends[1]) : ends[1];
        if (pass == 1)
            break;
        if (ends[1] - ends[0] > 14 * unit) {
            low = fmin(fmax(-7 * unit, ends[0]), ends[1] - 14 * unit);
            high = low + 14 * unit;
        } else {
            low = ends[0] - h;
            high = ends[1] + h;
        }
    }
    return count;
}

/* The block's elements, places along its axis, zones and shares */
static inline void check_block(const struct mesh *mesh, const struct front_block_position *position,
                               bool straight)
{
    struct error error = {0};
    struct front_block block;
    const int d = mesh->dimension;
    const double h = position->edge, unit = position->scale, layer = 8000 * h / (14 * unit),
                 wide = fmax(3 * h, (d == 3 ? sqrt(layer) : layer) * h), half = fmin(6 * unit, wide) / 2;
    uint8_t *in = calloc((size_t)mesh->elements, 1);
    double ends[2], beyond = 0, centre[3], sum[3] = {0}, reference[3] = {0}, normal[3];
    CHECK(in, "no memory");
    CHECK_OK(front_blocks_cut((struct front_block *const[]){&block}, mesh,
                              (const struct front_block_position *const[]){position}, 1, &error),
             error);
    const int64_t want = cut_plainly(in, ends, &beyond, mesh, position),
                  own = block.mesh.elements / block.copies;
    CHECK(own == want && block.mesh.elements == own * block.copies, "%lld elements in %d copies, want %lld",
          (long long)block.mesh.elements, block.copies, (long long)want);
    mesh_centre(centre, mesh, position->element);
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int a = 0; a <= d && in[e]; a++)
            for (int c = 0; c < 3; c++)
                reference[c] += mesh_sample_corner(mesh, e, a)[c];
    for (int64_t e = 0; e < own; e++)
        for (int a = 0; a <= d; a++)
            for (int c = 0; c < 3; c++)
                sum[c] += mesh_sample_corner(&block.mesh, e, a)[c];
    for (int c = 0; c < 3; c++)
        CHECK(fabs(sum[c] - reference[c]) < 1e-6 * (1 + fabs(reference[c])), "other nodes");
    check_copies(&block, in, mesh, position, ends, half, beyond);
    const double length = ends[1] - ends[0];
    CHECK(block.copies == 1 || length < 11 * unit, "%d copies of %g units", block.copies, length / unit);
    CHECK(!straight || (block.copies > 1) == (length < 11 * unit), "%d copies of %g units", block.copies,
          length / unit);
    int64_t core = 0;
    for (int64_t n = 0; n < block.mesh.nodes; n++) {
        const int j = block.copy[n];
        double local[3];
        localise_at(local, position, centre, block.mesh.point + 3 * n);
        const double travelled = j * length + (j % 2 ? ends[1] - local[0] : local[0] - ends[0]);
        const bool middle = fmax(fabs(local[1]), fabs(local[2])) <= half * 2 / 3;
        CHECK(fabs(block.along[n] - local[0]) < 1e-9, "along %g, want %g", block.along[n], local[0]);
        CHECK(j >= 0 && j < block.copies, "copy %d", j);
        CHECK((block.zone[n] == FRONT_BLOCK_EXCITED) == (j == 0 && travelled < 2 * unit),
              "zone %d at %g units", block.zone[n], travelled / unit);
        core += block.zone[n] == FRONT_BLOCK_CORE;
        if (block.zone[n] == FRONT_BLOCK_CORE)
            CHECK(middle && travelled >= 5 * unit && travelled <= 11.5 * unit * (1 + 1e-12),
                  "the core at %g units", travelled / unit);
        else if (middle && travelled >= 5 * unit && j * length < travelled && block.copies > 1)
            CHECK(travelled > 11.5 * unit, "no core at %g units", travelled / unit);
    }
    CHECK(core == block.core, "%lld nodes of the core, not %lld", (long long)core, (long long)block.core);
    vec3_cross(normal, position->fiber, position->sheet);
    const double *const axes[3] = {position->fiber, position->sheet, normal}, diffusion[3] = {0.3, 0.2, 0.1};
    double along = 0;
    for (int k = 0; k < 3; k++) {
        const double cosine = vec3_dot(position->axis[0], axes[k]);
        CHECK(fabs(block.share[k] - cosine * cosine) < 1e-9, "share %g, want %g", block.share[k],
              cosine * cosine);
        along += cosine * cosine * diffusion[k];
    }
    for (int k = 0; k < 3; k++)
        CHECK(fabs(front_block_tilt(&block, diffusion, k) -
                   (block.share[k] == 1 ? 1 : sqrt(diffusion[k] / along))) < 1e-9,
              "tilt %d", k);
    CHECK_CLOSE(front_block_work(&block, 0.5, 0.1, 0.02), (double)block.mesh.nodes * 14 * unit / 0.5 / 0.02,
                1e-12);
    CHECK(block.edge == h && front_block_work(&block, 0.5, 0.5 * h / 51, 0.02) == 0,
          "no edge blocks this front");
    free(in);
    front_block_free(&block);
}

#endif
