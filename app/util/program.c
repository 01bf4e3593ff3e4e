/* program.c: the only file that prints errors and ends the program. */
#include "app/util/program.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/util/text_media.h"
#include "kernels/device/comm.h"

/* Otherwise every rank would do all the work and write the same files. */
enum status program_refuse_ranks(const char *command, struct error *error)
{
    struct comm *comm;
    enum status status = comm_open(&comm, error);
    if (status)
        return status;
    if (comm->rank == 0) /* the launcher returns rank 0's status */
        status =
            error_set(error, STATUS_INPUT,
                      "a launcher has started %d ranks, but cardiac %s runs in one process: start it without "
                      "mpirun or srun. Several independent commands begin with: " COMM_UNSET " cardiac %s",
                      comm->size, command, command);
    comm_close(comm);
    return status;
}

/* Opens /dev/null read-only for each of the descriptors 0, 1 and 2 that is closed. Otherwise the result file could get
 * such a descriptor, and the next line for the terminal would be written into it. Printing to it fails, as it should if
 * that is the command's only product. False if /dev/null cannot be opened. */
static bool fill_standard_files(void)
{
    int file = open("/dev/null", O_RDONLY);
    while (file >= 0 && file <= STDERR_FILENO)
        file = open("/dev/null", O_RDONLY);
    return file >= 0 && close(file) == 0;
}

/* Prints an error, each line preceded by the program's name. */
static void print_error(const char *name, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        fprintf(stderr, "%s: ", name);
        text_media_line(stderr, "", line);
    }
}

/* Whether main returned. libgomp calls exit() with our STATUS_DIFFERS if it cannot get a thread or memory; then
 * on_exit_of_others() changes the status. */
static bool returned;

static void on_exit_of_others(void)
{
    static const char text[] = "cardiac: the OpenMP library ended the program: too little memory or too low "
                               "a process limit for its threads; use fewer (--threads)\n";
    if (returned)
        return;
    fputs(text, stderr);
    _exit(STATUS_RUN);
}

static void on_fault(int signal_number)
{
    static const char text[] =
        "cardiac: ended by a fault in the program or a library; files already written are intact, and run "
        "--resume continues from the last checkpoint\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    (void)signal_number;
    _exit(STATUS_RUN);
}

/* Installs on_fault(), on a stack of its own, since the fault may be a stack overflow. */
static void catch_faults(void)
{
    static char space[1 << 14];
    static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    const stack_t stack = {.ss_sp = space, .ss_size = sizeof space};
    const struct sigaction action = {.sa_handler = on_fault, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
    struct sigaction before;
    sigaltstack(&stack, NULL);
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        if (sigaction(faults[k], NULL, &before) == 0 && before.sa_handler == SIG_DFL) /* keep a sanitizer's */
            sigaction(faults[k], &action, NULL);
}

/* The smallest stack with which commands, and OpenMP's threads, are tested */
enum { LEAST_STACK_KIB = 512 };

static bool stack_suffices(const char *name)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >> 10 >= LEAST_STACK_KIB)
        return true;
    fprintf(stderr, "%s: the limit on the stack is %llu KiB; at least %d are needed (ulimit -s)\n", name,
            (unsigned long long)limit.rlim_cur >> 10, LEAST_STACK_KIB);
    return false;
}

/* Whether stdout and stderr have the same destination, so that their lines could be interleaved mid-line */
static bool streams_meet(void)
{
    struct stat out, messages;
    return comm_launched() || (fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &messages) == 0 &&
                               out.st_dev == messages.st_dev && out.st_ino == messages.st_ino);
}

/* Replaces stdout and stderr by streams that escape control characters, since names in files may contain control
 * sequences. Each line is one write. */
static void escape_terminal(void)
{
    FILE *out = text_media_stream(stdout, isatty(STDOUT_FILENO) || streams_meet() ? _IOLBF : _IOFBF);
    FILE *messages = text_media_stream(stderr, _IOLBF);
    stdout = out ? out : stdout;
    stderr = messages ? messages : stderr;
}

bool program_silence(void)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool done = nothing >= 0 && dup2(nothing, STDOUT_FILENO) >= 0;
    if (nothing >= 0)
        close(nothing);
    if (done) {
        __fpurge(stdout);
        clearerr(stdout);
    }
    return done;
}

int program_main(const char *name, int argc, char **argv,
                 enum status (*run)(int argc, char **argv, struct error *error))
{
    if (!fill_standard_files()) {
        fprintf(stderr, "%s: /dev/null cannot be opened\n", name);
        return STATUS_RUN;
    }
    if (!stack_suffices(name))
        return STATUS_INPUT;
    signal(SIGXFSZ, SIG_IGN); /* then exceeding a file size limit is a write error, like a full disk */
    /* by default the threshold rises to the largest array freed so far, and memory that the set-up frees is not
     * returned to the system */
    mallopt(M_MMAP_THRESHOLD, 3 << 19);
    /* HDF5 1.10 reads up to 64 kB beyond a damaged attribute: make sure that this is heap memory */
    mallopt(M_TOP_PAD, 1 << 20);
    void *volatile beyond = malloc(1 << 18);
    free(beyond);
    struct error error = {0};
    atexit(on_exit_of_others);
    escape_terminal();
    catch_faults();
    setlocale(LC_ALL, "C");
    fesetenv(FE_DFL_ENV);
    enum status status = run(argc, argv, &error);
    print_error(name, error.text);
    errno = 0;
    /* also after STATUS_DIFFERS, which is useless without the printed figures */
    if ((fflush(stdout) || ferror(stdout) || close(STDOUT_FILENO)) && status <= STATUS_DIFFERS) {
        fprintf(stderr, "%s: standard output cannot be written%s%s\n", name, errno ? ": " : "",
                errno ? strerror(errno) : "");
        status = STATUS_RUN;
    }
    returned = true;
    return (int)status;
}
