/* test_bad_inputs.c: what users mistype, and the word that the message must have: the rows of bad_inputs/table.csv whose
 * command is not a script, each by the function of its command. tests/python/test_bad_inputs.py runs the others. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/util/command.h"
#include "app/util/csv.h"
#include "tests/support/check.h"

enum { WORDS = 40, SAID = 1 << 16 };

static const struct command commands[] = {{"check", "", command_check},
                                          {"keys", "", command_keys},
                                          {"cell", "", command_cell},
                                          {"models", "", command_models},
                                          {"sweep", "", command_sweep},
                                          {"mesh", "", command_mesh},
                                          {"compare", "", command_compare},
                                          {"info", "", command_info},
                                          {"tune", "", command_tune},
                                          {"run", "", command_run},
                                          {0}};

/* word[count] <- of the line, which is cut; those with blanks stand in single quotes */
static int split(char *line, char *word[WORDS])
{
    int count = 0;
    while (*line) {
        line += strspn(line, " ");
        CHECK(count + 1 < WORDS, "more words: %s", line);
        word[count++] = line;
        char *to = line;
        for (bool quoted = false; *line && (quoted || *line != ' '); line++)
            if (*line == '\'')
                quoted = !quoted;
            else
                *to++ = *line;
        line += *line != 0;
        *to = 0;
    }
    word[count] = NULL;
    return count;
}

/* Writes the text, in which \n, \t, \r and \xHH stand for bytes, to the file */
static void write_input(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file, "%s", path);
    for (; *text; text++) {
        if (*text != '\\') {
            fputc(*text, file);
            continue;
        }
        text++;
        if (*text == 'x') {
            fputc((int)strtol((char[]){text[1], text[2], 0}, NULL, 16), file);
            text += 2;
        } else
            fputc(*text == 'n' ? '\n' : *text == 't' ? '\t' : *text == 'r' ? '\r' : *text, file);
    }
    fclose(file);
}

/* said <- what the command prints on both streams, and its error; returns its status */
static enum status call(const struct command *command, int words, char *word[WORDS], char said[SAID])
{
    struct error error = {0};
    fflush(NULL);
    const int out = dup(1), err = dup(2), file = open("said", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(out >= 0 && err >= 0 && file >= 0, "no file");
    dup2(file, 1);
    dup2(file, 2);
    const enum status status = command->run(words, word, &error);
    fflush(NULL);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    const ssize_t length = pread(file, said, SAID / 2, 0);
    close(file);
    snprintf(said + (length > 0 ? length : 0), SAID / 2, "%s", error.text);
    return status;
}

/* Runs the row if its command is one of these, and prints what is not as expected; *failed += 1 then */
static bool run_row(const struct csv *csv, int64_t row, int *failed)
{
    static char said[SAID];
    const struct csv_cell *cell = csv_at(csv, row, 0);
    const char *const has = cell[3].text, *const without = cell[4].text;
    char *line = strdup(cell[0].text), *word[WORDS];
    const int words = split(line, word);
    const struct command *command = commands;
    while (command->name && strcmp(command->name, word[0]) != 0)
        command++;
    for (int k = 0; k < words && command->name && *cell[1].text; k++) {
        char *input = strstr(word[k], "input."), name[40];
        if (!input)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(input, " ,}]'\""), input);
        write_input(name, cell[1].text);
    }
    if (command->name) {
        const int status = (int)call(command, words, word, said);
        if (status != atoi(cell[2].text) || !strstr(said, has) || (*without && strstr(said, without))) {
            fprintf(stderr, "table.csv:%d: %s\nexpected %s and '%s'%s%s; got %d and\n%s\n", cell->line,
                    cell->text, cell[2].text, has, *without ? ", without " : "", without, status, said);
            ++*failed;
        }
    }
    free(line);
    return command->name != NULL;
}

int main(void)
{
    char folder[] = "/tmp/cardiac-bad-inputs-XXXXXX";
    struct csv csv;
    struct error error = {0};
    int rows = 0, failed = 0;
    CHECK(mkdtemp(folder) && chdir(folder) == 0, "no folder");
    CHECK_OK(csv_read(&csv, CARDIAC_SOURCE "/tests/app/bad_inputs/table.csv", &error), error);
    CHECK(csv.columns == 5, "%d columns", csv.columns);
    CHECK(symlink(CARDIAC_SOURCE "/tests/app/bad_inputs/cable.yaml", "cable.yaml") == 0 &&
              symlink(CARDIAC_SOURCE "/tests/app/bad_inputs/block.yaml", "block.yaml") == 0,
          "no links");
    for (int64_t row = 0; row < csv.rows; row++)
        rows += run_row(&csv, row, &failed);
    CHECK(rows > 0 && failed == 0, "%d of %d rows", failed, rows);
    csv_free(&csv);
    return 0;
}
