/* command.h: the subcommands of the program. Each reads its own arguments (argv[0] is its name), prints its
 * result on standard output and returns its status; main prints the error and exits. */
#ifndef CARDIAC_APP_UTIL_COMMAND_H
#define CARDIAC_APP_UTIL_COMMAND_H

#include <stdio.h>

#include "kernels/base/error.h"

struct command {
    const char *name, *summary;
    enum status (*run)(int argc, char **argv, struct error *error);
};

/* Prints a line for each command of a list, which ends with an empty entry. */
void command_print(FILE *file, const struct command *list);
/* The command of that name; NULL, with STATUS_INPUT in *error, if there is none. group: "", or "mesh" for those of
 * `cardiac mesh`. */
const struct command *command_find(const struct command *list, const char *group, const char *name,
                                   struct error *error);

enum status command_run(int argc, char **argv, struct error *error);     /* app/run/run.c */
enum status command_sweep(int argc, char **argv, struct error *error);   /* app/commands/sweep.c */
enum status command_bundle(int argc, char **argv, struct error *error);  /* app/commands/bundle.c */
enum status command_check(int argc, char **argv, struct error *error);   /* app/commands/check.c */
enum status command_keys(int argc, char **argv, struct error *error);    /* app/commands/check.c */
enum status command_compare(int argc, char **argv, struct error *error); /* app/commands/compare.c */
enum status command_info(int argc, char **argv, struct error *error);    /* app/commands/info.c */
enum status command_models(int argc, char **argv, struct error *error);  /* app/commands/models.c */
enum status command_cell(int argc, char **argv, struct error *error);    /* app/commands/cell.c */
enum status command_mesh(int argc, char **argv, struct error *error);    /* app/commands/mesh.c */
enum status command_tune(int argc, char **argv, struct error *error);    /* app/commands/tune.c */
enum status command_script(int argc, char **argv, struct error *error);  /* app/commands/script.c */
enum status command_verify(int argc, char **argv, struct error *error);  /* app/verify/verify.c */
enum status command_bench(int argc, char **argv, struct error *error);   /* app/commands/script.c */

#endif
