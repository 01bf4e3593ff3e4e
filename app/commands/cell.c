/* cell.c: `cardiac cell`: one cell under pacing, as a table, with its action potentials measured. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/cell_trace.h"
#include "app/commands/text_model.h"
#include "app/config/model.h"
#include "app/config/units.h"
#include "app/util/command.h"
#include "kernels/base/suggest.h"
#include "app/util/options.h"
#include "kernels/base/array.h"

enum { STEPS_MAX_EXPONENT = 40 };

/* What was typed. */
struct request {
    const char *step, *duration, *current, *start, *length, *period, *every, *state, *variables, *output;
    int beats;
    bool tables;
    struct option_list parameter, model;
};

/* What a stimulus is where nothing was typed */
struct usual {
    double current, start, duration, period;
};

/* *value <- a time option, its default if not given */
static enum status read_time(double *value, const char *name, const char *text, double otherwise,
                             struct error *error)
{
    struct error fault = {0};
    *value = otherwise;
    if (!text)
        return STATUS_OK;
    if (units_read(value, text, QUANTITY_TIME, &fault))
        return error_set(error, STATUS_INPUT, "%s: %s", name, fault.text);
    if (*value < 0)
        return error_set(error, STATUS_INPUT, "%s: '%.60s' is negative", name, text);
    return STATUS_OK;
}

/* *steps <- time in whole steps */
static enum status read_steps(int64_t *steps, const char *name, double time, double step, struct error *error)
{
    double count = time / step, whole = nearbyint(count);
    if (!(whole <= ldexp(1, STEPS_MAX_EXPONENT)))
        return error_set(error, STATUS_INPUT, "%s: %g ms are too many steps of %g ms", name, time, step);
    if (fabs(count - whole) > 1e-6)
        return error_set(error, STATUS_INPUT,
                         "%s: %g ms is no multiple of the step %g ms; the nearest is %.12g ms", name, time,
                         step, whole * step);
    *steps = (int64_t)whole;
    return STATUS_OK;
}

static enum status read_current(double *current, const char *text, double otherwise, struct error *error)
{
    enum quantity quantity;
    struct error fault = {0};
    *current = otherwise;
    if (!text)
        return STATUS_OK;
    if (strcmp(text, "0") == 0) {
        *current = 0;
        return STATUS_OK;
    }
    if (units_read_current(current, &quantity, text, &fault))
        return error_set(error, STATUS_INPUT, "--stimulus: %s", fault.text);
    if (quantity != QUANTITY_CURRENT)
        return error_set(error, STATUS_INPUT,
                         "--stimulus: '%.60s' is not a current per capacitance; a cell needs pA/pF (uA/uF)",
                         text);
    return STATUS_OK;
}

/* value[model->parameters] <- the defaults, then each NAME=VALUE */
static enum status read_parameters(double *value, const struct ionic_model *model,
                                   const struct option_list *list, struct error *error)
{
    for (int k = 0; k < model->parameters; k++)
        value[k] = model->parameter[k].value;
    for (int n = 0; n < list->count; n++) {
        char name[200], hint[100];
        const char *equals = strchr(list->item[n], '=');
        if (!equals || equals == list->item[n] || equals - list->item[n] >= (ptrdiff_t)sizeof name)
            return error_set(error, STATUS_INPUT, "--parameter: '%.60s' is not NAME=VALUE", list->item[n]);
        snprintf(name, sizeof name, "%.*s", (int)(equals - list->item[n]), list->item[n]);
        struct suggestion suggestion = suggest_for(name);
        int k = 0;
        for (; k < model->parameters && strcmp(model->parameter[k].name, name) != 0; k++)
            suggest_try(&suggestion, model->parameter[k].name);
        if (k == model->parameters)
            return error_set(error, STATUS_INPUT, "--parameter: %s has no parameter '%s'%s", model->name,
                             name, suggest_hint(&suggestion, hint, sizeof hint));
        struct error fault = {0};
        if (model_read_parameter(&value[k], &model->parameter[k], equals + 1, &fault))
            return error_set(error, STATUS_INPUT, "--parameter %s: %s", name, fault.text);
    }
    return STATUS_OK;
}

/* *column <- the state or current of that name */
static enum status find_column(struct cell_column *column, const struct ionic_model *model, const char *name,
                               struct error *error)
{
    char hint[100];
    struct suggestion suggestion = suggest_for(name);
    for (int current = 0; current < 2; current++)
        for (int k = 0; k < (current ? model->currents : model->states); k++) {
            const char *known = current ? model->current[k].name : model->state[k].name;
            *column = (struct cell_column){current, k};
            if (strcmp(known, name) == 0)
                return STATUS_OK;
            suggest_try(&suggestion, known);
        }
    return error_set(error, STATUS_INPUT,
                     "--variables: %s has no state or current '%.60s'%s; see cardiac models %s", model->name,
                     name, suggest_hint(&suggestion, hint, sizeof hint), model->name);
}

/* column[*columns] <- the names with commas between them; without any every state and Iion. `V` is always
 * there. room is for as many columns as the text has characters, or the model has states and one more. */
static enum status read_columns(struct cell_column *column, int *columns, const struct ionic_model *model,
                                const char *text, struct error *error)
{
    *columns = 0;
    if (!text) {
        for (int k = 0; k < model->states; k++)
            column[(*columns)++] = (struct cell_column){false, k};
        column[(*columns)++] = (struct cell_column){true, 0};
        return STATUS_OK;
    }
    while (*text) {
        char name[200];
        size_t length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
        if (strcmp(name, "V") != 0) {
            enum status status = find_column(&column[*columns], model, name, error);
            if (status)
                return status;
            ++*columns;
        }
        text += length + (text[length] == ',');
    }
    return STATUS_OK;
}

/* The first event of a text's own protocol and its stimulus current; without them 52 uA/uF for 1 ms */
static struct usual usual_of(const struct user_model *user, const double *parameter, enum status *status,
                             struct error *error)
{
    struct usual usual = {52, 10, 1, 1000};
    const struct cell *cell = user ? &user->cell : NULL;
    if (!cell || cell->events == 0 || *status)
        return usual;
    double *value =
        array_zeroed(cell->stimulus + 1 + cell->states, sizeof *value, "a model's stimulus", status, error);
    if (*status)
        return usual;
    double *state = value + cell->stimulus + 1;
    for (int k = 0; k < cell->states; k++)
        state[k] = cell->state[k].initial;
    const struct expression_values at = {.v = cell->v_initial, .state = state, .parameter = parameter};
    expression_evaluate(&cell->graph, &at, cell->stimulus + 1, value);
    const struct cell_event *event = &cell->event[0];
    double current = event->level * value[cell->stimulus];
    free(value);
    if (!(current > 0))
        return usual;
    return (struct usual){current, event->start, event->duration, event->period > 0 ? event->period : 1000};
}

static enum status read_protocol(struct cell_protocol *protocol, const struct request *request,
                                 const struct usual *usual, struct error *error)
{
    struct stimulus *stimulus = &protocol->stimulus;
    double duration, every;
    enum status status;
    protocol->tables = request->tables;
    protocol->mixed = request->state && strcmp(request->state, "mixed") == 0;
    if (request->state && !protocol->mixed && strcmp(request->state, "double") != 0)
        return error_set(error, STATUS_INPUT, "--state: '%.60s' is neither double nor mixed", request->state);
    stimulus->count = request->beats ? request->beats : 1;
    if ((status = read_time(&protocol->step, "--dt", request->step, 0.02, error)) ||
        (status = read_current(&stimulus->current, request->current, usual->current, error)) ||
        (status = read_time(&stimulus->start, "--stim-start", request->start, usual->start, error)) ||
        (status =
             read_time(&stimulus->duration, "--stim-duration", request->length, usual->duration, error)) ||
        (status = read_time(&stimulus->period, "--period", request->period, usual->period, error)))
        return status;
    if (!(protocol->step > 0))
        return error_set(error, STATUS_INPUT, "--dt: the step must be positive");
    char text[300];
    enum model_step judged =
        model_judge_step(text, sizeof text, protocol->model, protocol->mixed, protocol->step);
    if (judged == MODEL_STEP_TOO_LONG)
        return error_set(error, STATUS_INPUT, "--dt: %s; %g ms would do", text,
                         protocol->model->step_accurate);
    if (judged == MODEL_STEP_POOR)
        fprintf(stderr, "cardiac: warning: --dt: %s\n", text);
    if (stimulus->count > 1 && !(stimulus->period >= stimulus->duration && stimulus->period > 0))
        return error_set(error, STATUS_INPUT, "--period: %g ms is less than the stimulus lasts, %g ms",
                         stimulus->period, stimulus->duration);
    /* by default every beat has its whole period, and the end stands on the grid of steps */
    double whole = stimulus->start + (double)stimulus->count * stimulus->period;
    whole = nearbyint(whole / protocol->step) * protocol->step;
    if ((status = read_time(&duration, "--duration", request->duration, whole, error)) ||
        (status = read_time(&every, "--every", request->every,
                            protocol->step * fmax(1, nearbyint(1 / protocol->step)), error)) ||
        (status = read_steps(&protocol->steps, "--duration", duration, protocol->step, error)) ||
        (status = read_steps(&protocol->every, "--every", every, protocol->step, error)))
        return status;
    if (protocol->every < 1)
        return error_set(error, STATUS_INPUT, "--every: must be at least one step, %g ms", protocol->step);
    return STATUS_OK;
}

static void print_beats(FILE *file, const struct beat *beat, int64_t beats)
{
    fprintf(file, "beat  start (ms)  rest (mV)  peak (mV)  dV/dt max (mV/ms)  APD50 (ms)  APD90 (ms)\n");
    for (int64_t k = 0; k < beats && !isnan(beat[k].start); k++) {
        fprintf(file, "%4lld %11.5g %10.3f %10.3f %18.2f", (long long)k + 1, beat[k].start, beat[k].rest,
                beat[k].peak, beat[k].slope);
        for (int which = 0; which < 2; which++) {
            double apd = which ? beat[k].apd90 : beat[k].apd50;
            if (isnan(apd))
                fprintf(file, " %11s", "-");
            else
                fprintf(file, " %11.3f", apd);
        }
        fputc('\n', file);
    }
}

static enum status trace(const struct cell_protocol *protocol, const char *output, struct error *error)
{
    int64_t beats = protocol->stimulus.count;
    enum status status = STATUS_OK;
    struct beat *beat = array_zeroed(beats, sizeof *beat, "the beats", &status, error);
    if (status)
        return status;
    FILE *table = output ? fopen(output, "w") : stdout;
    if (!table)
        status = error_set(error, STATUS_INPUT, "%.300s: %s", output, strerror(errno));
    else {
        status = cell_trace(protocol, table, beat, beats, error);
        if (output && fclose(table) && !status)
            status = error_set(error, STATUS_RUN, "%.300s: %s", output, strerror(errno));
        if (!status)
            print_beats(stderr, beat, beats);
    }
    free(beat);
    return status;
}

static enum status run_cell(const char *name, const struct request *request, struct error *error)
{
    struct cell_protocol protocol = {0};
    struct user_model *text = NULL;
    const struct source_way way = {request->state && strcmp(request->state, "mixed") == 0, request->tables};
    enum status status = text_model_find(&protocol.model, &text, name, &request->model, error);
    if (!status && text)
        status = user_model_compile(text, way, error);
    if (status) {
        user_model_free(text);
        return status;
    }
    const struct ionic_model *model = protocol.model;
    int64_t columns = model->states + 1 + (request->variables ? (int64_t)strlen(request->variables) : 0);
    double *parameter = array_zeroed(model->parameters, sizeof *parameter, "the parameters", &status, error);
    struct cell_column *column = array_zeroed(columns, sizeof *column, "the columns", &status, error);
    protocol.parameter = parameter;
    protocol.column = column;
    TRY(read_parameters(parameter, model, &request->parameter, error));
    TRY(read_columns(column, &protocol.columns, model, request->variables, error));
    const struct usual usual = usual_of(text, parameter, &status, error);
    TRY(read_protocol(&protocol, request, &usual, error));
    TRY(trace(&protocol, request->output, error));
    free(parameter);
    free(column);
    user_model_free(text);
    return status;
}

enum status command_cell(int argc, char **argv, struct error *error)
{
    struct request request = {0};
    int count;
    bool help;
    const struct option options[] = {
        {"--dt", "TIME", "time step (0.02 ms)", .text = &request.step},
        {"--duration", "TIME", "time simulated (start + beats x period)", .text = &request.duration},
        {"--stimulus", "CURRENT", "stimulus, positive depolarises (52 pA/pF)", .text = &request.current},
        {"--stim-start", "TIME", "when the first stimulus begins (10 ms)", .text = &request.start},
        {"--stim-duration", "TIME", "how long each stimulus lasts (1 ms)", .text = &request.length},
        {"--period", "TIME", "from one stimulus to the next (1000 ms)", .text = &request.period},
        {"--beats", "N", "number of stimuli (1)", .number = &request.beats},
        {"--parameter", "NAME=VALUE", "a parameter of the model; may be repeated",
         .list = &request.parameter},
        TEXT_MODEL_OPTION(&request.model),
        {"--state", "double|mixed", "all states in fp64, or the fast ones in fp32 (double)",
         .text = &request.state},
        {"--tables", NULL, "functions of V from tables, as with ionic.tables", .flag = &request.tables},
        {"--every", "TIME", "time between lines of the table (1 ms)", .text = &request.every},
        {"--variables", "A,B", "states and currents in the table (all states, Iion)",
         .text = &request.variables},
        {"--output", "FILE", "where the table goes (standard output)", .text = &request.output},
        {0},
    };
    const struct usage usage = {
        "cell MODEL | FILE.mmt [options]",
        "One cell under pacing: a CSV table with units in its header, and on standard error the rest, peak, "
        "steepest\nrise and action potential durations of each beat. See cardiac models for the models and "
        "their "
        "names.\nA text's own protocol, its first event, stands in for the stimulus that is not given.",
        options, 1, 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (!status && !help)
        status = run_cell(argv[1], &request, error);
    free(request.parameter.item);
    free(request.model.item);
    return status;
}
