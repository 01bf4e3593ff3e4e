/* ceilings.c: the roofline's ceilings, measured on the spot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/bench.h"
#include "kernels/bench/stream.h"

/* Who copies, where the kind is a copy */
enum copier { COPY_BENCH, COPY_VENDOR };

struct work {
    struct bench *bench;
    struct stream stream;
    enum copier copier;
    const double *host;        /* what `from` holds */
    double fma[STREAM_STARTS]; /* what elements must hold by their start: a chain is long, its starts few */
};

static void run(void *argument)
{
    struct work *work = argument;
    const struct bench *bench = work->bench;
    const struct stream *s = &work->stream;
    if (work->copier == COPY_BENCH)
        bench->device->stream(bench->queue, s);
    else
        bench->device->vendor_copy(bench->queue, 8 * (size_t)s->count, s->from, s->to);
}

/* What element i must hold; READ is judged by the sum of all parts */
static double expected(const struct work *work, int64_t i)
{
    const struct stream *s = &work->stream;
    if (s->kind == STREAM_COPY)
        return work->host[i];
    if (s->kind == STREAM_WRITE)
        return s->value;
    return work->fma[i % STREAM_STARTS];
}

static enum status check(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct work *work = argument;
    int64_t count = work->stream.count;
    *found = 0;
    if (work->stream.kind == STREAM_EMPTY) {
        *found = bench->inject ? 1 : 0;
        return STATUS_OK;
    }
    double *to = malloc(((size_t)count + 1) * sizeof *to), sum = 0, want = 0, size = 0;
    if (!to)
        return error_memory(error, "the validation", 8.0 * (double)count);
    enum status status = device_download(bench->queue, to, work->stream.to, 8 * (size_t)count, error);
    for (int64_t i = 0; i < count && !status; i++) {
        if (work->stream.kind == STREAM_READ) {
            sum += to[i]; /* what no part wrote is 0 */
            want += work->host[i];
            size += fabs(work->host[i]);
            continue;
        }
        double right = expected(work, i), apart = fabs(to[i] - right) / fmax(1, fabs(right));
        if (!(apart <= *found))
            *found = apart;
        if (isnan(apart))
            break;
    }
    if (work->stream.kind == STREAM_READ)
        *found = fabs(sum - want) / fmax(1, size);
    if (bench->inject && !status)
        *found += 1; /* the host's own numbers are right: what is planted is a wrong answer */
    free(to);
    return status;
}

static enum status try_kind(struct work *work, enum stream_kind kind, int64_t count, struct error *error)
{
    static const char *const name[] = {"copy", "read", "write", "fma fp64", "fma fp32", "empty launch"};
    static const char *const copier[] = {"copy", "copy of the vendor"};
    struct bench *bench = work->bench;
    struct measurement trial = {.variant = kind == STREAM_COPY ? copier[work->copier] : name[kind],
                                .body = run,
                                .argument = work,
                                .check = check,
                                .limit = 1e-6};
    double seconds, flops = 0;
    work->stream.kind = kind;
    work->stream.count = count;
    for (int k = 0; k < STREAM_STARTS; k++)
        work->fma[k] = stream_fma_expected(k, work->stream.rounds, kind == STREAM_FMA32);
    if (kind == STREAM_FMA64 || kind == STREAM_FMA32)
        flops = 2.0 * STREAM_CHAINS * work->stream.rounds * (double)count;
    trial.bytes = kind == STREAM_COPY                           ? 16.0 * (double)count
                  : kind == STREAM_READ || kind == STREAM_WRITE ? 8.0 * (double)count
                                                                : 0;
    trial.flops = flops;
    trial.nan_fill[0] = kind == STREAM_READ || kind == STREAM_EMPTY ? NULL : work->stream.to;
    trial.nan_fill_bytes[0] = 8 * (size_t)count;
    bench->report.baseline = -1; /* ceilings are not compared with each other */
    enum status status = bench_trial(bench, &trial, &seconds, error);
    if (!(seconds > 0))
        return status;
    if (kind == STREAM_COPY)
        bench->copy = fmax(bench->copy, trial.bytes / seconds);
    if (kind == STREAM_FMA64)
        bench->fma64 = flops / seconds;
    if (kind == STREAM_FMA32)
        bench->fma32 = flops / seconds;
    return status;
}

enum status bench_ceilings(struct bench *bench, struct error *error)
{
    bool is_cpu = strncmp(bench->queue->backend->name, "cpu", 3) == 0;
    int64_t count = bench->quick ? 1 << 14 : is_cpu ? 1 << 24 : 1 << 26; /* well beyond the caches */
    int64_t few = bench->quick ? 1 << 8 : is_cpu ? 1 << 14 : 1 << 21;    /* for arithmetic */
    enum status status = STATUS_OK;
    double *host = malloc(8 * (size_t)count);
    if (!host)
        return error_memory(error, "the ceilings", 8.0 * (double)count);
    for (int64_t i = 0; i < count; i++)
        host[i] = bench_random((uint64_t)i);
    report_section(&bench->report, "ceilings", "", "of this device");
    struct work work = {
        .bench = bench, .host = host, .stream = {.value = 123, .rounds = bench->quick ? 40 : 1000}};
    double *from = bench_upload(bench->queue, host, count, 8, &status, error);
    work.stream.from = from;
    work.stream.to = bench_upload(bench->queue, NULL, count, 8, &status, error);
    const enum stream_kind kinds[] = {STREAM_READ,  STREAM_COPY,  STREAM_WRITE,
                                      STREAM_FMA64, STREAM_FMA32, STREAM_EMPTY};
    for (int k = 0; k < 6 && !status; k++)
        status = try_kind(&work, kinds[k], k >= 3 && k < 5 ? few : count, error);
    if (!status && bench->vendor) {
        work.copier = COPY_VENDOR;
        status = try_kind(&work, STREAM_COPY, count, error);
    }
    device_release(bench->queue, from);
    device_release(bench->queue, work.stream.to);
    free(host);
    return status;
}
