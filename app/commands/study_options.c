/* study_options.c: read the options of a command that makes many runs. */
#include "app/commands/study_options.h"

#include <math.h>

#include "app/run/stop.h"
#include "app/study/study_table.h"
#include "kernels/base/clock.h"

enum status study_options_read(struct study_request *request, struct study_options *options,
                               const struct usage *usage, int argc, char **argv, struct error *error)
{
    request->began = clock_seconds();
    request->stop_after = INFINITY;
    TRY(options_read(usage, argc, argv, NULL, &options->help, error));
    if (options->help)
        return STATUS_OK;
    TRY(study_table_part(&request->part, &request->parts, options->part, error));
    TRY(stop_read_duration(&request->stop_after, options->stop_after, error));
    options->key[0] = (struct config_option){"--device", "device", options->device};
    options->key[1] = (struct config_option){"--threads", "threads", options->threads};
    request->config = argv[1];
    request->set = options->sets.item;
    request->sets = options->sets.count;
    request->option = options->key;
    request->options = 2;
    stop_catch_signals();
    return STATUS_OK;
}
