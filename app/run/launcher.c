/* launcher.c: start mpirun as a child, and forward signals to the ranks. */
#include "app/run/launcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/device/backend.h"
#include "kernels/device/comm.h"

/* *asked <- the signals that stop a run, except those that are ignored (nohup), and SIGCHLD */
static void list_signals(sigset_t *asked)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
    struct sigaction action;
    sigemptyset(asked);
    sigaddset(asked, SIGCHLD);
    for (size_t k = 0; k < sizeof stops / sizeof *stops; k++)
        if (sigaction(stops[k], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(asked, stops[k]);
}

/* Executes the command in its own process group, since a terminal's Ctrl-C goes to a whole group, and with these
 * signals unblocked, even if this process was started with some of them blocked. */
static void exec_command(char *const *command, const sigset_t *asked, int failure)
{
    sigset_t unblocked = *asked;
    sigaddset(&unblocked, SIGUSR1);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigprocmask(SIG_UNBLOCK, &unblocked, NULL);
    execvp(*command, command);
    ssize_t written = write(failure, &errno, sizeof errno);
    (void)written;
    raise(SIGKILL);
}

/* Whether a process runs this program */
static bool is_rank(int pid)
{
    char own[4096], other[4096], path[32];
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    ssize_t length = readlink("/proc/self/exe", own, sizeof own);
    return length > 0 && readlink(path, other, sizeof other) == length &&
           memcmp(own, other, (size_t)length) == 0;
}

/* Signals the ranks that a process has started directly, since not every mpirun forwards signals. Returns their
 * number. */
static int ask_ranks(pid_t child)
{
    char path[300];
    int ranks = 0, pid;
    snprintf(path, sizeof path, "/proc/%d/task", (int)child);
    DIR *threads = opendir(path);
    for (struct dirent *thread; threads && (thread = readdir(threads));) {
        snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)child, thread->d_name);
        FILE *children = fopen(path, "r");
        while (children && fscanf(children, "%d", &pid) == 1)
            if (is_rank(pid))
                ranks += kill(pid, SIGUSR1) == 0;
        if (children)
            fclose(children);
    }
    if (threads)
        closedir(threads);
    return ranks;
}

/* Waits for the child's end and forwards signals meanwhile; returns the first signal, 0 = none */
static int wait_for(pid_t child, const sigset_t *asked, int *how)
{
    int first = 0, came;
    while (waitpid(child, how, WNOHANG) != child)
        if ((came = sigwaitinfo(asked, NULL)) > 0 && came != SIGCHLD) {
            first = first ? first : came;
            if (ask_ranks(child) == 0)
                kill(child, SIGUSR1);
        }
    return first;
}

static enum status start(char *const *command, const sigset_t *asked, pid_t *child, struct error *error)
{
    int failure[2], why = 0;
    if (pipe2(failure, O_CLOEXEC) != 0)
        return error_set(error, STATUS_RUN, "%s: %s", *command, strerror(errno));
    *child = fork();
    if (*child == 0)
        exec_command(command, asked, failure[1]);
    if (*child < 0)
        why = errno;
    close(failure[1]);
    ssize_t got = *child < 0 ? 0 : read(failure[0], &why, sizeof why);
    close(failure[0]);
    if (got > 0)
        waitpid(*child, NULL, 0);
    return why ? error_set(error, STATUS_INPUT, "%s: %s", *command, strerror(why)) : STATUS_OK;
}

enum status launcher_run(char *const *command, enum status *ended, struct error *error)
{
    sigset_t asked, before;
    pid_t child = -1;
    int how = 0, first = 0;
    signal(SIGCHLD, SIG_DFL); /* if it were ignored, the child's end would go unnoticed */
    list_signals(&asked);
    sigprocmask(SIG_BLOCK, &asked, &before);
    enum status status = start(command, &asked, &child, error);
    if (!status)
        first = wait_for(child, &asked, &how);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!status && WIFSIGNALED(how))
        status =
            error_set(error, STATUS_RUN, "%s was ended by a signal: %s", *command, strsignal(WTERMSIG(how)));
    *ended = (enum status)WEXITSTATUS(how);
    if (first && *ended == STATUS_INTERRUPTED + SIGUSR1)
        *ended = (enum status)(STATUS_INTERRUPTED + first);
    return status;
}

/* to[] <- argv without --gpus N or --gpus=N, preceded by --device cuda, which overrides the config; a --device in argv
 * overrides it */
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

enum status launcher_start_ranks(int gpus, char **argv, enum status *ended, struct error *error)
{
    static const char *const launcher[] = {"mpirun",  "-n",   NULL, "--oversubscribe", "--bind-to", "none",
                                           "--stdin", "none", NULL};
    enum { COUNT = 2, PROGRAM = sizeof launcher / sizeof *launcher - 1 };
    char last[32], count[16], program[4096];
    struct error missing = {0};
    int arguments = 0;
    if (comm_launched())
        return error_set(
            error, STATUS_INPUT,
            "--gpus starts ranks itself, but a launcher has already started several: use one of them");
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
    if (geteuid() == 0) { /* root requested ranks by --gpus */
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    }
    status = launcher_run(all, ended, &missing);
    if (status)
        error_set(error, status, "--gpus %d, which mpirun starts: %s (docs/user/large-runs.md)", gpus,
                  missing.text);
    free(all);
    return status;
}
