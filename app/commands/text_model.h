/* text_model.h: a model named on a command line: a built-in one, or a file with its text. */
#ifndef CARDIAC_APP_COMMANDS_TEXT_MODEL_H
#define CARDIAC_APP_COMMANDS_TEXT_MODEL_H

#include "app/models/user_model.h"
#include "app/util/options.h"

/* The option --model of a command, for texts */
#define TEXT_MODEL_OPTION(list_)                                                                             \
    {                                                                                                        \
        "--model", "KEY=VALUE",                                                                              \
            "for a text: variant, voltage.name, voltage.rest, voltage.amplitude or time_unit",               \
            .list = (list_)                                                                                  \
    }

/* *model <- the model of that name, or in FILE.mmt, which is added to *list, parsed but not compiled; prints its
 * warnings on standard error. */
enum status text_model_find(const struct ionic_model **model, struct user_model **list, const char *name,
                            const struct option_list *options, struct error *error);

#endif
