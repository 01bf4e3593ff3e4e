/* info.c: `cardiac info`: what this program and machine are, or what a file holds. */
#include "app/commands/info.h"

#include <stdio.h>

#include "app/io/result.h"
#include "app/util/command.h"
#include "app/util/options.h"

enum status command_info(int argc, char **argv, struct error *error)
{
    bool config = false, help;
    int count;
    const struct option options[] = {
        {"--config", NULL, "print the config's text that a result was made with, and nothing else",
         .flag = &config},
        {0},
    };
    const struct usage usage = {"info [FILE] [--config]",
                                "Without a file: how this program was built, and the machine. With a result "
                                "(.vtkhdf): its mesh, frames,\n"
                                "fields with their ranges, activation, device and timings. With a checkpoint "
                                "(.h5): its step and arrays.",
                                options, 0, 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (status || help)
        return status;
    if (config && !count)
        return error_set(error, STATUS_INPUT, "--config needs a result file");
    if (!count)
        info_build();
    else if (result_is_checkpoint(argv[1]))
        status = info_checkpoint(argv[1], error);
    else
        status = info_result(argv[1], config, error);
    fflush(stdout);
    return status;
}
