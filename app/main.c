/* main.c: argv -> subcommand. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "app/util/command.h"
#include "app/util/program.h"
#include "kernels/base/suggest.h"
#include "kernels/device/comm.h"
#include "app/util/version.h"

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
                                              : program_refuse_ranks(argv[1], error);
        }
    return unknown_command(argv[1], error);
}

int main(int argc, char **argv)
{
    return program_main("cardiac", argc, argv, dispatch);
}
