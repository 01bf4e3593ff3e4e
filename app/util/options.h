/* options.h: the arguments of a command.
 *
 *   struct option options[] = {{"--output", "DIR", "where results go", .text = &output},
 *                              {"--quiet", NULL, "say nothing", .flag = &quiet},
 *                              {NULL}};
 *   struct usage usage = {"run CONFIG [options]", "Simulate.", options, .least = 1, .most = 1};
 *   status = options_read(&usage, argc, argv, &count, &help, error);     then argv[1 .. count] are the rest
 *
 * "--output DIR" and "--output=DIR" are equivalent; "--" ends the options. An unknown option is an error that
 * suggests the nearest name. Every command accepts --help. */
#ifndef CARDIAC_APP_UTIL_OPTIONS_H
#define CARDIAC_APP_UTIL_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "kernels/base/error.h"

/* Values of an option that may be given several times; the caller frees item. */
struct option_list {
    const char **item; /* [count] */
    int count;
};

struct option {
    const char *name;    /* "--output"; NULL ends a table */
    const char *value;   /* name of its value in the help; NULL = a flag */
    const char *meaning; /* one line; NULL = internal, for the program's own scripts, not in the help */
    /* Where to store it; exactly one is set. */
    bool *flag;
    const char **text;
    int *number; /* 0 or more */
    struct option_list *list;
};

struct usage {
    const char *synopsis; /* "run CONFIG [options]" */
    const char *summary;  /* a sentence or more */
    const struct option *option;
    int least, most; /* number of arguments other than options */
};

/* Reads argv[1 ..], and moves the other arguments to argv[1 .. *count] (count may be NULL). On --help it prints the
 * help, sets *help and returns STATUS_OK, and the command should return. Errors: STATUS_INPUT. */
enum status options_read(const struct usage *usage, int argc, char **argv, int *count, bool *help,
                         struct error *error);

#endif
