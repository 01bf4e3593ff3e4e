/* batches.c: groups are compared pair by pair; the rows of a batch are sorted by model and parameter set,
 * then cut into runs. */
#include "solver/cells/batches.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

static const char what[] = "the cells";

static bool same_parameters(const struct batch_group *a, const struct batch_group *b)
{
    return a->table == b->table &&
           memcmp(a->parameter, b->parameter, (size_t)a->model->parameters * sizeof *a->parameter) == 0;
}

int batches_find(struct batch_group *group, int groups)
{
    int batches = 0;
    for (int g = 0; g < groups; g++) {
        struct batch_group *own = &group[g];
        int last = -1; /* parameter set of the batch */
        own->batch = own->parameter_set = -1;
        for (int h = g - 1; h >= 0 && own->parameter_set < 0; h--) {
            const struct batch_group *other = &group[h];
            if ((own->batch >= 0 && other->batch != own->batch) || !other->table != !own->table ||
                !ionic_same_code(other->model, own->model))
                continue;
            own->batch = other->batch;
            last = other->parameter_set > last ? other->parameter_set : last;
            own->parameter_set = same_parameters(other, own) ? other->parameter_set : -1;
        }
        if (own->batch < 0 || (own->parameter_set < 0 && last == UINT16_MAX))
            own->batch = batches++, last = -1;
        own->parameter_set = own->parameter_set < 0 ? last + 1 : own->parameter_set;
    }
    return batches;
}

/* Cells of one model and parameter set, adjacent among the sorted rows */
struct piece {
    int32_t row; /* of the first */
    int32_t at;  /* index of the first in sorted[] */
    uint16_t cells, parameter_set;
};

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    const bool full_x = x->cells == IONIC_RUN, full_y = y->cells == IONIC_RUN;
    return full_x != full_y ? full_y - full_x : (x->row > y->row) - (x->row < y->row);
}

/* A batch under construction */
struct maker {
    struct batch *batch;
    const struct batch_group *group;
    int groups, number;    /* groups of the tissue; index of the batch */
    const int32_t *of_row; /* [rows] */
    int64_t rows;
    int32_t *sorted; /* [rows of the batch] by model, parameter set, number */
    int64_t *begin;  /* [spans * parameter sets + 1] in sorted[] */
    struct piece *piece;
};

static int span_of(const struct maker *m, int group)
{
    int s = 0;
    while (m->batch->span[s].model != m->group[group].model)
        s++;
    return s;
}

/* Sets the models of the spans and the number of parameter sets */
static enum status list_spans(struct maker *m, struct error *error)
{
    struct batch *batch = m->batch;
    enum status status = STATUS_OK;
    batch->span = array_zeroed(m->groups, sizeof *batch->span, what, &status, error);
    for (int g = 0; g < m->groups && !status; g++) {
        if (m->group[g].batch != m->number)
            continue;
        batch->parameter_sets = m->group[g].parameter_set >= batch->parameter_sets
                                    ? m->group[g].parameter_set + 1
                                    : batch->parameter_sets;
        int s = 0;
        while (s < batch->spans && batch->span[s].model != m->group[g].model)
            s++;
        batch->span[s].model = m->group[g].model;
        batch->spans += s == batch->spans;
    }
    return status;
}

/* sorted[], begin[] <- the rows of the batch */
static enum status sort_rows(struct maker *m, struct error *error)
{
    const int parameter_sets = m->batch->parameter_sets, keys = m->batch->spans * parameter_sets;
    enum status status = STATUS_OK;
    int *key =
        array_new(m->groups, sizeof *key, what, &status, error); /* of each group, -1 = of another batch */
    m->begin = array_zeroed(keys + 2, sizeof *m->begin, what, &status, error);
    TRY_DONE(status);
    for (int g = 0; g < m->groups; g++)
        key[g] =
            m->group[g].batch == m->number ? span_of(m, g) * parameter_sets + m->group[g].parameter_set : -1;
    for (int fill = 0; fill < 2; fill++) {
        for (int64_t k = 0; k < m->rows; k++) {
            int own = m->of_row[k] < 0 ? -1 : key[m->of_row[k]];
            if (own < 0)
                continue;
            if (fill)
                m->sorted[m->begin[own + 1]++] = (int32_t)k;
            else
                m->begin[own + 2]++;
        }
        for (int k = 0; k < keys && !fill; k++)
            m->begin[k + 2] += m->begin[k + 1];
        if (!fill)
            m->sorted = array_new(m->begin[keys + 1], sizeof *m->sorted, what, &status, error);
        TRY_DONE(status);
    }
done:
    free(key);
    return status;
}

/* piece[] <- the runs of a span; returns their number */
static int list_pieces(struct maker *m, int span)
{
    const int parameter_sets = m->batch->parameter_sets;
    int count = 0;
    for (int parameter_set = 0; parameter_set < parameter_sets; parameter_set++) {
        const int64_t *begin = m->begin + span * parameter_sets + parameter_set;
        for (int64_t at = begin[0]; at < begin[1]; at += IONIC_RUN) {
            int64_t left = begin[1] - at;
            m->piece[count++] =
                (struct piece){m->sorted[at], (int32_t)at, (uint16_t)(left < IONIC_RUN ? left : IONIC_RUN),
                               (uint16_t)parameter_set};
        }
    }
    qsort(m->piece, (size_t)count, sizeof *m->piece, compare_pieces);
    return count;
}

/* Stores the cells of a span from cell `from` on, or with runs from the next multiple of IONIC_RUN;
 * returns the end */
static int64_t place_span(struct maker *m, int span, int64_t from)
{
    struct batch *batch = m->batch;
    struct batch_span *own = &batch->span[span];
    const int64_t *begin = m->begin + span * batch->parameter_sets;
    int64_t at = batch->parameter_sets == 1 ? from : (from + IONIC_RUN - 1) / IONIC_RUN * IONIC_RUN;
    own->first = at;
    own->cells = begin[batch->parameter_sets] - begin[0];
    if (batch->parameter_sets == 1) {
        memcpy(batch->row + at, m->sorted + begin[0], (size_t)own->cells * sizeof *batch->row);
        return at + own->cells;
    }
    own->run = batch->runs;
    own->runs = list_pieces(m, span);
    batch->runs += own->runs;
    for (int p = 0; p < own->runs; p++) {
        const struct piece *piece = &m->piece[p];
        batch->run[own->run + p] = (struct ionic_run){(int32_t)at, piece->cells, piece->parameter_set};
        memcpy(batch->row + at, m->sorted + piece->at, piece->cells * sizeof *batch->row);
        at += piece->cells;
    }
    return at;
}

/* With one parameter set every row is a cell */
static enum status place_all(struct maker *m, struct error *error)
{
    struct batch *batch = m->batch;
    enum status status = STATUS_OK;
    batch->cells = batch->span[0].cells = m->rows;
    batch->group = array_new(m->rows, sizeof *batch->group, what, &status, error);
    for (int64_t k = 0; k < m->rows && !status; k++)
        batch->group[k] = m->of_row[k] < 0 ? 0 : m->of_row[k];
    return status;
}

static enum status place_some(struct maker *m, struct error *error)
{
    struct batch *batch = m->batch;
    enum status status = STATUS_OK;
    int first = 0;
    TRY(sort_rows(m, error));
    const int keys = batch->spans * batch->parameter_sets;
    const int64_t rows = m->begin[keys], most = rows + (int64_t)IONIC_RUN * batch->spans,
                  runs = rows / IONIC_RUN + keys;
    batch->row = array_zeroed(most, sizeof *batch->row, what, &status, error);
    batch->group = array_new(most, sizeof *batch->group, what, &status, error);
    if (batch->parameter_sets > 1) {
        batch->run = array_new(runs, sizeof *batch->run, what, &status, error);
        m->piece = array_new(runs, sizeof *m->piece, what, &status, error);
    }
    TRY(status);
    for (int s = 0; s < batch->spans; s++)
        batch->cells = place_span(m, s, batch->cells);
    while (m->group[first].batch != m->number)
        first++;
    for (int64_t i = 0; i < batch->cells; i++)
        batch->group[i] = first;
    for (int s = 0; s < batch->spans; s++)
        for (int64_t i = batch->span[s].first; i < batch->span[s].first + batch->span[s].cells; i++)
            batch->group[i] = m->of_row[batch->row[i]];
    return STATUS_OK;
}

enum status batches_make(struct batch *batch, int batches, const struct batch_group *group, int groups,
                         const int32_t *of_row, int64_t rows, struct error *error)
{
    enum status status = STATUS_OK;
    for (int b = 0; b < batches && !status; b++) {
        struct maker m = {.batch = &batch[b],
                          .group = group,
                          .groups = groups,
                          .number = b,
                          .of_row = of_row,
                          .rows = rows};
        batch[b] = (struct batch){0};
        status = list_spans(&m, error);
        if (!status)
            status = batches == 1 && batch[b].spans == 1 && batch[b].parameter_sets == 1
                         ? place_all(&m, error)
                         : place_some(&m, error);
        free(m.sorted);
        free(m.begin);
        free(m.piece);
    }
    return status;
}

void batches_free(struct batch *batch, int batches)
{
    for (int b = 0; b < batches; b++) {
        free(batch[b].row);
        free(batch[b].group);
        free(batch[b].run);
        free(batch[b].span);
        batch[b] = (struct batch){0};
    }
}
