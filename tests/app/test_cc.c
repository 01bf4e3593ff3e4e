/* test_cc.c: a compiler that hangs is ended at its time limit, and with the program that started it. */
#include "app/models/cc.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/check.h"

static char folder[] = "/tmp/test_cc.XXXXXX", script[100], source[100], object[100], child[100];

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

/* Whether the file is there, within five seconds */
static bool appears(const char *path, bool there)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    for (int k = 0; k < 250 && (access(path, F_OK) == 0) != there; k++)
        nanosleep(&pause, NULL);
    return (access(path, F_OK) == 0) == there;
}

/* Whether a process is no longer there, or waits for its parent alone */
static bool is_gone(long pid)
{
    char path[100], state = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return true;
    const bool ended = fscanf(file, "%*d (%*[^)]) %c", &state) == 1 && state == 'Z';
    fclose(file);
    return ended;
}

/* Whether the process that the script started is gone within five seconds */
static bool child_ends(void)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    long pid = 0;
    FILE *file = fopen(child, "r");
    CHECK(file && fscanf(file, "%ld", &pid) == 1 && fclose(file) == 0, "%s", child);
    for (int k = 0; k < 250 && !is_gone(pid); k++)
        nanosleep(&pause, NULL);
    return is_gone(pid);
}

int main(void)
{
    struct error error = {0};
    struct cc cc;
    char text[600];
    CHECK(mkdtemp(folder), "no folder");
    snprintf(script, sizeof script, "%s/hangs", folder);
    snprintf(source, sizeof source, "%s/unit.c", folder);
    snprintf(object, sizeof object, "%s/unit.so", folder);
    snprintf(child, sizeof child, "%s/child", folder);
    /* ignores TERM, and starts a process that does */
    snprintf(text, sizeof text,
             "#!/bin/sh\ncase \"$1\" in --version) echo hangs; exit 0;; esac\ntrap '' TERM\n"
             "sleep 60 & echo $! > %s/new; echo half > %s; mv %s/new %s; sleep 60\n",
             folder, object, folder, child);
    put(script, text);
    CHECK(chmod(script, 0700) == 0, "%s", script);
    setenv("CC", script, 1);
    CHECK_OK(cc_find(&cc, &error), error);
    put(source, "");
    cc.seconds = 1;
    CHECK(cc_compile(&cc, "plain", source, object, &error) == STATUS_RUN &&
              strstr(error.text, "did not end within 1 s"),
          "%s", error.text);
    CHECK(child_ends(), "it left a process");
    CHECK(unlink(object) == 0 && unlink(child) == 0, "it wrote no object");

    pid_t program = fork();
    cc.seconds = 50;
    if (program == 0) {
        cc_compile(&cc, "plain", source, object, &error);
        _exit(0);
    }
    CHECK(appears(child, true), "it did not begin");
    CHECK(kill(program, SIGKILL) == 0 && waitpid(program, NULL, 0) == program, "no program");
    CHECK(appears(object, false) && appears(source, false), "its files are there");
    CHECK(child_ends(), "it left a process");
    CHECK(unlink(child) == 0 && unlink(script) == 0 && rmdir(folder) == 0, "files were left behind");
    return 0;
}
