/* test_cachelines.c: lines and sectors of patterns counted by hand. */
#include "kernels/bench/cachelines.h"

#include "tests/support/check.h"

enum { ROWS = 64, LONGEST = 8 };

struct pattern {
    int64_t start[ROWS + 1];
    int32_t column[ROWS * LONGEST];
    double value[ROWS * LONGEST];
    struct csr rows;
};

/* Every row has `length` entries; entry k of row i stands in column first + row_step i + entry_step k */
static void make(struct pattern *p, int length, int row_step, int entry_step)
{
    for (int i = 0; i < ROWS; i++) {
        p->start[i] = i * length;
        for (int k = 0; k < length; k++)
            p->column[i * length + k] = row_step * i + entry_step * k;
    }
    p->start[ROWS] = ROWS * length;
    p->rows = (struct csr){ROWS, 1 << 20, p->start, p->column, p->value, false};
}

static struct lines count(const struct pattern *p, int lanes, int bytes)
{
    struct lines lines;
    struct error error = {0};
    CHECK_OK(lines_count(&lines, &p->rows, lanes, bytes, bytes, &error), error);
    return lines;
}

int main(void)
{
    struct pattern p;
    /* SELL, a diagonal: 32 neighbouring doubles are 2 lines, 8 sectors; floats half of that. Values likewise,
     * and 32 columns are one line more. */
    make(&p, 1, 1, 0);
    struct lines l = count(&p, 0, 8);
    CHECK(l.x_128 == 2 && l.x_32 == 8 && l.loads == 1, "%g %g %g", l.x_128, l.x_32, l.loads);
    CHECK(l.matrix_128 == 2 + 1 && l.matrix_32 == 8 + 4, "%g %g", l.matrix_128, l.matrix_32);
    l = count(&p, 0, 4);
    CHECK(l.x_128 == 1 && l.x_32 == 4 && l.warp_x_32 == 4, "%g %g %g", l.x_128, l.x_32, l.warp_x_32);

    /* every row reads the same column: one line, one sector */
    make(&p, 3, 0, 0);
    l = count(&p, 0, 8);
    CHECK(l.x_128 == 1 && l.x_32 == 1 && l.warp_x_32 == 1 && l.loads == 3, "%g %g", l.x_128, l.warp_x_32);

    /* columns 1000 apart: 32 lines, the note's worst case; a warp of 32 rows and 2 entries touches 64 sectors
     */
    make(&p, 2, 1000, 500);
    l = count(&p, 0, 4);
    CHECK(l.x_128 == 32 && l.x_32 == 32, "%g %g", l.x_128, l.x_32);
    CHECK(l.warp_x_32 > 60 && l.warp_x_32 <= 64, "%g", l.warp_x_32);

    /* CSR scalar: 32 threads at the starts of 32 rows of 8: values 64 bytes apart are 16 lines of 128,
     * columns 32 bytes apart are 8 */
    make(&p, 8, 0, 1);
    l = count(&p, 1, 8);
    CHECK(l.matrix_128 == 16 + 8 && l.matrix_32 == 32 + 32 && l.loads == 8, "%g %g", l.matrix_128,
          l.matrix_32);
    /* CSR vector of 8: 4 whole rows side by side: 32 values are 2 lines, 32 columns one */
    l = count(&p, 8, 8);
    CHECK(l.matrix_128 == 2 + 1 && l.x_32 == 2 && l.loads == 1, "%g %g", l.matrix_128, l.x_32);
    /* lanes beyond a row's end stay idle: a warp of one row reads 8 values */
    l = count(&p, 32, 8);
    CHECK(l.matrix_32 == 2 + 1 && l.loads == 1, "%g", l.matrix_32);
    return 0;
}
