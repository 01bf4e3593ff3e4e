/* compare_results.c: two result files, array by array, frame by frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/compare.h"
#include "app/io/result.h"
#include "app/util/nearest.h"

static enum status same_mesh(const struct result *a, const struct result *b, struct error *error)
{
    const struct mesh *x = &a->mesh, *y = &b->mesh;
    const char *what = NULL;
    if (x->dimension != y->dimension || x->nodes != y->nodes || x->elements != y->elements)
        return error_set(error, STATUS_INPUT,
                         "the meshes differ: %lld nodes and %lld elements in %s, %lld and %lld in %s",
                         (long long)x->nodes, (long long)x->elements, a->file.path, (long long)y->nodes,
                         (long long)y->elements, b->file.path);
    if (memcmp(x->point, y->point, (size_t)x->nodes * 3 * sizeof *x->point))
        what = "places of nodes";
    else if (memcmp(x->vertex, y->vertex,
                    (size_t)x->elements * ((size_t)x->dimension + 1) * sizeof *x->vertex))
        what = "elements";
    if (what)
        return error_set(error, STATUS_INPUT, "the meshes differ: %s in %s and %s", what, a->file.path,
                         b->file.path);
    return STATUS_OK;
}

/* Node or cell and its place. */
static void print_place(const struct result *result, const struct result_array *array, int64_t where)
{
    const struct mesh *mesh = &result->mesh;
    if (where < 0) {
        putchar('\n');
        return;
    }
    int64_t row = where / array->width, node = array->cell ? mesh->vertex[row * (mesh->dimension + 1)] : row;
    const double *at = mesh->point + 3 * node;
    printf(" at %s %lld (%.6g, %.6g, %.6g) mm\n", array->cell ? "cell" : "node", (long long)row, at[0], at[1],
           at[2]);
}

struct pair {
    struct result *a, *b;
    double *x, *y; /* values of the one and the other */
};

static enum status compare_frame(struct compare *compare, struct pair *pair, int k, int j, int64_t frame_a,
                                 int64_t frame_b, struct error *error)
{
    const struct result_array *array = &pair->a->array[k];
    enum status status = result_get(pair->a, k, frame_a, pair->x, error);
    if (!status)
        status = result_get(pair->b, j, frame_b, pair->y, error);
    if (status)
        return status;
    struct difference difference = difference_of(pair->x, pair->y, result_values(pair->a, k));
    if (array->in_time)
        printf("%-20s %12.10g ms", array->variable, pair->a->time[frame_a]);
    else
        printf("%-20s %15s", array->variable, "");
    compare_count(compare, &difference);
    print_place(pair->a, array, difference.where);
    return STATUS_OK;
}

static enum status compare_array(struct compare *compare, struct pair *pair, int k, int j,
                                 struct error *error)
{
    const struct result_array *a = &pair->a->array[k], *b = &pair->b->array[j];
    if (a->in_time != b->in_time || a->cell != b->cell || a->width != b->width) {
        compare_alone(compare, "%-20s is another kind of array in the two files", a->variable);
        return STATUS_OK;
    }
    if (strcmp(a->unit, b->unit))
        compare_alone(compare, "%-20s is in '%s' in %s, in '%s' in %s", a->variable, a->unit, compare->a,
                      b->unit, compare->b);
    size_t values = (size_t)result_values(pair->a, k);
    pair->x = malloc(values * sizeof *pair->x + 1);
    pair->y = malloc(values * sizeof *pair->y + 1);
    enum status status =
        pair->x && pair->y ? STATUS_OK : error_memory(error, "two frames", 16.0 * (double)values);
    if (!status && !a->in_time)
        status = compare_frame(compare, pair, k, j, 0, 0, error);
    for (int64_t frame = 0; frame < pair->a->frames && a->in_time && !status; frame++) {
        int64_t nearest, other = result_frame(pair->b, pair->a->time[frame], &nearest);
        if (other >= 0)
            status = compare_frame(compare, pair, k, j, frame, other, error);
    }
    free(pair->x);
    free(pair->y);
    return status;
}

/* Times that only `one` has. */
static void compare_times(struct compare *compare, const struct result *one, const struct result *other)
{
    for (int64_t frame = 0; frame < one->frames; frame++) {
        int64_t nearest;
        if (result_frame(other, one->time[frame], &nearest) < 0)
            compare_alone(compare, "%.10g ms is in %s alone", one->time[frame], one->file.path);
    }
}

static enum status find_field(const struct compare *compare, const struct result *a, const struct result *b,
                              struct error *error)
{
    char hint[100];
    if (!compare->field || (result_find(a, compare->field) >= 0 && result_find(b, compare->field) >= 0))
        return STATUS_OK;
    const struct result *lacks = result_find(a, compare->field) < 0 ? a : b;
    struct nearest nearest = nearest_to(compare->field);
    for (int k = 0; k < lacks->arrays; k++)
        nearest_try(&nearest, lacks->array[k].variable);
    nearest_hint(&nearest, hint, sizeof hint);
    return error_set(error, STATUS_INPUT, "%s has no array '%.80s'%s", lacks->file.path, compare->field,
                     hint);
}

static bool chosen(const struct compare *compare, const struct result_array *array)
{
    return !compare->field || !strcmp(compare->field, array->name) ||
           !strcmp(compare->field, array->variable);
}

static enum status compare_open(struct compare *compare, struct result *a, struct result *b,
                                struct error *error)
{
    enum status status = same_mesh(a, b, error);
    if (!status)
        status = find_field(compare, a, b, error);
    if (status)
        return status;
    compare_times(compare, a, b);
    compare_times(compare, b, a);
    struct pair pair = {a, b, NULL, NULL};
    for (int k = 0; k < a->arrays && !status; k++) {
        int j = result_find(b, a->array[k].name);
        if (!chosen(compare, &a->array[k]))
            continue;
        if (j < 0)
            compare_alone(compare, "%-20s is in %s alone", a->array[k].variable, compare->a);
        else
            status = compare_array(compare, &pair, k, j, error);
    }
    for (int j = 0; j < b->arrays && !status; j++)
        if (chosen(compare, &b->array[j]) && result_find(a, b->array[j].name) < 0)
            compare_alone(compare, "%-20s is in %s alone", b->array[j].variable, compare->b);
    return status;
}

enum status compare_results(struct compare *compare, struct error *error)
{
    struct result a, b;
    enum status status = result_open(&a, compare->a, error);
    if (status)
        return status;
    status = result_open(&b, compare->b, error);
    if (!status)
        status = compare_open(compare, &a, &b, error);
    result_close(&a);
    if (b.file.path)
        result_close(&b);
    return status;
}
