/* mesh_input.h: arbitrary bytes as the files of a mesh: read, checked, written and read again.
 *
 * An input for a format of several files holds them one behind the other, each behind a line "@.node" with
 * its extension. A mesh that is taken must have its indices in range and come back unchanged from a file of
 * ours. Under AddressSanitizer the memory in use is held against 16 MiB + 50 times the decompressed input. */
#ifndef CARDIAC_TESTS_FUZZ_MESH_INPUT_H
#define CARDIAC_TESTS_FUZZ_MESH_INPUT_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/meshio/mesh_file.h"
#include "app/util/text_file.h"

enum { PROFILE_FILES = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the sanitizer's runtime, where there is one */
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                                                    void (*)(const volatile void *));
__attribute__((weak)) size_t __sanitizer_get_allocated_size(const volatile void *);

static size_t memory_live, memory_peak; /* the hooks have no argument to carry these */

static void on_malloc(const volatile void *block, size_t size)
{
    (void)block;
    memory_live += size;
    memory_peak = memory_live > memory_peak ? memory_live : memory_peak;
}

static void on_free(const volatile void *block)
{
    if (block)
        memory_live -= __sanitizer_get_allocated_size(block);
}

static void demand(int condition)
{
    if (!condition)
        abort();
}

static char workplace_path[64];

static void leave_workplace(void)
{
    rmdir(workplace_path);
}

/* A directory of this process, in memory if there is such a place */
static const char *workplace(void)
{
    char *directory = workplace_path;
    if (!directory[0]) {
        snprintf(directory, sizeof workplace_path, "%s/cardiac-fuzz-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        demand(mkdtemp(directory) != NULL && atexit(leave_workplace) == 0);
        if (__sanitizer_install_malloc_and_free_hooks)
            __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
    }
    return directory;
}

static void put_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    demand(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/* Bytes that a file decompresses to, as far as that is allowed */
static size_t decompressed(const char *path)
{
    struct text_file text;
    struct error error = {0};
    char bytes[4096];
    if (text_open(&text, path, NULL, &error))
        return 0;
    while (text_bytes(&text, bytes, sizeof bytes, "", &error) == STATUS_OK)
        ;
    size_t size = (size_t)text.bytes;
    text_close(&text);
    return size;
}

static void demand_valid(const struct mesh *mesh)
{
    demand(mesh->dimension >= 1 && mesh->dimension <= 3 && mesh->nodes > 0 && mesh->elements > 0);
    for (int64_t i = 0; i < mesh->elements * (mesh->dimension + 1); i++)
        demand(mesh->vertex[i] >= 0 && mesh->vertex[i] < mesh->nodes);
    demand((mesh->fiber_location == LOCATION_NONE) == (mesh->fiber == NULL));
}

static void demand_same(const struct mesh *a, const struct mesh *b)
{
    size_t nodes = (size_t)a->nodes, elements = (size_t)a->elements, corners = (size_t)a->dimension + 1;
    size_t directions = a->fiber_location == LOCATION_NODE ? nodes : elements;
    demand(a->nodes == b->nodes && a->elements == b->elements && a->dimension == b->dimension);
    demand(memcmp(a->point, b->point, 24 * nodes) == 0);
    demand(memcmp(a->vertex, b->vertex, 4 * corners * elements) == 0);
    demand(memcmp(a->tag, b->tag, 4 * elements) == 0);
    demand(a->fiber_location == b->fiber_location && !a->sheet == !b->sheet);
    demand(!a->fiber || memcmp(a->fiber, b->fiber, 24 * directions) == 0);
    demand(!a->sheet || memcmp(a->sheet, b->sheet, 24 * directions) == 0);
}

/* The mesh at `path` (m.msh, m.node, m.pts, m.vtk), written as out.<the same> */
static void try_mesh(const char *directory, const char *name)
{
    static const struct array_selection all = {.all = true};
    char path[128], out[128];
    struct error error = {0};
    struct mesh mesh = {0}, again = {0};
    struct mesh_notes notes;
    snprintf(path, sizeof path, "%s/m%s", directory, name);
    snprintf(out, sizeof out, "%s/out%s", directory, name);
    if (mesh_load(&mesh, path, 1, &all, &notes, &error) == STATUS_OK) {
        demand_valid(&mesh);
        if (mesh_write(&mesh, out, true, &error) == STATUS_OK) {
            demand(mesh_load(&again, out, strcmp(name, ".pts") ? 1 : 0, &all, &notes, &error) == STATUS_OK);
            demand_same(&mesh, &again);
            mesh_free(&again);
        } else {
            demand(error.status == STATUS_INPUT);
        }
        mesh_free(&mesh);
    } else {
        demand(error.status == STATUS_INPUT && error.text[0] != '\0');
    }
    if (mesh_read(&mesh, path, 0.5, NULL, &notes, &error) == STATUS_OK)
        demand_valid(&mesh);
    mesh_free(&mesh);
}

/* The files of the input; a first part without a head line belongs to extension[0]. */
static size_t put_files(const char *directory, const char *const extension[PROFILE_FILES],
                        const uint8_t *data, size_t size)
{
    size_t total = 0, begin = 0;
    const char *current = extension[0];
    for (size_t i = 0; i <= size; i++) {
        const char *next = NULL;
        for (int e = 0; e < PROFILE_FILES && extension[e] && i < size && data[i] == '@'; e++) {
            size_t length = strlen(extension[e]);
            if ((i == 0 || data[i - 1] == '\n') && size - i > length + 1 && data[i + 1 + length] == '\n' &&
                memcmp(data + i + 1, extension[e], length) == 0)
                next = extension[e];
        }
        if (!next && i < size)
            continue;
        char path[128];
        snprintf(path, sizeof path, "%s/m%s", directory, current);
        if (i > begin) {
            put_file(path, data + begin, i - begin);
            total += decompressed(path);
        }
        current = next;
        if (next)
            i = begin = i + 2 + strlen(next), i--;
    }
    return total;
}

static int try_input(const char *const extension[PROFILE_FILES], const uint8_t *data, size_t size)
{
    const char *directory = workplace();
    char path[128];
    size_t total = put_files(directory, extension, data, size);
    memory_peak = memory_live;
    size_t before = memory_live;
    try_mesh(directory, extension[0]);
    demand(memory_peak - before <= ((size_t)16 << 20) + 50 * (total + size));
    for (int e = 0; e < PROFILE_FILES && extension[e]; e++) {
        snprintf(path, sizeof path, "%s/m%s", directory, extension[e]);
        unlink(path);
        snprintf(path, sizeof path, "%s/out%s", directory, extension[e]);
        unlink(path);
    }
    return 0;
}

#endif
