/* winding.c: joins triangles across edges; each takes part with its winding as given and reversed. */
#include "solver/mesh/winding.h"

#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/union_find.h"
#include "kernels/base/vec3.h"
#include "solver/mesh/surface.h"

static const char what[] = "the sides of the shell";

/* Whether the edge opposite to corner c runs from its lower node to its higher one */
static bool runs_up(const int32_t *vertex, int c)
{
    return vertex[(c + 1) % 3] < vertex[(c + 2) % 3];
}

/* of[2 e + turned]: union-find sets of triangles e with consistent winding, as given (0) or reversed (1).
 * Two triangles that share an edge have the same winding if they traverse it in opposite directions; at an
 * edge with more triangles no winding is passed on. */
static enum status join(int32_t *of, const struct mesh *mesh, const struct mesh_face *edge, int64_t edges,
                        struct error *error)
{
    for (int64_t i = 0, n; i < edges; i += n) {
        for (n = 1; i + n < edges && mesh_face_compare(&edge[i], &edge[i + n]) == 0; n++)
            ;
        const int32_t a = (int32_t)(edge[i].from / 3), b = (int32_t)(edge[i + n - 1].from / 3);
        const int differ = runs_up(mesh->vertex + 3 * (int64_t)a, (int)(edge[i].from % 3)) ==
                           runs_up(mesh->vertex + 3 * (int64_t)b, (int)(edge[i + n - 1].from % 3));
        for (int turned = 0; turned < 2 && n == 2; turned++)
            union_find_join(of, 2 * a + turned, 2 * b + (turned ^ differ));
        if (union_find_root(of, 2 * a) == union_find_root(of, 2 * a + 1))
            return error_set(error, STATUS_INPUT,
                             "the shell has one side only, so that no angle has a sign: at triangle %d",
                             (int)b);
    }
    return STATUS_OK;
}

/* Sums over the triangles of a part, wound consistently with its first one: area, area x, area n, and area
 * n . x */
struct part {
    double area, centre[3], normal[3], volume;
};

/* side[e] <- 1 or -1, such that for each part the volume enclosed by it and its centre is not negative */
static void choose_sides(int8_t *side, int32_t *of, const struct mesh *mesh, struct part *part)
{
    const double flat = 1e-9; /* rounding error of volumes, relative to area^1.5 */
    for (int32_t e = 0; e < (int32_t)mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + 3 * (int64_t)e, root = union_find_root(of, 2 * e);
        struct part *own = &part[root / 2];
        double x[3], edge[2][3], normal[3];
        if (mesh_corners(mesh, e) != 3)
            continue;
        mesh_centre(x, mesh, e);
        vec3_between(x, mesh->point, x); /* relative to node 0, to reduce rounding; the result does not
                                            depend on it */
        for (int k = 0; k < 2; k++)
            vec3_between(edge[k], mesh->point + 3 * (int64_t)vertex[0],
                         mesh->point + 3 * (int64_t)vertex[k + 1]);
        vec3_cross(normal, edge[0], edge[1]);
        const double area = vec3_length(normal);
        own->area += area;
        for (int d = 0; d < 3; d++) {
            const double n = root % 2 ? -normal[d] : normal[d];
            own->centre[d] += area * x[d];
            own->normal[d] += n;
            own->volume += n * x[d];
        }
    }
    for (int32_t e = 0; e < (int32_t)mesh->elements; e++) {
        const int32_t root = union_find_root(of, 2 * e);
        const struct part *own = &part[root / 2];
        double volume = own->volume;
        for (int d = 0; d < 3; d++)
            volume -= own->normal[d] * own->centre[d] / own->area;
        side[e] = mesh_corners(mesh, e) != 3                             ? 0
                  : (volume < -flat * pow(own->area, 1.5)) == (root % 2) ? 1
                                                                         : -1;
    }
}

enum status winding_find(int8_t *side, const struct mesh *mesh, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t edges = 0;
    if (mesh->elements > INT32_MAX / 2)
        return error_set(error, STATUS_INPUT, "at most %d triangles have sides", INT32_MAX / 2);
    int32_t *of = array_new(2 * mesh->elements, sizeof *of, what, &status, error);
    struct mesh_face *edge = array_new(3 * mesh->elements, sizeof *edge, what, &status, error);
    struct part *part = array_zeroed(mesh->elements, sizeof *part, what, &status, error);
    TRY_DONE(status);
    for (int32_t e = 0; e < (int32_t)mesh->elements; e++) {
        of[2 * e] = 2 * e;
        of[2 * e + 1] = 2 * e + 1;
        for (int c = 0; c < 3 && mesh_corners(mesh, e) == 3; c++)
            edge[edges++] = mesh_face_of(mesh->vertex + 3 * (int64_t)e, 3, c, 3 * (int64_t)e + c);
    }
    qsort(edge, (size_t)edges, sizeof *edge, mesh_face_compare);
    TRY_DONE(join(of, mesh, edge, edges, error));
    choose_sides(side, of, mesh, part);
done:
    free(of);
    free(edge);
    free(part);
    return status;
}
