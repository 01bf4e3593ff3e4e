/* main.c: argv -> subcommand. */
#include "app/command.h"

#include <stdio.h>
#include <string.h>

struct command {
    const char *name, *summary;
    enum status (*run)(int argc, char **argv, struct error *error);
};

static const struct command commands[] = {
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    struct error error = {0};
    for (const struct command *command = commands; command->name; command++)
        if (argc > 1 && strcmp(argv[1], command->name) == 0) {
            enum status status = command->run(argc - 1, argv + 1, &error);
            if (error.text[0])
                fprintf(stderr, "cardiac: %s\n", error.text);
            return (int)status;
        }
    fprintf(stderr, "cardiac: no such command\n");
    return STATUS_INPUT;
}
