/* cc.c: find the C compiler, and run it with a fixed list of arguments under a supervisor. */
#include "app/models/cc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/cancel.h"
#include "kernels/base/clock.h"

extern char **environ;

enum { ARGUMENTS = 64, VERSION_SECONDS = 10, TICK = 50 /* ms */ };

/* The options of the build that preserve bits and select instructions (CMakeLists.txt), without its warnings */
#define COMMON "-std=c17 -O3 -fPIC -shared -fvisibility=hidden -fopenmp-simd -w " CC_BITS

const char *cc_flags(const char *clone)
{
    if (strcmp(clone, "avx512") == 0)
        return COMMON " " CC_AVX512;
    return strcmp(clone, "avx2") == 0 ? COMMON " " CC_AVX2 : COMMON;
}

/* How the compiler ended */
struct outcome {
    int status; /* from waitpid() */
    bool late;  /* it was ended at the time limit */
};

/* Executes the compiler, in its own process group */
static void start_compiler(const char *const *argv, int out)
{
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(out, 1);
    dup2(out, 2);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(argv[0], (char *const *)(uintptr_t)argv, environ);
    _exit(127);
}

/* Ends the processes of the group by a signal that lets the compiler remove its temporary files */
static void end_group(pid_t group, int *status)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    bool ended = false;
    kill(-group, SIGTERM);
    for (int k = 0; k < 100 && !ended; k++) {
        ended = waitpid(group, status, WNOHANG) == group;
        if (!ended)
            nanosleep(&pause, NULL);
    }
    kill(-group, SIGKILL);
    if (!ended)
        waitpid(group, status, 0);
}

/* The supervisor, a process between the program and the compiler. It ends the compiler and removes its files when the
 * program has ended in any way (`program` is then closed) or the time is over. After fork() in a program with threads
 * it may call only async-signal-safe functions. */
static void supervise(const char *const *argv, int seconds, const char *object, const char *source_path,
                      int program, int out)
{
    struct outcome outcome = {.status = -1};
    const double begin = clock_seconds();
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL); /* it must survive the signal that ends the program */
    setpgid(0, 0);
    signal(SIGCHLD, SIG_DFL);
    pid_t compiler = fork();
    if (compiler == 0)
        start_compiler(argv, out);
    close(out);
    bool gone = false, ended = compiler < 0;
    if (!ended)
        setpgid(compiler, compiler);
    for (int tick = 2; !ended && !gone && !outcome.late; tick = tick < 20 ? tick + 1 : tick) {
        struct pollfd events = {.fd = program, .events = POLLIN};
        gone = poll(&events, 1, tick) > 0;
        ended = waitpid(compiler, &outcome.status, WNOHANG) == compiler;
        outcome.late = !ended && clock_seconds() - begin >= seconds;
    }
    if (!ended)
        end_group(compiler, &outcome.status);
    if (gone && object)
        unlink(object);
    if (gone && source_path)
        unlink(source_path);
    send(program, &outcome, sizeof outcome, MSG_NOSIGNAL);
    _exit(0);
}

/* text[size] <- the beginning of the output in the pipe, printable characters only; reads until the supervisor reports
 * the outcome. Returns false if this thread is asked to stop before. */
static bool read_output(char *text, size_t size, int pipe, int supervisor, struct outcome *outcome)
{
    char rest[4096];
    size_t length = 0;
    bool reported = false;
    for (bool more = true; more && !cancel_requested();) {
        struct pollfd events[] = {{.fd = pipe, .events = POLLIN}, {.fd = supervisor, .events = POLLIN}};
        const int ready = poll(events, 2, TICK);
        if (ready <= 0) {
            more = ready == 0 || errno == EINTR;
            continue;
        }
        const bool room = length + 1 < size;
        ssize_t got = 0;
        if (events[0].revents)
            got = room ? read(pipe, text + length, size - 1 - length) : read(pipe, rest, sizeof rest);
        length += room && got > 0 ? (size_t)got : 0;
        if (got <= 0 && events[1].revents) {
            reported = recv(supervisor, outcome, sizeof *outcome, 0) == sizeof *outcome;
            more = false;
        } else if (got <= 0) {
            pipe = -1; /* closed by the compiler, which may still be running */
        }
    }
    text[length] = 0;
    for (char *at = text; *at; at++)
        *at = (unsigned char)*at < ' ' && *at != '\n' ? ' ' : *at;
    return reported;
}

/* Runs argv and captures its output; returns its exit status, -1 = it did not exit normally. object and source_path
 * NULL: there are no files to remove. */
static int run_compiler(const char *const *argv, int seconds, const char *object, const char *source_path,
                        char *text, size_t size)
{
    struct outcome outcome = {.status = -1};
    int out[2], link[2];
    *text = 0;
    if (pipe2(out, O_CLOEXEC))
        return -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link)) {
        close(out[0]);
        close(out[1]);
        return -1;
    }
    pid_t supervisor = fork();
    if (supervisor == 0) {
        close(out[0]);
        close(link[0]);
        supervise(argv, seconds, object, source_path, link[1], out[1]);
    }
    close(out[1]);
    close(link[1]);
    const bool reported = supervisor > 0 && read_output(text, size, out[0], link[0], &outcome);
    close(out[0]);
    close(link[0]);
    while (supervisor > 0 && waitpid(supervisor, NULL, 0) < 0 && errno == EINTR)
        ;
    if (reported && outcome.late)
        snprintf(text, size, "it did not end within %d s", seconds);
    return reported && !outcome.late && WIFEXITED(outcome.status) ? WEXITSTATUS(outcome.status) : -1;
}

/* path <- the program of that name as execvp() would find it, except in relative folders; false if there is none */
static bool find(char *path, size_t size, const char *name)
{
    if (*name == '/')
        return snprintf(path, size, "%s", name) < (int)size && access(path, X_OK) == 0;
    const char *at = strchr(name, '/') ? NULL : getenv("PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        if (*at == '/' && snprintf(path, size, "%.*s/%s", (int)length, at, name) < (int)size &&
            access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

static enum status read_version(struct cc *cc, struct error *error)
{
    const char *argv[] = {cc->path, "--version", NULL};
    cc->seconds = CC_SECONDS;
    int ended = run_compiler(argv, VERSION_SECONDS, NULL, NULL, cc->version, sizeof cc->version);
    cc->is_gcc = strstr(cc->version, "Free Software Foundation");
    cc->version[strcspn(cc->version, "\n")] = 0;
    return ended == 0 ? STATUS_OK
                      : error_set(error, STATUS_INPUT, "%s --version fails (%s): not a C compiler", cc->path,
                                  cc->version);
}

/* The compiler that $CC names, and its options */
static enum status find_chosen(struct cc *cc, struct error *error)
{
    int count = 0;
    bool fits = strlen(cc->chosen) < CC_LETTERS;
    const char *name = fits ? strtok(strcpy(cc->words, cc->chosen), " ") : NULL;
    for (const char *word = name; word && (word = strtok(NULL, " ")); count++)
        if (count < CC_WORDS - 1)
            cc->option[count] = word;
    if (!fits || count >= CC_WORDS)
        return error_set(
            error, STATUS_INPUT,
            "$CC has more than %d letters or %d options: put them into a script and set $CC to its name",
            CC_LETTERS - 1, CC_WORDS - 1);
    if (!name || !find(cc->path, sizeof cc->path, name))
        return error_set(error, STATUS_INPUT,
                         "$CC is '%.200s', which does not exist; this model is compiled at its first use",
                         cc->chosen);
    return read_version(cc, error);
}

enum status cc_find(struct cc *cc, struct error *error)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *chosen = getenv("CC");
    memset(cc, 0, sizeof *cc);
    cc->chosen = chosen ? chosen : "";
    if (*cc->chosen)
        return find_chosen(cc, error);
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        if (find(cc->path, sizeof cc->path, usual[k]))
            return read_version(cc, error);
    return error_set(error, STATUS_INPUT,
                     "this model is compiled at its first use, which requires cc, gcc or clang on the PATH "
                     "(package gcc), or $CC");
}

enum status cc_compile(const struct cc *cc, const char *clone, const char *source, const char *object,
                       struct error *error)
{
    const char *argv[ARGUMENTS + CC_WORDS] = {cc->path};
    char flags[512], text[600];
    int count = 1;
    for (int k = 0; cc->option[k]; k++)
        argv[count++] = cc->option[k];
    snprintf(flags, sizeof flags, "%s", cc_flags(clone));
    for (char *flag = strtok(flags, " "); flag && count < ARGUMENTS; flag = strtok(NULL, " "))
        argv[count++] = flag;
    if (cc->is_gcc) /* as kernels/CMakeLists.txt says */
        argv[count++] = "-fno-tree-pre";
    argv[count++] = "-o";
    argv[count++] = object;
    argv[count++] = source;
    argv[count++] = "-lm";
    argv[count] = NULL;
    int ended = run_compiler(argv, cc->seconds, object, source, text, sizeof text);
    if (ended == 0)
        return STATUS_OK;
    return error_set(error, STATUS_RUN, "%s cannot compile it (status %d): %s", cc->path, ended, text);
}
