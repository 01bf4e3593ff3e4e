/* models.c: `cardiac models`: the ionic models, or one of them in full. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/text_model.h"
#include "app/config/model.h"
#include "app/models/bundled.h"
#include "app/models/model_json.h"
#include "app/models/steps.h"
#include "app/util/command.h"
#include "app/util/json.h"
#include "app/util/options.h"
#include "kernels/base/array.h"

static void print_values(const char *title, const struct ionic_value *value, int count, bool numbers)
{
    if (count)
        printf("\n%s:\n", title);
    for (int k = 0; k < count; k++) {
        printf("  %-10s ", value[k].name);
        if (numbers)
            printf("%12.8g ", value[k].value);
        printf("%-12s %s%s\n", model_unit(value[k].unit), value[k].meaning,
               value[k].fp64 ? " (fp64 in mixed state too)" : "");
    }
}

/* Prints the variable that a config's stimulus replaces, its value for 1 uA/uF, and the text's own protocol. */
static enum status print_stimulus(const struct cell *cell, struct error *error)
{
    const int nodes = cell->graph.nodes;
    enum status status = STATUS_OK;
    double *value =
        array_new((int64_t)nodes + cell->states + cell->parameters, sizeof *value, "a cell", &status, error);
    if (status)
        return status;
    double *state = value + nodes, *parameter = state + cell->states, at[2] = {0, 0};
    const struct cell_quantity *is = NULL;
    for (int k = 0; k < cell->states; k++)
        state[k] = cell->state[k].initial;
    for (int k = 0; k < cell->parameters; k++)
        parameter[k] = cell->parameter[k].value;
    for (int q = 0; q < cell->quantities; q++)
        is = strcmp(cell->quantity[q].name, cell->stimulus_name) == 0 ? &cell->quantity[q] : is;
    for (int k = 0; k < 2 && is; k++) {
        const struct expression_values values = {
            .v = cell->v_initial, .state = state, .parameter = parameter, .stimulus = k};
        expression_evaluate(&cell->graph, &values, is->value + 1, value);
        at[k] = value[is->value];
    }
    if (is)
        printf("stimulus: 1 uA/uF of a config is %.6g %s in %s\n", at[1] - at[0],
               *is->unit ? is->unit : "(no unit)", is->name);
    else
        puts("stimulus: added to dV/dt, the text has no stimulus variable");
    for (int k = 0; k < cell->events; k++) {
        const struct cell_event *event = &cell->event[k];
        printf("protocol: level %g from %g ms for %g ms", event->level, event->start, event->duration);
        if (event->period > 0)
            printf(", every %g ms", event->period);
        if (event->count > 0)
            printf(", %d times", event->count);
        putchar('\n');
    }
    free(value);
    return STATUS_OK;
}

static enum status print_model(const struct ionic_model *model, const struct user_model *user,
                               struct error *error)
{
    enum status status = STATUS_OK;
    printf("%s: %s\n%s\n\norder %d in the step; V starts at %g mV", model->name, model->title,
           model->reference, model->order, model->v_initial);
    if (model->capacitance > 0)
        printf("; capacitance %g uF/cm^2", model->capacitance);
    putchar('\n');
    const struct model_limits steps = model_limits_of(model, true);
    if (steps.largest > 0)
        printf("steps: good up to %g ms, refused beyond %g ms\n", steps.accurate, steps.largest);
    if (model->step_largest > 0 && model->staggered_largest > 0)
        printf("steps of other splittings: good up to %g ms, refused beyond %g ms\n", model->step_accurate,
               model->step_largest);
    if (user && user->bundled)
        puts(
            "compiled at its first use, which requires a C compiler ($CC, cc, gcc or clang) and a folder for "
            "the code\n"
            "($XDG_CACHE_HOME/cardiac or ~/.cache/cardiac, which must allow execution)");
    for (int k = 0; user && !user->bundled && k < user->cell.variants; k++)
        printf("%s%s%s", k ? ", " : "variants: ", user->cell.variant[k].name,
               k == user->cell.variants - 1 ? "\n" : "");
    if (user)
        status = print_stimulus(&user->cell, error);
    print_values("States with their initial values", model->state, model->states, true);
    print_values("Parameters with their defaults", model->parameter, model->parameters, true);
    print_values("Currents and derived quantities for output", model->current, model->currents, false);
    return status;
}

/* Prints a model's line; ns: of a step of one cell, measured or a forecast */
static void print_line(const char *name, int states, double ns, bool forecast, const char *title,
                       bool as_json)
{
    struct json json = json_line(stdout);
    if (!as_json) {
        printf("%-20s %2d states %c%4.0f ns  %s\n", name, states, forecast ? '~' : ' ', ns, title);
        return;
    }
    json_open(&json, NULL, '{');
    json_text(&json, "name", name);
    json_integer(&json, "states", states);
    json_number(&json, "step_ns", ns);
    json_flag(&json, "forecast", forecast);
    json_text(&json, "title", title);
    json_close(&json);
}

/* Prints a line for each model; V counts as a state. For models that are compiled at their first use, the time is
 * forecast from the number of operations. */
static enum status print_list(bool all, bool as_json, struct error *error)
{
    enum status status = STATUS_OK;
    double measured = 0, operations = 0;
    for (int k = 0; k < ionic_models() && !status; k++) {
        const struct ionic_model *model = ionic_model(k);
        double ns = 0;
        if (!all && strstr(model->title, "(verification)"))
            continue;
        status = steps_cost(&ns, model, error);
        if (!status)
            print_line(model->name, 1 + model->states, ns, false, model->title, as_json);
        measured += model->operations ? ns : 0;
        operations += model->operations;
    }
    for (const struct bundled *model = bundled_models; model->name && !status; model++)
        print_line(model->name, 1 + model->states, model->operations * measured / operations, true,
                   model->title, as_json);
    return status;
}

/* Prints the text of a built-in model. */
static enum status print_text(const struct ionic_model *model, struct error *error)
{
    const struct bundled *bundled = bundled_find(model->name);
    const char *text = bundled ? bundled_text(bundled->text) : bundled_text_of(model);
    if (!text)
        return error_set(error, STATUS_INPUT, "%s is implemented in C and has no text", model->name);
    fputs(text, stdout);
    return STATUS_OK;
}

enum status command_models(int argc, char **argv, struct error *error)
{
    int count;
    bool help, text = false, as_json = false, all = false;
    struct json json = json_line(stdout);
    struct option_list model_options = {0};
    struct user_model *texts = NULL;
    const struct ionic_model *model = NULL;
    const struct option options[] = {
        {"--mmt", NULL, "print the text of a built-in model, as a start for your own", .flag = &text},
        {"--json", NULL, "print the list or the model as JSON", .flag = &as_json},
        {"--all", NULL, "list the models that only verify solutions, too", .flag = &all},
        TEXT_MODEL_OPTION(&model_options),
        {0},
    };
    const struct usage usage = {
        "models [NAME | FILE.mmt] [options]",
        "Lists the ionic models, one per line, with the time one core needs for a step of a cell (- for a "
        "model that\nis compiled at its first use and needs a C compiler). With NAME or FILE.mmt: prints the "
        "model's states, parameters\nwith their defaults, currents and reference; a text is checked.",
        options, 0, 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (!status && !help && count)
        status = text_model_find(&model, &texts, argv[1], &model_options, error);
    if (!status && as_json && text)
        status = error_set(error, STATUS_INPUT, "--json cannot be combined with --mmt");
    else if (!status && model && text)
        status = print_text(model, error);
    else if (!status && model && as_json)
        model_json_put(&json, model);
    else if (!status && model)
        status = print_model(model, user_model_of(texts, model), error);
    else if (!status && !help)
        status = print_list(all, as_json, error);
    fflush(stdout);
    free(model_options.item);
    user_model_free(texts);
    return status;
}
