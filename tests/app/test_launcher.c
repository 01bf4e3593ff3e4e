/* test_launcher.c: what asks a process to stop asks the command that it has started, at once and each time,
 * the status is the command's with the signal that came, and the command does not live on alone. */
#include "app/run/launcher.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

/* The status of `sh -c script` */
static enum status run(const char *script)
{
    char shell[] = "sh", option[] = "-c", text[300];
    char *command[] = {shell, option, text, NULL};
    enum status ended = STATUS_DIFFERS;
    struct error error = {0};
    snprintf(text, sizeof text, "%s", script);
    alarm(60);
    CHECK_OK(launcher_run(command, &ended, &error), error);
    alarm(0);
    return ended;
}

static void expect(const char *script, int want)
{
    int got = (int)run(script);
    CHECK(got == want, "%s: status %d, want %d", script, got, want);
}

#define ASKED "trap 'exit 138' USR1; kill -%s $PPID; while :; do sleep 0.05; done"

static void test_signals(void)
{
    static const struct {
        const char *name;
        int number;
    } asks[] = {{"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
    char script[200];
    for (size_t k = 0; k < sizeof asks / sizeof *asks; k++) {
        snprintf(script, sizeof script, ASKED, asks[k].name);
        expect(script, 128 + asks[k].number);
    }
    expect("trap 'n=$((n + 1)); [ $n = 2 ] && exit 7; kill -TERM $PPID' USR1; kill -INT $PPID; while :; do "
           "sleep "
           "0.05; done",
           7);
    expect("trap : USR1; kill -TERM $PPID; sleep 0.2; exit 0", 0); /* it was about to end */
    sigset_t kept;
    sigemptyset(&kept);
    sigaddset(&kept, SIGUSR1);
    sigprocmask(SIG_BLOCK, &kept, NULL);
    expect("trap 'exit 138' USR1; kill -INT $PPID; sleep 0.5; exit 5", 128 + SIGINT);
    sigprocmask(SIG_UNBLOCK, &kept, NULL);
    snprintf(script, sizeof script, "/proc/%d/exe rank & sleep 0.3; kill -INT $PPID; wait $!", (int)getpid());
    expect(script, 128 + SIGINT); /* a shell hands nothing on */
    signal(SIGHUP, SIG_IGN);
    expect("trap 'exit 138' USR1; kill -HUP $PPID; sleep 0.3; exit 5", 5);
    signal(SIGHUP, SIG_DFL);
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    CHECK(!sigismember(&mask, SIGTERM) && !sigismember(&mask, SIGCHLD), "signals are still kept back");
}

static void test_ends(void)
{
    char missing[] = "no-such-launcher", shell[] = "sh", option[] = "-c", text[] = "kill -KILL $$";
    char *none[] = {missing, NULL}, *killed[] = {shell, option, text, NULL};
    enum status ended;
    struct error error = {0};
    expect("exit 0", 0);
    expect("exit 3", 3);
    CHECK(launcher_run(none, &ended, &error) == STATUS_INPUT &&
              strstr(error.text, "no-such-launcher: No such"),
          "%s", error.text);
    CHECK(launcher_run(killed, &ended, &error) == STATUS_RUN && strstr(error.text, "Killed"), "%s",
          error.text);
}

/* The pipe is at its end once nobody is left who has it. */
static void test_death(void)
{
    int line[2];
    char byte;
    CHECK(pipe(line) == 0, "pipe");
    pid_t parent = fork();
    if (parent == 0) {
        char script[60];
        close(line[0]);
        snprintf(script, sizeof script, "echo >&%d; exec sleep 50", line[1]);
        run(script);
        _exit(0);
    }
    close(line[1]);
    CHECK(read(line[0], &byte, 1) == 1, "it has not begun");
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    alarm(20);
    CHECK(read(line[0], &byte, 1) == 0, "it goes on alone");
    alarm(0);
    close(line[0]);
}

static void on_signal(int number)
{
    _exit(128 + number);
}

/* As a rank it waits to be asked. */
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "rank") == 0) {
        signal(SIGUSR1, on_signal);
        sleep(20);
        return 1;
    }
    test_signals();
    test_ends();
    test_death();
    return 0;
}
