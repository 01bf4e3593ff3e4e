/* test_names.c: the name of every group of a mesh, in every place that takes names, stands for that group or
 * is an error. The mesh has tetrahedra, faces and lines whose groups share numbers and, some of them, names.
 */
#include <stdlib.h>
#include <string.h>

#include "app/commands/mesh.h"
#include "app/meshio/mesh_file.h"
#include "app/problem/environment.h"
#include "app/problem/heart.h"
#include "tests/support/check.h"

static const char path[] = "names.msh", submesh_path[] = "names-part.msh";

/* Four tetrahedra in a row, faces of two marks, and lines that are no edges of them; dimension, number, name
 */
static const char text[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n14\n"
    "3 1 \"wall\"\n3 2 \"septum\"\n3 3 \"shared\"\n3 4 \"12\"\n"
    "2 1 \"outer\"\n2 2 \"septum\"\n2 3 \"epi\"\n2 4 \"lv\"\n"
    "1 1 \"his\"\n1 2 \"bundle\"\n1 3 \"shared\"\n1 4 \"all\"\n1 12 \"left bundle\"\n1 9 \"outer\"\n"
    "$EndPhysicalNames\n$Nodes\n13\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 2 1 0\n7 2 2 1\n8 -1 0 "
    "0\n9 -2 0 0\n"
    "10 -3 0 0\n11 -4 0 0\n12 -5 0 0\n13 -6 0 0\n$EndNodes\n$Elements\n14\n"
    "1 4 2 1 1 1 2 3 4\n2 4 2 2 1 2 3 4 5\n3 4 2 3 1 2 3 5 6\n4 4 2 4 1 3 5 6 7\n"
    "5 2 2 1 1 1 2 3\n6 2 2 2 1 1 2 4\n7 2 2 3 1 1 3 4\n8 2 2 4 1 2 4 5\n"
    "9 1 2 1 1 1 8\n10 1 2 2 1 8 9\n11 1 2 3 1 9 10\n12 1 2 4 1 10 11\n13 1 2 12 1 11 12\n14 1 2 9 1 12 13\n"
    "$EndElements\n";

static int of_name(const struct mesh *mesh, const char *name, unsigned dimensions)
{
    int count = 0;
    for (int k = 0; k < mesh->names.count; k++)
        count +=
            strcmp(mesh->names.item[k].name, name) == 0 && dimensions >> mesh->names.item[k].dimension & 1;
    return count;
}

/* Whether got[] of the elements, or of the faces, is exactly the one group of that name there */
static void check_group(const char *key, const struct mesh *mesh, const char *name, bool faces,
                        const double *got)
{
    for (int64_t e = 0; e < (faces ? mesh->faces : mesh->elements); e++) {
        const int dimension = faces ? mesh->dimension - 1 : mesh_corners(mesh, e) - 1;
        bool want = false;
        for (int k = 0; k < mesh->names.count; k++) {
            const struct mesh_name *item = &mesh->names.item[k];
            want = want || (strcmp(item->name, name) == 0 && item->dimension == dimension &&
                            item->tag == (faces ? mesh->mark : mesh->tag)[e]);
        }
        CHECK((got[e] != 0) == want, "%s: %s: item %d: %g", key, name, (int)e, got[e]);
    }
}

/* Lists of tags in regions, stimuli and conductors */
static int in_lists(const struct mesh *mesh, const char *name, bool alone)
{
    int32_t tag[1];
    uint8_t dimension[1] = {0}, tagged[100];
    double got[100];
    const char *names[] = {name};
    const struct tag_list list = {.all = alone && strcmp(name, "all") == 0,
                                  .count = 1,
                                  .tag = tag,
                                  .name = names,
                                  .dimension = dimension};
    struct error error = {0};
    if (environment_resolve_tags(&list, mesh, &error))
        return 0;
    environment_mark_tags(tagged, mesh, &list, LOCATION_ELEMENT);
    for (int64_t e = 0; e < mesh->elements; e++)
        got[e] = tagged[e];
    check_group("tags", mesh, name, false, got);
    return 1;
}

/* A condition, on elements */
static int in_where(struct environment *environment, const char *name)
{
    const struct mesh *mesh = environment->mesh;
    struct arena arena = {0};
    struct where *where;
    struct error error = {0};
    char condition[100];
    double got[100];
    int at;
    snprintf(condition, sizeof condition, "tag = '%s'", name);
    CHECK_OK(where_parse(&where, &arena, condition, WHERE_CONDITION, &at, &error), error);
    int found = !environment_values(environment, where, LOCATION_ELEMENT, got, &at, &error);
    if (found)
        check_group("where", mesh, name, false, got);
    arena_free(&arena);
    return found;
}

static int in_distance(struct environment *environment, const char *name)
{
    const struct mesh *mesh = environment->mesh;
    struct arena arena = {0};
    struct where *where;
    struct error error = {0};
    char condition[100];
    double near[100], got[100];
    int at;
    snprintf(condition, sizeof condition, "distance_to('%s') < 1e-6 mm", name);
    int found = !where_parse(&where, &arena, condition, WHERE_CONDITION, &at, &error) &&
                !environment_values(environment, where, LOCATION_NODE, near, &at, &error);
    for (int64_t f = 0; f < mesh->faces && found; f++)
        got[f] = near[mesh->face[3 * f]] && near[mesh->face[3 * f + 1]] && near[mesh->face[3 * f + 2]];
    if (found)
        check_group("distance_to", mesh, name, true, got);
    arena_free(&arena);
    return found;
}

/* mesh.surfaces */
static int in_surfaces(const struct mesh *mesh, const char *name)
{
    struct config_mesh from = {.kind = MESH_KIND_FILE};
    struct error error = {0};
    uint8_t *on = NULL;
    double got[100];
    from.surface[HEART_EPI].name = name;
    if (heart_surfaces(&on, mesh, &from, NULL, &error))
        return 0;
    for (int64_t f = 0; f < mesh->faces; f++) {
        got[f] = 1;
        for (int c = 0; c < 3; c++)
            got[f] = got[f] && on[mesh->face[3 * f + c]] >> HEART_EPI & 1;
    }
    check_group("mesh.surfaces", mesh, name, true, got);
    free(on);
    return 1;
}

/* cardiac mesh extract */
static int in_extract(const struct mesh *mesh, const char *name)
{
    char in[20], out[20], regions[40], option[] = "--regions", scale[] = "--scale", unit[] = "1mm",
                                       over[] = "--overwrite", command[] = "extract";
    char *arguments[] = {command, in, out, option, regions, scale, unit, over, NULL};
    struct mesh submesh = {0};
    struct error error = {0};
    snprintf(in, sizeof in, "%s", path);
    snprintf(out, sizeof out, "%s", submesh_path);
    snprintf(regions, sizeof regions, "%s", name);
    if (mesh_extract_command(8, arguments, &error))
        return 0;
    int64_t want = 0;
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int k = 0; k < mesh->names.count; k++)
            want += strcmp(mesh->names.item[k].name, name) == 0 && mesh->names.item[k].tag == mesh->tag[e] &&
                    mesh->names.item[k].dimension == mesh_corners(mesh, e) - 1;
    CHECK_OK(mesh_read(&submesh, submesh_path, 1, NULL, NULL, &error), error);
    CHECK(submesh.elements == want, "extract: %s: %d elements, not %d", name, (int)submesh.elements,
          (int)want);
    mesh_free(&submesh);
    return 1;
}

int main(void)
{
    struct error error = {0};
    struct mesh mesh = {0};
    int found[6] = {0};
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s was not written", path);
    CHECK_OK(mesh_read(&mesh, path, 1, NULL, NULL, &error), error);
    CHECK(mesh.elements == 10 && mesh.faces == 4 && mesh.names.count == 14, "%d elements, %d faces, %d names",
          (int)mesh.elements, (int)mesh.faces, mesh.names.count);
    for (int k = 0; k < mesh.names.count; k++) {
        const char *name = mesh.names.item[k].name;
        const bool region = of_name(&mesh, name, 1 << 3 | 1 << 1) == 1,
                   surface = of_name(&mesh, name, 1 << 2) == 1;
        struct environment environment = {.mesh = &mesh,
                                          .from = &(struct config_mesh){.kind = MESH_KIND_FILE}};
        const int lists = in_lists(&mesh, name, false), where = in_where(&environment, name);
        CHECK(lists == region && where == region, "%s: in lists %d, in where %d", name, lists, where);
        found[0] += lists;
        found[1] += where;
        found[2] += in_distance(&environment, name);
        found[3] += in_surfaces(&mesh, name);
        found[4] += in_extract(&mesh, name);
        found[5] += surface;
        environment_free(&environment);
    }
    /* wall, septum, 12, his, bundle, all, left bundle, outer and the name of a face are regions; shared is
     * two
     */
    CHECK(found[0] == 10 && found[4] == 9 && found[2] == 6 && found[3] == found[5],
          "found in lists %d, in where %d, in distances %d, as surfaces %d of %d, by extract %d", found[0],
          found[1], found[2], found[3], found[5], found[4]);
    mesh_free(&mesh);
    remove(path);
    remove(submesh_path);
    return 0;
}
