/* heart.c: find surfaces by mark, name, list or shape; cache coordinates. */
#include "app/problem/heart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/cache.h"
#include "app/problem/node_list.h"
#include "app/util/version.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "solver/mesh/openings.h"

static enum status add_list(uint8_t *on, const struct mesh *mesh, const char *path,
                            enum heart_surface surface, struct inputs *inputs, struct error *error)
{
    enum status status = STATUS_OK;
    uint8_t *chosen = array_zeroed(mesh->nodes, sizeof *chosen, "a surface", &status, error);
    if (!status)
        status = node_list_read(path, mesh->nodes, chosen, inputs, error);
    for (int64_t i = 0; i < mesh->nodes && !status; i++)
        on[i] |= (uint8_t)(chosen[i] << surface);
    free(chosen);
    return status;
}

/* text <- a hint that lists the marks of the mesh's faces for mesh.surfaces; "" if they have none */
static const char *marks_hint(const struct mesh *mesh, char *text, size_t size)
{
    enum { MOST = 12 };
    int32_t mark[MOST];
    int marks = 0;
    text[0] = 0;
    for (int64_t f = 0; f < mesh->faces && marks < MOST; f++) {
        int k = 0;
        while (k < marks && mark[k] != mesh->mark[f])
            k++;
        if (k == marks)
            mark[marks++] = mesh->mark[f];
    }
    for (int k = 0; k < marks; k++)
        printed_add(text, size, "%s%d", k ? ", " : ". Its faces have the marks ", (int)mark[k]);
    if (marks)
        printed_add(text, size, "%s: name them as in mesh.surfaces: {base: %d, epi: %d, lv: %d}",
                    marks == MOST ? ", ..." : "", (int)mark[0], (int)mark[marks > 1],
                    (int)mark[marks > 2 ? 2 : 0]);
    return text;
}

/* on[] <- the surfaces that the mesh names; if it names none, by shape */
static enum status find_surfaces(uint8_t *on, const struct mesh *mesh, struct error *error)
{
    bool named = false;
    char marks[300];
    enum status status = STATUS_OK;
    for (int s = 0; s < HEART_SURFACES && !status; s++) {
        enum heart_surface surface = (enum heart_surface)s;
        const struct mesh_name *found;
        status = mesh_names_find(&mesh->names, heart_surface_name(surface), 1u << (mesh->dimension - 1),
                                 &found, error);
        named = named || found;
        if (found)
            status = heart_surfaces_mark(on, mesh, surface, found->tag, error);
    }
    if (status || named)
        return status;
    struct error found = {0};
    status = heart_surfaces_find(on, mesh, &found);
    return status ? error_set(error, status, "%s%s", found.text, marks_hint(mesh, marks, sizeof marks))
                  : STATUS_OK;
}

/* on[] |= 1 << surface at the nodes on the rim of an opening */
static enum status add_opening(uint8_t *on, const struct mesh *mesh, const struct config_surface *from,
                               enum heart_surface surface, struct error *error)
{
    struct openings openings;
    int which;
    enum status status;
    TRY_DONE(openings_find(&openings, mesh, error));
    TRY_DONE(from->opening > 0 ? openings_ranked(&which, &openings, from->opening, error)
                               : openings_nearest(&which, &openings, from->centre, error));
    for (int64_t i = 0; i < mesh->nodes; i++)
        on[i] |= (uint8_t)((openings.of[i] == which) << surface);
done:
    openings_free(&openings);
    return status;
}

enum status heart_add_surface(uint8_t *on, const struct mesh *mesh, const struct config_surface *from,
                              enum heart_surface surface, struct inputs *inputs, struct error *error)
{
    char names[400];
    if (from->opening)
        return add_opening(on, mesh, from, surface, error);
    if (from->nodes)
        return add_list(on, mesh, from->nodes, surface, inputs, error);
    const unsigned faces = 1u << (mesh->dimension - 1);
    const struct mesh_name *found = NULL;
    if (from->name)
        TRY(mesh_names_find(&mesh->names, from->name, faces, &found, error));
    else
        TRY(mesh_names_check_number(&mesh->names, from->mark, faces, error));
    if (found || !from->name)
        return heart_surfaces_mark(on, mesh, surface, found ? found->tag : from->mark, error);
    mesh_names_list(&mesh->names, faces, names, sizeof names);
    return error_set(error, STATUS_INPUT, "the mesh has no surface '%.80s'; surfaces found: %s", from->name,
                     names);
}

enum status heart_surfaces(uint8_t **on, const struct mesh *mesh, const struct config_mesh *from,
                           struct inputs *inputs, struct error *error)
{
    bool given = false;
    enum status status = STATUS_OK;
    *on = array_zeroed(mesh->nodes, sizeof **on, "the surfaces", &status, error);
    for (int s = 0; s < HEART_SURFACES && !status; s++) {
        const struct config_surface *surface = &from->surface[s];
        if (!surface->mark && !surface->name && !surface->nodes && !surface->opening)
            continue;
        given = true;
        status = heart_add_surface(*on, mesh, surface, (enum heart_surface)s, inputs, error);
    }
    if (!status && !given)
        status = find_surfaces(*on, mesh, error);
    if (status) {
        free(*on);
        *on = NULL;
    }
    return status;
}

enum { LEAST_NODES = 20000 }; /* with fewer nodes, computing is about as fast as reading */
static const double most_bytes = 8e9;

/* To be incremented when the same mesh and surfaces give different bits */
static const char edition[] = "coordinates of a heart, 2";

enum { DISTANCES = 7, ARRAYS = DISTANCES + HEART_SURFACES };

static const struct {
    const char *name;
    unsigned set;
} arrays[ARRAYS] = {
    {"transmural", COORDINATES_TRANSMURAL},
    {"apicobasal", COORDINATES_APICOBASAL},
    {"interventricular", COORDINATES_INTERVENTRICULAR},
    {"upward", COORDINATES_UPWARD},
    {"endocardium lv", COORDINATES_ENDOCARDIA},
    {"endocardium rv", COORDINATES_ENDOCARDIA},
    {"rotational", COORDINATES_ROTATIONAL},
    {"distance base", COORDINATES_DISTANCE << HEART_BASE},
    {"distance epi", COORDINATES_DISTANCE << HEART_EPI},
    {"distance lv", COORDINATES_DISTANCE << HEART_LV},
    {"distance rv", COORDINATES_DISTANCE << HEART_RV},
    {"distance apex", COORDINATES_DISTANCE << HEART_APEX},
};
_Static_assert(HEART_BASE == 0 && HEART_APEX == HEART_SURFACES - 1, "arrays[] lists the surfaces in order");

/* Address of array k of arrays[] in *c */
static double *const *array_at(const struct coordinates *c, int k)
{
    double *const *const at[DISTANCES] = {&c->transmural, &c->apicobasal,     &c->interventricular,
                                          &c->upward,     &c->endocardium[0], &c->endocardium[1],
                                          &c->rotational};
    return k < DISTANCES ? at[k] : &c->distance[k - DISTANCES];
}

/* Opens the cache for this mesh and these surfaces; false if it is not to be used or cannot be used */
static bool open_folder(struct cache *folder, struct heart_cache *cache, const struct mesh *mesh,
                        const uint8_t *on)
{
    char nodes[SHA256_HEX];
    struct sha256 sha;
    struct mesh bare = *mesh; /* coordinates do not depend on fibres */
    bare.fiber_location = LOCATION_NONE;
    if (mesh->nodes < LEAST_NODES || cache_open(folder, NULL))
        return false;
    if (cache->heart[0])
        return true;
    digest_mesh(&bare, cache->blocks, nodes);
    sha256_start(&sha);
    sha256_add(&sha, nodes, sizeof nodes);
    sha256_add(&sha, on, (size_t)mesh->nodes);
    sha256_end(&sha, cache->heart);
    return true;
}

static void name_array(char name[CACHE_NAME], const struct heart_cache *cache, const char *array)
{
    const struct cache_input input[] = {CACHE_TEXT(edition), CACHE_TEXT(version_text()),
                                        CACHE_TEXT(cache->heart), CACHE_TEXT(array)};
    cache_name(name, "nodes", input, sizeof input / sizeof *input);
}

/* The array in the cache; NULL = missing or damaged */
static double *read_array(struct cache *folder, const struct heart_cache *cache, const char *array,
                          int64_t nodes)
{
    char name[CACHE_NAME];
    size_t size;
    name_array(name, cache, array);
    double *value = cache_read(folder, name, &size);
    if (value && size == (size_t)nodes * sizeof *value)
        return value;
    free(value);
    return NULL;
}

static bool store_array(struct cache *folder, const struct heart_cache *cache, const char *array,
                        const double *value, int64_t nodes)
{
    char name[CACHE_NAME];
    name_array(name, cache, array);
    return cache_write(folder, name, value, (size_t)nodes * sizeof *value, NULL) == STATUS_OK;
}

enum status heart_between(double **u, struct heart_cache *cache, struct coordinates *coordinates,
                          const struct mesh *mesh, const uint8_t *on, struct error *error)
{
    struct cache folder;
    struct heart_cache own = {.blocks = cache->blocks};
    const bool cached = open_folder(&folder, &own, mesh, on);
    enum status status = STATUS_OK;
    *u = cached ? read_array(&folder, &own, "between", mesh->nodes) : NULL;
    if (*u) {
        cache->read++;
    } else {
        status = coordinates_between(u, coordinates, mesh, on, error);
        if (cached && !status) {
            cache_bound(&folder, "nodes", (double)mesh->nodes * sizeof **u, most_bytes);
            cache->stored += store_array(&folder, &own, "between", *u, mesh->nodes);
        }
    }
    if (cached)
        cache_close(&folder);
    return status;
}

void heart_cache_read(struct heart_cache *cache, struct coordinates *coordinates, const struct mesh *mesh,
                      const uint8_t *on, unsigned set)
{
    struct cache folder;
    int read = 0;
    if (!open_folder(&folder, cache, mesh, on))
        return;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : read)
    for (int k = 0; k < ARRAYS; k++) {
        double **to = (double **)(uintptr_t)array_at(coordinates, k);
        if (!(set & arrays[k].set) || *to)
            continue;
        *to = read_array(&folder, cache, arrays[k].name, mesh->nodes);
        read += *to != NULL;
    }
    cache->read += read;
    cache_close(&folder);
}

void heart_cache_store(struct heart_cache *cache, const struct coordinates *before,
                       const struct coordinates *coordinates, int64_t nodes)
{
    struct cache folder;
    const double bytes = (double)nodes * sizeof(double);
    bool fresh[ARRAYS];
    int stored = 0;
    for (int k = 0; k < ARRAYS; k++) {
        fresh[k] = *array_at(coordinates, k) && !*array_at(before, k);
        stored += fresh[k];
    }
    if (!cache->heart[0] || !stored || cache_open(&folder, NULL))
        return;
    cache_bound(&folder, "nodes", stored * bytes, most_bytes);
    stored = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : stored)
    for (int k = 0; k < ARRAYS; k++) {
        if (fresh[k])
            stored += store_array(&folder, cache, arrays[k].name, *array_at(coordinates, k), nodes);
    }
    cache->stored += stored;
    cache_close(&folder);
}
