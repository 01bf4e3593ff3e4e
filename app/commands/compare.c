/* compare.c: `cardiac compare`: compare the values of two results or two checkpoints. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/difference.h"
#include "app/io/checkpoint/checkpoint.h"
#include "app/io/result/result.h"
#include "app/io/result/table.h"
#include "app/util/command.h"
#include "app/util/json.h"
#include "app/util/options.h"
#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/suggest.h"

struct compare {
    const char *a, *b; /* files */
    double tolerance;  /* 0 = the same bits */
    const char *field; /* the only one; NULL = all */
    bool json;
    int64_t compared; /* number of arrays and frames compared */
    int64_t apart;    /* number of them beyond the tolerance, or in one file only */
};

/* Counts a difference and prints its numbers; time: NAN = not in time. */
static void compare_count(struct compare *compare, const char *name, double time,
                          const struct difference *difference)
{
    bool within = difference_within(difference, compare->tolerance);
    compare->compared++;
    compare->apart += !within;
    if (compare->json) {
        struct json json = json_line(stdout);
        json_open(&json, NULL, '{');
        json_text(&json, "array", name);
        json_number(&json, "time", time);
        json_number(&json, "max", difference->max);
        json_number(&json, "rms", difference_rms(difference));
        json_integer(&json, "where", difference->where);
        json_integer(&json, "bits", difference->bits);
        json_flag(&json, "within", within);
        json_close(&json);
        return;
    }
    if (isnan(time))
        printf("%-20s %15s", name, "");
    else
        printf("%-20s %12.10g ms", name, time);
    printf("  max %-12.6g rms %-12.6g", difference->max, difference_rms(difference));
    if (difference->bits && difference->max == 0)
        printf(" only the sign of zero differs");
}

/* Reports something that only one file has, or that cannot be compared. */
static void compare_alone(struct compare *compare, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (compare->json) {
        struct json json = json_line(stdout);
        json_open(&json, NULL, '{');
        json_text(&json, "alone", text);
        json_flag(&json, "within", false);
        json_close(&json);
    } else
        puts(text);
    compare->compared++;
    compare->apart++;
}

static enum status compare_variable(struct compare *compare, struct checkpoint *a, struct checkpoint *b,
                                    int k, int j, struct error *error)
{
    const struct checkpoint_array *x = checkpoint_array(a, k), *y = checkpoint_array(b, j);
    if (x->count != y->count) {
        compare_alone(compare, "%-20s has %" PRId64 " values in %s, %" PRId64 " in %s", x->name, x->count,
                      compare->a, y->count, compare->b);
        return STATUS_OK;
    }
    enum status status = STATUS_OK;
    double *u = array_new(x->count, sizeof *u, x->name, &status, error);
    double *v = array_new(x->count, sizeof *v, x->name, &status, error);
    if (status)
        goto done;
    TRY_DONE(checkpoint_get_double(a, k, u, error));
    TRY_DONE(checkpoint_get_double(b, j, v, error));
    struct difference difference = difference_of(u, v, x->count);
    compare_count(compare, x->name, (double)NAN, &difference);
    if (difference.where >= 0 && !compare->json)
        printf(" at value %" PRId64 " of %" PRId64, difference.where, x->count);
    if (!compare->json)
        putchar('\n');
done:
    free(u);
    free(v);
    return status;
}

static const char watched[] = "probe_beats";

/* Whether two checkpoints record beats at different probes; then these are not compared, since they follow from V */
static bool watches_others(struct compare *compare, const struct checkpoint *a, const struct checkpoint *b)
{
    int k = checkpoint_find(a, watched), j = checkpoint_find(b, watched);
    bool others =
        (k < 0) != (j < 0) || (k >= 0 && checkpoint_array(a, k)->count != checkpoint_array(b, j)->count);
    if (others && !compare->json)
        printf("%-20s of other nodes: not compared\n", watched);
    return others;
}

/* Prints that the steps or histories differ. */
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
        fputs("(their configs differ in keys that matter to the numbers)\n", compare->json ? stderr : stdout);
    return STATUS_OK;
}

static enum status compare_states(struct compare *compare, struct checkpoint *a, struct checkpoint *b,
                                  struct error *error)
{
    const char *only = compare->field;
    TRY(compare_heads(compare, a, b, error));
    const char *left_out = watches_others(compare, a, b) && !only ? watched : "";
    if (only && (checkpoint_find(a, only) < 0 || checkpoint_find(b, only) < 0))
        TRY(error_set(error, STATUS_INPUT, "%s has no variable '%.80s'",
                      checkpoint_find(a, only) < 0 ? compare->a : compare->b, only));
    for (int k = 0; k < checkpoint_arrays(a); k++) {
        const char *name = checkpoint_array(a, k)->name;
        int j = checkpoint_find(b, name);
        if ((only && strcmp(only, name)) || strcmp(left_out, name) == 0)
            continue;
        if (j < 0)
            compare_alone(compare, "%-20s is in %s alone", name, compare->a);
        else
            TRY(compare_variable(compare, a, b, k, j, error));
    }
    for (int j = 0; j < checkpoint_arrays(b) && !only; j++)
        if (checkpoint_find(a, checkpoint_array(b, j)->name) < 0 &&
            strcmp(left_out, checkpoint_array(b, j)->name) != 0)
            compare_alone(compare, "%-20s is in %s alone", checkpoint_array(b, j)->name, compare->b);
    return STATUS_OK;
}

static enum status compare_checkpoints(struct compare *compare, struct error *error)
{
    struct checkpoint *a = NULL, *b = NULL;
    enum status status;
    TRY_DONE(checkpoint_open(&a, compare->a, error));
    TRY_DONE(checkpoint_open(&b, compare->b, error));
    status = compare_states(compare, a, b, error);
done:
    checkpoint_close(a);
    checkpoint_close(b);
    return status;
}

/* *same <- whether an array of both meshes has the same values */
static enum status same_array(const struct result *a, const struct result *b, const char *name, bool real,
                              bool *same, struct error *error)
{
    const struct result *of[2] = {a, b};
    struct h5_array array[2] = {{.id = -1}, {.id = -1}};
    void *value[2] = {NULL, NULL};
    enum status status = STATUS_OK;
    *same = true;
    for (int k = 0; k < 2; k++) {
        struct h5_file file = of[k]->file;
        TRY_DONE(h5_array_open(&array[k], &file, name, real, 0, error));
    }
    *same = array[0].rank == array[1].rank && memcmp(array[0].dim, array[1].dim, sizeof array[0].dim) == 0;
    const int64_t rows = (int64_t)array[0].dim[0], piece = h5_array_piece(&array[0]);
    const int64_t width = rows ? array[0].values / rows : 0;
    for (int k = 0; k < 2 && *same; k++)
        value[k] = array_new(piece * width, 8, "a part of the mesh", &status, error);
    for (int64_t first = 0; first < rows && *same && !status; first += piece) {
        const int64_t count = rows - first < piece ? rows - first : piece;
        for (int k = 0; k < 2; k++) {
            struct h5_file file = of[k]->file;
            TRY_DONE(h5_array_slice(&array[k], &file, name, real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64,
                                    first, count, value[k], error));
        }
        *same = memcmp(value[0], value[1], (size_t)(count * width) * 8) == 0;
    }
done:
    for (int k = 0; k < 2; k++) {
        h5_array_close(&array[k]);
        free(value[k]);
    }
    return status;
}

static enum status same_mesh(const struct result *a, const struct result *b, struct error *error)
{
    static const struct {
        const char *name, *what;
    } arrays[] = {{"/VTKHDF/Points", "places of nodes"},
                  {"/VTKHDF/Types", "elements"},
                  {"/VTKHDF/Connectivity", "elements"}};
    const struct vtkhdf_facts *x = &a->facts, *y = &b->facts;
    if (x->nodes != y->nodes || x->elements != y->elements)
        return error_set(error, STATUS_INPUT,
                         "the meshes differ: %lld nodes and %lld elements in %s, %lld and %lld in %s",
                         (long long)x->nodes, (long long)x->elements, a->file.path, (long long)y->nodes,
                         (long long)y->elements, b->file.path);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        bool same;
        TRY(same_array(a, b, arrays[k].name, k == 0, &same, error));
        if (!same)
            return error_set(error, STATUS_INPUT, "the meshes differ: %s in %s and %s", arrays[k].what,
                             a->file.path, b->file.path);
    }
    return STATUS_OK;
}

/* The position of a node, or of the first node of a cell; the mesh is read only if there is a difference. */
static enum status print_position(struct result *result, const struct result_array *array, int64_t where,
                                  struct error *error)
{
    if (where < 0) {
        putchar('\n');
        return STATUS_OK;
    }
    TRY(result_mesh(result, error));
    const struct mesh *mesh = &result->mesh;
    int64_t row = where / array->width, node = array->cell ? mesh->vertex[row * (mesh->dimension + 1)] : row;
    const double *at = mesh->point + 3 * node;
    printf(" at %s %lld (%.6g, %.6g, %.6g) mm\n", array->cell ? "cell" : "node", (long long)row, at[0], at[1],
           at[2]);
    return STATUS_OK;
}

struct pair {
    struct result *a, *b;
    double *x, *y; /* values of the first and the second file */
};

/* y <- -y where that is nearer to x, since f and -f are the same fibre; removes the sign of zeros. */
static void turn_axes(const struct result_array *array, double *x, double *y, int64_t values)
{
    bool axes = !array->in_time && array->width == 3 &&
                (!strcmp(array->name, "fiber") || !strcmp(array->name, "sheet"));
    for (int64_t i = 0; axes && i + 2 < values; i += 3) {
        double cosine = x[i] * y[i] + x[i + 1] * y[i + 1] + x[i + 2] * y[i + 2];
        for (int64_t k = i; k < i + 3; k++) {
            y[k] = (cosine < 0 ? -y[k] : y[k]) + 0.0;
            x[k] += 0.0;
        }
    }
}

static enum status compare_frame(struct compare *compare, struct pair *pair, int k, int j, int64_t frame_a,
                                 int64_t frame_b, struct error *error)
{
    const struct result_array *array = &pair->a->array[k];
    const int64_t rows = result_rows(pair->a, k), piece = result_piece(pair->a, k);
    struct difference difference = difference_none;
    for (int64_t first = 0; first < rows; first += piece) {
        const int64_t count = rows - first < piece ? rows - first : piece;
        TRY(result_get_rows(pair->a, k, frame_a, first, count, pair->x, error));
        TRY(result_get_rows(pair->b, j, frame_b, first, count, pair->y, error));
        turn_axes(array, pair->x, pair->y, count * array->width);
        difference_add(&difference, pair->x, pair->y, count * array->width);
    }
    compare_count(compare, array->variable, array->in_time ? pair->a->time[frame_a] : (double)NAN,
                  &difference);
    return compare->json ? STATUS_OK : print_position(pair->a, array, difference.where, error);
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
    const int64_t values = result_piece(pair->a, k) * a->width;
    enum status status = STATUS_OK;
    pair->x = array_new(values, sizeof *pair->x, "parts of two frames", &status, error);
    pair->y = array_new(values, sizeof *pair->y, "parts of two frames", &status, error);
    if (status)
        goto done;
    if (!a->in_time)
        TRY_DONE(compare_frame(compare, pair, k, j, 0, 0, error));
    for (int64_t frame = 0; frame < pair->a->frames && a->in_time; frame++) {
        int64_t nearest, other = result_frame(pair->b, pair->a->time[frame], &nearest);
        if (other >= 0)
            TRY_DONE(compare_frame(compare, pair, k, j, frame, other, error));
    }
done:
    free(pair->x);
    free(pair->y);
    return status;
}

/* Reports times that only `one` has. */
static void compare_times(struct compare *compare, const struct result *one, const struct result *other)
{
    for (int64_t frame = 0; frame < one->frames; frame++) {
        int64_t nearest;
        if (result_frame(other, one->time[frame], &nearest) < 0)
            compare_alone(compare, "%.10g ms is in %s alone", one->time[frame], one->file.path);
    }
}

/* The tables of both results, in which a row is a time */
static const char *const tables[] = {"probes", "ecg"};
enum { TABLES = sizeof tables / sizeof *tables };

/* Whether --field names a table of both */
static bool field_is_table(const struct compare *compare, const struct result *a, const struct result *b)
{
    for (int t = 0; t < TABLES; t++)
        if (strcmp(compare->field, tables[t]) == 0)
            return h5_exists(&a->file, tables[t]) && h5_exists(&b->file, tables[t]);
    return false;
}

static void compare_rows(struct compare *compare, const char *name, const struct table_rows *x,
                         const struct table_rows *y)
{
    if (!x->columns != !y->columns) {
        compare_alone(compare, "%-20s is in %s alone", name, x->columns ? compare->a : compare->b);
        return;
    }
    if (x->columns != y->columns || x->rows != y->rows ||
        memcmp(x->time, y->time, (size_t)x->rows * sizeof *x->time) != 0) {
        compare_alone(compare, "%-20s has other columns or times in %s and %s", name, compare->a, compare->b);
        return;
    }
    struct difference difference = difference_of(x->value, y->value, x->rows * x->columns);
    compare_count(compare, name, (double)NAN, &difference);
    if (compare->json)
        return;
    if (difference.where >= 0)
        printf(" in column %" PRId64 " at %.10g ms", difference.where % x->columns + 1,
               x->time[difference.where / x->columns]);
    putchar('\n');
}

static enum status compare_table(struct compare *compare, const char *name, struct result *a,
                                 struct result *b, struct error *error)
{
    struct table_rows x = {0}, y = {0};
    char group[20];
    enum status status;
    snprintf(group, sizeof group, "/%s", name);
    TRY_DONE(table_read(&x, &a->file, group, error));
    TRY_DONE(table_read(&y, &b->file, group, error));
    if (x.columns || y.columns)
        compare_rows(compare, name, &x, &y);
done:
    table_rows_free(&x);
    table_rows_free(&y);
    return status;
}

static enum status compare_tables(struct compare *compare, struct result *a, struct result *b,
                                  struct error *error)
{
    for (int t = 0; t < TABLES; t++)
        if (!compare->field || strcmp(compare->field, tables[t]) == 0)
            TRY(compare_table(compare, tables[t], a, b, error));
    return STATUS_OK;
}

static enum status find_field(const struct compare *compare, const struct result *a, const struct result *b,
                              struct error *error)
{
    if (!compare->field || (result_find(a, compare->field) >= 0 && result_find(b, compare->field) >= 0) ||
        field_is_table(compare, a, b))
        return STATUS_OK;
    const struct result *lacks = result_find(a, compare->field) < 0 ? a : b;
    struct suggestion suggestion = suggest_for(compare->field);
    for (int k = 0; k < lacks->arrays; k++)
        suggest_try(&suggestion, lacks->array[k].variable);
    return error_set(error, STATUS_INPUT, "%s has no array '%.80s'%s", lacks->file.path, compare->field,
                     suggest_hint(&suggestion));
}

static bool chosen(const struct compare *compare, const struct result_array *array)
{
    return !compare->field || !strcmp(compare->field, array->name) ||
           !strcmp(compare->field, array->variable);
}

static enum status compare_open(struct compare *compare, struct result *a, struct result *b,
                                struct error *error)
{
    TRY(same_mesh(a, b, error));
    TRY(find_field(compare, a, b, error));
    compare_times(compare, a, b);
    compare_times(compare, b, a);
    struct pair pair = {a, b, NULL, NULL};
    for (int k = 0; k < a->arrays; k++) {
        int j = result_find(b, a->array[k].name);
        if (!chosen(compare, &a->array[k]))
            continue;
        if (j < 0)
            compare_alone(compare, "%-20s is in %s alone", a->array[k].variable, compare->a);
        else
            TRY(compare_array(compare, &pair, k, j, error));
    }
    for (int j = 0; j < b->arrays; j++)
        if (chosen(compare, &b->array[j]) && result_find(a, b->array[j].name) < 0)
            compare_alone(compare, "%-20s is in %s alone", b->array[j].variable, compare->b);
    return compare_tables(compare, a, b, error);
}

/* Prints a line per array and time; counts in *compare. Errors: STATUS_INPUT when a file cannot be read or
 * the meshes differ. */
static enum status compare_results(struct compare *compare, struct error *error)
{
    struct result a, b;
    enum status status;
    TRY(result_open(&a, compare->a, error));
    TRY_DONE(result_open(&b, compare->b, error));
    status = compare_open(compare, &a, &b, error);
done:
    result_close(&a);
    if (b.file.path)
        result_close(&b);
    return status;
}

/* *tolerance <- a number without unit; it applies to each array in the array's unit. */
static enum status read_tolerance(const char *text, double *tolerance, struct error *error)
{
    char *end;
    errno = 0;
    *tolerance = strtod(text, &end);
    if (end == text || *end || errno || !isfinite(*tolerance) || *tolerance < 0)
        return error_set(error, STATUS_INPUT, "--tolerance '%.80s' is not a number of 0 or more", text);
    return STATUS_OK;
}

static enum status compare_files(struct compare *compare, struct error *error)
{
    bool result_a = result_is(compare->a), result_b = result_is(compare->b);
    if (!result_a && !result_b && (result_is_checkpoint(compare->a) || result_is_checkpoint(compare->b)))
        return compare_checkpoints(compare, error);
    if (result_a != result_b &&
        (result_a ? result_is_checkpoint(compare->b) : result_is_checkpoint(compare->a)))
        return error_set(error, STATUS_INPUT, "%s is a result and %s a checkpoint: they cannot be compared",
                         result_a ? compare->a : compare->b, result_a ? compare->b : compare->a);
    return compare_results(compare, error);
}

static enum status verdict(const struct compare *compare, struct error *error)
{
    if (compare->json) {
        struct json json = json_line(stdout);
        json_open(&json, NULL, '{');
        json_flag(&json, "equal", !compare->apart);
        json_number(&json, "tolerance", compare->tolerance);
        json_integer(&json, "compared", compare->compared);
        json_integer(&json, "apart", compare->apart);
        json_close(&json);
    }
    if (!compare->apart && !compare->json) {
        if (compare->tolerance > 0)
            printf("equal within %g (%lld compared)\n", compare->tolerance, (long long)compare->compared);
        else
            printf("equal (%lld compared)\n", (long long)compare->compared);
        return STATUS_OK;
    }
    if (!compare->apart)
        return STATUS_OK;
    if (compare->tolerance > 0)
        return error_set(error, STATUS_DIFFERS, "%s and %s differ: %lld of %lld comparisons exceed %g",
                         compare->a, compare->b, (long long)compare->apart, (long long)compare->compared,
                         compare->tolerance);
    return error_set(error, STATUS_DIFFERS,
                     "%s and %s differ: %lld of %lld comparisons are not bit-identical", compare->a,
                     compare->b, (long long)compare->apart, (long long)compare->compared);
}

enum status command_compare(int argc, char **argv, struct error *error)
{
    const char *tolerance = NULL;
    struct compare compare = {0};
    bool help;
    const struct option options[] = {
        {"--tolerance", "X",
         "largest |A - B| that counts as equal, in each array's own unit (0: bit-identical)",
         .text = &tolerance},
        {"--field", "NAME", "compare this array alone", .text = &compare.field},
        {"--json", NULL, "print a line of JSON per array and time, then the verdict", .flag = &compare.json},
        {0},
    };
    const struct usage usage = {
        "compare A B [--tolerance X] [--field NAME]",
        "Compares two result files (.vtkhdf) or two checkpoints (.h5): per array and time the largest and "
        "the\n"
        "root mean square difference, and the position of the largest. NaN equals NaN, a fibre equals its "
        "opposite. Exit status 0: "
        "equal, 1: not, 2: the\n"
        "files cannot be compared.",
        options, 2, 2};
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (status || help)
        return status;
    if (tolerance)
        TRY(read_tolerance(tolerance, &compare.tolerance, error));
    compare.a = argv[1];
    compare.b = argv[2];
    TRY_DONE(compare_files(&compare, error));
    status = verdict(&compare, error);
done:
    fflush(stdout);
    return status;
}
