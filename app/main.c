/* main.c: argv -> subcommand. The only place that prints an error and ends the program, and the one that sets
 * what every later number depends on: the C locale and the default floating-point environment. */
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "app/util/command.h"
#include "kernels/base/suggest.h"
#include "kernels/device/comm.h"
#include "app/util/version.h"
#include "app/util/omp_spin.h"

struct command {
    const char *name, *summary;
    enum status (*run)(int argc, char **argv, struct error *error);
};

static const struct command commands[] = {
    {"run", "simulate what a config describes", command_run},
    {"check", "validate a config and print it resolved, or print the reference of all keys", command_check},
    {"keys", "find keys of a config by a word", command_keys},
    {"compare", "compare two results or two checkpoints", command_compare},
    {"info", "describe this program and machine, a result or a checkpoint", command_info},
    {"models", "list the ionic models, or describe one", command_models},
    {"cell", "pace a single cell", command_cell},
    {"restitution", "pace a tissue and try one more stimulus at many intervals", command_restitution},
    {"mesh", "look at meshes, convert, generate and refine them", command_mesh},
    {"tune", "find the conductivities of wanted velocities", command_tune},
    {"import", "make a config from an openCARP parameter file", command_import},
    {"verify", "solve problems with a known answer and compare", command_verify},
    {"bench", "measure the kernels, formats and a step against their limits", command_bench},
    {NULL, NULL, NULL},
};

static void print_help(FILE *file)
{
    fprintf(file, "%s: electrical waves in the heart (monodomain equation)\n\nUsage: cardiac COMMAND ...\n\n",
            version_text());
    for (const struct command *command = commands; command->name; command++)
        fprintf(file, "  %-11s %s\n", command->name, command->summary);
    fputs("\n  cardiac COMMAND --help   how to use a command\n"
          "  cardiac --version        the version\n",
          file);
}

static enum status unknown_command(const char *name, struct error *error)
{
    char hint[100];
    struct suggestion suggestion = suggest_for(name);
    for (const struct command *command = commands; command->name; command++)
        suggest_try(&suggestion, command->name);
    suggest_hint(&suggestion, hint, sizeof hint);
    return error_set(error, STATUS_INPUT, "no command '%.80s'%s", name,
                     *hint ? hint : "; see cardiac --help");
}

/* Of the ranks that a launcher has started each would do all of it, and several write the same file. */
static enum status refuse_ranks(const char *name, struct error *error)
{
    struct comm *comm;
    enum status status = comm_open(&comm, error);
    if (status)
        return status;
    if (comm->rank == 0) /* whose status the launcher takes */
        status =
            error_set(error, STATUS_INPUT,
                      "a launcher has started %d ranks, and cardiac %s is for one process: start it without "
                      "mpirun or srun. Commands side by side begin with: " COMM_UNSET " cardiac %s",
                      comm->size, name, name);
    comm_close(comm);
    return status;
}

static enum status dispatch(int argc, char **argv, struct error *error)
{
    if (argc < 2) {
        print_help(stderr);
        return STATUS_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return STATUS_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts(version_text());
        return STATUS_OK;
    }
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(argv[1], command->name) == 0) {
            bool shared = command->run == command_run || command->run == command_info;
            return shared || !comm_launched() ? command->run(argc - 1, argv + 1, error)
                                              : refuse_ranks(argv[1], error);
        }
    return unknown_command(argv[1], error);
}

/* A file takes the lowest number that is free: were one of 0, 1 and 2 closed, the result could get it, and
 * the next line for the terminal would be written into the result. False if there is no /dev/null either. */
static bool fill_standard_files(void)
{
    int file = open("/dev/null", O_RDWR);
    while (file >= 0 && file <= STDERR_FILENO)
        file = open("/dev/null", O_RDWR);
    return file >= 0 && close(file) == 0;
}

/* Each line of an error's text says who speaks. */
static void print_error(const char *text)
{
    while (*text) {
        int length = (int)strcspn(text, "\n");
        fprintf(stderr, "cardiac: %.*s\n", length, text);
        text += length + (text[length] == '\n');
    }
}

/* libgomp ends the program itself, with the status of a comparison, where it gets no thread or memory. */
static bool returned;

static void on_exit_of_others(void)
{
    static const char text[] =
        "cardiac: the OpenMP library has ended the program: too little memory, or too few "
        "processes allowed, for its threads (--threads takes fewer)\n";
    if (returned)
        return;
    fputs(text, stderr);
    _exit(STATUS_RUN);
}

/* HDF5 reads where nothing is when it gets no memory. A word, then the end that the system gives. */
static void on_fault(int signal_number)
{
    static const char text[] =
        "cardiac: ended by a fault of the program or of a library (HDF5 has them where no memory "
        "is left); what was written before is whole, and run --resume goes on from the last "
        "checkpoint\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    raise(signal_number);
}

static void catch_faults(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS};
    const struct sigaction action = {.sa_handler = on_fault, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        if (sigaction(faults[k], NULL, &before) == 0 && before.sa_handler == SIG_DFL) /* no sanitizer's */
            sigaction(faults[k], &action, NULL);
}

int main(int argc, char **argv)
{
    if (!fill_standard_files()) {
        fputs("cardiac: /dev/null cannot be opened\n", stderr);
        return STATUS_RUN;
    }
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error of a write, as a full disk is */
    omp_spin_limit(argv);
    prctl(PR_SET_NAME, "cardiac"); /* begun again by that, it bears the link's name */
    /* else the bound rises to the largest array freed so far, and what the set-up frees below it stays */
    mallopt(M_MMAP_THRESHOLD, 3 << 19);
    struct error error = {0};
    atexit(on_exit_of_others);
    catch_faults();
    setlocale(LC_ALL, "C");
    fesetenv(FE_DFL_ENV);
    enum status status = dispatch(argc, argv, &error);
    print_error(error.text);
    errno = 0;
    /* also what a comparison found: a status without its figures would be half an answer */
    if ((fflush(stdout) || ferror(stdout) || close(STDOUT_FILENO)) && status <= STATUS_DIFFERS) {
        fprintf(stderr, "cardiac: standard output cannot be written%s%s\n", errno ? ": " : "",
                errno ? strerror(errno) : "");
        status = STATUS_RUN;
    }
    returned = true;
    return (int)status;
}
