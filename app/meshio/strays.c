/* strays.c: lines beside triangles, and both beside tetrahedra, are marks only where they lie on an element.
 */
#include "app/meshio/strays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/meshio/mesh_report.h"
#include "kernels/base/array.h"
#include "solver/mesh/sides.h"

enum { TAGS_SHOWN = 8, TAGS_TEXT = 300 };

static int by_tag(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* text <- "tag 2 (100), tag 5 (34) and 3 further tags" of tag[count], which is sorted */
static void list_tags(char text[TAGS_TEXT], int32_t *tag, int64_t count)
{
    int64_t shown = 0, first = 0;
    qsort(tag, (size_t)count, sizeof *tag, by_tag);
    text[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        if (i + 1 < count && tag[i + 1] == tag[i])
            continue;
        if (shown++ < TAGS_SHOWN)
            snprintf(text + used, TAGS_TEXT - used, "%stag %d (%lld)", used ? ", " : "", (int)tag[i],
                     (long long)(i + 1 - first));
        first = i + 1;
    }
    size_t used = strlen(text);
    if (shown > TAGS_SHOWN)
        snprintf(text + used, TAGS_TEXT - used, " and %lld further tags", (long long)(shown - TAGS_SHOWN));
}

/* The error for those with on[] = 0 */
static enum status refuse(const struct mesh_builder *builder, int dimension, const uint8_t *on,
                          const char *path, struct error *error)
{
    static const char *const side[] = {"", "edges", "faces"};
    const struct mesh_lower *lower = &builder->lower[dimension];
    const char *these = mesh_elements_name(dimension), *those = mesh_elements_name(builder->dimension);
    enum status status = STATUS_OK;
    char tags[TAGS_TEXT];
    int64_t strays = 0;
    int32_t *tag = array_new(lower->count, sizeof *tag, "the tags", &status, error);
    if (status)
        return status;
    for (int64_t i = 0; i < lower->count; i++)
        if (!on[i])
            tag[strays++] = lower->tag[i];
    list_tags(tags, tag, strays);
    free(tag);
    return error_set(
        error, STATUS_INPUT,
        "%s: %lld of %lld %s are not %s of the mesh's %s: %s. Tissue of %s in a mesh of %s is not "
        "supported; to remove it: cardiac mesh convert IN OUT --drop-stray",
        path, (long long)strays, (long long)lower->count, these, side[dimension], those, tags, these, those);
}

enum status strays_check(struct mesh_builder *builder, struct mesh_notes *notes, const char *path,
                         struct error *error)
{
    const struct mesh mesh = {.dimension = builder->dimension,
                              .nodes = builder->nodes,
                              .elements = builder->elements,
                              .vertex = builder->vertex};
    enum status status = STATUS_OK;
    for (int d = 1; d < builder->dimension && !status; d++) {
        const struct mesh_lower *lower = &builder->lower[d];
        if (lower->count == 0)
            continue;
        uint8_t *on = array_new(lower->count, sizeof *on, "the edges of the mesh", &status, error);
        AND(mesh_sides_find(on, &mesh, lower->vertex, d + 1, lower->count, error));
        if (!status && memchr(on, 0, (size_t)lower->count)) {
            int64_t all = lower->count;
            if (builder->wanted->drop_stray) {
                builder_select_lower(builder, d, on);
                notes->strays[d] = all - lower->count;
            } else {
                status = refuse(builder, d, on, path, error);
            }
        }
        free(on);
    }
    return status;
}
