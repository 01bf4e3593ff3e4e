/* kept.c: a line of numbers, a digit a state, and the formulas. */
#include "app/models/kept.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/cache.h"
#include "app/models/bundled.h"

void kept_name(char name[KEPT_NAME], const char *text_sha256, const struct mmt_scale *scale, const char *set)
{
    char numbers[128], hex[SHA256_HEX];
    snprintf(numbers, sizeof numbers, "%a %a %a", scale->rest, scale->amplitude, scale->time_unit);
    const char *part[] = {CARDIAC_VERSION,
                          bundled_text("compiler"),
                          text_sha256,
                          numbers,
                          scale->voltage ? "named" : "labelled",
                          scale->voltage ? scale->voltage : "",
                          set ? "bundled" : "file",
                          set ? set : ""};
    struct sha256 sha;
    sha256_start(&sha);
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        sha256_add(&sha, part[k], strlen(part[k]) + 1);
    sha256_end(&sha, hex);
    snprintf(name, KEPT_NAME, "%s.model", hex);
}

/* *kept <- of the entry's text; false if it is none */
static bool parse(struct kept *kept, const char *text, size_t size, int states)
{
    int count, order, columns, end = 0;
    double accurate, largest;
    if (strlen(text) != size ||
        sscanf(text, "%d %d %d %lf %lf%n", &count, &order, &columns, &accurate, &largest, &end) != 5 ||
        count != states || columns < 0 ||
        !(accurate >= 0 && isfinite(accurate) && largest >= 0 && isfinite(largest)) || text[end++] != '\n' ||
        strspn(text + end, "01") != (size_t)states || text[end + states] != '\n')
        return false;
    *kept = (struct kept){.compiled = {.formulas = strdup(text + end + states + 1),
                                       .fp64 = malloc(((size_t)states + 1) * sizeof(bool)),
                                       .columns = columns,
                                       .order = order},
                          .step_accurate = accurate,
                          .step_largest = largest};
    if (!kept->compiled.formulas || !kept->compiled.fp64) {
        compiler_free(&kept->compiled);
        return false;
    }
    for (int k = 0; k < states; k++)
        kept->compiled.fp64[k] = text[end + k] == '1';
    return true;
}

bool kept_read(struct kept *kept, const char *name, int states)
{
    struct cache cache;
    struct error ignored;
    size_t size = 0;
    if (cache_open(&cache, &ignored))
        return false;
    char *text = cache_read(&cache, name, &size);
    cache_close(&cache);
    bool good = text && parse(kept, text, size, states);
    free(text);
    return good;
}

void kept_write(const struct kept *kept, const char *name, int states)
{
    struct cache cache;
    struct error ignored;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    fprintf(out, "%d %d %d %.17g %.17g\n", states, kept->compiled.order, kept->compiled.columns,
            kept->step_accurate, kept->step_largest);
    for (int k = 0; k < states; k++)
        fputc('0' + kept->compiled.fp64[k], out);
    fprintf(out, "\n%s", kept->compiled.formulas);
    if (fclose(out) == 0 && !cache_open(&cache, &ignored)) {
        cache_write(&cache, name, text, size, &ignored);
        cache_close(&cache);
    }
    free(text);
}
