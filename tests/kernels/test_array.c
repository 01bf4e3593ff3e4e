/* test_array.c: arrays of 0 items and arrays too large, on host and device, and the state after a failure; arrays that grow, copies in
 * parallel, pieces of an arena, and the clock. */
#include "kernels/base/array.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/device/queue.h"
#include "tests/support/check.h"

static void test_bytes(void)
{
    const size_t most = PTRDIFF_MAX;
    CHECK(array_bytes(0, 8) == 1 && array_bytes(3, 8) == 24 && array_bytes(1, 0) == 1, "few bytes");
    CHECK(array_bytes(-1, 8) == 0 && array_bytes(-1, 0) == 0, "less than none");
    CHECK(array_bytes(PTRDIFF_MAX, 1) == most && array_bytes(PTRDIFF_MAX, 2) == 0 &&
              array_bytes(1, most + 1) == 0 && array_bytes(INT64_MAX / 4, 8) == 0,
          "too many");
}

/* The room at least doubles, is at least 64, and above count */
static void test_growth(void)
{
    struct error error = {0};
    const int64_t counts[] = {0, 63, 64, 100, 127, 128, 255, 256, 1000, 1999, 2001, 2002};
    int64_t *array = NULL, room = 0, want = 0;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        const int64_t before = want;
        if (counts[k] >= want)
            want = want < 32 ? 64 : 2 * want;
        want = want > counts[k] ? want : counts[k] + 1;
        CHECK_OK(array_grow((void **)&array, &room, counts[k], sizeof *array, "numbers", &error), error);
        CHECK(room == want, "%lld items: room for %lld, want %lld", (long long)counts[k], (long long)room,
              (long long)want);
        for (int64_t i = 0; i < before; i++)
            CHECK(array[i] == 3 * i, "item %lld was lost", (long long)i);
        for (int64_t i = before; i < room; i++)
            array[i] = 3 * i;
    }
    void *same = array;
    CHECK(array_grow((void **)&array, &room, INT64_MAX / 8, 8, "the sky", &error) == STATUS_RUN &&
              array == same && room == want && strstr(error.text, "the sky needs 9.22e+12 MB"),
          "%s", error.text);
    free(array);
    array = NULL;
    for (room = 31; room <= 32; room++) { /* the smallest rooms that double */
        int64_t now = room;
        CHECK_OK(array_grow((void **)&array, &now, room, sizeof *array, "numbers", &error), error);
        CHECK(now == 64, "%lld became %lld", (long long)room, (long long)now);
    }
    free(array);
}

/* Sizes about those of one, two and three blocks of copies, and no byte more */
static void test_copies(void)
{
    enum { BLOCK = 1 << 18, MOST = 3 * BLOCK + 64 };
    unsigned char *from = malloc(MOST), *to = malloc(MOST);
    CHECK(from && to, "no memory");
    for (int k = 0; k < MOST; k++)
        from[k] = (unsigned char)(k * 7 + (k >> 9));
    for (int blocks = 0; blocks <= 3; blocks++)
        for (int more = blocks ? -1 : 0; more <= 1; more++) {
            const size_t bytes = (size_t)(blocks * BLOCK + more);
            memset(to, 0xA5, MOST);
            array_copy(to, from, bytes);
            CHECK(!memcmp(to, from, bytes) && to[bytes] == 0xA5 && to[MOST - 1] == 0xA5, "%zu bytes", bytes);
        }
    free(from);
    free(to);
}

/* Pieces are zeroed, aligned and apart; the blocks that hold them count against the limit. */
static void test_arena(void)
{
    enum { BLOCK = 32768, PIECES = 60, ALIGNED = sizeof(max_align_t) };
    struct arena arena = {.limit = 5 * BLOCK};
    unsigned char *piece[PIECES];
    size_t size[PIECES], held = 0, left = 0;
    int pieces = 0;
    for (; pieces < PIECES; pieces++) {
        size[pieces] = (size_t)(1 + pieces * pieces * 7);
        const size_t rounded = (size[pieces] + ALIGNED - 1) / ALIGNED * ALIGNED;
        piece[pieces] = arena_allocate(&arena, size[pieces], 1);
        if (rounded > left) {
            if (held + BLOCK > arena.limit) {
                CHECK(!piece[pieces], "piece %d is beyond the limit", pieces);
                break;
            }
            held += BLOCK;
            left = BLOCK;
        }
        left -= rounded;
        CHECK(piece[pieces] && arena.held == held, "piece %d: %zu bytes are held, want %zu", pieces,
              arena.held, held);
        CHECK((uintptr_t)piece[pieces] % _Alignof(max_align_t) == 0, "piece %d is not aligned", pieces);
        for (size_t k = 0; k < size[pieces]; k++)
            CHECK(piece[pieces][k] == 0, "piece %d is not zeroed", pieces);
        memset(piece[pieces], pieces + 1, size[pieces]);
    }
    CHECK(held == 5 * BLOCK, "%zu bytes", held);
    for (int p = 0; p < pieces; p++)
        for (size_t k = 0; k < size[p]; k++)
            CHECK(piece[p][k] == p + 1, "piece %d was overwritten", p);
    arena_free(&arena);
    CHECK(!arena.chunk && arena.held == 0, "%zu bytes are held", arena.held);

    arena.limit = 2 * BLOCK + ALIGNED; /* one large piece has a block of its own size */
    CHECK(!arena_allocate(&arena, BLOCK + ALIGNED / 2 + 1, 2), "beyond the limit by two bytes");
    CHECK(arena_allocate(&arena, BLOCK + ALIGNED / 2, 2) && arena.held == arena.limit, "%zu bytes",
          arena.held);
    CHECK(!arena_allocate(&arena, 1, 1), "nothing is left");
    arena_free(&arena);
    arena.limit = 0;
    CHECK(!arena_allocate(&arena, (size_t)-1 / 4, 3) && !arena_allocate(&arena, (size_t)-1 / 2 / 3 + 1, 3),
          "too much");
    CHECK(arena_allocate(&arena, 0, 8) && arena_allocate(&arena, 5, 0), "nothing");
    unsigned char *whole = arena_allocate(&arena, BLOCK / 8 - 2, 8); /* fills the block to its end */
    CHECK(whole && arena.held == BLOCK, "%zu bytes", arena.held);
    memset(whole, 1, BLOCK - 16);
    char *text = arena_text(&arena, "abcdef", 3), *printed = arena_print(&arena, "%s-%d", text, 12345);
    CHECK(text && printed && !strcmp(text, "abc") && !strcmp(printed, "abc-12345"), "%s, %s", text, printed);
    arena_free(&arena);
}

static void test_clock(void)
{
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    const double now = clock_seconds();
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK(now - (double)before.tv_sec >= (double)before.tv_nsec / 1e9 - 1e-6 &&
              now - (double)after.tv_sec <= (double)after.tv_nsec / 1e9 + 1e-6,
          "%.9f s", now);
}

int main(void)
{
    test_bytes();
    test_growth();
    test_copies();
    test_arena();
    test_clock();
    struct error error = {0};
    enum status status = STATUS_OK;
    char *none = array_new(0, sizeof *none, "nothing", &status, &error);
    double *zero = array_zeroed(1000, sizeof *zero, "zeros", &status, &error);
    CHECK(!status && none && zero && zero[0] == 0 && zero[999] == 0, "%s", error.text);

    const int64_t unfit[] = {-1, INT64_MAX, INT64_MAX / 4, INT64_MAX / 8 + 1};
    for (size_t k = 0; k < sizeof unfit / sizeof *unfit; k++) {
        status = STATUS_OK;
        void *memory = array_new(unfit[k], 8, "the whole world", &status, &error);
        CHECK(!memory && status == STATUS_RUN && strstr(error.text, "the whole world"), "%s", error.text);
    }
    CHECK(!array_zeroed(1, 1, "what comes after", &status, &error) && strstr(error.text, "the whole world"),
          "a failure is to stick: %s", error.text);

    struct queue *queue;
    const struct backend *backend = backend_find("cpu", &error);
    CHECK(backend && !queue_new(&queue, backend, 1, &error), "%s", error.text);
    status = STATUS_OK;
    char *empty = device_array(queue, 0, 8, "nothing", &status, &error);
    CHECK(!status && empty, "%s", error.text);
    void *memory = device_array(queue, INT64_MAX, 8, "the vectors", &status, &error);
    CHECK(!memory && status == STATUS_RUN && strstr(error.text, "the vectors"), "%s", error.text);
    CHECK(!device_array(queue, 1, 8, "what comes after", &status, &error), "a failure is to stick");
    device_release(queue, empty);
    queue_free(queue);
    free(none);
    free(zero);
    return 0;
}
