/* script.c: commands that are other programs: Python scripts, run by an interpreter with python/launch.py,
 * and cardiac-bench. */
#include "app/commands/script.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/util/command.h"
#include "kernels/base/printed.h"

enum { ROOM = 4096 };

/* path <- folder[length]/name; false if access(path, mode) fails (R_OK: read, X_OK: execute) */
static bool find_file(char path[ROOM], const char *folder, size_t length, const char *name, int mode)
{
    int used = snprintf(path, ROOM, "%.*s/%s", (int)length, folder, name);
    return used < ROOM && access(path, mode) == 0;
}

static void add_python(char list[4 * ROOM], const char *path)
{
    printed_add(list, 4 * ROOM, "%s%s", *list ? ":" : "", path);
}

/* list <- interpreters to try, separated by colons: $CARDIAC_PYTHON only or, if unset, python3 of this folder, the
 * first one in an absolute folder of the PATH, and /usr/bin/python3, as far as they exist */
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

/* launcher <- python/launch.py of this program's tree, in the build or installed; false if there is none */
static bool find_launcher(char launcher[ROOM], const char *folder)
{
    return find_file(launcher, folder, strlen(folder), "python/launch.py", R_OK) ||
           find_file(launcher, folder, strlen(folder), "../share/cardiac/python/launch.py", R_OK);
}

/* A command that is a script */
struct script {
    char program[ROOM], launcher[ROOM], list[4 * ROOM], python[ROOM];
    char **arguments; /* of the interpreter; freed by the caller */
};

static enum status find_script(struct script *script, int argc, char **argv, struct error *error)
{
    char folder[ROOM];
    *script = (struct script){0};
    if (readlink("/proc/self/exe", script->program, ROOM - 1) < 0)
        return error_set(error, STATUS_RUN, "/proc/self/exe: %s", strerror(errno));
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(script->program, '/') - script->program),
             script->program);
    if (!find_launcher(script->launcher, folder))
        return error_set(
            error, STATUS_INPUT,
            "`cardiac %s` is a Python script, which was not installed with this program (%.3000s)", argv[0],
            script->program);
    list_pythons(script->list, folder);
    snprintf(script->python, ROOM, "%.*s", (int)strcspn(script->list, ":"), script->list);
    script->arguments = calloc((size_t)argc + 5, sizeof *script->arguments);
    if (!script->arguments)
        return error_memory(error, "the arguments", argc * (double)sizeof *script->arguments);
    memcpy(script->arguments, (char *[]){script->python, script->launcher, script->program, script->list},
           4 * sizeof *script->arguments);
    memcpy(script->arguments + 4, argv, (size_t)argc * sizeof *script->arguments);
    return STATUS_OK;
}

static enum status cannot_start(const struct script *script, const char *name, struct error *error)
{
    const bool found = *script->python;
    return error_set(
        error, STATUS_INPUT,
        "`cardiac %s` is a Python script%s%.3000s%s; install what it needs: sudo apt-get install "
        "python3-numpy python3-h5py",
        name, found ? "; " : "", script->python, found ? " cannot be started" : " and there is no python3");
}

enum status command_script(int argc, char **argv, struct error *error)
{
    struct script script;
    TRY(find_script(&script, argc, argv, error));
    if (*script.python)
        execvp(script.python, script.arguments);
    free(script.arguments);
    return cannot_start(&script, argv[0], error);
}

enum status script_start(pid_t *child, int socket, int argc, char **argv, struct error *error)
{
    struct script script;
    posix_spawn_file_actions_t actions;
    TRY(find_script(&script, argc, argv, error));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
    const bool started =
        *script.python && posix_spawnp(child, script.python, &actions, NULL, script.arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    free(script.arguments);
    return started ? STATUS_OK : cannot_start(&script, argv[0], error);
}

/* Runs cardiac-bench, which is in the same folder as this program. */
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
