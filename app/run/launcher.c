/* launcher.c: a child, and signals on their way to it. */
#include "app/run/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/clock.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* A signal handler has no other way to speak to the program. */
static volatile sig_atomic_t child, caught;
static volatile double caught_at; /* seconds of the clock */

static void pass_on(int signal_number)
{
    double now = clock_seconds();
    if (!caught) {
        caught = signal_number;
        caught_at = now;
        kill((pid_t)child, SIGUSR1);
    } else if (now - caught_at >= 1 && signal_number != SIGXCPU) {
        kill((pid_t)child, SIGTERM);
    }
}

/* In the child: the command, or its errno to the parent */
static void become(char *const *argv, const sigset_t *mask, pid_t parent, int told)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == parent && null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
        sigprocmask(SIG_SETMASK, mask, NULL) == 0)
        execvp(*argv, argv);
    int code = errno;
    ssize_t written = write(told, &code, sizeof code);
    (void)written;
    _exit(STATUS_RUN);
}

enum status launcher_run(int *ended, char *const *argv, struct error *error)
{
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART}, before[SIGNALS];
    sigset_t all, mask;
    int ends[2], code = 0, result = 0;
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC))
        return error_set(error, STATUS_RUN, "%s: %s", *argv, strerror(errno));
    sigfillset(&all);
    sigfillset(&action.sa_mask);
    sigprocmask(SIG_SETMASK, &all, &mask); /* what comes now is passed on once there is a child */
    caught = 0;
    pid_t pid = fork();
    if (pid == 0)
        become(argv, &mask, parent, ends[1]);
    close(ends[1]);
    code = pid < 0 ? errno : 0;
    if (pid > 0 && read(ends[0], &code, sizeof code) != sizeof code)
        code = 0;
    close(ends[0]);
    child = pid;
    for (int k = 0; k < SIGNALS; k++)
        if (sigaction(signals[k], NULL, &before[k]) == 0 && pid > 0 && before[k].sa_handler != SIG_IGN)
            sigaction(signals[k], &action, NULL);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    while (pid > 0 && waitpid(pid, &result, 0) < 0 && errno == EINTR)
        ;
    for (int k = 0; k < SIGNALS && pid > 0; k++)
        sigaction(signals[k], &before[k], NULL);
    if (code)
        return error_set(error, code == ENOENT ? STATUS_INPUT : STATUS_RUN, "%s: %s", *argv, strerror(code));
    *ended = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    if (caught && *ended == 128 + SIGUSR1)
        *ended = 128 + caught;
    return STATUS_OK;
}
