/* test_lines.c: the texts that the program reads and the words of its commands, by plain loops: lines, comments, words and numbers of
 * files, plain and gzipped; tables of both kinds with the place of each cell; options and their help; times in words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "app/util/csv.h"
#include "app/util/options.h"
#include "app/util/progress.h"
#include "app/util/text_file.h"
#include "kernels/base/bits.h"
#include "kernels/base/clock.h"
#include "tests/support/check.h"

enum { LONG = 1 << 16 };

static const char path[] = "test_lines.txt", gzipped[] = "test_lines.txt.gz";
static uint64_t number;

static int draw(int below)
{
    return (int)(bits_random(++number) * below);
}

/* Writes the text, plain or gzipped; returns its path */
static const char *put(const char *text, bool gzip)
{
    if (gzip) {
        gzFile file = gzopen(gzipped, "wb");
        CHECK(file && (!*text || gzwrite(file, text, (unsigned)strlen(text)) > 0) && gzclose(file) == Z_OK,
              "%s", gzipped);
    } else {
        FILE *file = fopen(path, "w");
        CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
    }
    return gzip ? gzipped : path;
}

static void same(const struct error *error, enum status status, const char *want)
{
    CHECK(status == STATUS_INPUT && strcmp(error->text, want) == 0, "'%s' is not '%s'", error->text, want);
}

/* A line of a file as drawn: words, then perhaps a comment; what is left of it without */
static int draw_line(char *line, char *content)
{
    static const char *const words[] = {"12", "-7", "3.5", "1e3", "word", "x", "0"};
    int at = 0, kept = 0;
    for (int k = draw(4); k > 0; k--) {
        at += sprintf(line + at, "%.*s%s", 1 + draw(3), "  \t ", words[draw(7)]);
        kept = at;
    }
    if (draw(3) == 0)
        at += sprintf(line + at, "%s# a comment", draw(2) ? " " : "");
    else
        at += sprintf(line + at, "%.*s", draw(3), "  ");
    memcpy(content, line, (size_t)kept);
    content[kept] = 0;
    return kept;
}

/* Whether the text begins with these words, apart from blanks at its end */
static bool has_content(const char *cursor, const char *content)
{
    content += strspn(content, " \t");
    const size_t length = strlen(content);
    return strncmp(cursor, content, length) == 0 &&
           strspn(cursor + length, " \t\r") == strlen(cursor + length);
}

static void check_lines(void)
{
    static char line[300][100], content[300][100], text[LONG];
    for (int turn = 0; turn < 12; turn++) {
        const int lines = draw(turn < 6 ? 6 : 300);
        const bool crlf = draw(2), ended = draw(2), gzip = draw(2);
        int at = 0, kept[300];
        text[0] = 0;
        for (int k = 0; k < lines; k++) {
            kept[k] = draw_line(line[k], content[k]);
            at += sprintf(text + at, "%s%s", line[k], k + 1 < lines || ended ? crlf ? "\r\n" : "\n" : "");
        }
        const int whole = lines > 0 && !ended && !line[lines - 1][0]
                              ? lines - 1
                              : lines; /* an empty last line without an end is none */
        const char *name = put(text, gzip);
        struct text_file file = {0};
        struct error error = {0};
        bool more;
        CHECK_OK(text_open(&file, name, NULL, &error), error);
        for (int k = 0; k < whole; k++) {
            CHECK_OK(text_line(&file, &more, &error), error);
            CHECK(more && file.line == k + 1 && strcmp(file.start, line[k]) == 0, "line %d: '%s' is not '%s'",
                  k + 1, file.start, line[k]);
        }
        CHECK_OK(text_line(&file, &more, &error), error);
        CHECK(!more, "a line after the last");
        text_close(&file);
        CHECK_OK(text_open(&file, name, NULL, &error), error);
        for (int k = 0; k < whole; k++) {
            char word[100], want[100];
            if (kept[k] == 0)
                continue;
            CHECK_OK(text_content(&file, &more, &error), error);
            CHECK(more && file.line == k + 1 && has_content(file.cursor, content[k]),
                  "line %d: '%s' is not '%s'", k + 1, file.cursor, content[k]);
            for (char *from = content[k]; *(from += strspn(from, " \t"));) {
                const int length = (int)strcspn(from, " \t");
                CHECK(text_has_word(&file), "no word '%s'", from);
                text_word(&file, word, sizeof word);
                snprintf(want, sizeof want, "%.*s", length, from);
                CHECK(strcmp(word, want) == 0, "'%s' is not '%s'", word, want);
                if (draw(9) == 0 && from[length]) {
                    snprintf(want, sizeof want, "%s:%d:%d: ", name, k + 1,
                             1 + length + (int)(from - content[k]) + (int)strspn(from + length, " \t"));
                    CHECK(text_end_of_line(&file, &error) == STATUS_INPUT &&
                              strncmp(error.text, want, strlen(want)) == 0,
                          "%s, not %s", error.text, want);
                }
                from += length;
            }
            CHECK(!text_has_word(&file), "a word after the last: '%s'", file.cursor);
            CHECK_OK(text_end_of_line(&file, &error), error);
        }
        CHECK_OK(text_content(&file, &more, &error), error);
        CHECK(!more, "content after the last");
        text_close(&file);
        int at_byte = 0;
        CHECK_OK(text_open(&file, name, NULL, &error), error);
        for (int byte; at_byte < (int)strlen(text) + 1; at_byte++) {
            CHECK_OK(text_byte(&file, &byte, &error), error);
            CHECK(byte == (text[at_byte] ? (unsigned char)text[at_byte] : -1), "byte %d: %d", at_byte, byte);
        }
        text_close(&file);
    }
}

static void check_numbers(void)
{
    struct text_file file = {0};
    struct error error = {0};
    int64_t whole;
    double value;
    bool more;
    static const struct {
        const char *line;
        int64_t low, high;
    } cases[] = {{"  5 ", 5, 9}, {"9", 5, 9}, {" -3", -3, -3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CHECK_OK(text_open(&file, put(cases[k].line, k % 2), NULL, &error), error);
        CHECK_OK(text_need(&file, "a number", &error), error);
        CHECK_OK(text_integer_within(&file, &whole, cases[k].low, cases[k].high, "a node", &error), error);
        CHECK(whole == atoll(cases[k].line), "%lld", (long long)whole);
        text_close(&file);
    }
    for (int k = 0; k < 2; k++) { /* one below, one above */
        char want[200];
        CHECK_OK(text_open(&file, put("# no content\n\n 7 4 10", false), NULL, &error), error);
        CHECK_OK(text_need(&file, "a number", &error), error);
        CHECK(file.line == 3, "line %d", file.line);
        CHECK_OK(text_integer(&file, &whole, "a node", &error), error);
        if (k) {
            CHECK_OK(text_number(&file, 0, &value, "a value", &error), error);
            CHECK(value == 4, "%g", value);
        }
        const enum status status = text_integer_within(&file, &whole, 5, 9, "a node", &error);
        snprintf(want, sizeof want, "%s:3:%d: ", path, k ? 6 : 4);
        CHECK(status == STATUS_INPUT && strncmp(error.text, want, strlen(want)) == 0, "'%s' is not '%s'",
              error.text, want);
        text_close(&file);
    }
    CHECK_OK(text_open(&file, put("1\n2\n\n# end\n", false), NULL, &error), error);
    CHECK_OK(text_need(&file, "a number", &error), error);
    CHECK_OK(text_need(&file, "a number", &error), error);
    same(&error, text_need(&file, "the third number", &error),
         "test_lines.txt:4: the file ends before the third number");
    text_close(&file);
    /* bytes after a line, looked at and taken */
    const char *bytes;
    size_t got;
    char four[5] = "";
    CHECK_OK(text_open(&file, put("head\nabcdefgh\nlast", true), NULL, &error), error);
    CHECK_OK(text_line(&file, &more, &error), error);
    CHECK_OK(text_peek(&file, 3, &bytes, &got, &error), error);
    CHECK(got >= 3 && memcmp(bytes, "abc", 3) == 0, "%.3s", bytes);
    text_skip(&file, 2, 0, true);
    CHECK_OK(text_bytes(&file, four, 4, "some", &error), error);
    CHECK(strcmp(four, "cdef") == 0, "%s", four);
    CHECK_OK(text_line(&file, &more, &error), error);
    CHECK(strcmp(file.start, "gh") == 0, "%s", file.start);
    CHECK_OK(text_line(&file, &more, &error), error);
    CHECK(more && strcmp(file.start, "last") == 0, "%s", file.start);
    CHECK(text_bytes(&file, four, 1, "some", &error) == STATUS_INPUT, "bytes after the end");
    text_close(&file);
}

struct rows {
    int64_t value[3000][2];
};

static enum status take_row(void *context, struct text_file *line, int64_t k, struct error *error)
{
    struct rows *rows = context;
    TRY(text_integer(line, &rows->value[k][0], "a number", error));
    TRY(text_integer(line, &rows->value[k][1], "a number", error));
    return text_end_of_line(line, error);
}

/* Rows that are parsed together are those of one after the other */
static void check_rows(void)
{
    static struct rows rows;
    static char text[LONG];
    for (int turn = 0; turn < 6; turn++) {
        const int count = 1 + draw(2000), most = draw(2) ? count : 1 + draw(count);
        int at = sprintf(text, "head\n"), line = 1, lines[3000];
        for (int k = 0; k < count; k++) {
            for (; draw(9) == 0; line++)
                at += sprintf(text + at, "%s\n", draw(2) ? "" : " # none");
            at += sprintf(text + at, " %d  %d%s\n", k, 7 * k, draw(5) ? "" : " # a pair");
            lines[k] = ++line;
        }
        struct text_file file = {0};
        struct error error = {0};
        bool more;
        CHECK_OK(text_open(&file, put(text, turn % 2), NULL, &error), error);
        CHECK_OK(text_line(&file, &more, &error), error);
        const int64_t capacity = text_capacity(&file, 4);
        CHECK(turn % 2 || (capacity >= count && capacity <= at / 4 + 1), "%lld rows of 4 bytes in %d",
              (long long)capacity, at);
        int64_t got = text_rows_together(&file, most, take_row, &rows);
        CHECK(got == most, "%lld rows of %d", (long long)got, most);
        for (int k = 0; k < most; k++)
            CHECK(rows.value[k][0] == k && rows.value[k][1] == 7 * k, "row %d: %lld", k,
                  (long long)rows.value[k][0]);
        for (int k = most; k < count; k++) {
            CHECK_OK(text_need(&file, "a row", &error), error);
            CHECK(file.line == lines[k], "row %d at line %d, not %d", k, file.line, lines[k]);
        }
        text_close(&file);
    }
    struct text_file file = {0};
    struct error error = {0};
    bool more;
    CHECK_OK(text_open(&file, put("head\n1 2\n3 x\n5 6\n", false), NULL, &error), error);
    CHECK_OK(text_line(&file, &more, &error), error);
    CHECK(text_rows_together(&file, 3, take_row, &rows) == 0, "a row of words");
    CHECK_OK(text_need(&file, "a row", &error), error);
    CHECK(file.line == 2 && strcmp(file.start, "1 2") == 0, "line %d", file.line);
    text_close(&file);
}

/* What is no text, or is cut or damaged; marks and sizes at their limits; several members of a gzipped file */
static void check_files(void)
{
    static char text[6 << 20];
    struct text_file file = {0};
    struct error error = {0};
    bool more;
    same(&error, text_open(&file, put("", false), NULL, &error), "test_lines.txt: the file is empty");
    same(&error, text_open(&file, put("version https://git-lfs.github.com/spec/v1\n", false), NULL, &error),
         "test_lines.txt: a pointer of Git LFS, not the file itself; `git lfs pull` in its repository "
         "fetches it");
    CHECK_OK(text_open(&file,
                       put("\xef\xbb\xbf"
                           "12 x\n",
                           false),
                       NULL, &error),
             error); /* a byte order mark */
    CHECK_OK(text_line(&file, &more, &error), error);
    CHECK(strcmp(file.start, "12 x") == 0, "%s", file.start);
    text_close(&file);
    for (int longer = 0; longer < 2; longer++) { /* words of 39 to 41 characters in messages */
        char word[60], line[100], want[300];
        for (int length = 39; length < 42; length++) {
            memset(word, 'w', sizeof word);
            word[length] = 0;
            snprintf(line, sizeof line, "7 %s more\n", word);
            CHECK_OK(text_open(&file, put(line, false), NULL, &error), error);
            CHECK_OK(text_line(&file, &more, &error), error);
            int64_t whole;
            CHECK_OK(text_integer(&file, &whole, "a node", &error), error);
            if (longer)
                snprintf(want, sizeof want,
                         "test_lines.txt:1:3: unexpected '%.40s': the line should end here", word);
            else
                snprintf(want, sizeof want, "test_lines.txt:1:3: a node: '%.40s'%s is not a whole number",
                         word, length < 40 ? "" : "...");
            same(&error,
                 longer ? text_end_of_line(&file, &error) : text_integer(&file, &whole, "a node", &error),
                 want);
            text_close(&file);
        }
    }
    CHECK_OK(text_open(&file, put("7 \n", false), NULL, &error), error);
    CHECK_OK(text_line(&file, &more, &error), error);
    int64_t whole;
    double value;
    CHECK_OK(text_integer(&file, &whole, "a node", &error), error);
    same(&error, text_number(&file, 0, &value, "a value", &error),
         "test_lines.txt:1:3: the line ends before a value");
    CHECK(text_capacity(&file, 4) == 1, "%lld items", (long long)text_capacity(&file, 4));
    text_close(&file);
    CHECK_OK(text_open(&file, put("head\n12345678\n", false), NULL, &error), error);
    CHECK_OK(text_line(&file, &more, &error), error);
    CHECK(text_capacity(&file, 4) == 3 && text_capacity(&file, 9) == 2 && text_capacity(&file, 10) == 1,
          "9 bytes are left");
    text_close(&file);
    for (int length = (64 << 10) - 3; length < (64 << 10) + 1;
         length++) { /* the longest line, with its end, is 65535 bytes */
        memset(text, 'a', (size_t)length);
        strcpy(text + length, "\nb\n");
        CHECK_OK(text_open(&file, put(text, length % 2), NULL, &error), error);
        const enum status status = text_line(&file, &more, &error);
        CHECK((status == STATUS_OK) == (length < (64 << 10) - 1), "a line of %d bytes: %s", length,
              error.text);
        CHECK(status || (int)strlen(file.start) == length, "%d bytes", (int)strlen(file.start));
        text_close(&file);
    }
    /* more rows than are parsed together, in two members */
    int at = sprintf(text, "head\n"), count = 0;
    for (; at < (5 << 20); count++)
        at += sprintf(text + at, "%d %d\n", count, 7 * count);
    for (int gzip = 0; gzip < 2; gzip++) {
        static struct rows rows;
        const char *name = put(text, false);
        if (gzip) {
            gzFile one = gzopen(gzipped, "wb1");
            CHECK(gzwrite(one, text, (unsigned)at / 2) > 0 && gzclose(one) == Z_OK, "%s", gzipped);
            one = gzopen(gzipped, "ab1");
            CHECK(gzwrite(one, text + at / 2, (unsigned)(at - at / 2)) > 0 && gzclose(one) == Z_OK, "%s",
                  gzipped);
            name = gzipped;
        }
        CHECK_OK(text_open(&file, name, NULL, &error), error);
        CHECK_OK(text_line(&file, &more, &error), error);
        int64_t done = text_rows_together(&file, 2500, take_row, &rows), got;
        CHECK(done == 2500 && rows.value[2499][1] == 7 * 2499, "%lld rows", (long long)done);
        while ((got = text_rows_together(&file, count - done < 3000 ? count - done : 3000, take_row, &rows)) >
               0) {
            CHECK(rows.value[0][0] == done && rows.value[got - 1][0] == done + got - 1, "row %lld",
                  (long long)done);
            done += got;
            if (done == 11500)
                break;
        }
        CHECK(done == 11500, "%lld rows", (long long)done);
        CHECK_OK(text_need(&file, "a row", &error), error);
        CHECK(file.line == 11502 && atoi(file.start) == 11500, "line %d: %s", file.line, file.start);
        text_close(&file);
    }
}

/* A cell: its text, as it is written; the column of its first character counts from the write's */
static int put_cell(char *to, char *cell, int *column)
{
    static const char *const texts[] = {"1 ms", "x < 2", "", "a,b", "say \"x\"", "0.5", " in ", "word"};
    const char *text = texts[draw(8)];
    const bool quoted = strpbrk(text, ",\"") || text[0] == ' ' || draw(3) == 0;
    const int before = draw(3);
    int at = sprintf(to, "%.*s", before, "  ");
    *column = before + quoted;
    strcpy(cell, text);
    if (quoted)
        to[at++] = '"';
    for (const char *from = text; *from; from++) {
        if (*from == '"')
            to[at++] = '"';
        to[at++] = *from;
    }
    if (quoted)
        to[at++] = '"';
    return at + sprintf(to + at, "%.*s", draw(3), "  ");
}

static void check_csv(void)
{
    static char text[LONG];
    for (int turn = 0; turn < 20; turn++) {
        const int columns = 1 + draw(5), rows = draw(6);
        char cell[7][5][40];
        int at = 0, line = 1, lines[7], column[7][5];
        for (int r = 0; r <= rows; r++) {
            for (; r > 0 && draw(5) == 0; line++)
                at += sprintf(text + at, "%s\n", draw(2) ? " \t" : "");
            const int begin = at;
            for (int c = 0; c < columns; c++) {
                int own;
                const int cell_at = at;
                if (r == 0) {
                    sprintf(cell[0][c], "name %d", c);
                    own = draw(2);
                    at += sprintf(text + at, "%.*s%s", own, " ", cell[0][c]);
                } else {
                    do
                        at = cell_at + put_cell(text + cell_at, cell[r][c], &own);
                    while (columns == 1 && text[cell_at + (int)strspn(text + cell_at, " ")] == 0);
                }
                column[r][c] = 1 + cell_at - begin + own;
                if (r > 0 && !*cell[r][c] &&
                    text[cell_at + own - (own > 0)] != '"') /* of an empty cell, where it ends */
                    column[r][c] = 1 + at - begin;
                at += sprintf(text + at, "%s", c + 1 < columns ? "," : draw(2) ? "\n" : "\r\n");
            }
            lines[r] = line++;
        }
        struct csv csv;
        struct error error = {0};
        const char *name = put(text, turn % 2);
        CHECK_OK(csv_read(&csv, name, &error), error);
        CHECK(csv.columns == columns && csv.rows == rows, "%d columns, %lld rows of\n%s", csv.columns,
              (long long)csv.rows, text);
        for (int r = 0; r <= rows; r++)
            for (int c = 0; c < columns; c++) {
                const struct csv_cell *got = csv_at(&csv, r - 1, c);
                CHECK(strcmp(got->text, cell[r][c]) == 0 && got->line == lines[r] &&
                          got->column == column[r][c],
                      "row %d, column %d: '%s' at %d:%d, not '%s' at %d:%d\n%s", r, c, got->text, got->line,
                      got->column, cell[r][c], lines[r], column[r][c], text);
            }
        CHECK(csv_column(&csv, cell[0][columns - 1]) == columns - 1 && csv_column(&csv, "name 9") == -1,
              "a column's number");
        csv_free(&csv);
    }
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"a,b\n1\n", "test_lines.txt:2:1: 1 cells, but there are 2 names in the first line"},
        {"a;b\n1\n", "test_lines.txt:1:2: columns are separated by commas, and decimals follow a point; this "
                     "line has ';'"},
        {"a\tb\n", "test_lines.txt:1:2: columns are separated by commas, and decimals follow a point; this "
                   "line has tabs"},
        {"a,,c\n", "test_lines.txt:1:3: column 2 has no name"},
        {"a, b ,b\n", "test_lines.txt:1:7: column 'b' appears twice"},
        {"\n \n", "test_lines.txt:1:1: expected a line of column names"},
        {"a,b\n1, \"2\" 3\n",
         "test_lines.txt:2:4: a cell that begins with a double quote ends with one, before a comma or the "
         "end of the line"},
        {"a\n1\n\"\xff\"\n", "test_lines.txt:3:1: not UTF-8 text"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct csv csv;
        struct error error = {0};
        same(&error, csv_read(&csv, put(bad[k].text, false), &error), bad[k].message);
        csv_free(&csv);
    }
}

static void check_columns(void)
{
    static char text[LONG];
    for (int turn = 0; turn < 12; turn++) {
        const int count = 1 + draw(5), rows = 1 + draw(20);
        double value[20][5];
        int at = 0;
        static const char *const between[] = {",", " ", "\t", ", "};
        for (int r = -1; r < rows; r++)
            for (int c = 0; c < count; c++) {
                if (r < 0)
                    at += sprintf(text + at, "c%d", c);
                else {
                    value[r][c] = 0.125 * (draw(1000) - 500);
                    at += sprintf(text + at, "%g", value[r][c]);
                }
                at += sprintf(text + at, "%s",
                              c + 1 < count ? between[draw(4)]
                              : draw(4)     ? "\n"
                                            : " # so\n\n");
            }
        struct columns columns;
        struct error error = {0};
        CHECK_OK(columns_open(&columns, put(text, turn % 2), NULL, &error), error);
        CHECK(columns.count == count, "%d columns", columns.count);
        for (int r = 0; r < rows; r++) {
            double row[7] = {[0] = -1, [1] = -1};
            row[count] = 4711;
            CHECK_OK(columns_row(&columns, rows, row, &error), error);
            CHECK(row[count] == 4711, "written outside");
            for (int c = 0; c < count; c++)
                CHECK(row[c] == value[r][c], "row %d: %g, not %g", r, row[c], value[r][c]);
        }
        CHECK_OK(columns_end(&columns, rows, &error), error);
        columns_close(&columns);
    }
    static const struct {
        const char *text, *message;
    } bad[] = {{"a b\n1\n", "expected 2 numbers, one for each column"},
               {"a b\n1 x\n", "expected 2 numbers, one for each column"},
               {"a b\n1 inf\n", "expected 2 numbers, one for each column"},
               {"a b\n1 2 3\n", "more than 2 numbers"},
               {"a b\n1 1e101\n", "1e+101 is out of range (at most 1e+100)"},
               {"a b\n1 -1e101\n", "-1e+101 is out of range (at most 1e+100)"},
               {"a b a\n", "column 'a' appears twice"},
               {"a;b\n", "columns are separated by commas or blanks, not by ';'"},
               {"a 5\n", "'5' is not a column name"},
               {"a \"b\"\n", "'\"b\"' is not a column name"},
               {",\n", "no column names"},
               {"a234567890123456789012345678901234567890123456789012345678901234\n",
                "'a234567890123456789012345678901234567890123456789012345678901234' is not a column name"},
               {"a b\n1 1e100\n1 2\n", "more than 1 rows, one for each node"},
               {"a b\n", "fewer than 1 rows, one for each node"},
               {"a23456789012345678901234567890123456789012345678901234567890123 b\n1 -1e100\n", ""}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct columns columns;
        struct error error = {0};
        double row[10];
        enum status status = columns_open(&columns, put(bad[k].text, false), NULL, &error);
        if (!status)
            status = columns_row(&columns, 1, row, &error);
        if (!status)
            status = columns_end(&columns, 1, &error);
        const size_t length = strlen(error.text), wanted = strlen(bad[k].message);
        CHECK(status == (wanted ? STATUS_INPUT : STATUS_OK) && length >= wanted &&
                  strcmp(error.text + length - wanted, bad[k].message) == 0,
              "'%s' is not '%s'", error.text, bad[k].message);
        columns_close(&columns);
    }
}

/* Words of a command: what they set, what is left, and each refusal */
static void check_options(void)
{
    bool quiet, help;
    const char *output;
    int number_of, count;
    struct option_list sets;
    const struct option options[] = {{"--output", "DIR", "where results go", .text = &output},
                                     {"--quiet", NULL, "say nothing", .flag = &quiet},
                                     {"--number", "N", "how many", .number = &number_of},
                                     {"--set", "KEY=VALUE", NULL, .list = &sets},
                                     {0}};
    const struct usage usage = {"mesh do IN OUT [options]", "Does it.", options, 1, 2};
    static const struct {
        const char *word[7], *output, *message, *left[2];
        bool quiet;
        int number, sets, count;
    } cases[] = {
        {{"a"}, NULL, NULL, {"a"}, false, 0, 0, 1},
        {{"a", "b"}, NULL, NULL, {"a", "b"}, false, 0, 0, 2},
        {{"--quiet", "a", "--output", "x", "b"}, "x", NULL, {"a", "b"}, true, 0, 0, 2},
        {{"a", "--output=x=y", "--number", "12"}, "x=y", NULL, {"a"}, false, 12, 0, 1},
        {{"--set", "k=1", "a", "--set=l=2", "--number=999999999"}, NULL, NULL, {"a"}, false, 999999999, 2, 1},
        {{"--", "--quiet", "--"}, NULL, NULL, {"--quiet", "--"}, false, 0, 0, 2},
        {{"-5", "-.5"}, NULL, NULL, {"-5", "-.5"}, false, 0, 0, 2},
        {{"-"}, NULL, NULL, {"-"}, false, 0, 0, 1},
        {{"--output", "-", "a"}, "-", NULL, {"a"}, false, 0, 0, 1},
        {{"--quiet"},
         NULL,
         "an argument is missing; usage: cardiac mesh do IN OUT [options]",
         {0},
         true,
         0,
         0,
         0},
        {{"a", "b", "c"},
         NULL,
         "too many arguments: 'c'; usage: cardiac mesh do IN OUT [options]",
         {0},
         false,
         0,
         0,
         0},
        {{"a", "--output"}, NULL, "--output needs a value: --output DIR", {0}, false, 0, 0, 0},
        {{"a", "--output="}, NULL, "--output needs a value: --output DIR", {0}, false, 0, 0, 0},
        {{"a", "--output", "--quiet"}, NULL, "--output needs a value: --output DIR", {0}, false, 0, 0, 0},
        {{"a", "--quiet=1"}, NULL, "--quiet takes no value", {0}, false, 0, 0, 0},
        {{"a", "--number", "1x"},
         NULL,
         "--number 1x: expected a whole number, 0 or more",
         {0},
         false,
         0,
         0,
         0},
        {{"a", "--number", "x"}, NULL, "--number x: expected a whole number, 0 or more", {0}, false, 0, 0, 0},
        {{"a", "--number=1234567890"},
         NULL,
         "--number 1234567890: expected a whole number, 0 or more",
         {0},
         false,
         0,
         0,
         0},
        {{"a", "--outptu", "x"},
         NULL,
         "unknown option '--outptu' (did you mean '--output'?)",
         {0},
         false,
         0,
         0,
         0},
        {{"a", "--hepl"}, NULL, "unknown option '--hepl' (did you mean '--help'?)", {0}, false, 0, 0, 0},
        {{"a", "-q"}, NULL, "unknown option '-q' (did you mean '--quiet'?)", {0}, false, 0, 0, 0},
        {{"a", "-o", "x"}, NULL, "unknown option '-o' (did you mean '--output'?)", {0}, false, 0, 0, 0},
        {{"a", "--outdir=x"},
         NULL,
         "unknown option '--outdir' (did you mean '--output'?)",
         {0},
         false,
         0,
         0,
         0},
        {{"a", "--gpu"}, NULL, "unknown option '--gpu'; see cardiac mesh do --help", {0}, false, 0, 0, 0},
        {{"a", "-w"}, NULL, "unknown option '-w'; see cardiac mesh do --help", {0}, false, 0, 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *argv[9] = {(char[]){"do"}};
        int argc = 1;
        struct error error = {0};
        for (; cases[k].word[argc - 1]; argc++)
            argv[argc] = (char *)(uintptr_t)cases[k].word[argc - 1];
        quiet = false, output = NULL, number_of = 0, count = -1, sets = (struct option_list){0};
        const enum status status = options_read(&usage, argc, argv, &count, &help, &error);
        CHECK(!help, "case %zu: help", k);
        if (cases[k].message) {
            same(&error, status, cases[k].message);
        } else {
            CHECK(status == STATUS_OK && count == cases[k].count && quiet == cases[k].quiet &&
                      number_of == cases[k].number && sets.count == cases[k].sets &&
                      !output == !cases[k].output,
                  "case %zu: %s, %d arguments, number %d, %d sets", k, error.text, count, number_of,
                  sets.count);
            CHECK(!output || strcmp(output, cases[k].output) == 0, "case %zu: %s", k, output);
            for (int i = 0; i < count; i++)
                CHECK(strcmp(argv[1 + i], cases[k].left[i]) == 0, "case %zu: %s", k, argv[1 + i]);
            for (int i = 0; i < sets.count; i++)
                CHECK(strcmp(sets.item[i], i ? "l=2" : "k=1") == 0, "%s", sets.item[i]);
        }
        free(sets.item);
    }
    static const char want[] =
        "Usage: cardiac mesh do IN OUT [options]\n\nDoes it.\n\n"
        "  --output DIR             where results go\n  --quiet                  say nothing\n"
        "  --number N               how many\n  --help                   show this\n";
    for (int k = 0; k < 2; k++) {
        char *argv[] = {(char[]){"do"}, (char[]){"a"}, k ? (char[]){"-h"} : (char[]){"--help"}, NULL},
             got[1000];
        struct error error = {0};
        fflush(stdout);
        const int kept = dup(1);
        CHECK(freopen(path, "w", stdout), "freopen");
        CHECK_OK(options_read(&usage, 3, argv, &count, &help, &error), error);
        fflush(stdout);
        dup2(kept, 1);
        close(kept);
        FILE *file = fopen(path, "r");
        got[fread(got, 1, sizeof got - 1, file)] = 0;
        fclose(file);
        CHECK(help && strcmp(got, want) == 0, "%s\nis not\n%s", got, want);
    }
}

static void check_times(void)
{
    static const struct {
        double value;
        const char *text;
    } times[] = {{0, "0"},          {12, "12"},      {12.5, "12.5"}, {12.25, "12.25"}, {12.254, "12.25"},
                 {12.256, "12.26"}, {0.1, "0.1"},    {0.01, "0.01"}, {0.004, "0"},     {-3.5, "-3.5"},
                 {1000, "1000"},    {99.999, "100"}, {12.3, "12.3"}, {12.31, "12.31"}},
      durations[] = {{0, "0:00"},         {0.2, "0:01"},         {1, "0:01"},           {59, "0:59"},
                     {59.5, "1:00"},      {60, "1:00"},          {61, "1:01"},          {3599, "59:59"},
                     {3600, "1:00:00"},   {3599.5, "1:00:00"},   {3661, "1:01:01"},     {7325, "2:02:05"},
                     {36000, "10:00:00"}, {1e9, "277777:46:40"}, {1e12, "277777:46:40"}};
    char text[200];
    for (size_t k = 0; k < sizeof times / sizeof *times; k++)
        CHECK(strcmp(time_text(times[k].value).text, times[k].text) == 0, "%s",
              time_text(times[k].value).text);
    for (size_t k = 0; k < sizeof durations / sizeof *durations; k++) {
        progress_duration(text, sizeof text, durations[k].value);
        CHECK(strcmp(text, durations[k].text) == 0, "%g s: %s", durations[k].value, text);
    }
    static const struct {
        double time, end, start, elapsed;
        int64_t steps;
        const char *text;
    } lines[] = {
        {12.5, 60, 2.5, 20, 100, "12.5 of 60 ms (20.8 %), 200 ms/step, 0.0005 x real time, 1:35 left"},
        {12.5, 60, 2.5, 20, 1, "12.5 of 60 ms (20.8 %), 2e+04 ms/step, 0.0005 x real time, 1:35 left"},
        {12.5, 60, 2.5, 20, 0, "12.5 of 60 ms (20.8 %)"},
        {12.5, 60, 2.5, 0, 10, "12.5 of 60 ms (20.8 %)"},
        {2.5, 60, 2.5, 20, 10, "2.5 of 60 ms (4.2 %)"},
        {70, 60, 10, 30, 10, "70 of 60 ms (116.7 %), 3e+03 ms/step, 0.002 x real time, 0:00 left"},
        {0, 0, 0, 0, 0, "0 of 0 ms (100.0 %)"}};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        progress_text(text, sizeof text, lines[k].time, lines[k].end, lines[k].steps, lines[k].start,
                      lines[k].elapsed);
        CHECK(strcmp(text, lines[k].text) == 0, "'%s' is not '%s'", text, lines[k].text);
    }
}

static void hear(void *argument, const char *line)
{
    char *text = argument;
    strcat(strcat(text, line), "|");
}

/* Stages, whose seconds are planted, and what a listener hears */
static void check_progress(void)
{
    static const struct {
        double all, mesh, tiny, part;
        const char *lines;
    } cases[] = {{20.03, 5.23, 0.13, 0, "wall: 20.0 s = start 14.7 + mesh 5.2 + rest 0.1|"},
                 {4.001, 1.252, 0.03, 0, "wall: 4.00 s = start 2.72 + mesh 1.25 + rest 0.03|"},
                 {0.401, 0.2, 0.004, 0, "wall: 0.40 s = start 0.20 + mesh 0.20 + rest 0.00|"},
                 {30.03, 10.02, 9.0, 0, "wall: 30.0 s = start 11.0 + mesh 10.0 + tiny 9.0 + rest 0.0|"}};
    char heard[2000] = "";
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int tries = 0; tries < 50 && (!tries || strcmp(heard, cases[k].lines) != 0);
             tries++) { /* the clock goes on */
            struct progress *progress;
            struct error error = {0};
            const char *what;
            double seconds;
            *heard = 0;
            CHECK_OK(progress_open(&progress, NULL, false, PROGRESS_QUIET, &error), error);
            progress_listen(progress, hear, heard);
            progress_begin(progress, clock_seconds() - cases[k].all);
            progress_move(progress, "start", "mesh", cases[k].mesh);
            progress_move(progress, "start", "tiny", cases[k].tiny);
            progress_print_wall(progress, false);
            CHECK(progress_span(progress, false, 1, &what, &seconds) && strcmp(what, "mesh") == 0 &&
                      seconds == cases[k].mesh && progress_span(progress, false, 2, &what, &seconds) &&
                      seconds == cases[k].tiny && !progress_span(progress, false, 3, &what, &seconds),
                  "%s: %g s", what, seconds);
            progress_close(progress);
            CHECK(tries < 49, "%s is not %s", heard, cases[k].lines);
        }
    struct progress *progress;
    struct error error = {0};
    CHECK_OK(progress_open(&progress, NULL, false, PROGRESS_QUIET, &error), error);
    progress_mute(progress);
    *heard = 0;
    progress_listen(progress, hear, heard);
    progress_print(progress, "one %d", 1);
    progress_log(progress, "two\nthree");
    progress_warn(progress, "four %s", "4");
    progress_print(progress, "five");
    CHECK(strcmp(heard, "one 1|two|three|warning: four 4|five|") == 0, "%s", heard);
    CHECK(strcmp(progress_warning(progress, 0), "four 4") == 0 && !progress_warning(progress, 1), "%s",
          progress_warning(progress, 0));
    CHECK(strcmp(progress_lines(progress), "one 1\ntwo\nthree\nwarning: four 4\nfive\n") == 0, "%s",
          progress_lines(progress));
    progress_close(progress);
}

int main(void)
{
    check_files();
    check_progress();
    check_lines();
    check_numbers();
    check_rows();
    check_csv();
    check_columns();
    check_options();
    check_times();
    unlink(path);
    unlink(gzipped);
    return 0;
}
