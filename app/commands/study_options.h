/* study_options.h: the options that commands which make many runs have in common. */
#ifndef CARDIAC_APP_COMMANDS_STUDY_OPTIONS_H
#define CARDIAC_APP_COMMANDS_STUDY_OPTIONS_H

#include "app/study/study_request.h"
#include "app/util/options.h"

struct study_options {
    struct option_list sets;
    const char *part, *device, *threads, *stop_after;
    struct config_option key[2];
    bool dry_run, help;
};

/* Of a command's table: to struct study_options and struct study_request */
#define STUDY_OPTIONS(options_, request_)                                                                    \
    {"--set", "KEY=VALUE", "override a key of the config (may be repeated)", .list = &(options_).sets},      \
        {"--device", "NAME", "auto, cpu, cuda or cuda:N (device)", .text = &(options_).device},              \
        {"--threads", "N", "most threads of the CPU, 0 = by cores and mesh (threads)",                       \
         .text = &(options_).threads},                                                                       \
        {"--stop-after", "TIME", "stop with status 4 after this wall time, e.g. 3h50m",                      \
         .text = &(options_).stop_after},                                                                    \
    {                                                                                                        \
        "--quiet", NULL, "print nothing but warnings and errors", .flag = &(request_).quiet                  \
    }

/* *request <- the options of a command whose first argument is the config. From here on signals end it; with
 * --help it has nothing more to do. Errors: STATUS_INPUT. Free options->sets.item in any case. */
enum status study_options_read(struct study_request *request, struct study_options *options,
                               const struct usage *usage, int argc, char **argv, struct error *error);

#endif
