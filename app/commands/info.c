/* info.c: `cardiac info`: describes this program and machine, or a file. */
#include <hdf5.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>
#include <zlib.h>

#include "app/meshio/mesh_report.h"
#include "app/io/checkpoint/checkpoint.h"
#include "app/io/result/result.h"
#include "app/report/results.h"
#include "app/util/command.h"
#include "app/util/json.h"
#include "app/util/cores.h"
#include "app/util/options.h"
#include "app/util/text_media.h"
#include "app/util/version.h"
#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/device/queue.h"
#include "kernels/device/cuda_device.h"
#include "solver/matrix/ordering.h"

static void print_name(const char *name, int width)
{
    fputs("  ", stdout);
    text_media_put(stdout, TEXT_TERMINAL, name);
    printf("%*s", width > (int)strlen(name) ? width - (int)strlen(name) : 0, "");
}

/* Prints name and value with that many decimals; nothing if the value is 0. */
static void print_value(const char *name, double value, int decimals, const char *unit)
{
    if (value > 0)
        printf("  %-28s %.*f%s\n", name, decimals, value, unit);
    else
        printf("  %s\n", name);
}

static void print_device(const struct cuda_device *d, int k)
{
    printf("cuda:%d        %s\n", k, d->name);
    printf("  %-28s %d.%d\n", "compute capability", d->major, d->minor);
    print_value("warp size", d->warp, 0, " threads");
    print_value("warps / SM, at most", d->warp ? d->threads / d->warp : 0, 0, "");
    print_value("blocks / SM, at most", d->blocks, 0, "");
    print_value("block size, at most", d->block_threads, 0, " threads");
    print_value("SMs", d->multiprocessors, 0, "");
    print_value("FP32 units / SM", d->cores32, 0, "");
    print_value("FP64 units / SM", d->cores64, 0, "");
    print_value("tensor cores / SM", d->tensor_cores, 0, "");
    double clocks = 2e-12 * d->multiprocessors * d->clock;
    print_value("clock", 1e-9 * d->clock, 3, " GHz");
    print_value("peak FP32", clocks * d->cores32, 1, " TFLOP/s");
    print_value("peak FP64", clocks * d->cores64, 1, " TFLOP/s");
    print_value("peak tensor FP16", clocks * d->tensor_rate, 0, " TFLOP/s");
    print_value("L2", d->second_cache / 1024, 0, " kiB");
    print_value("shared memory / SM", d->shared / 1024, 0, " kiB");
    print_value("shared memory / block", d->shared_block / 1024, 0, " kiB at most");
    print_value("constant memory", d->constant / 1024, 0, " kiB");
    print_value("registers / SM", d->registers, 0, "");
    print_value("memory", d->memory / 0x1p30, 1, " GiB");
    print_value("memory rate", 1e-9 * d->mem_rate, 0, " GB/s");
}

static void info_devices(void)
{
    for (int k = 0; k < cuda_devices(); k++) {
        struct cuda_device device;
        struct error error;
        if (cuda_device_describe(&device, k, &error))
            printf("cuda:%d        %s\n", k, error.text);
        else
            print_device(&device, k);
    }
}

static void print_cache(const char *name, int size, int line)
{
    long bytes = sysconf(size), width = sysconf(line);
    if (bytes > 0)
        printf("  %-12s %ld kiB, lines of %ld bytes\n", name, bytes / 1024, width);
}

static void print_backends(void)
{
    const struct backend *best = backend_find("cpu", NULL);
    printf("  %-12s", "kernels");
    for (size_t k = 0; backend_cpu(k); k++) {
        const struct backend *backend = backend_find(backend_cpu(k)->name, NULL);
        if (backend)
            printf(" %s%s", backend->name, backend == best ? " (chosen)" : "");
    }
    printf("%s\n", backend_find("cuda", NULL) ? " cuda" : "");
}

static void info_build(void)
{
    unsigned major = 0, minor = 0, release = 0;
    char name[256];
    H5get_libversion(&major, &minor, &release);
    cores_processor(name, sizeof name);
    printf("%s\n", version_text());
    printf("  %-12s %s\n", "compiler", version_compiler());
    printf("  %-12s %d\n", "OpenMP", _OPENMP);
    printf("  %-12s %u.%u.%u\n", "HDF5", major, minor, release);
    printf("  %-12s %s\n", "libyaml", yaml_get_version_string());
    printf("  %-12s %s\n", "zlib", zlibVersion());
    puts("machine");
    printf("  %-12s %s\n", "processor", name);
    printf("  %-12s %ld online, %d used by default\n", "cores", sysconf(_SC_NPROCESSORS_ONLN),
           omp_get_max_threads());
    print_cache("L1 data", _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE);
    print_cache("L2", _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_LINESIZE);
    print_cache("L3", _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_LINESIZE);
    printf("  %-12s %.1f GiB\n", "memory",
           (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 0x1p30);
    print_backends();
    info_devices();
}

static void json_range(struct json *json, const struct range *range)
{
    json_number(json, "low", range->low);
    json_number(json, "high", range->high);
    json_number(json, "mean", range->sum / (double)(range->values - range->none));
    json_integer(json, "values", range->values);
    json_integer(json, "without_value", range->none);
}

static enum status print_variable(struct checkpoint *checkpoint, int k, struct json *json,
                                  struct error *error)
{
    static const char *const types[] = {"float64", "float32", "int32"};
    const struct checkpoint_array *array = checkpoint_array(checkpoint, k);
    enum status status = STATUS_OK;
    double *value = array_new(array->count, sizeof *value, array->name, &status, error);
    struct range range = range_empty;
    TRY_DONE(status);
    TRY_DONE(checkpoint_get_double(checkpoint, k, value, error));
    range_widen(&range, H5T_NATIVE_DOUBLE, value, array->count);
done:
    free(value);
    TRY(status);
    if (json) {
        json_open(json, NULL, '{');
        json_text(json, "name", array->name);
        json_text(json, "type", types[array->type]);
        json_range(json, &range);
        json_close(json);
        return STATUS_OK;
    }
    print_name(array->name, 24);
    printf(" %-8s %10" PRId64, types[array->type], array->count);
    if (range.low <= range.high && array->type != CHECKPOINT_INT32)
        printf("  %.6g to %.6g", range.low, range.high);
    putchar('\n');
    return STATUS_OK;
}

static enum status json_checkpoint(struct checkpoint *checkpoint, const char *path, struct error *error)
{
    const struct checkpoint_head *head = checkpoint_head(checkpoint);
    struct json json = json_line(stdout);
    enum status status = STATUS_OK;
    json_open(&json, NULL, '{');
    json_text(&json, "checkpoint", path);
    json_integer(&json, "step", head->step);
    json_number(&json, "time", head->time);
    json_text(&json, "program", head->program);
    json_text(&json, "device", head->backend);
    json_text(&json, "config_sha256", head->config_sha256);
    json_text(&json, "mesh_sha256", head->mesh_sha256);
    json_open(&json, "arrays", '[');
    for (int k = 0; k < checkpoint_arrays(checkpoint) && !status; k++)
        status = print_variable(checkpoint, k, &json, error);
    json_close(&json);
    json_close(&json);
    return status;
}

static enum status info_checkpoint(const char *path, bool as_json, struct error *error)
{
    struct checkpoint *checkpoint;
    enum status status = checkpoint_open(&checkpoint, path, error);
    if (status)
        return status;
    if (as_json) {
        status = json_checkpoint(checkpoint, path, error);
        checkpoint_close(checkpoint);
        return status;
    }
    const struct checkpoint_head *head = checkpoint_head(checkpoint);
    printf("%-12s %s, undamaged\n", "checkpoint", path);
    printf("%-12s %" PRId64 ", %g ms, %d increments of history\n", "step", head->step, head->time,
           head->history);
    printf("%-12s %s, %s\n", "program", head->program, head->backend);
    printf("%-12s %s\n%-12s %s\n", "config", head->config_sha256, "mesh", head->mesh_sha256);
    puts("arrays");
    for (int k = 0; k < checkpoint_arrays(checkpoint) && !status; k++)
        status = print_variable(checkpoint, k, NULL, error);
    checkpoint_close(checkpoint);
    return status;
}

static void print_text(const struct result *result, const char *attribute)
{
    char text[512];
    if (h5_get_text(&result->file, "/run", attribute, text, sizeof text) && *text) {
        printf("%-12s ", attribute);
        text_media_line(stdout, "", text);
    }
}

/* result->facts <- computed, for meshes written by other programs */
static enum status find_facts(struct result *result, struct error *error)
{
    struct vtkhdf_facts *facts = &result->facts;
    if (facts->known)
        return STATUS_OK;
    TRY(result_mesh(result, error));
    mesh_box(facts->low, facts->high, &result->mesh);
    mesh_count_dimensions(&result->mesh, facts->count);
    facts->known = true;
    return STATUS_OK;
}

static int dimension_of(const struct vtkhdf_facts *facts)
{
    return facts->count[3] > 0 ? 3 : facts->count[2] > 0 ? 2 : 1;
}

static enum status json_mesh(struct json *json, struct result *result, struct error *error)
{
    const struct vtkhdf_facts *facts = &result->facts;
    TRY(find_facts(result, error));
    json_integer(json, "nodes", facts->nodes);
    json_integer(json, "elements", facts->elements);
    json_integer(json, "dimension", dimension_of(facts));
    json_open(json, "box", '[');
    for (int k = 0; k < 6; k++)
        json_number(json, NULL, k < 3 ? facts->low[k] : facts->high[k - 3]);
    json_close(json);
    return STATUS_OK;
}

static enum status print_mesh(struct result *result, struct error *error)
{
    const struct vtkhdf_facts *facts = &result->facts;
    char text[120];
    TRY(find_facts(result, error));
    const double *low = facts->low, *high = facts->high;
    printf("%-12s %lld nodes, %s, (%g, %g, %g) to (%g, %g, %g) mm\n", "mesh", (long long)facts->nodes,
           mesh_counts_text(text, facts->count), low[0], low[1], low[2], high[0], high[1], high[2]);
    return STATUS_OK;
}

/* *range <- the range of array k over all frames */
static enum status find_range(struct result *result, int k, struct range *range, struct error *error)
{
    const int64_t rows = result_rows(result, k), piece = result_piece(result, k);
    const int64_t width = result->array[k].width, frames = result->array[k].in_time ? result->frames : 1;
    enum status status = STATUS_OK;
    if (result_range(result, k, range))
        return STATUS_OK;
    double *value = array_new(piece * width, sizeof *value, "a part of a frame", &status, error);
    *range = range_empty;
    for (int64_t frame = 0; frame < frames; frame++)
        for (int64_t first = 0; first < rows && !status; first += piece) {
            const int64_t count = rows - first < piece ? rows - first : piece;
            status = result_get_rows(result, k, frame, first, count, value, error);
            if (!status)
                range_widen(range, H5T_NATIVE_DOUBLE, value, count * width);
        }
    free(value);
    return status;
}

/* *valid_to <- the time up to which map k covers the run, ms; false if array k is not a map */
static bool find_valid(const struct result *result, const struct result_array *array, double *valid_to)
{
    char path[128];
    snprintf(path, sizeof path, "/VTKHDF/PointData/%s", array->name);
    return !array->in_time && !array->cell && h5_get_number(&result->file, path, "valid_to", valid_to);
}

/* *threshold <- the activation threshold in region r, mV, with which a map was computed; false if it has none */
static bool find_threshold(double *threshold, const struct result *result, const struct result_array *array,
                           int r)
{
    char path[128], name[32];
    snprintf(path, sizeof path, "/VTKHDF/PointData/%s", array->name);
    output_threshold_name(name, r);
    return !array->in_time && !array->cell && h5_get_number(&result->file, path, name, threshold);
}

static enum status json_array(struct result *result, int k, struct json *json, struct error *error)
{
    const struct result_array *array = &result->array[k];
    struct range range;
    double valid_to;
    enum status status = find_range(result, k, &range, error);
    json_open(json, NULL, '{');
    json_text(json, "name", array->variable);
    json_text(json, "unit", array->unit);
    json_flag(json, "in_time", array->in_time);
    json_text(json, "at", array->cell ? "cells" : "points");
    json_integer(json, "components", array->width);
    json_range(json, &range);
    if (find_valid(result, array, &valid_to))
        json_number(json, "valid_to", valid_to);
    double threshold;
    if (find_threshold(&threshold, result, array, 0)) {
        json_open(json, "thresholds", '[');
        for (int r = 0; find_threshold(&threshold, result, array, r); r++)
            json_number(json, NULL, threshold);
        json_close(json);
    }
    json_close(json);
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
    print_name(array->variable, 20);
    printf(" %-10s", array->in_time ? "in time" : array->cell ? "cells" : "points");
    if (range.low <= range.high)
        printf(" %.6g to %.6g%s%s, mean %.6g", range.low, range.high, unit ? " " : "",
               unit ? array->unit : "", range.sum / (double)(range.values - range.none));
    if (range.none)
        printf("%s %lld of %lld without a value", range.low <= range.high ? "," : "", (long long)range.none,
               (long long)range.values);
    double valid_to;
    if (find_valid(result, array, &valid_to))
        printf(", up to %g ms", valid_to);
    double threshold;
    for (int r = 0; find_threshold(&threshold, result, array, r); r++)
        printf(r ? ", %g mV" : ", threshold %g mV", threshold);
    putchar('\n');
    return STATUS_OK;
}

/* Looked up by name: HDF5 1.10 aborts programs that list the attributes of a damaged file. */
static void print_numbers(const struct result *result)
{
    double value;
    for (int k = 0; k < RESULTS_NUMBERS; k++)
        if (h5_get_number(&result->file, "/run/numbers", results_number_name[k], &value))
            printf("  %-28s %.6g\n", results_number_name[k], value);
}

static void json_numbers(const struct result *result, struct json *json)
{
    double value;
    for (int k = 0; k < RESULTS_NUMBERS; k++)
        if (h5_get_number(&result->file, "/run/numbers", results_number_name[k], &value))
            json_number(json, results_number_name[k], value);
}

static enum status json_result(struct result *result, struct error *error)
{
    static const char *const facts[] = {"program", "libraries", "device", "mesh_sha256"};
    struct json json = json_line(stdout);
    char text[512];
    enum status status = STATUS_OK;
    json_open(&json, NULL, '{');
    json_text(&json, "result", result->file.path);
    json_number(&json, "bytes", result->file.bytes);
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
        if (h5_get_text(&result->file, "/run", facts[k], text, sizeof text))
            json_text(&json, facts[k], text);
    status = json_mesh(&json, result, error);
    json_flag(&json, "growing", result_is_growing(result->file.path));
    json_open(&json, "times", '[');
    for (int64_t k = 0; k < result->frames; k++)
        json_number(&json, NULL, result->time[k]);
    json_close(&json);
    json_open(&json, "arrays", '[');
    for (int k = 0; k < result->arrays && !status; k++)
        status = json_array(result, k, &json, error);
    json_close(&json);
    json_open(&json, "numbers", '{');
    json_numbers(result, &json);
    json_close(&json);
    json_close(&json);
    return status;
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
    TRY(print_mesh(result, error));
    const char *more = result_is_growing(result->file.path) ? "; a run is writing more" : "";
    if (result->frames)
        printf("%-12s %lld, %g to %g ms%s\n", "frames", (long long)result->frames, result->time[0],
               result->time[result->frames - 1], more);
    else
        printf("%-12s none%s\n", "frames", more);
    puts("arrays");
    for (int k = 0; k < result->arrays; k++)
        TRY(print_array(result, k, error));
    if (h5_exists(&result->file, "/run/numbers")) {
        puts("numbers");
        print_numbers(result);
    }
    if (h5_exists(&result->file, "/run/config"))
        puts("(its config: cardiac info --config)");
    return STATUS_OK;
}

static enum status info_result(const char *path, bool with_config, bool as_json, struct error *error)
{
    struct result result;
    enum status status = result_open(&result, path, error);
    if (status)
        return status;
    status = with_config ? print_config(&result, error)
             : as_json   ? json_result(&result, error)
                         : print_all(&result, error);
    result_close(&result);
    return status;
}

enum status command_info(int argc, char **argv, struct error *error)
{
    bool config = false, as_json = false, help;
    int count;
    const struct option options[] = {
        {"--config", NULL, "print only the text of the config that a result was computed from",
         .flag = &config},
        {"--json", NULL, "print the description of a file as JSON", .flag = &as_json},
        {0},
    };
    const struct usage usage = {"info [FILE] [--config]",
                                "Without FILE: describes this build and the machine. With a result "
                                "(.vtkhdf): its mesh, frames,\n"
                                "fields with their ranges, activation, device and timings. With a checkpoint "
                                "(.h5): its step and arrays.",
                                options, 0, 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (status || help)
        return status;
    if (config && !count)
        return error_set(error, STATUS_INPUT, "--config needs a result file");
    if (as_json && (config || !count))
        return error_set(error, STATUS_INPUT,
                         "--json requires a result or a checkpoint, and cannot be combined with --config");
    if (!count)
        info_build();
    else if (result_is_checkpoint(argv[1]))
        status = info_checkpoint(argv[1], as_json, error);
    else
        status = info_result(argv[1], config, as_json, error);
    fflush(stdout);
    return status;
}
