/* models.c: `cardiac models`: the ionic models, or one of them in full. */
#include <stdio.h>
#include <stdlib.h>

#include "app/commands/text_model.h"
#include "app/models/embedded.h"
#include "app/util/command.h"
#include "app/util/options.h"

static void print_values(const char *title, const struct ionic_value *value, int count, bool numbers)
{
    if (count)
        printf("\n%s:\n", title);
    for (int k = 0; k < count; k++) {
        printf("  %-10s ", value[k].name);
        if (numbers)
            printf("%12.8g ", value[k].value);
        printf("%-12s %s%s\n", value[k].unit, value[k].meaning,
               value[k].fp64 ? " (fp64 in mixed state too)" : "");
    }
}

static void print_model(const struct ionic_model *model)
{
    printf("%s: %s\n%s\n\norder %d in the step; V starts at %g mV", model->name, model->title,
           model->reference, model->order, model->v_initial);
    if (model->capacitance > 0)
        printf("; capacitance %g uF/cm^2", model->capacitance);
    putchar('\n');
    if (model->step_largest > 0)
        printf("steps: good up to %g ms, refused beyond %g ms\n", model->step_accurate, model->step_largest);
    print_values("States with their initial values", model->state, model->states, true);
    print_values("Parameters with their defaults", model->parameter, model->parameters, true);
    print_values("Currents and derived quantities for output", model->current, model->currents, false);
}

/* The text that a built-in model is made of */
static enum status print_text(const struct ionic_model *model, struct error *error)
{
    const char *text = embedded_of(model);
    if (!text)
        return error_set(error, STATUS_INPUT, "%s is not made of a text", model->name);
    fputs(text, stdout);
    return STATUS_OK;
}

enum status command_models(int argc, char **argv, struct error *error)
{
    int count;
    bool help, text = false;
    struct option_list said = {0};
    struct user_model *texts = NULL;
    const struct ionic_model *model = NULL;
    const struct option options[] = {
        {"--mmt", NULL, "print the text that a built-in model is made of, to begin one's own with",
         .flag = &text},
        TEXT_MODEL_OPTION(&said),
        {0},
    };
    const struct usage usage = {"models [NAME | FILE.mmt] [options]",
                                "The ionic models, one a line; or one model's states, parameters with their "
                                "defaults, currents and reference,\nof a built-in model or of a text, which "
                                "is checked.",
                                options, 0, 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (!status && !help && count)
        status = text_model_find(&model, &texts, argv[1], &said, error);
    if (!status && model && text)
        status = print_text(model, error);
    else if (!status && model)
        print_model(model);
    else if (!status && !help)
        for (int k = 0; k < ionic_models(); k++)
            printf("%-20s %s\n", ionic_model(k)->name, ionic_model(k)->title);
    fflush(stdout);
    free(said.item);
    user_model_free(texts);
    return status;
}
