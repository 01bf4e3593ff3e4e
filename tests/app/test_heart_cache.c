/* test_heart_cache.c: coordinates of a heart come from the cache as they were computed; what is damaged, or
 * of another heart, does not. */
#include "app/problem/heart.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/util/cache.h"
#include "solver/mesh/generate.h"
#include "tests/support/check.h"

enum { SET = COORDINATES_TRANSMURAL | COORDINATES_DISTANCE << HEART_LV, ARRAYS = 2 };

static const char *folder;

/* How many of the arrays are read */
static int read_again(const struct mesh *mesh, const uint8_t *on, struct coordinates *c)
{
    struct heart_cache cache = {.read = 0};
    *c = (struct coordinates){0};
    heart_cache_read(&cache, c, mesh, on, SET);
    return cache.read;
}

static int drop_again(const struct mesh *mesh, const uint8_t *on)
{
    struct coordinates c;
    int read = read_again(mesh, on, &c);
    coordinates_free(&c);
    return read;
}

static void check_same(const struct coordinates *a, const struct coordinates *b, int64_t nodes)
{
    size_t bytes = (size_t)nodes * sizeof(double);
    CHECK(memcmp(a->transmural, b->transmural, bytes) == 0, "transmural differs");
    CHECK(memcmp(a->distance[HEART_LV], b->distance[HEART_LV], bytes) == 0, "a distance differs");
    CHECK(!a->upward && !b->upward && !b->apicobasal && !b->distance[HEART_EPI], "more than was asked for");
}

/* path <- of any entry */
static void find_entry(char path[CACHE_PATH])
{
    DIR *directory = opendir(folder);
    CHECK(directory, "%s", folder);
    path[0] = 0;
    for (const struct dirent *entry; (entry = readdir(directory));)
        if (strstr(entry->d_name, ".nodes"))
            snprintf(path, CACHE_PATH, "%s/%s", folder, entry->d_name);
    closedir(directory);
    CHECK(path[0], "no entries");
}

/* One entry is damaged: the other is read, this one is not, and is stored again */
static void test_damage(const struct mesh *mesh, uint8_t *on, const struct coordinates *want, int kind)
{
    struct heart_cache cache = {.read = 0};
    struct coordinates c = {0};
    struct error error = {0};
    struct stat is;
    char path[CACHE_PATH];
    find_entry(path);
    CHECK(stat(path, &is) == 0, "%s", path);
    FILE *file = fopen(path, "r+");
    CHECK(file, "%s", path);
    if (kind == 0) {
        CHECK(fseek(file, is.st_size / 2, SEEK_SET) == 0 && fputc('x', file) >= 0 && fputc('y', file) >= 0,
              "%s", path);
        CHECK(fclose(file) == 0, "%s", path);
    } else {
        CHECK(ftruncate(fileno(file), kind == 1 ? is.st_size - 800 : 0) == 0 && fclose(file) == 0, "%s",
              path);
    }
    heart_cache_read(&cache, &c, mesh, on, SET);
    CHECK(cache.read == ARRAYS - 1, "%d of %d arrays are read", cache.read, ARRAYS);
    struct coordinates before = c;
    CHECK_OK(coordinates_make(&c, mesh, on, SET, &error), error);
    heart_cache_store(&cache, &before, &c, mesh->nodes);
    CHECK(cache.stored == 1, "%d arrays are stored", cache.stored);
    check_same(want, &c, mesh->nodes);
    coordinates_free(&c);
    CHECK(drop_again(mesh, on) == ARRAYS, "what was damaged is not stored again");
}

/* A field of mesh.laplace is read as it was solved, and for its own ends alone. */
static void test_between(const struct mesh *mesh, const uint8_t *heart)
{
    struct heart_cache cache = {.read = 0};
    struct coordinates unused = {0};
    struct error error = {0};
    uint8_t *on = calloc((size_t)mesh->nodes, 1);
    double *u[3];
    for (int k = 0; k < 3; k++) {
        for (int64_t i = 0; i < mesh->nodes; i++)
            on[i] = (heart[i] >> HEART_BASE & 1) | (heart[i] >> HEART_LV & 1) << 1;
        on[777] ^= k == 2;
        CHECK_OK(heart_between(&u[k], &cache, &unused, mesh, on, &error), error);
    }
    CHECK(cache.read == 1 && cache.stored == 2, "%d read, %d stored", cache.read, cache.stored);
    CHECK(memcmp(u[0], u[1], (size_t)mesh->nodes * sizeof *u[0]) == 0, "read otherwise than solved");
    CHECK(u[2][777] != u[0][777], "read for other ends");
    for (int k = 0; k < 3; k++)
        free(u[k]);
    coordinates_free(&unused);
    free(on);
}

int main(void)
{
    static const double size[3] = {10, 30, 6};
    struct error error = {0};
    struct mesh mesh = {0};
    struct coordinates made = {0}, read;
    char home[] = "/tmp/test_heart_cache.XXXXXX", path[CACHE_PATH], command[100];
    CHECK(mkdtemp(home), "no folder");
    setenv("XDG_CACHE_HOME", home, 1);
    snprintf(path, sizeof path, "%s/cardiac", home);
    folder = strdup(path);
    CHECK_OK(mesh_ellipsoid(&mesh, size, 0.75, &error), error);
    CHECK(mesh.nodes >= 20000 && mesh.nodes < 60000, "%lld nodes", (long long)mesh.nodes);
    uint8_t *on = calloc((size_t)mesh.nodes, 1);
    CHECK_OK(heart_surfaces_find(on, &mesh, &error), error);
    coordinates_mark_apex(on, &mesh);

    struct heart_cache cache = {.read = 0};
    heart_cache_read(&cache, &made, &mesh, on, SET);
    CHECK(cache.read == 0 && !made.transmural, "an empty cache is read");
    struct coordinates before = made;
    CHECK_OK(coordinates_make(&made, &mesh, on, SET, &error), error);
    heart_cache_store(&cache, &before, &made, mesh.nodes);
    CHECK(cache.stored == ARRAYS, "%d of %d arrays are stored", cache.stored, ARRAYS);
    CHECK(read_again(&mesh, on, &read) == ARRAYS, "they are not all read");
    check_same(&made, &read, mesh.nodes);
    coordinates_free(&read);

    mesh.fiber_location = LOCATION_ELEMENT; /* fibres are not its coordinates */
    mesh.fiber = calloc(3 * (size_t)mesh.elements, sizeof *mesh.fiber);
    CHECK(drop_again(&mesh, on) == ARRAYS, "with fibres it is another heart");
    const double x = mesh.point[3 * 777];
    mesh.point[3 * 777] += 1e-9;
    CHECK(drop_again(&mesh, on) == 0, "read for another mesh");
    mesh.point[3 * 777] = x;
    CHECK(drop_again(&mesh, on) == ARRAYS, "not read for the same mesh again");
    on[777] ^= 1;
    CHECK(drop_again(&mesh, on) == 0, "read for other surfaces");
    on[777] ^= 1;
    for (int kind = 0; kind < 3; kind++)
        test_damage(&mesh, on, &made, kind);
    test_between(&mesh, on);

    int64_t nodes = mesh.nodes;
    mesh.nodes = 19999; /* a small one is not worth it */
    cache = (struct heart_cache){.read = 0};
    heart_cache_read(&cache, &before, &mesh, on, SET);
    CHECK(!cache.heart[0], "a small heart is looked up");
    mesh.nodes = nodes;
    coordinates_free(&made);
    mesh_free(&mesh);
    free(on);
    snprintf(command, sizeof command, "rm -r %s", home);
    return system(command) != 0;
}
