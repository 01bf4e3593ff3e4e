/* models.c: `cardiac models`: the ionic models, or one of them in full. */
#include <stdio.h>

#include "app/config/model.h"
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
    printf("%s: %s\n%s\n\norder %d in the step; V starts at %g mV; capacitance %g uF/cm^2\n", model->name,
           model->title, model->reference, model->order, model->v_initial, model->capacitance);
    if (model->step_largest > 0)
        printf("steps: good up to %g ms, refused beyond %g ms\n", model->step_accurate, model->step_largest);
    print_values("States with their initial values", model->state, model->states, true);
    print_values("Parameters with their defaults", model->parameter, model->parameters, true);
    print_values("Currents and derived quantities for output", model->current, model->currents, false);
}

enum status command_models(int argc, char **argv, struct error *error)
{
    int count;
    bool help;
    const struct option options[] = {{0}};
    const struct usage usage = {"models [NAME]",
                                "The ionic models, one a line; or one model's states, parameters with their "
                                "defaults, currents and reference.",
                                options, 0, 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (status || help)
        return status;
    if (count) {
        const struct ionic_model *model = model_find(argv[1], error);
        if (!model)
            return STATUS_INPUT;
        print_model(model);
    } else
        for (int k = 0; k < ionic_models(); k++)
            printf("%-20s %s\n", ionic_model(k)->name, ionic_model(k)->title);
    fflush(stdout);
    return STATUS_OK;
}
