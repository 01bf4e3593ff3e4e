/* test_lost_texts.c: a text that is written to memory and is not there at the end, as when memory runs out:
 * one after the other of those that `check` and a run make. A lost fact is an error; the log alone may go
 * without. */
#include "app/util/command.h"
#include "tests/support/check.h"

#include <dlfcn.h>
#include <string.h>

static int made, lost; /* texts begun so far; which of them, from 1, gets lost */

/* Stands before that of the C library */
FILE *open_memstream(char **text, size_t *length)
{
    FILE *(*real)(char **, size_t *);
    *(void **)&real = dlsym(RTLD_NEXT, "open_memstream");
    CHECK(real, "no open_memstream");
    *text = NULL;
    return ++made == lost ? fopen("/dev/null", "w") : real(text, length);
}

static const char config[] = "version: 1\n"
                             "mesh: {cable: {length: 4 mm, spacing: 0.5 mm}}\n"
                             "tissue:\n"
                             "  surface_to_volume: 1400 /cm\n"
                             "  regions: [{model: mitchell-schaeffer, conductivity: 0.1 S/m}]\n"
                             "time: {end: 0.2 ms, step: 0.02 ms}\n"
                             "output: {directory: test_lost_texts.out, every: 0.1 ms,\n"
                             "         probes: {a: [1 mm, 0, 0]}}\n";

/* Loses text after text until there are no more; returns how many of them the command could not do without */
static int lose_all(enum status command(int, char **, struct error *), int count, char *const *argument)
{
    int needed = 0;
    made = 0;
    for (lost = 1; made >= lost - 1; lost++) {
        char *argv[5] = {NULL};
        struct error error = {0};
        memcpy(argv, argument, (size_t)count * sizeof *argv);
        made = 0;
        enum status status = command(count, argv, &error);
        CHECK(status == STATUS_OK || (status == STATUS_RUN && strstr(error.text, "memory")),
              "%s without text %d: status %d: %s", argv[0], lost, (int)status, error.text);
        needed += status != STATUS_OK;
    }
    return needed;
}

int main(void)
{
    char check[] = "check", run[] = "run", path[] = "test_lost_texts.yaml", quiet[] = "--quiet",
         overwrite[] = "--overwrite";
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(config, file) >= 0 && fclose(file) == 0, "cannot write %s", path);
    CHECK(freopen("/dev/null", "w", stdout), "no /dev/null");
    int checked = lose_all(command_check, 2, (char *[]){check, path});
    int ran = lose_all(command_run, 4, (char *[]){run, path, quiet, overwrite});
    CHECK(checked == 2 && ran == 14, "check needs %d texts, a run %d", checked, ran);
    return 0;
}
