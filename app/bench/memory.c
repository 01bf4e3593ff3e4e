/* memory.c: allocations of a section, all released at its end. */
#include <stdlib.h>
#include <string.h>

#include "app/bench/bench.h"
#include "kernels/base/array.h"

static const char what_for[] = "the bench";

static void release_host(struct queue *queue, void *memory)
{
    (void)queue;
    free(memory);
}

static void release_device(struct queue *queue, void *memory)
{
    device_release(queue, memory);
}

void *bench_keep(struct bench *bench, struct queue *queue, void (*release)(struct queue *queue, void *what),
                 void *what)
{
    enum status status = array_grow((void **)&bench->piece, &bench->room, bench->pieces, sizeof *bench->piece,
                                    what_for, bench->lack.status ? NULL : &bench->lack);
    if (status) {
        release(queue, what);
        return NULL;
    }
    bench->piece[bench->pieces++] = (struct bench_piece){release, queue, what};
    return what;
}

void bench_release(struct bench *bench, int64_t pieces)
{
    while (bench->pieces > pieces) {
        const struct bench_piece *piece = &bench->piece[--bench->pieces];
        piece->release(piece->queue, piece->what);
    }
    if (pieces == 0) {
        free(bench->piece);
        bench->piece = NULL;
        bench->room = 0;
    }
}

enum status bench_check(struct bench *bench, struct error *error)
{
    enum status status = bench->lack.status;
    if (status)
        *error = bench->lack;
    bench->lack.status = STATUS_OK;
    return status;
}

void *bench_array(struct bench *bench, int64_t count, size_t size)
{
    void *memory = array_zeroed(count, size, what_for, &bench->lack.status, &bench->lack);
    return memory ? bench_keep(bench, NULL, release_host, memory) : NULL;
}

void *bench_upload(struct bench *bench, struct queue *queue, const void *host, int64_t count, size_t size)
{
    queue = queue ? queue : bench->queue;
    void *memory = format_upload(queue, host, count, size, &bench->lack.status, &bench->lack);
    return memory ? bench_keep(bench, queue, release_device, memory) : NULL;
}

void *bench_fetch(struct bench *bench, const void *device, int64_t count, size_t size)
{
    void *host = bench_array(bench, count, size);
    return host && count && device_download(bench->queue, host, device, (size_t)count * size, &bench->lack)
               ? NULL
               : host;
}

enum status bench_store(struct bench *bench, struct stored *matrix, const struct format *format,
                        const struct csr *from, const struct shape *shape, struct error *error)
{
    TRY(format_make(matrix, format, from, shape, bench->queue, error));
    for (int k = 0; k < FORMAT_ARRAYS; k++)
        if (matrix->array[k])
            matrix->array[k] = bench_keep(bench, bench->queue, release_device, matrix->array[k]);
    return bench_check(bench, error);
}
