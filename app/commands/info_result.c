/* info_result.c: a result in a screenful. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/info.h"
#include "app/io/result.h"

static void print_text(const struct result *result, const char *attribute)
{
    char text[512];
    if (h5_get_text(&result->file, "/run", attribute, text, sizeof text) && *text)
        printf("%-12s %s\n", attribute, text);
}

static void print_mesh(const struct mesh *mesh)
{
    static const char *const kinds[4] = {"", "lines", "triangles", "tetrahedra"};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * mesh->nodes; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->point[i]);
        high[i % 3] = fmax(high[i % 3], mesh->point[i]);
    }
    printf("%-12s %lld nodes, %lld %s, (%g, %g, %g) to (%g, %g, %g) mm\n", "mesh", (long long)mesh->nodes,
           (long long)mesh->elements, kinds[mesh->dimension], low[0], low[1], low[2], high[0], high[1],
           high[2]);
}

/* The range of all frames and how many values are not finite (a map's "never"). */
struct range {
    double low, high;
    int64_t none, values;
};

static enum status find_range(struct result *result, int k, struct range *range, struct error *error)
{
    int64_t values = result_values(result, k), frames = result->array[k].in_time ? result->frames : 1;
    double *value = malloc((size_t)values * sizeof *value + 1);
    enum status status = value ? STATUS_OK : error_memory(error, "a frame", 8.0 * (double)values);
    *range = (struct range){INFINITY, -INFINITY, 0, frames * values};
    for (int64_t frame = 0; frame < frames && !status; frame++) {
        status = result_get(result, k, frame, value, error);
        for (int64_t i = 0; i < values && !status; i++) {
            range->none += !isfinite(value[i]);
            range->low = isfinite(value[i]) ? fmin(range->low, value[i]) : range->low;
            range->high = isfinite(value[i]) ? fmax(range->high, value[i]) : range->high;
        }
    }
    free(value);
    return status;
}

static enum status print_array(struct result *result, int k, struct error *error)
{
    const struct result_array *array = &result->array[k];
    struct range range;
    enum status status = find_range(result, k, &range, error);
    if (status)
        return status;
    bool unit = *array->unit && strcmp(array->unit, "1");
    printf("  %-20s %-10s", array->variable, array->in_time ? "in time" : array->cell ? "cells" : "points");
    if (range.low <= range.high)
        printf(" %.6g to %.6g%s%s", range.low, range.high, unit ? " " : "", unit ? array->unit : "");
    if (range.none)
        printf("%s %lld of %lld without a value", range.low <= range.high ? "," : "", (long long)range.none,
               (long long)range.values);
    double valid_to;
    char path[128];
    snprintf(path, sizeof path, "/VTKHDF/PointData/%s", array->name);
    if (!array->in_time && !array->cell && h5_get_number(&result->file, path, "valid_to", &valid_to))
        printf(", up to %g ms", valid_to);
    putchar('\n');
    return STATUS_OK;
}

static enum status print_number(void *context, const char *name, struct error *error)
{
    double value;
    (void)error;
    if (h5_get_number(context, "/run/numbers", name, &value))
        printf("  %-28s %.6g\n", name, value);
    return STATUS_OK;
}

static enum status print_config(struct result *result, struct error *error)
{
    char *text;
    enum status status = h5_read_text(&result->file, "/run/config", &text, error);
    if (!status)
        fputs(text, stdout);
    free(text);
    return status;
}

static enum status print_all(struct result *result, struct error *error)
{
    printf("%-12s %s, %.3g MB\n", "result", result->file.path, result->file.bytes / 1e6);
    print_text(result, "program");
    print_text(result, "libraries");
    print_text(result, "device");
    print_mesh(&result->mesh);
    if (result->frames)
        printf("%-12s %lld, %g to %g ms\n", "frames", (long long)result->frames, result->time[0],
               result->time[result->frames - 1]);
    else
        printf("%-12s none\n", "frames");
    puts("arrays");
    enum status status = STATUS_OK;
    for (int k = 0; k < result->arrays && !status; k++)
        status = print_array(result, k, error);
    if (!status && h5_exists(&result->file, "/run/numbers")) {
        puts("numbers");
        status = h5_each_attribute(&result->file, "/run/numbers", print_number, &result->file, error);
    }
    if (!status && h5_exists(&result->file, "/run/config"))
        puts("(its config: cardiac info --config)");
    return status;
}

enum status info_result(const char *path, int with_config, struct error *error)
{
    struct result result;
    enum status status = result_open(&result, path, error);
    if (status)
        return status;
    status = with_config ? print_config(&result, error) : print_all(&result, error);
    result_close(&result);
    return status;
}
