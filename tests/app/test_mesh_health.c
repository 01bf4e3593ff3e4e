/* test_mesh_health.c: what is wrong with a mesh is found once, and told again of the same mesh alone. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/io/result/vtkhdf_mesh.h"
#include "app/meshio/mesh_file.h"
#include "app/util/cache.h"
#include "solver/mesh/generate.h"
#include "tests/support/check.h"

/* The name of the only entry of a mesh's health, or "" */
static const char *find_entry(const char *home)
{
    static char name[300];
    char path[CACHE_PATH];
    snprintf(path, sizeof path, "%s/cardiac", home);
    DIR *folder = opendir(path);
    name[0] = 0;
    for (struct dirent *file; folder && (file = readdir(folder));)
        if (strstr(file->d_name, ".health"))
            snprintf(name, sizeof name, "%s", file->d_name);
    if (folder)
        closedir(folder);
    return name;
}

static enum status read_health(const char *path, struct mesh_health *health)
{
    struct error error = {0};
    struct mesh mesh = {0};
    struct mesh_notes notes;
    const enum status status = mesh_read(&mesh, path, 1, NULL, &notes, &error);
    *health = notes.health;
    mesh_free(&mesh);
    return status;
}

int main(void)
{
    static const double size[3] = {9, 9, 9};
    char home[] = "/tmp/test_mesh_health.XXXXXX", path[100], command[100];
    struct error error = {0};
    struct mesh mesh = {0};
    struct mesh_health first, again;
    struct cache folder;
    CHECK(mkdtemp(home), "no folder");
    setenv("XDG_CACHE_HOME", home, 1);
    snprintf(path, sizeof path, "%s/slab.vtkhdf", home);
    CHECK_OK(mesh_slab(&mesh, size, 1 / 3.0, &error), error);
    CHECK(mesh.elements >= 100000, "%lld elements", (long long)mesh.elements);
    CHECK_OK(vtkhdf_mesh_write(path, &mesh, &error), error);
    CHECK(read_health(path, &first) == STATUS_OK && first.components == 1 && first.doubles == 0, "the slab");
    CHECK(*find_entry(home), "nothing is stored");

    CHECK_OK(cache_open(&folder, &error), error);
    first.doubles = 7;
    CHECK_OK(cache_write(&folder, find_entry(home), &first, sizeof first, &error), error);
    CHECK(read_health(path, &again) == STATUS_OK && memcmp(&first, &again, sizeof first) == 0, "not read");
    CHECK_OK(cache_write(&folder, find_entry(home), &first, sizeof first - 8, &error), error);
    CHECK(read_health(path, &again) == STATUS_OK && again.doubles == 0,
          "an entry of another size is believed");

    memcpy(mesh.vertex + 400, mesh.vertex, 4 * sizeof *mesh.vertex); /* two equal elements */
    unlink(path);
    CHECK_OK(vtkhdf_mesh_write(path, &mesh, &error), error);
    CHECK(read_health(path, &again) == STATUS_INPUT && again.duplicates == 1, "another mesh is believed");
    cache_close(&folder);
    mesh_free(&mesh);
    snprintf(command, sizeof command, "rm -r %s", home);
    return system(command) != 0;
}
