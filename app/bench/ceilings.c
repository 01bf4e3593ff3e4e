/* ceilings.c: measure the roofline's ceilings of the device. */
#include <math.h>

#include "app/bench/bench.h"
#include "kernels/base/bits.h"

/* Which implementation, if the kind is a copy */
enum copier { COPY_BENCH, COPY_VENDOR };

struct ceiling {
    struct bench *bench;
    struct stream stream;
    enum copier copier;
    const double *host;        /* contents of `from` */
    double fma[STREAM_STARTS]; /* expected results by start value: the chain is long, its start values few */
};

static void run_stream(void *argument)
{
    struct ceiling *ceiling = argument;
    const struct bench *bench = ceiling->bench;
    const struct stream *s = &ceiling->stream;
    if (ceiling->copier == COPY_BENCH)
        bench->device->stream(bench->queue, s);
    else
        bench->device->vendor_copy(bench->queue, 8 * (size_t)s->count, s->from, s->to);
}

/* The expected value of element i; not for READ, for which only the sum of all parts is known */
static double expected_word(const struct ceiling *ceiling, int64_t i)
{
    const struct stream *s = &ceiling->stream;
    if (s->kind == STREAM_COPY)
        return ceiling->host[i];
    if (s->kind == STREAM_WRITE)
        return s->value;
    return ceiling->fma[i % STREAM_STARTS];
}

static enum status check_stream(void *argument, struct bench *bench, double *found, struct error *error)
{
    const struct ceiling *ceiling = argument;
    int64_t count = ceiling->stream.count;
    *found = bench->inject; /* the planted error: the inputs are correct, so the result is made wrong */
    if (ceiling->stream.kind == STREAM_EMPTY)
        return STATUS_OK;
    double *to = bench_fetch(bench, ceiling->stream.to, count, sizeof *to), sum = 0, want = 0, size = 0;
    TRY(bench_check(bench, error));
    for (int64_t i = 0; i < count; i++) {
        if (ceiling->stream.kind == STREAM_READ) {
            sum += to[i]; /* words that no part wrote are 0 */
            want += ceiling->host[i];
            size += fabs(ceiling->host[i]);
            continue;
        }
        double right = expected_word(ceiling, i);
        *found = bench_worse(*found, fabs(to[i] - right) / fmax(1, fabs(right)));
    }
    if (ceiling->stream.kind == STREAM_READ)
        *found = bench_worse(*found, fabs(sum - want) / fmax(1, size));
    return STATUS_OK;
}

static enum status measure_kind(struct ceiling *ceiling, enum stream_kind kind, int64_t count,
                                struct error *error)
{
    static const char *const name[] = {"copy", "read", "write", "fma fp64", "fma fp32", "empty launch"};
    static const char *const copier[] = {"copy", "copy of the vendor"};
    struct bench *bench = ceiling->bench;
    struct measurement trial = {.variant = kind == STREAM_COPY ? copier[ceiling->copier] : name[kind],
                                .body = run_stream,
                                .argument = ceiling,
                                .check = check_stream,
                                .limit = 1e-6};
    double seconds;
    ceiling->stream.kind = kind;
    ceiling->stream.count = count;
    for (int k = 0; k < STREAM_STARTS; k++)
        ceiling->fma[k] = stream_fma_expected(k, ceiling->stream.rounds, kind == STREAM_FMA32);
    if (kind == STREAM_FMA64 || kind == STREAM_FMA32)
        trial.flops = 2.0 * STREAM_CHAINS * ceiling->stream.rounds * (double)count;
    trial.bytes = kind == STREAM_COPY                           ? 16.0 * (double)count
                  : kind == STREAM_READ || kind == STREAM_WRITE ? 8.0 * (double)count
                                                                : 0;
    trial.nan_fill[0] = kind == STREAM_READ || kind == STREAM_EMPTY ? NULL : ceiling->stream.to;
    trial.nan_fill_bytes[0] = 8 * (size_t)count;
    bench->report.baseline = -1; /* ceilings are not compared with each other */
    enum status status = bench_trial(bench, &trial, &seconds, error);
    if (!(seconds > 0))
        return status;
    if (kind == STREAM_COPY)
        bench->copy = fmax(bench->copy, trial.bytes / seconds);
    return status;
}

enum status bench_ceilings(struct bench *bench, struct error *error)
{
    const bool is_cpu = bench->is_cpu;
    int64_t count = bench->quick ? 1 << 14 : is_cpu ? 1 << 24 : 1 << 26; /* well beyond the caches */
    int64_t few = bench->quick ? 1 << 8 : is_cpu ? 1 << 14 : 1 << 21;    /* elements for arithmetic */
    const enum stream_kind kinds[] = {STREAM_READ,  STREAM_COPY,  STREAM_WRITE,
                                      STREAM_FMA64, STREAM_FMA32, STREAM_EMPTY};
    double *host = bench_array(bench, count, sizeof *host);
    TRY(bench_check(bench, error));
    for (int64_t i = 0; i < count; i++)
        host[i] = bits_random_signed((uint64_t)i);
    bench_section(bench, "ceilings", "", "of this device");
    struct ceiling ceiling = {.bench = bench,
                              .host = host,
                              .stream = {.value = 123,
                                         .rounds = bench->quick ? 40 : 1000,
                                         .from = bench_upload(bench, NULL, host, count, 8),
                                         .to = bench_upload(bench, NULL, NULL, count, 8)}};
    TRY(bench_check(bench, error));
    for (int k = 0; k < 6; k++)
        TRY(measure_kind(&ceiling, kinds[k], k >= 3 && k < 5 ? few : count, error));
    ceiling.copier = COPY_VENDOR;
    if (bench->vendor)
        TRY(measure_kind(&ceiling, STREAM_COPY, count, error));
    bench_release(bench, 0);
    return STATUS_OK;
}
