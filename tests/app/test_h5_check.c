/* test_h5_check.c: files that are damaged where HDF5 below 1.14.4 believes them are refused before it reads them. */
#include <stdio.h>
#include <string.h>

#include "app/io/result/vtkhdf_mesh.h"
#include "app/io/store/h5.h"
#include "solver/mesh/generate.h"
#include "tests/support/check.h"

enum { MOST = 1 << 20 };
static unsigned char whole[MOST];
static size_t size;

static void write_file(const char *path, const unsigned char *bytes)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "%s", path);
}

/* The first place of these bytes from `from` on */
static size_t find(const char *bytes, size_t length, size_t from)
{
    const unsigned char *at = memmem(whole + from, size - from, bytes, length);
    CHECK(at, "'%s' is not in the file", bytes);
    return (size_t)(at - whole);
}

/* Reads the mesh of the file with other bytes at a place. */
static void check_damage(size_t at, const char *bytes, size_t length, const char *words)
{
    static unsigned char bad[MOST];
    struct error error = {0};
    struct h5_file file = {0};
    struct mesh mesh = {0};
    memcpy(bad, whole, size);
    memcpy(bad + at, bytes, length);
    write_file("h5_check.vtkhdf", bad);
    enum status status = h5_open(&file, "h5_check.vtkhdf", false, &error);
    if (!status)
        status = vtkhdf_mesh_get(&file, &mesh, &error);
    CHECK(status == STATUS_INPUT && strstr(error.text, words), "%zu: %d, not '%s': %s", at, status, words,
          error.text);
    h5_close(&file, NULL);
}

int main(void)
{
    const double size_mm[3] = {5, 5, 5};
    struct error error = {0};
    struct h5_file file = {0};
    struct mesh mesh, read;
    CHECK_OK(mesh_slab(&mesh, size_mm, 1, &error), error);
    CHECK_OK(vtkhdf_mesh_write("h5_check.vtkhdf", &mesh, &error), error);
    FILE *stream = fopen("h5_check.vtkhdf", "rb");
    size = fread(whole, 1, MOST, stream);
    CHECK(size > 1000 && size < MOST && fclose(stream) == 0, "%zu bytes", size);
    CHECK_OK(h5_open(&file, "h5_check.vtkhdf", false, &error), error);
    CHECK_OK(vtkhdf_mesh_get(&file, &read, &error), error);
    CHECK(read.nodes == mesh.nodes, "%lld nodes", (long long)read.nodes);
    CHECK_OK(h5_close(&file, &error), error);
    mesh_free(&mesh);
    mesh_free(&read);

    const size_t group = find("TREE\0", 5, 0), chunk = find("TREE\1", 5, 0),
                 attribute = find("Version", 8, 0), names = find("SNOD", 4, 0);
    check_damage(group + 32, "\377\377\377\377\377\377\377\377", 8, "a part without a place");
    check_damage(group + 32, "\0\0\0\0\1", 5, "beyond its end");
    check_damage(group + 5, "\1", 1, "the tree of a group");
    check_damage(names + 6, "\100", 1, "names of a group");
    check_damage(names + 8, "\0\377", 2, "the name of an object");
    check_damage(attribute - 4, "\377\377", 2, "an attribute");
    check_damage(attribute - 2, "\377\377", 2, "an attribute");
    check_damage(chunk + 28, "\377", 1, "a damaged chunk");
    return 0;
}
