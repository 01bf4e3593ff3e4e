/* cc.c: finding the compiler, and starting it with a fixed list of arguments. */
#include "app/models/cc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ARGUMENTS = 64, MOST_SECONDS = 900 };

/* Those of the build that keep bits and choose instructions (CMakeLists.txt); warnings are its business, not
 * the user's. */
#define COMMON "-std=c17 -O3 -fPIC -shared -fvisibility=hidden -fopenmp-simd -w " CC_BITS

const char *cc_flags(const char *clone)
{
    if (strcmp(clone, "avx512") == 0)
        return COMMON " " CC_AVX512;
    return strcmp(clone, "avx2") == 0 ? COMMON " " CC_AVX2 : COMMON;
}

/* said[size] <- the first of what comes out of the pipe, without what does not print; the rest is passed over
 */
static void listen(char *said, size_t size, int pipe)
{
    char rest[4096];
    size_t length = 0;
    for (;;) {
        bool room = length + 1 < size;
        ssize_t got = room ? read(pipe, said + length, size - 1 - length) : read(pipe, rest, sizeof rest);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        length += room && got > 0 ? (size_t)got : 0;
    }
    said[length] = 0;
    for (char *at = said; *at; at++)
        *at = (unsigned char)*at < ' ' && *at != '\n' ? ' ' : *at;
}

static bool start(pid_t *child, const char *const *argv, int out)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&files))
        return false;
    bool started = false;
    if (posix_spawnattr_init(&attributes) == 0) {
        started =
            posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
            posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) == 0 &&
            posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) == 0 &&
            posix_spawn_file_actions_adddup2(&files, out, 1) == 0 &&
            posix_spawn_file_actions_adddup2(&files, out, 2) == 0 &&
            posix_spawn(child, argv[0], &files, &attributes, (char *const *)(uintptr_t)argv, environ) == 0;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return started;
}

/* Runs argv to its end, and what it says; its exit status, -1 = it did not end by itself */
static int run(const char *const *argv, char *said, size_t size)
{
    const struct rlimit limit = {MOST_SECONDS, MOST_SECONDS};
    int ends[2], status = -1;
    pid_t child;
    *said = 0;
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    bool started = start(&child, argv, ends[1]);
    close(ends[1]);
    if (started) {
        prlimit(child, RLIMIT_CPU, &limit, NULL);
        listen(said, size, ends[0]);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    return started && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* path <- where the program of that name is, as execvp would find it, but never in a relative folder */
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
    int ended = run(argv, cc->version, sizeof cc->version);
    cc->is_gcc = strstr(cc->version, "Free Software Foundation");
    cc->version[strcspn(cc->version, "\n")] = 0;
    return ended == 0 ? STATUS_OK
                      : error_set(error, STATUS_INPUT, "%s --version fails: it is no C compiler", cc->path);
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
            "$CC has more than %d letters or %d options: a script can hold them, and $CC name it",
            CC_LETTERS - 1, CC_WORDS - 1);
    if (!name || !find(cc->path, sizeof cc->path, name))
        return error_set(error, STATUS_INPUT,
                         "$CC is '%.200s', which is not there: the model is compiled at its first use",
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
                     "it is compiled at its first use, and there is no cc, gcc or clang on the PATH "
                     "(package gcc, or $CC)");
}

enum status cc_compile(const struct cc *cc, const char *clone, const char *source, const char *object,
                       struct error *error)
{
    const char *argv[ARGUMENTS + CC_WORDS] = {cc->path};
    char flags[512], said[600];
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
    int ended = run(argv, said, sizeof said);
    if (ended == 0)
        return STATUS_OK;
    return error_set(error, STATUS_RUN, "%s cannot compile it (status %d): %s", cc->path, ended, said);
}
