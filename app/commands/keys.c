/* keys.c: `cardiac keys WORD`: which keys of a config speak of something? */
#include <stdio.h>

#include "app/config/config.h"
#include "app/util/command.h"
#include "app/util/options.h"

enum status command_keys(int argc, char **argv, struct error *error)
{
    bool help;
    const struct option options[] = {{0}};
    const struct usage usage = {
        "keys WORD",
        "Lists the config keys whose name or meaning contains WORD, each with its "
        "value, default and meaning.\nEveryday words, such as bcl, scar or erp, find the keys or page that "
        "serve them.\n`cardiac check --keys` prints all keys.",
        options, 1, 1};
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (status || help)
        return status;
    if (config_search_keys(stdout, argv[1]) == 0)
        return error_set(error, STATUS_INPUT,
                         "no key matches '%.80s'; `cardiac check --keys` prints them all", argv[1]);
    return STATUS_OK;
}
