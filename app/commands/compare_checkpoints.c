/* compare_checkpoints.c: two checkpoints, all variables in fp64; what tests of equal bits rest on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/compare.h"
#include "app/io/checkpoint.h"

static enum status compare_array(struct compare *compare, struct checkpoint *a, struct checkpoint *b, int k,
                                 int j, struct error *error)
{
    const struct checkpoint_array *x = checkpoint_array(a, k), *y = checkpoint_array(b, j);
    if (x->count != y->count) {
        compare_alone(compare, "%-20s has %" PRId64 " values in %s, %" PRId64 " in %s", x->name, x->count,
                      compare->a, y->count, compare->b);
        return STATUS_OK;
    }
    double *u = malloc((size_t)x->count * sizeof *u + 1), *v = malloc((size_t)x->count * sizeof *v + 1);
    enum status status = u && v ? STATUS_OK : error_memory(error, x->name, 16.0 * (double)x->count);
    if (!status)
        status = checkpoint_get_double(a, k, u, error);
    if (!status)
        status = checkpoint_get_double(b, j, v, error);
    if (!status) {
        struct difference difference = difference_of(u, v, x->count);
        printf("%-20s", x->name);
        compare_count(compare, &difference);
        if (difference.where >= 0)
            printf(" at value %" PRId64 " of %" PRId64, difference.where, x->count);
        putchar('\n');
    }
    free(u);
    free(v);
    return status;
}

/* The newest step, the history and the stored types may differ: they are told. */
static enum status compare_heads(struct compare *compare, const struct checkpoint *a,
                                 const struct checkpoint *b, struct error *error)
{
    const struct checkpoint_head *x = checkpoint_head(a), *y = checkpoint_head(b);
    if (strcmp(x->mesh_sha256, y->mesh_sha256))
        return error_set(error, STATUS_INPUT, "the meshes of %s and %s differ", compare->a, compare->b);
    if (x->step != y->step || x->time != y->time)
        compare_alone(compare, "step %" PRId64 " (%g ms) in %s, %" PRId64 " (%g ms) in %s", x->step, x->time,
                      compare->a, y->step, y->time, compare->b);
    if (x->history != y->history)
        compare_alone(compare, "%d increments of history in %s, %d in %s", x->history, compare->a, y->history,
                      compare->b);
    if (strcmp(x->config_sha256, y->config_sha256))
        puts("(their configs differ in keys that matter to the numbers)");
    return STATUS_OK;
}

static enum status compare_open(struct compare *compare, struct checkpoint *a, struct checkpoint *b,
                                struct error *error)
{
    const char *only = compare->field;
    enum status status = compare_heads(compare, a, b, error);
    if (!status && only && (checkpoint_find(a, only) < 0 || checkpoint_find(b, only) < 0))
        status = error_set(error, STATUS_INPUT, "%s has no variable '%.80s'",
                           checkpoint_find(a, only) < 0 ? compare->a : compare->b, only);
    for (int k = 0; k < checkpoint_arrays(a) && !status; k++) {
        const char *name = checkpoint_array(a, k)->name;
        int j = checkpoint_find(b, name);
        if (only && strcmp(only, name))
            continue;
        if (j < 0)
            compare_alone(compare, "%-20s is in %s alone", name, compare->a);
        else
            status = compare_array(compare, a, b, k, j, error);
    }
    for (int j = 0; j < checkpoint_arrays(b) && !only && !status; j++)
        if (checkpoint_find(a, checkpoint_array(b, j)->name) < 0)
            compare_alone(compare, "%-20s is in %s alone", checkpoint_array(b, j)->name, compare->b);
    return status;
}

enum status compare_checkpoints(struct compare *compare, struct error *error)
{
    struct checkpoint *a = NULL, *b = NULL;
    enum status status = checkpoint_open(&a, compare->a, error);
    if (!status)
        status = checkpoint_open(&b, compare->b, error);
    if (!status)
        status = compare_open(compare, a, b, error);
    checkpoint_close(a);
    checkpoint_close(b);
    return status;
}
