/* ablation.c: sweeps with parts left out, on the CPU. */
#include "kernels/bench/ablation.h"

#include "kernels/bench/terms.h"
#include "kernels/ops/row_sums.h"

/* What was read counts as used. */
#ifdef __AVX2__
#define KEEP_INDEX(index) __asm__ volatile("" : : "x"(index))
#else
#define KEEP_INDEX(index) __asm__ volatile("" : : "r"((index).at[0]), "r"((index).at[1]))
#endif

/* sum over the entries of rows [r, r + LANES) of slice s, with x of type float or double */
LANES_FN lanes_real sums_without(const struct ablation *w, int64_t s, int r, const int what)
{
    const struct packed *m = w->matrix;
    const struct slice *slice = m->slice + s;
    struct strip strip = strip_of(m, s, r);
    int64_t row = s * m->height + r, apart = m->height;
    int single = slice->fp32;
    lanes_real sum = {0}, own = lanes_load64(w->b + row), held = {0};
    if (what & ABLATION_GATHER)
        held = single ? lanes_load32(w->x32 + row) : lanes_load64(w->x64 + row);
    for (int64_t k = 0; k < slice->width; k++) {
        int64_t at = slice->value + r + k * apart;
        lanes_real e = what & ABLATION_VALUES ? own
                       : single               ? lanes_load32(m->value32 + at)
                                              : lanes_load64(m->value + at);
        lanes_real x = held;
        if (what & ABLATION_COLUMNS) {
            int64_t from = k % 2 ? row - (k + 1) / 2 : row + (k + 1) / 2;
            if (from < 0 || from + LANES > m->rows) {
                double at_edge[LANES];
                for (int l = 0; l < LANES; l++) {
                    int64_t j = ablation_column(row + l, k, m->rows);
                    at_edge[l] = single ? (double)w->x32[j] : w->x64[j];
                }
                x = lanes_load64(at_edge);
            } else {
                x = single ? lanes_load32(w->x32 + from) : lanes_load64(w->x64 + from);
            }
        } else if (!(what & ABLATION_GATHER)) {
            lanes_index index = strip_index(&strip, k * apart);
            x = single ? lanes_gather32(w->x32 + strip.base, index)
                       : lanes_gather64(w->x64 + strip.base, index);
        } else {
            /* the columns are read all the same: what is left out is the gather alone */
            lanes_index index = strip_index(&strip, k * apart);
            KEEP_INDEX(index);
        }
        sum += e * x;
    }
    return sum;
}

LANES_FN void sweep_without(struct queue *queue, const struct ablation *w, const int what)
{
    const struct packed *m = w->matrix;
    int64_t blocks = (m->rows + ABLATION_BLOCK - 1) / ABLATION_BLOCK;
    BENCH_PARALLEL for (int64_t block = 0; block < blocks; block++)
    {
        int64_t end = (block + 1) * ABLATION_BLOCK < m->rows ? (block + 1) * ABLATION_BLOCK : m->rows;
        lanes_real total = {0};
        for (int64_t row = block * ABLATION_BLOCK; row < end; row += LANES) {
            int64_t s = row / m->height;
            lanes_real sum = sums_without(w, s, (int)(row - s * m->height), what);
            lanes_real y = (lanes_load64(w->b + row) - sum) * lanes_load64(w->inverse + row);
            if (what & ABLATION_WRITES) {
                total += y;
                continue;
            }
            lanes_store(w->y64 + row, y);
            if (w->y32)
                lanes_store32(w->y32 + row, y);
        }
        if (what & ABLATION_WRITES) {
            double all = 0;
            for (int l = 0; l < LANES; l++)
                all += total[l];
            w->y64[block] = all;
        }
    }
}

void CLONE_NAME(ablation_cpu)(struct queue *queue, const struct ablation *sweep)
{
    switch (sweep->what) {
    case ABLATION_GATHER:
        sweep_without(queue, sweep, ABLATION_GATHER);
        break;
    case ABLATION_VALUES:
        sweep_without(queue, sweep, ABLATION_VALUES);
        break;
    case ABLATION_COLUMNS:
        sweep_without(queue, sweep, ABLATION_COLUMNS);
        break;
    case ABLATION_WRITES:
        sweep_without(queue, sweep, ABLATION_WRITES);
        break;
    default:
        sweep_without(queue, sweep, ABLATION_NOTHING);
    }
}
