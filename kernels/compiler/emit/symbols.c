/* symbols.c: names of a text as identifiers of C. */
#include "kernels/compiler/emit/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"

/* Macros have no small letter, types end in _t; keywords of C++ and functions of ours have these parts */
static bool is_reserved(const char *name)
{
    static const char *const first[] = {"real_", "lookup_", "ionic_", "table_", "co_"};
    static const char *const last[] = {"_t", "_eq", "_cast", "_assert", "_local"};
    const size_t length = strlen(name);
    if (!strpbrk(name, "abcdefghijklmnopqrstuvwxyz") || !strchr(name, '_'))
        return true;
    for (int k = 0; k < 5; k++)
        if (strncmp(name, first[k], strlen(first[k])) == 0 ||
            (length > strlen(last[k]) && strcmp(name + length - strlen(last[k]), last[k]) == 0))
            return true;
    return false;
}

/* symbol <- name with _ for each dot; false if that will not do */
static bool spell(symbols_name symbol, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    snprintf(symbol, SYMBOLS_LENGTH, "%s", name);
    for (char *at = symbol; *at; at++)
        *at = *at == '.' ? '_' : *at;
    return strlen(name) < SYMBOLS_LENGTH && strspn(name, letters) == strlen(name) && !is_reserved(symbol);
}

/* symbol k <- a letter and its number */
static void number_symbol(const struct symbols *symbols, const struct cell *cell, int64_t k)
{
    const int64_t parameter = k - cell->states, quantity = parameter - cell->parameters;
    const int64_t number = quantity >= 0 ? quantity : parameter >= 0 ? parameter : k;
    snprintf(symbols->state[k], SYMBOLS_LENGTH, "%c%lld",
             quantity >= 0    ? 'q'
             : parameter >= 0 ? 'p'
                              : 's',
             (long long)number);
}

enum status symbols_make(struct symbols *symbols, const struct cell *cell, struct error *error)
{
    static const char what[] = "a model's names";
    const int64_t count = (int64_t)cell->states + cell->parameters + cell->quantities;
    enum status status = STATUS_OK;
    symbols->state = array_new(count, sizeof *symbols->state, what, &status, error);
    const char **sorted = array_new(count, sizeof *sorted, what, &status, error);
    for (int64_t k = 0; k < count && !status; k++) {
        const int64_t parameter = k - cell->states, quantity = parameter - cell->parameters;
        sorted[k] = symbols->state[k];
        if (!spell(symbols->state[k], quantity >= 0    ? cell->quantity[quantity].name
                                      : parameter >= 0 ? cell->parameter[parameter].name
                                                       : cell->state[k].name))
            number_symbol(symbols, cell, k);
    }
    if (!status) {
        qsort(sorted, (size_t)count, sizeof *sorted, compare_text);
        for (int64_t k = count - 1; k > 0; k--)
            if (strcmp(sorted[k], sorted[k - 1]) == 0)
                number_symbol(symbols, cell, (sorted[k] - symbols->state[0]) / SYMBOLS_LENGTH);
        symbols->parameter = symbols->state + cell->states;
        symbols->quantity = symbols->parameter + cell->parameters;
    }
    free(sorted);
    return status;
}
