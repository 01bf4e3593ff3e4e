/* paced.c: an entry of the cache is the values as they stand in memory. */
#include "app/models/paced.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/cache.h"
#include "app/models/kept.h"
#include "app/util/sha256.h"
#include "kernels/base/array.h"

/* sha <- with the program itself, whose code made the numbers; what cannot be read is no entry's */
static bool add_program(struct sha256 *sha)
{
    char bytes[1 << 14];
    FILE *program = fopen("/proc/self/exe", "rb");
    size_t got, all = 0;
    while (program && (got = fread(bytes, 1, sizeof bytes, program)) > 0) {
        sha256_add(sha, bytes, got);
        all += got;
    }
    bool good = program && !ferror(program) && all > 0;
    if (program)
        fclose(program);
    return good;
}

/* entry <- the name of what is kept; false if nothing can be */
static bool name_entry(char entry[SHA256_HEX + 8], const struct paced_cell *cell, const double *parameter,
                       const struct pacing *pacing)
{
    const struct stimulus *s = &pacing->stimulus;
    const double numbers[] = {cell->way.mixed, cell->way.tables, pacing->step, (double)s->count,
                              s->period,       s->current,       s->start,     s->duration};
    struct sha256 sha;
    char hex[SHA256_HEX];
    sha256_start(&sha);
    bool good = add_program(&sha);
    sha256_add(&sha, cell->model->name, strlen(cell->model->name) + 1);
    if (cell->user) { /* and of what stands beside it: where its V lies, its time */
        char text[KEPT_NAME];
        kept_name(text, cell->user->sha256, &cell->user->scale,
                  cell->user->variant ? cell->user->variant->name : NULL);
        sha256_add(&sha, text, strlen(text));
    }
    sha256_add(&sha, parameter, (size_t)cell->model->parameters * sizeof *parameter);
    sha256_add(&sha, numbers, sizeof numbers);
    sha256_end(&sha, hex);
    snprintf(entry, SHA256_HEX + 8, "%s.states", hex);
    return good;
}

static enum status pace(double *value, const struct paced_cell *cell, const double *parameter,
                        const struct pacing *pacing, struct error *error)
{
    struct single_cell one;
    enum status status = single_cell_new(&one, cell->model, parameter, cell->way, pacing->step, error);
    for (int64_t n = 0; !status && pacing_beat(pacing, n) < pacing->stimulus.count; n++)
        status = pacing_step(pacing, &one, n, error);
    if (!status)
        single_cell_get(&one, value);
    single_cell_free(&one);
    return status;
}

/* *pacing <- the usual train of this length */
static enum status make_pacing(struct pacing *pacing, const struct paced_cell *cell, const double *parameter,
                               int64_t beats, double period, struct error *error)
{
    enum status status = pacing_usual(pacing, cell->user, parameter, error);
    pacing->step = cell->step;
    pacing->stimulus.count = beats;
    pacing->stimulus.period = period;
    pacing_set_period(pacing);
    if (!status && pacing->period == 0)
        status = error_set(error, STATUS_INPUT,
                           "period: %g ms is no multiple of the cells' step %g ms; the nearest is %.12g ms",
                           period, cell->step, fmax(1, nearbyint(period / cell->step)) * cell->step);
    if (!status && period < pacing->stimulus.duration)
        status = error_set(error, STATUS_INPUT, "period: %g ms is less than the stimulus lasts, %g ms",
                           period, pacing->stimulus.duration);
    if (!status && (double)beats * period / cell->step > PACED_STEPS_MOST)
        status =
            error_set(error, STATUS_INPUT,
                      "pace: %lld beats are more than %g steps of %g ms; cardiac cell --save does that once",
                      (long long)beats, (double)PACED_STEPS_MOST, cell->step);
    return status;
}

enum status paced_states(double *value, const struct paced_cell *cell, int64_t beats, double period,
                         struct error *error)
{
    const struct ionic_model *model = cell->model;
    struct cache cache = {.folder = -1};
    struct pacing pacing;
    char entry[SHA256_HEX + 8];
    enum status status = STATUS_OK;
    size_t size, bytes = (size_t)single_cell_values(model) * sizeof *value;
    double *parameter =
        array_zeroed(model->parameters, sizeof *parameter, "a model's parameters", &status, error);
    for (int k = 0; k < model->parameters && !status; k++)
        parameter[k] = cell->parameter ? cell->parameter[k] : model->parameter[k].value;
    AND(make_pacing(&pacing, cell, parameter, beats, period, error));
    AND(cache_open(&cache, error));
    bool named = !status && name_entry(entry, cell, parameter, &pacing);
    void *entries = named ? cache_read(&cache, entry, &size) : NULL;
    if (entries && size == bytes)
        memcpy(value, entries, bytes);
    else {
        AND(pace(value, cell, parameter, &pacing, error));
        if (named)
            AND(cache_write(&cache, entry, value, bytes, error));
    }
    cache_close(&cache);
    free(entries);
    free(parameter);
    return status;
}
