/* test_mesh_data.c: reads the hearts of the verification data, if they are there, and writes and reads them
 * again in every format. */
#include "app/meshio/mesh_file.h"
#include "solver/mesh/stats.h"
#include "tests/support/mesh_sample.h"

#include <string.h>
#include <unistd.h>

struct heart {
    const char *path;
    int64_t nodes, elements, faces; /* as the files' first lines and data sheets say */
    enum location fibers;
};

static const struct heart hearts[] = {
    {"cobiveco_geo1/heart_geo1_464k", 85049, 464338, 49978, LOCATION_NONE},
    {"crtdemo/crtdemo_mesh_oriented.vtk", 4569, 17866, 0, LOCATION_NONE},
    {"crtdemo/crtdemo.ele.gz", 4569, 17866, 0, LOCATION_NODE},
    {"ambit_heart3D/heart3D.node.gz", 2609, 9046, 4448, LOCATION_NODE},
};

/* The same bits come back, but from those that cannot hold it; the largest heart goes through two formats
 * only. */
static void check_round_trips(const struct mesh *mesh)
{
    static const char *const names[] = {"trip.vtu", "trip.vtkhdf", "trip.vtk.gz",
                                        "trip.msh", "trip.node",   "trip.pts"};
    struct error error = {0};
    struct mesh read = {0};
    int formats = mesh->nodes > 50000 ? 2 : 6;
    for (int k = 0; k < formats; k++) {
        bool carp = strstr(names[k], ".pts") != NULL;
        if (carp && mesh->fiber_location == LOCATION_NODE)
            continue;
        CHECK_OK(mesh_write(mesh, names[k], true, &error), error);
        CHECK_OK(mesh_read(&read, names[k], carp ? 0 : 1, NULL, NULL, &error), error);
        check_same_mesh(mesh, &read);
        CHECK(read.faces == mesh->faces &&
                  (!read.faces || memcmp(read.mark, mesh->mark, 4 * (size_t)mesh->faces) == 0),
              "%s: faces", names[k]);
        mesh_free(&read);
    }
}

static void check_heart(const struct heart *heart)
{
    struct error error = {0};
    struct mesh mesh = {0};
    struct mesh_notes notes;
    struct mesh_stats stats;
    char path[4096];
    snprintf(path, sizeof path, "%s/meshes/%s", CARDIAC_DATA, heart->path);
    CHECK_OK(mesh_read(&mesh, path, 1, NULL, &notes, &error), error);
    CHECK(mesh.dimension == 3 && mesh.nodes == heart->nodes && mesh.elements == heart->elements,
          "%s: %lld nodes, %lld elements", path, (long long)mesh.nodes, (long long)mesh.elements);
    CHECK(notes.dropped[2] == heart->faces, "%s: %lld faces", path, (long long)notes.dropped[2]);
    CHECK(mesh.fiber_location == heart->fibers, "%s: fibres at %d", path, (int)mesh.fiber_location);
    CHECK(notes.health.turned == 0 && notes.health.components == 1, "%s: %lld turned", path,
          (long long)notes.health.turned);
    for (int64_t i = 0; mesh.fiber && i < mesh.nodes; i++)
        CHECK(fabs(hypot(hypot(mesh.fiber[3 * i], mesh.fiber[3 * i + 1]), mesh.fiber[3 * i + 2]) - 1) < 1e-5,
              "fibre %lld is no unit vector", (long long)i);
    CHECK_OK(mesh_stats_create(&stats, &mesh, &error), error);
    CHECK(stats.quality_min > 0.01 && stats.edge_median > 1 && stats.edge_median < 6, "%s: edges of %g mm",
          path, stats.edge_median);
    check_round_trips(&mesh);
    mesh_stats_free(&stats);
    mesh_free(&mesh);
}

int main(void)
{
    if (access(CARDIAC_DATA "/meshes", R_OK) != 0)
        return 77;
    char directory[] = "mesh-data-XXXXXX", command[64];
    CHECK(mkdtemp(directory) && chdir(directory) == 0, "no directory");
    for (size_t i = 0; i < sizeof hearts / sizeof hearts[0]; i++)
        check_heart(&hearts[i]);
    CHECK(chdir("..") == 0, "chdir");
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) != 0;
}
