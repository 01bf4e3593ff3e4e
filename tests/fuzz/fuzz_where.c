/* fuzz_where.c: arbitrary bytes as an expression of places: parsed, and what is taken evaluated. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/where.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
    if (!condition)
        abort();
}

/* Numbers; of a tag, surface or segment, whether it is there */
static void values(const void *data, int k, int64_t first, int count, double *out)
{
    const struct where *where = data;
    const enum where_leaf_kind kind = k < 0 ? WHERE_COORDINATE : where->leaf[k].kind;
    bool truth = kind == WHERE_TAG || kind == WHERE_SURFACE || kind == WHERE_SEGMENT;
    for (int i = 0; i < count; i++)
        out[i] = truth ? (double)((first + i) % 2) : (double)((first + i) * 7 % 11 + k % 3) - 5;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    demand(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    for (enum where_kind kind = WHERE_CONDITION; kind <= WHERE_FACTOR; kind++) {
        struct arena arena = {.limit = 1 << 22};
        struct error error = {0};
        struct where *where;
        int at;
        enum status status = where_parse(&where, &arena, text, kind, &at, &error);
        demand(status == STATUS_OK || (status == STATUS_INPUT && error.status == status && error.text[0]));
        demand(at >= 0 && at <= (int)strlen(text));
        double out[WHERE_BLOCK + 3];
        if (!status) {
            const struct where_values points = {where, 1e-9, values};
            demand(where_evaluate(where, &points, 5, WHERE_BLOCK + 3, out, &error) == STATUS_OK);
            for (int i = 0; kind == WHERE_CONDITION && i < WHERE_BLOCK + 3; i++)
                demand(out[i] == 0 || out[i] == 1);
        }
        arena_free(&arena);
    }
    free(text);
    return 0;
}
