/* command.c: print and search a list of commands. */
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
    struct suggestion suggestion = suggest_for(name);
    for (; list->name; list++)
        if (suggest_try(&suggestion, list->name))
            return list;
    const char *blank = *group ? " " : "";
    error_set(error, STATUS_INPUT, "no command '%s%s%.60s'%s; see cardiac %s%s--help", group, blank, name,
              suggest_hint(&suggestion), group, blank);
    return NULL;
}
