/* test_heart_cache.c: coordinates of a heart, and the weights of stimuli and electrodes, come from the cache as they
 * were computed; what is damaged, or of another heart, does not. */
#include "app/problem/heart.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/problem/electrode_cache.h"
#include "app/problem/weights.h"
#include "app/util/cache.h"
#include "solver/mesh/generate.h"
#include "tests/support/check.h"
#include "tests/support/node_weights.h"

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

/* path <- of any entry of this kind; returns how many there are */
static int find_entry(char path[CACHE_PATH], const char *kind)
{
    DIR *directory = opendir(folder);
    int entries = 0;
    CHECK(directory, "%s", folder);
    path[0] = 0;
    for (const struct dirent *entry; (entry = readdir(directory));)
        if (strstr(entry->d_name, kind)) {
            snprintf(path, CACHE_PATH, "%s/%s", folder, entry->d_name);
            entries++;
        }
    closedir(directory);
    return entries;
}

/* Changes two bytes of a file, half way */
static void damage(const char *path)
{
    struct stat is;
    FILE *file = fopen(path, "r+");
    CHECK(file && stat(path, &is) == 0 && fseek(file, is.st_size / 2, SEEK_SET) == 0 &&
              fputs("xy", file) >= 0 && fclose(file) == 0,
          "%s", path);
}

/* One entry is damaged: the other is read, this one is not, and is stored again */
static void test_damage(const struct mesh *mesh, uint8_t *on, const struct coordinates *want, int kind)
{
    struct heart_cache cache = {.read = 0};
    struct coordinates c = {0};
    struct error error = {0};
    struct stat is;
    char path[CACHE_PATH];
    CHECK(find_entry(path, ".nodes") > 0 && stat(path, &is) == 0, "no entries");
    if (kind == 0)
        damage(path);
    else
        CHECK(truncate(path, kind == 1 ? is.st_size - 800 : 0) == 0, "%s", path);
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

/* weight[] <- of the condition, in a process of its own as far as memory goes; returns how many entries there are */
static int weigh(double *weight, const struct mesh *mesh, const uint8_t *on, const char *text)
{
    struct config_mesh from = {.file = NULL};
    struct arena arena = {0};
    struct error error = {0};
    struct environment environment = {.mesh = mesh, .from = &from, .on = malloc((size_t)mesh->nodes)};
    struct volume volume;
    struct where *where;
    char path[CACHE_PATH];
    int at;
    memcpy(environment.on, on, (size_t)mesh->nodes);
    CHECK_OK(where_parse(&where, &arena, text, WHERE_CONDITION, &at, &error), error);
    CHECK_OK(node_weights(weight, &volume, &environment, where, &at, &error), error);
    environment_free(&environment);
    arena_free(&arena);
    return find_entry(path, ".weights");
}

/* A condition's weights are read as they were found; not for another condition, mesh or array that
 * the condition reads, nor where they were damaged. What is in the cache is what is taken. */
static void test_weights(struct mesh *mesh, uint8_t *on)
{
    static const char text[] = "transmural < 0.6 and x > 11 mm and y > 0 mm and y < 2 mm",
                      other[] = "transmural < 0.5 and x > 11 mm and y > 0 mm and y < 2 mm";
    static const char place[] = "x > 11 mm and y > 0 mm and y < 1 mm and z < -10 mm";
    const size_t nodes = (size_t)mesh->nodes, bytes = nodes * sizeof(double);
    double *want = malloc(bytes), *got = malloc(bytes), sum = 0;
    char path[CACHE_PATH];
    struct cache cache;
    struct error error = {0};
    size_t size;
    CHECK(mesh->elements >= WEIGHTS_CACHE_LEAST, "too few elements");
    CHECK(weigh(want, mesh, on, text) == 1, "not stored");
    for (size_t i = 0; i < nodes; i++)
        sum += want[i];
    CHECK(sum > 10 && sum < (double)nodes - 1000, "%g nodes of %d", sum, (int)nodes);
    CHECK(weigh(got, mesh, on, text) == 1 && memcmp(want, got, bytes) == 0, "not read as it was stored");
    find_entry(path, ".weights");
    damage(path);
    CHECK(weigh(got, mesh, on, text) == 1 && memcmp(want, got, bytes) == 0, "what was damaged is read");
    CHECK_OK(cache_open(&cache, &error), error);
    struct environment_weights *list = cache_read(&cache, strrchr(path, '/') + 1, &size);
    CHECK(list, "what was damaged is not stored again");
    list->of[0].weight = 77;
    CHECK_OK(cache_write(&cache, strrchr(path, '/') + 1, list, size, &error), error);
    weigh(got, mesh, on, text);
    CHECK(got[list->of[0].node] == 77, "found again although it was stored");
    list->of[0].node = list->of[1].node;
    CHECK_OK(cache_write(&cache, strrchr(path, '/') + 1, list, size, &error), error);
    CHECK(weigh(got, mesh, on, text) == 1 && memcmp(want, got, bytes) == 0, "a list without order is read");
    CHECK(weigh(got, mesh, on, other) == 2 && memcmp(want, got, bytes) != 0, "read for another condition");
    CHECK(weigh(got, mesh, on, place) == 3, "read for a place alone");
    const double x = mesh->point[3 * 777];
    mesh->point[3 * 777] += 1e-9;
    CHECK(weigh(got, mesh, on, place) == 4, "read for another mesh");
    mesh->point[3 * 777] = x;
    on[777] ^= 1 << HEART_LV;
    CHECK(weigh(got, mesh, on, text) == 5, "read for other coordinates");
    on[777] ^= 1 << HEART_LV;
    CHECK(weigh(got, mesh, on, "x >= 1e9 mm or box([0 mm, 0 mm, 0 mm], [0 mm, 9 mm, 9 mm])") == 5,
          "stored although it is of nodes");
    cache_close(&cache);
    free(list);
    free(want);
    free(got);
}

/* All electrodes are read as they were stored, or none. */
static void test_electrodes(void)
{
    enum { COUNT = 3, NODES = 5 };
    static const char tensors[2][SHA256_HEX] = {"1", "2"};
    struct electrode electrode[COUNT] = {{{1, 2, 3}, 4, 5}, {{1, 2, 4}, 6, 7}, {{1, 2, 5}, 8, 9}};
    double weight[COUNT * NODES], got[COUNT * NODES];
    char path[CACHE_PATH];
    for (int k = 0; k < COUNT * NODES; k++)
        weight[k] = 1.0 / (k + 1);
    for (int k = 0; k < 2; k++) { /* the second time after damage */
        struct electrode read[COUNT] = {{{1, 2, 3}, 0, 0}, {{1, 2, 4}, 0, 0}, {{1, 2, 5}, 0, 0}};
        CHECK(!electrode_cache_read(read, COUNT, got, NODES, tensors[0]), "read what is not there");
        electrode_cache_store(electrode, COUNT, weight, NODES, tensors[0]);
        CHECK(find_entry(path, ".leads") == COUNT, "not stored");
        CHECK(electrode_cache_read(read, COUNT, got, NODES, tensors[0]), "not read");
        CHECK(memcmp(got, weight, sizeof got) == 0 && memcmp(read, electrode, sizeof read) == 0,
              "other weights");
        CHECK(!electrode_cache_read(read, COUNT, got, NODES, tensors[1]), "read for other conductivities");
        CHECK(!electrode_cache_read(read, COUNT, got, NODES - 1, tensors[0]), "read for fewer nodes");
        read[1].point[2] = 4.5;
        CHECK(!electrode_cache_read(read, COUNT, got, NODES, tensors[0]), "read for another point");
        damage(path);
    }
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
    test_weights(&mesh, on);
    test_electrodes();

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
