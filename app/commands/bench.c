/* bench.c: `cardiac bench`: becomes cardiac-bench, a program of its own beside this one. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "app/util/command.h"

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
