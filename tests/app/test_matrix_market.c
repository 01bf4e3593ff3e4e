/* test_matrix_market.c: the matrices of right files, and the messages for broken ones. */
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "app/bench/matrix.h"
#include "tests/support/check.h"

static const char *const path = "test_matrix_market.mtx";

static enum status read_text(struct csr *market, const char *text, size_t length, const char *mode,
                             struct error *error)
{
    gzFile file = gzopen(path, mode); /* "wT" writes plain text */
    CHECK(file && gzwrite(file, text, (unsigned)length) == (int)length, "cannot write %s", path);
    gzclose(file);
    memset(error, 0, sizeof *error);
    return matrix_market_read(market, path, error);
}

#define BANNER "%%MatrixMarket matrix coordinate real general\n"

/* Rows of unequal length, entries out of order and one given twice, comments and blank lines between */
static void reads_general(const char *mode)
{
    static const char text[] =
        "%%MatrixMarket MATRIX Coordinate Real General\n% a comment\n\n  %another\n"
        "3 4 6\n3 4 1.5\n1 2 -2e-3\n%between\n\n1 1 4\n3 1 7\n3 4 0.25\n1 4 1\n\n% end\n";
    const int32_t start[] = {0, 3, 3, 5}, column[] = {0, 1, 3, 0, 3};
    const double value[] = {4, -2e-3, 1, 7, 1.75};
    struct csr market;
    struct error error;
    CHECK_OK(read_text(&market, text, sizeof text - 1, mode, &error), error);
    CHECK(market.rows == 3 && market.columns == 4, "%lld x %lld", (long long)market.rows,
          (long long)market.columns);
    for (int i = 0; i < 4; i++)
        CHECK(market.start[i] == start[i], "start[%d] = %lld", i, (long long)market.start[i]);
    for (int k = 0; k < 5; k++)
        CHECK(market.column[k] == column[k] && market.value[k] == value[k], "entry %d: column %d, %g", k,
              market.column[k], market.value[k]);
    csr_free(&market);
}

/* a_ij and a_ji = sign a_ij from the lower triangle; entries of a pattern are 1 */
static void reads_triangle(const char *banner, double sign, const char *entries)
{
    char text[300];
    struct csr market;
    struct error error;
    int length = snprintf(text, sizeof text, "%s\n3 3 2\n%s", banner, entries);
    CHECK_OK(read_text(&market, text, (size_t)length, "wT", &error), error);
    CHECK(market.start[3] == 4 && market.start[1] == 1 && market.start[2] == 2, "rows %lld %lld %lld",
          (long long)market.start[1], (long long)market.start[2], (long long)market.start[3]);
    CHECK(market.column[0] == 2 && market.column[1] == 2 && market.column[2] == 0 && market.column[3] == 1,
          "columns");
    CHECK(market.value[0] == sign * market.value[2] && market.value[1] == sign * market.value[3], "values");
    csr_free(&market);
}

static const struct {
    const char *text, *message;
} broken[] = {
    {"1 1 1\n1 1 1\n", "must begin with '%%MatrixMarket matrix'"},
    {"%%MatrixMarket vector coordinate real general\n1 1 1\n1 1 1\n", "must begin with"},
    {"%%MatrixMarket matrix array real general\n1 1\n1\n", "only 'coordinate' (sparse) is read"},
    {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "entries are 'complex'"},
    {"%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "the symmetry is 'hermitian'"},
    {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", "cannot be skew-symmetric"},
    {BANNER, "the file ends before the line of sizes"},
    {BANNER "% nothing\n", "the file ends before the line of sizes"},
    {BANNER "3 3\n", "the number of entries"},
    {BANNER "3 3 1 1\n1 1 1\n", "2:7"},
    {BANNER "0 3 1\n1 1 1\n", "the number of rows is 0"},
    {BANNER "3 -1 1\n1 1 1\n", "the number of columns is -1"},
    {BANNER "3 99999999999 1\n1 1 1\n", "the number of columns is 99999999999"},
    {BANNER "3 3 2000000000\n1 1 1\n", "more than the file can hold"},
    {BANNER "2000000000 3 1\n1 1 1\n", "nearly all rows would be empty"},
    {BANNER "3 3 2\n1 1 1\n", "the file ends before its last entry"},
    {BANNER "3 3 1\n1 1 1\n2 2 2\n", "declares 1 entries, but more follow"},
    {BANNER "3 3 1\n0 1 1\n", "the row is 0"},
    {BANNER "3 3 1\n4 1 1\n", "3:1: the row is 4; it must lie between 1 and 3"},
    {BANNER "3 3 1\n1 4 1\n", "the column is 4"},
    {BANNER "3 3 1\n1 1\n", "the line ends before the value"},
    {BANNER "3 3 1\n1 1 abc\n", "'abc' is not a number"},
    {BANNER "3 3 1\n1 1 nan\n", "the value is not finite"},
    {BANNER "3 3 1\n1 1 1e999\n", ":3:"},
    {BANNER "3 3 1\n1.5 1 1\n", "is not a whole number"},
    {BANNER "3 3 1\n1 1 1 1\n", ":3:7"},
    {"%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n1 1 1\n", "a symmetric matrix of 3 rows and 4"},
    {"%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 2 1\n", "lies above the diagonal"},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 1\n", "a diagonal entry"},
};

int main(void)
{
    struct csr market = {0};
    struct error error;
    reads_general("wT");
    reads_general("w9");
    reads_triangle("%%MatrixMarket matrix coordinate real symmetric", 1, "3 1 2.5\n3 2 -1\n");
    reads_triangle("%%MatrixMarket matrix coordinate integer skew-symmetric", -1, "3 1 2\n3 2 -1\n");
    reads_triangle("%%MatrixMarket matrix coordinate pattern symmetric", 1, "3 1\n3 2\n");
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        enum status status = read_text(&market, broken[k].text, strlen(broken[k].text), "wT", &error);
        CHECK(status == STATUS_INPUT, "broken file %zu was read", k);
        CHECK(strstr(error.text, broken[k].message), "broken file %zu: %s", k, error.text);
        CHECK(strncmp(error.text, path, strlen(path)) == 0, "no place in: %s", error.text);
        CHECK(!market.start && !market.column && !market.value, "broken file %zu left memory", k);
    }
    /* a damaged .gz: cut off in the middle */
    char longer[4000];
    int length = snprintf(longer, sizeof longer, "%s200 200 200\n", BANNER);
    for (int i = 1; i <= 200; i++)
        length +=
            snprintf(longer + length, sizeof longer - (size_t)length, "%d %d %d\n", i, (i * 77) % 200 + 1, i);
    CHECK_OK(read_text(&market, longer, (size_t)length, "w9", &error), error);
    csr_free(&market);
    CHECK(truncate(path, 300) == 0, "cannot cut %s", path);
    CHECK(matrix_market_read(&market, path, &error) == STATUS_INPUT && strstr(error.text, "truncated"), "%s",
          error.text);
    unlink(path);
    CHECK(matrix_market_read(&market, path, &error) == STATUS_INPUT, "a missing file was read");
    return 0;
}
