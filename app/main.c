/* main.c: argv -> subcommand. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "app/util/command.h"
#include "app/util/program.h"
#include "kernels/device/comm.h"
#include "app/util/version.h"

static const struct command commands[] = {
    {"run", "simulate what a config describes", command_run},
    {"sweep", "make many runs of one config, with values from a table", command_sweep},
    {"converge", "estimate the numerical error of a config", command_script},
    {"bundle", "make a folder of a run that others can repeat", command_bundle},
    {"check", "validate and describe a config, or print the reference of all keys", command_check},
    {"keys", "search the keys of a config", command_keys},
    {"compare", "compare two results or two checkpoints", command_compare},
    {"info", "describe this program and machine, a result or a checkpoint", command_info},
    {"models", "list the ionic models, or describe one", command_models},
    {"cell", "pace a single cell", command_cell},
    {"restitution", "measure the response of a tissue to S2 at many intervals", command_script},
    {"induce", "test from which sites and intervals re-entry can be induced", command_script},
    {"fit", "fit places, times and conductivities to a measured ECG or activation", command_script},
    {"mesh", "inspect, convert, generate and refine meshes", command_mesh},
    {"tune", "find the conductivities that give the velocities of a config", command_tune},
    {"import", "convert an openCARP parameter file to a config", command_script},
    {"report", "write a page that shows a result", command_script},
    {"film", "write a film of V on the surface of a result", command_script},
    {"tips", "find the tips of spiral waves in a result", command_script},
#ifdef CARDIAC_VERIFY
    {"verify", "solve problems with a known answer and compare", command_verify},
#endif
    {"bench", "measure the kernels, formats and a step against their limits", command_bench},
    {0},
};

static void print_help(FILE *file)
{
    fprintf(file, "%s: electrical waves in the heart (monodomain equation)\n\nUsage: cardiac COMMAND ...\n\n",
            version_text());
    command_print(file, commands);
    fputs("\n  cardiac COMMAND --help   how to use a command\n"
          "  cardiac --version        the version\n",
          file);
}

static enum status dispatch(int argc, char **argv, struct error *error)
{
    if (argc < 2) {
        print_help(stderr);
        return STATUS_INPUT;
    }
    if (strcmp(argv[1], "help") == 0 && argc > 2) {
        const struct command *asked = command_find(commands, "", argv[2], error);
        char *help[] = {argv[2], "--help", NULL};
        return asked ? asked->run(2, help, error) : STATUS_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return STATUS_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts(version_text());
        return STATUS_OK;
    }
    const struct command *command = command_find(commands, "", argv[1], error);
    if (!command)
        return STATUS_INPUT;
    bool ranks = command->run == command_run || command->run == command_info;
    return ranks || !comm_launched() ? command->run(argc - 1, argv + 1, error)
                                     : program_refuse_ranks(argv[1], error);
}

int main(int argc, char **argv)
{
    return program_main("cardiac", argc, argv, dispatch);
}
