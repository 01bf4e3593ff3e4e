/* tables.c: the tables in V of the models. One function fills them for every backend, so that all read the
 * same bits. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ionic/ionic.h"

static const double table_low = -200, table_high = 200; /* mV; V of a valid run is within this range */

enum { IONIC_COLUMNS_MAX = 256 };

enum status ionic_table_known(const struct ionic_model *model, struct error *error)
{
    if (model->columns)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "%s has no tables in V: it has too few functions of V for them",
                     model->name);
}

/* value[columns][2] <- row r, at V = low + r / per_mV; true if every function is nearly linear in it */
static bool fill_row(double *value, const struct ionic_table *table, const struct ionic_model *model,
                     const double *parameter, int r)
{
    double first[IONIC_COLUMNS_MAX], middle[IONIC_COLUMNS_MAX], last[IONIC_COLUMNS_MAX];
    uint64_t before[IONIC_COLUMNS_MAX], unused[IONIC_COLUMNS_MAX], after[IONIC_COLUMNS_MAX];
    const bool judged = table->per_mV >= IONIC_TABLE_PER_MV, ends = r + 1 == table->rows;
    double v = table->low + r / table->per_mV, next = table->low + (r + 1) / table->per_mV;
    model->columns_at(first, before, parameter, table->dt, v);
    model->columns_at(middle, unused, parameter, table->dt, ends ? v : 0.5 * (v + next));
    model->columns_at(last, after, parameter, table->dt, ends ? v : next - LOOKUP_JUST_BELOW);
    for (int k = 0; k < table->columns; k++) {
        if (judged && !lookup_is_line(first[k], middle[k], last[k], before[k] ^ after[k]))
            return false;
        *value++ = first[k] - 2.0 / 3 * (0.5 * (first[k] + last[k]) - middle[k]);
        *value++ = last[k] - first[k];
    }
    return true;
}

/* value[rows][columns][2] <- all rows; true if every function is nearly linear in every row. A chord lies
 * on one side of its curve, by h^2 f'' / 12 on average, which slow states would accumulate; so each line
 * is shifted by this mean, 2 / 3 of the distance at the midpoint (Simpson's rule). */
static bool fill(double *value, const struct ionic_table *table, const struct ionic_model *model,
                 const double *parameter)
{
    bool good = true;
    assert(table->columns <= IONIC_COLUMNS_MAX);
#pragma omp parallel for schedule(static) reduction(&& : good)
    for (int r = 0; r < table->rows; r++)
        good = fill_row(value + 2 * (size_t)table->columns * (size_t)r, table, model, parameter, r) && good;
    return good;
}

static int count_rows(int per_mV)
{
    return (int)(table_high - table_low) * per_mV + 1;
}

size_t ionic_table_bytes(const struct ionic_model *model, bool mixed, int per_mV)
{
    return 2 * (size_t)count_rows(per_mV) * (size_t)model->columns * (mixed ? sizeof(float) : sizeof(double));
}

enum status ionic_table_build(struct ionic_table *table, const struct ionic_model *model,
                              const double *parameter, bool mixed, double dt, int per_mV, struct error *error)
{
    memset(table, 0, sizeof *table);
    if (ionic_table_known(model, error))
        return STATUS_INPUT;
    int rows = count_rows(per_mV);
    size_t numbers = ionic_table_bytes(model, false, per_mV) / sizeof(double);
    double *value = malloc(numbers * sizeof *value);
    float *single = malloc((mixed ? numbers : 1) * sizeof *single);
    if (!value || !single) {
        free(value);
        free(single);
        return error_memory(error, "an ionic model's tables", 12.0 * (double)numbers);
    }
    *table = (struct ionic_table){.low = table_low,
                                  .high = table_high,
                                  .per_mV = per_mV,
                                  .dt = dt,
                                  .rows = rows,
                                  .columns = model->columns};
    const bool good = fill(value, table, model, parameter);
    for (size_t k = 0; good && mixed && k < numbers; k++)
        single[k] = (float)value[k];
    if (good)
        table->value = mixed ? (const void *)single : value;
    if (!good || mixed)
        free(value);
    if (!good || !mixed)
        free(single);
    return STATUS_OK;
}

void ionic_table_free(struct ionic_table *table)
{
    free((void *)(uintptr_t)table->value);
    memset(table, 0, sizeof *table);
}
