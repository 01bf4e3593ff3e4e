/* command.h: the subcommands of the program. Each one reads its own arguments (argv[0] is its name), prints
 * its result on standard output and says by its status and error how it ended; main prints the error and
 * exits. */
#ifndef CARDIAC_APP_COMMAND_H
#define CARDIAC_APP_COMMAND_H

#include "kernels/error.h"

enum status command_run(int argc, char **argv, struct error *error);     /* run.c */
enum status command_check(int argc, char **argv, struct error *error);   /* check.c */
enum status command_compare(int argc, char **argv, struct error *error); /* compare.c */
enum status command_info(int argc, char **argv, struct error *error);    /* info.c */
enum status command_models(int argc, char **argv, struct error *error);  /* models.c */
enum status command_cell(int argc, char **argv, struct error *error);    /* cell.c */
enum status command_mesh(int argc, char **argv, struct error *error);    /* mesh_command.c */
enum status command_verify(int argc, char **argv, struct error *error);  /* verify.c */
enum status command_bench(int argc, char **argv, struct error *error);   /* bench.c */

#endif
