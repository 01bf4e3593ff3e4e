/* ranks.c: the command line of a launcher. */
#include "app/run/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/run/launcher.h"
#include "kernels/base/array.h"
#include "kernels/device/backend.h"
#include "kernels/device/comm.h"

/* to[] <- argv without --gpus N or --gpus=N, and with a device for where it has none, whatever the config
 * says */
static void copy_others(char **to, char **argv)
{
    static const char *const device[] = {"--device", "cuda"};
    *to++ = *argv++;
    for (int k = 0; k < 2; k++)
        *to++ = (char *)(uintptr_t)device[k];
    for (; *argv; argv++)
        if (strcmp(*argv, "--gpus") == 0 && argv[1])
            argv++;
        else if (strncmp(*argv, "--gpus=", 7) != 0)
            *to++ = *argv;
    *to = NULL;
}

enum status ranks_start(int gpus, char **argv, enum status *ended, struct error *error)
{
    static const char *const launcher[] = {"mpirun",  "-n",   NULL, "--oversubscribe", "--bind-to", "none",
                                           "--stdin", "none", NULL};
    enum { COUNT = 2, PROGRAM = sizeof launcher / sizeof *launcher - 1 };
    char last[32], count[16], program[4096];
    struct error missing = {0};
    int arguments = 0;
    if (comm_launched())
        return error_set(error, STATUS_INPUT,
                         "--gpus starts ranks itself, and a launcher has started several already: give one "
                         "of them");
    snprintf(last, sizeof last, "cuda:%d", gpus - 1);
    if (!backend_find(last, &missing))
        return error_set(error, STATUS_INPUT, "--gpus %d: %s", gpus, missing.text);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return error_set(error, STATUS_RUN, "/proc/self/exe: %s", strerror(errno));
    program[length] = 0;
    while (argv[arguments])
        arguments++;
    enum status status = STATUS_OK;
    char **all = array_zeroed(PROGRAM + 1 + 2 + arguments + 1, sizeof *all, "the ranks", &status, error);
    if (status)
        return status;
    for (int k = 0; k < PROGRAM; k++)
        all[k] = (char *)(uintptr_t)launcher[k];
    snprintf(count, sizeof count, "%d", gpus);
    all[COUNT] = count;
    all[PROGRAM] = program;
    copy_others(all + PROGRAM + 1, argv);
    if (geteuid() == 0) { /* who is root has asked for it with --gpus */
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    }
    status = launcher_run(all, ended, &missing);
    if (status)
        error_set(error, status, "--gpus %d, which mpirun starts: %s (docs/user/cluster.md)", gpus,
                  missing.text);
    free(all);
    return status;
}
