/* keys.c: `cardiac keys`: search the keys of a config, or print them as a JSON Schema. */
#include <stdio.h>

#include "app/config/config.h"
#include "app/util/command.h"
#include "app/util/options.h"

enum status command_keys(int argc, char **argv, struct error *error)
{
    bool help, json = false;
    int count;
    const struct option options[] = {
        {"--json", NULL, "print all keys as a JSON Schema, for editors", .flag = &json}, {0}};
    const struct usage usage = {
        "keys WORD | keys --json",
        "Lists the config keys whose name or meaning contains WORD, each with its "
        "value, default and meaning.\nEveryday words, such as bcl, scar or erp, find the keys or page that "
        "serve them.\n`cardiac check --keys` prints all keys.",
        options, 0, 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (status || help)
        return status;
    if (json == (count == 1))
        return error_set(error, STATUS_INPUT, "expected a word, or --json; usage: cardiac %s",
                         usage.synopsis);
    if (json) {
        config_print_schema(stdout);
        return STATUS_OK;
    }
    if (config_search_keys(stdout, argv[1]) == 0)
        return error_set(error, STATUS_INPUT,
                         "no key matches '%.80s'; `cardiac check --keys` prints them all", argv[1]);
    return STATUS_OK;
}
