/* script.c: commands that are other programs: Python scripts, run by an interpreter with python/launch.py,
 * and cardiac-bench. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/util/command.h"
#include "kernels/base/printed.h"

enum { ROOM = 4096 };

/* path <- folder[length]/name; false: it cannot be read (R_OK) or run (X_OK) */
static bool find_file(char path[ROOM], const char *folder, size_t length, const char *name, int mode)
{
    int used = snprintf(path, ROOM, "%.*s/%s", (int)length, folder, name);
    return used < ROOM && access(path, mode) == 0;
}

static void add_python(char list[4 * ROOM], const char *path)
{
    printed_add(list, 4 * ROOM, "%s%s", *list ? ":" : "", path);
}

/* list <- "a:b": $CARDIAC_PYTHON alone, or the python3 of this folder, of the PATH, of the system, as far as
 * they exist */
static void list_pythons(char list[4 * ROOM], const char *folder)
{
    const char *own = getenv("CARDIAC_PYTHON"), *at = getenv("PATH");
    char path[ROOM];
    *list = '\0';
    if (own && *own) {
        add_python(list, own);
        return;
    }
    if (find_file(path, folder, strlen(folder), "python3", X_OK))
        add_python(list, path);
    for (bool found = false; at && *at && !found; at += strcspn(at, ":"), at += *at == ':') {
        found = *at == '/' && find_file(path, at, strcspn(at, ":"), "python3", X_OK);
        if (found)
            add_python(list, path);
    }
    if (access("/usr/bin/python3", X_OK) == 0)
        add_python(list, "/usr/bin/python3");
}

/* launcher <- the file of this program's own tree: of the build, or installed */
static bool find_launcher(char launcher[ROOM], const char *folder)
{
    return find_file(launcher, folder, strlen(folder), "python/launch.py", R_OK) ||
           find_file(launcher, folder, strlen(folder), "../share/cardiac/python/launch.py", R_OK);
}

enum status command_script(int argc, char **argv, struct error *error)
{
    char program[ROOM] = "", folder[ROOM], launcher[ROOM], list[4 * ROOM], python[ROOM];
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        return error_set(error, STATUS_RUN, "/proc/self/exe: %s", strerror(errno));
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(program, '/') - program), program);
    if (!find_launcher(launcher, folder))
        return error_set(
            error, STATUS_INPUT,
            "`cardiac %s` is a Python script, which was not installed with this program (%.3000s)", argv[0],
            program);
    list_pythons(list, folder);
    snprintf(python, sizeof python, "%.*s", (int)strcspn(list, ":"), list);
    char **arguments = calloc((size_t)argc + 5, sizeof *arguments);
    if (!arguments)
        return error_memory(error, "the arguments", argc * (double)sizeof *arguments);
    memcpy(arguments, (char *[]){python, launcher, program, list}, 4 * sizeof *arguments);
    memcpy(arguments + 4, argv, (size_t)argc * sizeof *arguments);
    if (*python)
        execvp(python, arguments);
    free(arguments);
    return error_set(
        error, STATUS_INPUT,
        "`cardiac %s` is a Python script%s%.3000s%s; install what it needs: sudo apt-get install "
        "python3-numpy python3-h5py",
        argv[0], *python ? "; " : "", python, *python ? " cannot be started" : " and there is no python3");
}

/* cardiac-bench, which lies beside this program */
enum status command_bench(int argc, char **argv, struct error *error)
{
    static const char name[] = "cardiac-bench";
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof name);
    (void)argc;
    if (length < 0)
        return error_set(error, STATUS_RUN, "/proc/self/exe: %s", strerror(errno));
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, name);
    argv[0] = path;
    execv(path, argv);
    return error_set(error, STATUS_INPUT,
                     "%.3000s: %s; the bench is a separate program next to cardiac; build it in the source "
                     "folder with cmake --build build --target cardiac-bench",
                     path, strerror(errno));
}
