/* winding.c: triangles joined across edges, with the parity of their windings. */
#include "solver/mesh/winding.h"

#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/vec3.h"
#include "solver/mesh/surface.h"

static const char what[] = "the sides of the shell";

/* Triangle e winds as its parent if turn[e] is 0; roots are their own parents */
struct joined {
    int32_t *parent;
    uint8_t *turn;
};

/* The root of e; *turned <- whether e winds otherwise */
static int32_t root_of(struct joined *joined, int32_t e, uint8_t *turned)
{
    uint8_t all = 0, passed = 0;
    int32_t root = e;
    for (; joined->parent[root] != root; root = joined->parent[root])
        all ^= joined->turn[root];
    *turned = all;
    while (joined->parent[e] != root && e != root) {
        const int32_t next = joined->parent[e];
        const uint8_t own = joined->turn[e];
        joined->parent[e] = root;
        joined->turn[e] = all ^ passed;
        passed ^= own;
        e = next;
    }
    return root;
}

/* Whether side c of the triangle runs from its lower node to its higher one */
static bool runs_up(const int32_t *vertex, int c)
{
    return vertex[(c + 1) % 3] < vertex[(c + 2) % 3];
}

/* Joins the triangles of two equal edges: they wind alike if they run along it in opposite directions */
static enum status join(struct joined *joined, const struct mesh *mesh, const struct mesh_face *a,
                        const struct mesh_face *b, struct error *error)
{
    const int32_t e = (int32_t)(a->from / 3), other = (int32_t)(b->from / 3);
    const uint8_t differ = runs_up(mesh->vertex + 3 * (int64_t)e, (int)(a->from % 3)) ==
                           runs_up(mesh->vertex + 3 * (int64_t)other, (int)(b->from % 3));
    uint8_t turned[2];
    const int32_t root[2] = {root_of(joined, e, &turned[0]), root_of(joined, other, &turned[1])};
    if (root[0] == root[1])
        return (turned[0] ^ turned[1]) == differ
                   ? STATUS_OK
                   : error_set(error, STATUS_INPUT,
                               "the shell has one side only, so that no angle has a sign: at "
                               "triangle %d",
                               (int)e);
    const int low = root[0] < root[1] ? 0 : 1;
    joined->parent[root[!low]] = root[low];
    joined->turn[root[!low]] = turned[0] ^ turned[1] ^ differ;
    return STATUS_OK;
}

/* side[e] <- 1 or -1, for all parts so that the volume is not negative */
static void choose_sides(int8_t *side, struct joined *joined, const struct mesh *mesh, double (*centre)[4],
                         double *volume)
{
    const double flat = 1e-9; /* of area^1.5: rounding */
    for (int pass = 0; pass < 3; pass++)
        for (int32_t e = 0; e < (int32_t)mesh->elements; e++) {
            uint8_t turned;
            double mid[3], edge[2][3], normal[3];
            const int32_t *vertex = mesh->vertex + 3 * (int64_t)e;
            if (mesh_corners(mesh, e) != 3)
                continue;
            const int32_t root = root_of(joined, e, &turned);
            mesh_centre(mid, mesh, e);
            for (int k = 0; k < 2; k++)
                vec3_between(edge[k], mesh->point + 3 * (int64_t)vertex[0],
                             mesh->point + 3 * (int64_t)vertex[k + 1]);
            vec3_cross(normal, edge[0], edge[1]);
            const double area = vec3_length(normal);
            for (int d = 0; d < 3; d++)
                if (pass == 0)
                    centre[root][d] += area * mid[d];
                else if (pass == 1)
                    volume[root] +=
                        (turned ? -1 : 1) * normal[d] * (mid[d] - centre[root][d] / centre[root][3]);
            if (pass == 0)
                centre[root][3] += area;
            else if (pass == 2)
                side[e] = (volume[root] < -flat * pow(centre[root][3], 1.5)) == turned ? 1 : -1;
        }
}

enum status winding_find(int8_t *side, const struct mesh *mesh, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t edges = 0, n;
    struct joined joined = {array_new(mesh->elements, sizeof *joined.parent, what, &status, error),
                            array_zeroed(mesh->elements, sizeof *joined.turn, what, &status, error)};
    struct mesh_face *edge = array_new(3 * mesh->elements, sizeof *edge, what, &status, error);
    double(*centre)[4] = array_zeroed(mesh->elements, sizeof *centre, what, &status, error);
    double *volume = array_zeroed(mesh->elements, sizeof *volume, what, &status, error);
    TRY_DONE(status);
    for (int32_t e = 0; e < (int32_t)mesh->elements; e++) {
        joined.parent[e] = e;
        side[e] = 0;
        for (int c = 0; c < 3 && mesh_corners(mesh, e) == 3; c++)
            edge[edges++] = mesh_face_of(mesh->vertex + 3 * (int64_t)e, 3, c, 3 * (int64_t)e + c);
    }
    qsort(edge, (size_t)edges, sizeof *edge, mesh_face_compare);
    for (int64_t i = 0; i < edges; i += n) {
        for (n = 1; i + n < edges && mesh_face_compare(&edge[i], &edge[i + n]) == 0; n++)
            ;
        if (n == 2) /* where more meet there is no side to go on with */
            TRY_DONE(join(&joined, mesh, &edge[i], &edge[i + 1], error));
    }
    choose_sides(side, &joined, mesh, centre, volume);
done:
    free(joined.parent);
    free(joined.turn);
    free(edge);
    free(centre);
    free(volume);
    return status;
}
