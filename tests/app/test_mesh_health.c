/* test_mesh_health.c: what is wrong with a mesh is found once, and told again of the same mesh alone;
 * its digest. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/io/result/vtkhdf_mesh.h"
#include "app/meshio/mesh_file.h"
#include "app/problem/problem.h"
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

/* The digest of a mesh with fibres of a rule, of which parts were computed before, is that of the mesh; parts of
 * a mesh whose elements were turned are forgotten. */
static void test_digest(const char *path, struct mesh *slab)
{
    static const char format[] =
        "version: 1\nmesh: {file: %s, scale: 1 mm}\n"
        "tissue: {surface_to_volume: 1400 /cm, fibers: {across: z, from: 60 deg, to: -60 deg},\n"
        "  regions: [{model: mitchell-schaeffer, conductivity: {longitudinal: 0.2 S/m, transverse: 0.1 "
        "S/m}}]}\n"
        "stimuli: [{where: x < 1 mm, duration: 1 ms, current: 50 uA/uF}]\ntime: {end: 1 ms, step: 0.05 ms}\n";
    struct error error = {0};
    struct config config;
    struct problem problem;
    struct digest_blocks blocks = {0};
    const struct array_selection selection = {.blocks = &blocks};
    char text[1000], whole[SHA256_HEX], bare[SHA256_HEX];
    snprintf(text, sizeof text, format, path);
    CHECK_OK(config_parse(&config, "turning.yaml", "", text, strlen(text), NULL, 0, &error), error);
    CHECK_OK(problem_create(&problem, &config, NULL, &error), error);
    digest_mesh(&problem.mesh, NULL, whole);
    digest_mesh(slab, NULL, bare);
    CHECK(strcmp(problem.mesh_sha256, whole) == 0 && strcmp(whole, bare) != 0, "'%s', not %s",
          problem.mesh_sha256, whole);
    problem_free(&problem);
    config_free(&config);

    struct mesh read;
    CHECK_OK(mesh_read(&read, path, 1, &selection, NULL, &error), error);
    CHECK(blocks.count > 3, "%lld blocks", (long long)blocks.count);
    digest_mesh(&read, &blocks, whole);
    CHECK(strcmp(whole, bare) == 0, "%s, not %s", whole, bare);
    digest_blocks_free(&blocks);
    mesh_free(&read);
    const int32_t first = slab->vertex[0];
    slab->vertex[0] = slab->vertex[1];
    slab->vertex[1] = first;
    unlink(path);
    CHECK_OK(vtkhdf_mesh_write(path, slab, &error), error);
    CHECK_OK(mesh_read(&read, path, 1, &selection, NULL, &error), error);
    CHECK(blocks.count == 0, "blocks of a mesh that was changed");
    mesh_free(&read);
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

    test_digest(path, &mesh);

    memcpy(mesh.vertex + 400, mesh.vertex, 4 * sizeof *mesh.vertex); /* two equal elements */
    unlink(path);
    CHECK_OK(vtkhdf_mesh_write(path, &mesh, &error), error);
    CHECK(read_health(path, &again) == STATUS_INPUT && again.duplicates == 1, "another mesh is believed");
    cache_close(&folder);
    mesh_free(&mesh);
    snprintf(command, sizeof command, "rm -r %s", home);
    return system(command) != 0;
}
