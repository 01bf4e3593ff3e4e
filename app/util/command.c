/* command.c: a list of commands printed and searched. */
#include "app/util/command.h"

#include <string.h>

#include "kernels/base/suggest.h"

void command_print(FILE *file, const struct command *list)
{
    for (; list->name; list++)
        fprintf(file, "  %-12s %s\n", list->name, list->summary);
}

const struct command *command_find(const struct command *list, const char *group, const char *name,
                                   struct error *error)
{
    char hint[100];
    struct suggestion suggestion = suggest_for(name);
    for (; list->name; list++) {
        if (strcmp(list->name, name) == 0)
            return list;
        suggest_try(&suggestion, list->name);
    }
    suggest_hint(&suggestion, hint, sizeof hint);
    const char *blank = *group ? " " : "";
    error_set(error, STATUS_INPUT, "no command '%s%s%.60s'%s; see cardiac %s%s--help", group, blank, name,
              hint, group, blank);
    return NULL;
}
