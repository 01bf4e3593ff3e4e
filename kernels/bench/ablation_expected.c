/* ablation_expected.c: the same sweeps row by row. */
#include "kernels/bench/ablation.h"

static double entry_value(const struct packed *m, const struct slice *slice, int64_t k, int64_t r)
{
    int group = slice->fp32 ? m->group : packed_group64(m->group);
    int64_t at = slice->value + packed_index(k, r, slice->width, m->height, group);
    return slice->fp32 ? (double)m->value32[at] : m->value[at];
}

void ablation_expected(double *y, unsigned what, const struct packed *m, const double *b,
                       const double *inverse, const double *x)
{
    for (int64_t i = 0; i < m->rows; i++) {
        const struct slice *slice = m->slice + i / m->height;
        double sum = 0;
        for (int64_t k = 0; k < slice->width; k++) {
            int64_t at = packed_index(k, i % m->height, slice->width, m->height, m->group);
            int64_t j = slice->index32 ? m->column[slice->index + at] : i + m->offset[slice->index + at];
            if (what == ABLATION_GATHER)
                j = i;
            else if (what == ABLATION_COLUMNS)
                j = ablation_column(i, k, m->rows);
            double e = what == ABLATION_VALUES ? b[i] : entry_value(m, slice, k, i % m->height);
            sum += e * (slice->fp32 ? (double)(float)x[j] : x[j]);
        }
        y[i] = (b[i] - sum) * inverse[i];
    }
}
