/* test_batches.c: every row is a cell of one batch once, in the span of its model and in a run of its
 * parameter set; groups whose models have the same code share a batch, those of equal parameters a parameter
 * set. */
#include "solver/cells/batches.h"

#include <stdlib.h>

#include "tests/support/check.h"

enum { ROWS = 5000, GROUPS = 8, PARAMETERS = 80 };

static double parameter[GROUPS][PARAMETERS];
static int32_t of_row[ROWS];

/* Groups 0 to 3 of one text's variants, 4 to 6 of another text, 7 of a model without tables; 2 is as 0 and 6
 * as 4 but for its table */
static void make_groups(struct batch_group *group)
{
    static const char *const name[GROUPS] = {"tp06-epi", "tp06-endo", "tp06-epi", "tp06-epi",
                                             "tp04-epi", "tp04-epi",  "tp04-epi", "passive"};
    static const char table[2];
    for (int g = 0; g < GROUPS; g++) {
        group[g] = (struct batch_group){.model = ionic_find(name[g]), .parameter = parameter[g]};
        CHECK(group[g].model && group[g].model->parameters <= PARAMETERS, "%s", name[g]);
        for (int k = 0; k < group[g].model->parameters; k++)
            parameter[g][k] = group[g].model->parameter[k].value;
        group[g].table = g < 4 ? &table[0] : g < 6 ? &table[1] : NULL;
    }
    parameter[3][5] *= 1.25;
    parameter[5][5] *= 1.25;
}

static void check_find(struct batch_group *group)
{
    static const int batch[GROUPS] = {0, 0, 0, 0, 1, 1, 2, 3},
                     parameter_set[GROUPS] = {0, 1, 0, 2, 0, 1, 0, 0};
    int batches = batches_find(group, GROUPS);
    CHECK(batches == 4, "%d batches", batches);
    for (int g = 0; g < GROUPS; g++)
        CHECK(group[g].batch == batch[g] && group[g].parameter_set == parameter_set[g],
              "group %d: level %d of batch %d", g, group[g].parameter_set, group[g].batch);
}

/* The cells of a span with runs: each run is of one parameter set, its rows ascend, and full ones come first
 * */
static void check_runs(const struct batch *batch, const struct batch_span *span,
                       const struct batch_group *group)
{
    int64_t at = span->first;
    int32_t last = -1;
    bool rest = false;
    for (int r = span->run; r < span->run + span->runs; r++) {
        const struct ionic_run *run = &batch->run[r];
        CHECK(run->first == at && run->cells > 0 && run->cells <= IONIC_RUN, "run %d: %d cells", r,
              run->cells);
        CHECK(!rest || run->cells < IONIC_RUN, "run %d is full, an earlier one is not", r);
        if (run->cells < IONIC_RUN && !rest)
            last = -1, rest = true;
        CHECK(batch->row[at] > last, "run %d begins at row %d, the one before at %d", r, batch->row[at],
              last);
        last = batch->row[at];
        for (int64_t i = at; i < at + run->cells; i++)
            CHECK(group[batch->group[i]].parameter_set == run->parameter_set &&
                      (i == at || batch->row[i] > batch->row[i - 1]),
                  "run %d, cell %lld", r, (long long)i);
        at += run->cells;
    }
    CHECK(at == span->first + span->cells, "%lld cells in runs", (long long)(at - span->first));
}

static void test_several(void)
{
    struct batch_group group[GROUPS];
    struct batch batch[GROUPS];
    struct error error = {0};
    static uint8_t seen[ROWS];
    make_groups(group);
    check_find(group);
    for (int k = 0; k < ROWS; k++)
        of_row[k] = k % 37 == 5 ? -1 : k / 90 % 2 ? 3 : (k * 7 / 11) % GROUPS;
    CHECK_OK(batches_make(batch, 4, group, GROUPS, of_row, ROWS, &error), error);
    for (int b = 0; b < 4; b++) {
        CHECK(!batch[b].run == (b >= 2), "batch %d: %d runs", b, batch[b].runs);
        CHECK(batch[b].spans == (b == 0 ? 2 : 1), "batch %d: %d models", b, batch[b].spans);
        for (int s = 0; s < batch[b].spans; s++) {
            const struct batch_span *span = &batch[b].span[s];
            CHECK(span->first % IONIC_RUN == 0 && span->first + span->cells <= batch[b].cells, "span %d", s);
            for (int64_t i = span->first; i < span->first + span->cells; i++) {
                const int32_t row = batch[b].row[i], g = of_row[row];
                CHECK(g >= 0 && batch[b].group[i] == g && group[g].batch == b &&
                          group[g].model == span->model && !seen[row]++,
                      "batch %d: cell %lld is row %d of group %d", b, (long long)i, row, g);
            }
            if (batch[b].run)
                check_runs(&batch[b], span, group);
        }
    }
    for (int k = 0; k < ROWS; k++)
        CHECK(seen[k] == (of_row[k] >= 0), "row %d is %d cells", k, seen[k]);
    batches_free(batch, 4);
}

/* With one model and one parameter set every row is a cell, in its own order; without rows there are none. */
static void test_single(void)
{
    struct batch_group group[GROUPS];
    struct batch batch[2];
    struct error error = {0};
    make_groups(group);
    group[1] = group[2];
    CHECK(batches_find(group, 2) == 1, "two batches");
    for (int k = 0; k < ROWS; k++)
        of_row[k] = k % 37 == 5 ? -1 : k % 2;
    CHECK_OK(batches_make(batch, 1, group, 2, of_row, ROWS, &error), error);
    CHECK(!batch->row && !batch->run && batch->cells == ROWS && batch->span->cells == ROWS, "%lld cells",
          (long long)batch->cells);
    batches_free(batch, 1);
    make_groups(group);
    batches_find(group, GROUPS);
    CHECK_OK(batches_make(batch, 2, group, GROUPS, of_row, 0, &error), error);
    CHECK(batch[0].cells == 0 && batch[0].runs == 0 && batch[0].spans == 2, "%lld cells",
          (long long)batch[0].cells);
    batches_free(batch, 2);
}

int main(void)
{
    test_several();
    test_single();
    return 0;
}
