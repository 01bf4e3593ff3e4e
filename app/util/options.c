/* options.c: see options.h. */
#include "app/util/options.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/suggest.h"
#include "kernels/base/array.h"

/* Prints "Usage: cardiac ...", the summary and the options. */
static void print_help(FILE *file, const struct usage *usage)
{
    fprintf(file, "Usage: cardiac %s\n\n%s\n\n", usage->synopsis, usage->summary);
    char name[60];
    for (const struct option *option = usage->option; option->name; option++) {
        if (!option->meaning)
            continue;
        snprintf(name, sizeof name, "%s%s%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        fprintf(file, "  %-24s %s\n", name, option->meaning);
    }
    fprintf(file, "  %-24s %s\n", "--help", "show this");
}

/* Options of other programs, and ours */
static const char *const usual[][2] = {
    {"--bcl", "--period"},      {"--pcl", "--period"},    {"--amplitude", "--stimulus"},
    {"--step", "--dt"},         {"--set", "--parameter"}, {"--nbeats", "--beats"},
    {"--tend", "--duration"},   {"--end", "--duration"},  {"--out", "--output"},
    {"--outdir", "--output"},   {"-o", "--output"},       {"-f", "--overwrite"},
    {"--force", "--overwrite"}, {"-q", "--quiet"},        {"-v", "--verbose"},
    {"--gpu", "--device"},      {"-j", "--threads"},      {"--cores", "--threads"}};

/* The option named by the argument up to '='; NULL, with an error, if there is none. */
static const struct option *find_option(const struct usage *usage, const char *argument, const char *command,
                                        struct error *error)
{
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
    struct suggestion suggestion = suggest_for(name);
    for (const struct option *option = usage->option; option->name; option++)
        if (suggest_try(&suggestion, option->name))
            return option;
    suggest_try(&suggestion, "--help");
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        for (const struct option *option = usage->option; option->name && strcmp(name, usual[k][0]) == 0;
             option++)
            if (strcmp(option->name, usual[k][1]) == 0)
                suggestion.best = option->name;
    const char *last = strstr(usage->synopsis, command); /* "refine" of "mesh refine IN OUT [options]" */
    const int before = last ? (int)(last - usage->synopsis) : 0;
    if (suggestion.best)
        error_set(error, STATUS_INPUT, "unknown option '%s'%s", name, suggest_hint(&suggestion));
    else
        error_set(error, STATUS_INPUT, "unknown option '%s'; see cardiac %.*s%.60s --help", name, before,
                  usage->synopsis, command);
    return NULL;
}

static enum status store_value(const struct option *option, const char *value, int room, struct error *error)
{
    if (option->text)
        *option->text = value;
    else if (option->number) {
        size_t digits = strspn(value, "0123456789");
        if (!digits || digits > 9 || value[digits])
            return error_set(error, STATUS_INPUT, "%s %.80s: expected a whole number, 0 or more",
                             option->name, value);
        *option->number = atoi(value);
    } else {
        struct option_list *list = option->list;
        enum status status = STATUS_OK;
        if (!list->item)
            list->item = array_zeroed(room, sizeof *list->item, "the options", &status, error);
        if (status)
            return status;
        list->item[list->count++] = value;
    }
    return STATUS_OK;
}

/* Reads the option argv[*i], and advances *i past its value. */
static enum status read_option(const struct usage *usage, int argc, char **argv, int *i, struct error *error)
{
    const struct option *option = find_option(usage, argv[*i], argv[0], error);
    if (!option)
        return STATUS_INPUT;
    const char *value = strchr(argv[*i], '=');
    if (!option->value) {
        if (value)
            return error_set(error, STATUS_INPUT, "%s takes no value", option->name);
        *option->flag = true;
        return STATUS_OK;
    }
    if (value)
        value++;
    else if (*i + 1 < argc && strncmp(argv[*i + 1], "--", 2) != 0)
        value = argv[++*i];
    if (!value || !*value)
        return error_set(error, STATUS_INPUT, "%s needs a value: %s %s", option->name, option->name,
                         option->value);
    return store_value(option, value, argc, error);
}

/* Whether an argument is an option: "-x" and "--name", but not "-", "-5" or "-.5" */
static bool is_option(const char *argument)
{
    return argument[0] == '-' && argument[1] && !strchr("0123456789.", argument[1]);
}

enum status options_read(const struct usage *usage, int argc, char **argv, int *count, bool *help,
                         struct error *error)
{
    int others = 0;
    bool ended = false;
    *help = false;
    for (int i = 1; i < argc; i++) {
        if (!ended && strcmp(argv[i], "--") == 0)
            ended = true;
        else if (!ended && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            print_help(stdout, usage);
            *help = true;
            return STATUS_OK;
        } else if (!ended && is_option(argv[i]))
            TRY(read_option(usage, argc, argv, &i, error));
        else
            argv[++others] = argv[i];
    }
    if (count)
        *count = others;
    if (others < usage->least)
        return error_set(error, STATUS_INPUT, "an argument is missing; usage: cardiac %s", usage->synopsis);
    if (others > usage->most)
        return error_set(error, STATUS_INPUT, "too many arguments: '%.60s'; usage: cardiac %s",
                         argv[usage->most + 1], usage->synopsis);
    return STATUS_OK;
}
