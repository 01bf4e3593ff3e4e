/* without_expected.c: the same sweeps row by row. */
#include "kernels/bench/without.h"

static double entry_value(const struct packed *m, const struct slice *slice, int64_t at)
{
    return slice->single ? (double)m->single[slice->value + at] : m->value[slice->value + at];
}

void without_expected(double *y, unsigned what, const struct packed *m, const double *b,
                      const double *inverse, const double *x)
{
    for (int64_t i = 0; i < m->rows; i++) {
        const struct slice *slice = m->slice + i / m->height;
        double sum = 0;
        for (int64_t k = 0; k < slice->width; k++) {
            int64_t at = k / m->group * m->height * m->group + i % m->height * m->group + k % m->group;
            int64_t j = slice->wide ? m->column[slice->index + at] : i + m->offset[slice->index + at];
            if (what == WITHOUT_GATHER)
                j = i;
            else if (what == WITHOUT_COLUMNS)
                j = without_column(i, k, m->rows);
            double e = what == WITHOUT_VALUES ? b[i] : entry_value(m, slice, at);
            sum += e * (slice->single ? (double)(float)x[j] : x[j]);
        }
        y[i] = (b[i] - sum) * inverse[i];
    }
}
