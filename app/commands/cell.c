/* cell.c: `cardiac cell`: one cell under pacing, as a table, with its action potentials measured. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands/cell_restitution.h"
#include "app/commands/cell_trace.h"
#include "app/commands/text_model.h"
#include "app/config/model.h"
#include "app/config/states.h"
#include "app/config/units.h"
#include "app/util/command.h"
#include "kernels/base/suggest.h"
#include "app/util/options.h"
#include "app/util/own_file.h"
#include "app/util/watch.h"
#include "kernels/base/array.h"

enum { STEADY_BEATS = 1000 };

/* The arguments as typed */
struct request {
    const char *step, *duration, *current, *start, *length, *period, *every, *state, *variables, *output;
    const char *initial, *save, *steady, *s1, *s2, *threshold, *splitting;
    int beats; /* -1 = not given */
    bool tables, json;
    struct option_list parameter, model;
};

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

/* protocol->threshold <- from the text, else the model's; 0 mV if the model's V diverges */
static enum status read_threshold(struct cell_protocol *protocol, const char *text, struct error *error)
{
    struct error fault = {0};
    const struct pacing_cell own = {
        .model = protocol->model, .way = protocol->way, .step = protocol->pacing.step};
    if (!text && pacing_threshold(&protocol->threshold, &own, &fault))
        return error_set(error, fault.status, "%s", fault.text);
    if (isnan(protocol->threshold))
        protocol->threshold = 0;
    return !text || !units_read(&protocol->threshold, text, QUANTITY_VOLTAGE, &fault)
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "--threshold: %s", fault.text);
}

/* value[model->parameters] <- the defaults, then each NAME=VALUE */
static enum status read_parameters(double *value, const struct ionic_model *model,
                                   const struct option_list *list, struct error *error)
{
    for (int k = 0; k < model->parameters; k++)
        value[k] = model->parameter[k].value;
    for (int n = 0; n < list->count; n++) {
        char name[200], hint[100], doubt[200];
        const char *equals = strchr(list->item[n], '=');
        if (!equals || equals == list->item[n] || equals - list->item[n] >= (ptrdiff_t)sizeof name)
            return error_set(error, STATUS_INPUT, "--parameter: '%.60s' is not NAME=VALUE", list->item[n]);
        snprintf(name, sizeof name, "%.*s", (int)(equals - list->item[n]), list->item[n]);
        int k = ionic_find_value(model->parameter, model->parameters, name);
        if (k < 0)
            return error_set(error, STATUS_INPUT, "--parameter: %s has no parameter '%s'%s", model->name,
                             name, model_parameter_hint(hint, sizeof hint, model, name));
        struct error fault = {0};
        if (model_read_parameter(&value[k], &model->parameter[k], equals + 1, &fault))
            return error_set(error, STATUS_INPUT, "--parameter %s: %s", name, fault.text);
        if (*model_parameter_doubt(doubt, sizeof doubt, &model->parameter[k], equals + 1, value[k]))
            fprintf(stderr, "cardiac: warning: --parameter %s\n", doubt);
    }
    return STATUS_OK;
}

/* *column <- the column number of the state or current of that name */
static enum status find_column(int *column, const struct ionic_model *model, const char *name,
                               struct error *error)
{
    struct suggestion suggestion = suggest_for(name);
    for (int current = 0; current < 2; current++)
        for (int k = 0; k < (current ? model->currents : model->states); k++) {
            const char *known = current ? model->current[k].name : model->state[k].name;
            *column = current ? single_cell_values(model) + k : 1 + k;
            if (suggest_try(&suggestion, known))
                return STATUS_OK;
        }
    return error_set(error, STATUS_INPUT,
                     "--variables: %s has no state or current '%.60s'%s; see cardiac models %s", model->name,
                     name, suggest_hint(&suggestion), model->name);
}

/* Whether it is a current through the membrane, by its unit */
static bool is_current(const struct ionic_value *value)
{
    char text[100];
    double size;
    enum quantity quantity;
    struct error fault;
    snprintf(text, sizeof text, "1 %s", value->unit);
    return !units_read_current(&size, &quantity, text, &fault) && quantity == QUANTITY_CURRENT;
}

/* column[*columns] <- the columns in a comma-separated list; by default all states and membrane currents. V is always
 * present and not counted. column[] must have room for the text's length, or the model's states and currents. */
static enum status read_columns(int *column, int *columns, const struct ionic_model *model, const char *text,
                                struct error *error)
{
    *columns = 0;
    if (!text) {
        for (int k = 0; k < model->states; k++)
            column[(*columns)++] = 1 + k;
        for (int k = 0; k < model->currents; k++)
            if (is_current(&model->current[k]))
                column[(*columns)++] = single_cell_values(model) + k;
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

/* "8x600ms" -> 8 and 600 ms */
static enum status read_train(struct stimulus *stimulus, const char *text, struct error *error)
{
    char *end;
    long beats = strtol(text, &end, 10);
    if (end == text || *end != 'x' || beats < 1 || beats > INT32_MAX)
        return error_set(error, STATUS_INPUT, "--s1: '%.60s' is not BEATSxPERIOD, such as 8x600ms", text);
    stimulus->count = beats;
    return times_read(&stimulus->period, "--s1", end + 1, 0, error);
}

/* "0.1%" or 0.001 -> 0.001 */
static enum status read_share(double *share, const char *text, struct error *error)
{
    char number[60];
    size_t length = strlen(text);
    bool percent = length > 1 && text[length - 1] == '%';
    struct error fault;
    snprintf(number, sizeof number, "%.*s", (int)(length - percent), text);
    if (units_read(share, number, QUANTITY_NUMBER, &fault))
        return error_set(error, STATUS_INPUT, "--until-steady: '%.60s' is not a fraction, such as 0.1%%",
                         text);
    *share = percent ? *share / 100 : *share;
    if (*share > 0 && *share < 1)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "--until-steady: '%.60s' is not between 0 and 100 %%", text);
}

/* Refuses options that contradict each other or have no effect in combination. */
static enum status check_options(const struct request *request, struct error *error)
{
    const struct {
        const char *there, *other;
        bool clash;
        const char *why;
    } rules[] = {
        {"--s1", "--s2", !request->s1 != !request->s2, "both are needed"},
        {"--s1", "--beats", request->s1 && request->beats >= 0, "it gives the number of beats"},
        {"--s1", "--period", request->s1 && request->period, "it gives the period"},
        {"--s2", "--duration", request->s2 && request->duration, "S2 determines the end"},
        {"--s2", "--every", request->s2 && request->every, "restitution writes no table in time"},
        {"--s2", "--variables", request->s2 && request->variables, "restitution writes no table in time"},
        {"--s2", "--save", request->s2 && request->save, "each S2 ends in a state of its own"},
        {"--until-steady", "--duration", request->steady && request->duration, "it determines the end"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (rules[k].clash)
            return error_set(error, STATUS_INPUT, "%s and %s: %s", rules[k].there, rules[k].other,
                             rules[k].why);
    if (request->beats == 0)
        return error_set(error, STATUS_INPUT, "--beats 0: must be at least 1");
    return STATUS_OK;
}

static enum status check_step(const struct cell_protocol *protocol, struct error *error)
{
    char text[300];
    double step = protocol->pacing.step;
    if (!(step > 0))
        return error_set(error, STATUS_INPUT, "--dt: the step must be positive");
    enum model_step verdict = model_check_step(text, sizeof text, protocol->model, protocol->way.mixed,
                                               protocol->way.staggered, step);
    if (verdict == MODEL_STEP_TOO_LONG)
        return error_set(error, STATUS_INPUT, "--dt: %s; use %g ms", text,
                         model_limits_of(protocol->model, protocol->way.staggered).accurate);
    if (verdict == MODEL_STEP_POOR)
        fprintf(stderr, "cardiac: warning: --dt: %s\n", text);
    return STATUS_OK;
}

/* Reads the train of stimuli; defaults come from pacing_usual(). */
static enum status read_pacing(struct cell_protocol *protocol, const struct request *request,
                               struct error *error)
{
    struct pacing *pacing = &protocol->pacing;
    struct stimulus *stimulus = &pacing->stimulus;
    TRY(times_read(&pacing->step, "--dt", request->step, 0.02, error));
    stimulus->count = request->beats > 0 ? request->beats : request->steady ? STEADY_BEATS : 1;
    TRY(read_current(&stimulus->current, request->current, stimulus->current, error));
    TRY(times_read(&stimulus->start, "--stim-start", request->start, stimulus->start, error));
    TRY(times_read(&stimulus->duration, "--stim-duration", request->length, stimulus->duration, error));
    TRY(times_read(&stimulus->period, "--period", request->period, stimulus->period, error));
    if (request->s1)
        TRY(read_train(stimulus, request->s1, error));
    TRY(check_step(protocol, error));
    if ((stimulus->count > 1 || request->s1) &&
        !(stimulus->period >= stimulus->duration && stimulus->period > 0))
        return error_set(error, STATUS_INPUT, "--period: %g ms is shorter than the stimulus (%g ms)",
                         stimulus->period, stimulus->duration);
    const double shortest = 20; /* ms, of any pacing */
    if (stimulus->count > 1 && stimulus->period < shortest)
        fprintf(stderr,
                "cardiac: warning: --period: %g ms is shorter than an action potential; without a unit it is "
                "in ms\n",
                stimulus->period);
    pacing_set_period(pacing);
    if ((request->steady || request->s2) &&
        pacing->period == 0) /* these need beats of a whole number of steps */
        return times_steps(&pacing->period, request->s1 ? "--s1" : "--period", stimulus->period, pacing->step,
                           error);
    return STATUS_OK;
}

static enum status read_protocol(struct cell_protocol *protocol, const struct request *request,
                                 struct error *error)
{
    struct pacing *pacing = &protocol->pacing;
    double duration, every, step;
    TRY(check_options(request, error));
    if (request->state && !protocol->way.mixed && strcmp(request->state, "double") != 0)
        return error_set(error, STATUS_INPUT, "--state: '%.60s' is neither double nor mixed", request->state);
    if (request->splitting && !protocol->way.staggered && strcmp(request->splitting, "godunov") != 0)
        return error_set(error, STATUS_INPUT, "--splitting: '%.60s' is neither godunov nor staggered",
                         request->splitting);
    TRY(read_pacing(protocol, request, error));
    TRY(read_threshold(protocol, request->threshold, error));
    if (request->steady)
        TRY(read_share(&protocol->steady, request->steady, error));
    /* by default the trace ends after the last beat's whole period, on the grid of steps; with S2 before the last S1
     * beat, which belongs to the restitution */
    int64_t beats = pacing->stimulus.count - (request->s2 != NULL);
    step = pacing->step;
    double whole = pacing->stimulus.start + (double)beats * pacing->stimulus.period;
    whole = nearbyint(whole / step) * step;
    TRY(times_read(&duration, "--duration", request->duration, whole, error));
    TRY(times_read(&every, "--every", request->every, step * fmax(1, nearbyint(1 / step)), error));
    TRY(times_steps(&protocol->steps, "--duration", duration, step, error));
    TRY(times_steps(&protocol->every, "--every", every, step, error));
    if (protocol->every < 1)
        TRY(error_set(error, STATUS_INPUT, "--every: must be at least one step, %g ms", step));
    return STATUS_OK;
}

/* Reports whether a cell became steady; STATUS_DIFFERS if it did not */
static enum status report_steady(const struct cell_protocol *protocol, const struct cell_outcome *outcome,
                                 struct error *error)
{
    const char *name = outcome->changing ? protocol->model->state[outcome->changing - 1].name : "V";
    if (!(protocol->steady > 0))
        return STATUS_OK;
    if (!(outcome->change < protocol->steady))
        return error_set(
            error, STATUS_DIFFERS,
            "not steady after %lld beat%s: %s still changes by %.3g %% of its range; the limit is %g %%",
            (long long)outcome->beats, outcome->beats == 1 ? "" : "s", name, 100 * outcome->change,
            100 * protocol->steady);
    fprintf(stderr, "steady after %lld beats: the largest change is that of %s, %.3g %% of its range\n",
            (long long)outcome->beats, name, 100 * outcome->change);
    return STATUS_OK;
}

static void print_beats(const struct cell_protocol *protocol, const struct request *request,
                        const struct cell_outcome *outcome)
{
    int64_t beats = protocol->pacing.stimulus.count;
    bool any = isnan(outcome->beat[0].start);
    for (int64_t k = 0; k < beats; k++)
        any = any || !isnan(outcome->beat[k].potential.activation);
    if (!any)
        fprintf(stderr,
                "cardiac: warning: no action potential: V never rose through %g mV; --threshold sets another "
                "level\n",
                protocol->threshold);
    if (request->json)
        beat_json(stdout, protocol->model, outcome->beat, beats);
    else
        beat_print(stderr, protocol->model, outcome->beat, beats);
    beat_warn(stderr, outcome->beat, beats, outcome->time, beats > 1 ? protocol->pacing.stimulus.period : 0);
}

/* Traces the cell: writes the table over time, if requested, and prints the beats. */
static enum status trace(const struct cell_protocol *protocol, const struct request *request, FILE *table,
                         struct cell_outcome *outcome, struct error *error)
{
    bool silent = request->json ? !request->output
                                : (request->save || request->steady) && !request->output && !request->every &&
                                      !request->variables;
    enum status status = cell_trace(protocol, silent ? NULL : table, outcome, error);
    if (!status)
        print_beats(protocol, request, outcome);
    return status;
}

/* Runs the train without its last beat, then that beat with S2 at each interval after it. */
static enum status restitute(const struct cell_protocol *protocol, const struct request *request, FILE *table,
                             struct cell_outcome *outcome, struct error *error)
{
    struct times_range intervals;
    TRY(times_range_read(&intervals, "--s2", request->s2, protocol->pacing.step,
                         protocol->pacing.stimulus.duration, error));
    int64_t rows = times_range_count(&intervals);
    enum status status = STATUS_OK;
    struct restitution *row = array_zeroed(rows, sizeof *row, "the intervals", &status, error);
    TRY_DONE(status);
    TRY_DONE(cell_trace(protocol, NULL, outcome, error));
    TRY_DONE(restitution_run(row, &outcome->beat[outcome->beats], protocol, outcome, &intervals, error));
    print_beats(protocol, request, outcome);
    if (request->json)
        restitution_json(stdout, row, rows);
    if (!request->json || request->output)
        restitution_print(table, row, rows);
    if (fflush(table) || ferror(table))
        status = error_set(error, STATUS_RUN, "the table cannot be written");
done:
    free(row);
    return status;
}

/* Whether a file can be written there, checked before the work */
static enum status check_save(const char *path, struct error *error)
{
    char *copy = path ? strdup(path) : NULL;
    bool good = !copy || access(access(path, F_OK) == 0 ? path : dirname(copy), W_OK) == 0;
    free(copy);
    return good ? STATUS_OK : error_set(error, STATUS_INPUT, "%.300s: %s", path, strerror(errno));
}

/* The text with which the table begins */
static const char *mark_of(const struct request *request)
{
    return request->s2 ? "S2 (ms)," : "t (ms),";
}

/* table.csv -> table-beats.csv */
static enum status name_beats(char *path, size_t room, const char *table, struct error *error)
{
    const size_t length = strlen(table), end = length > 4 && strcmp(table + length - 4, ".csv") == 0 ? 4 : 0;
    if (length - end + sizeof "-beats.csv" > room)
        return error_set(error, STATUS_INPUT, "--output: a path of more than %d bytes", (int)room);
    snprintf(path, room, "%.*s-beats.csv", (int)(length - end), table);
    return STATUS_OK;
}

/* Output files must not replace other programs' files, inputs, or each other. */
static enum status check_files(const char *model, const struct request *request, const char *beats,
                               struct error *error)
{
    const struct {
        const char *option, *path, *mark;
    } output[] = {{"--output", request->output, mark_of(request)},
                  {"--output", beats, beat_mark},
                  {"--save", request->save, states_mark}};
    TRY(check_save(request->save, error));
    for (size_t k = 0; k < sizeof output / sizeof *output; k++) {
        const char *path = output[k].path, *input[] = {model, request->initial};
        if (!path)
            continue;
        for (int i = 0; i < 2; i++)
            if (input[i] && own_file_same(input[i], path))
                return error_set(error, STATUS_INPUT,
                                 "%s would replace %.300s, which is read; choose another", output[k].option,
                                 path);
        TRY(own_file_claim(path, output[k].mark, "choose another name", error));
    }
    const bool same = request->save && ((request->output && strcmp(request->output, request->save) == 0) ||
                                        (beats && strcmp(beats, request->save) == 0));
    return same ? error_set(error, STATUS_INPUT, "--output and --save are the same file") : STATUS_OK;
}

static enum status save(const struct cell_protocol *protocol, const struct user_model *user, const char *path,
                        const struct cell_outcome *outcome, struct error *error)
{
    const struct states_record record = {.model = protocol->model,
                                         .user = user,
                                         .parameter = protocol->parameter,
                                         .value = outcome->value,
                                         .way = protocol->way,
                                         .pacing = &protocol->pacing,
                                         .beats = outcome->beats};
    return path ? states_write_file(&record, path, error) : STATUS_OK;
}

static enum status save_beats(const struct cell_protocol *protocol, const struct cell_outcome *outcome,
                              const char *path, struct error *error)
{
    struct own_file file = {0};
    if (!path)
        return STATUS_OK;
    enum status status = own_file_begin(&file, path, beat_mark, error);
    if (!status)
        beat_table(file.out, protocol->model, outcome->beat, protocol->pacing.stimulus.count);
    return own_file_end(&file, status, error);
}

static enum status step_cell(const struct cell_protocol *protocol, const struct user_model *user,
                             const struct request *request, const char *beats, struct error *error)
{
    struct cell_outcome outcome;
    struct own_file file = {0};
    enum status status;
    TRY_DONE(cell_outcome_new(&outcome, protocol, error));
    if (request->output)
        TRY_DONE(own_file_begin(&file, request->output, mark_of(request), error));
    FILE *table = request->output ? file.out : stdout;
    if (!request->json)
        watch_begin(WATCH_SILENCE);
    status = request->s2 ? restitute(protocol, request, table, &outcome, error)
                         : trace(protocol, request, table, &outcome, error);
    watch_end();
    TRY_DONE(own_file_end(&file, status, error));
    TRY_DONE(save_beats(protocol, &outcome, beats, error));
    TRY_DONE(save(protocol, user, request->save, &outcome, error));
    status = report_steady(protocol, &outcome, error);
done:
    cell_outcome_free(&outcome);
    return status;
}

/* value[] <- the initial state: from the file, or the model's own */
static enum status read_initial(double *value, const struct cell_protocol *protocol,
                                const struct user_model *user, const char *path, struct error *error)
{
    const struct states_record record = {
        .model = protocol->model, .user = user, .parameter = protocol->parameter};
    char note[300] = "";
    single_cell_rest(value, protocol->model);
    if (!path)
        return STATUS_OK;
    TRY(states_read_file(value, &record, path, NULL, note, sizeof note, error));
    if (*note)
        fprintf(stderr, "cardiac: warning: %s: saved with %s\n", path, note);
    return STATUS_OK;
}

static enum status run_cell(const char *name, const struct request *request, struct error *error)
{
    struct cell_protocol protocol = {0};
    struct user_model *text = NULL;
    double *parameter = NULL, *initial = NULL;
    int *column = NULL;
    enum status status;
    protocol.way =
        (struct source_way){.mixed = request->state && strcmp(request->state, "mixed") == 0,
                            .tables = request->tables,
                            .staggered = !request->splitting || strcmp(request->splitting, "staggered") == 0};
    TRY_DONE(text_model_find(&protocol.model, &text, name, &request->model, error));
    if (text)
        TRY_DONE(user_model_compile(text, protocol.way, error));
    const struct ionic_model *model = protocol.model;
    int64_t columns =
        model->states + model->currents + (request->variables ? (int64_t)strlen(request->variables) : 0);
    parameter = array_zeroed(model->parameters, sizeof *parameter, "the parameters", &status, error);
    initial = array_zeroed(single_cell_values(model), sizeof *initial, "the states", &status, error);
    column = array_zeroed(columns, sizeof *column, "the columns", &status, error);
    TRY_DONE(status);
    protocol.parameter = parameter;
    protocol.initial = initial;
    protocol.column = column;
    TRY_DONE(read_parameters(parameter, model, &request->parameter, error));
    TRY_DONE(read_columns(column, &protocol.columns, model, request->variables, error));
    const struct user_model *own = request->current ? NULL : text;
    char note[200], beats[PATH_MAX];
    TRY_DONE(pacing_usual(&protocol.pacing, own, parameter, error));
    pacing_note(note, sizeof note, &protocol.pacing, own);
    if (note[0])
        fprintf(stderr, "cardiac: warning: %s\n", note);
    TRY_DONE(read_protocol(&protocol, request, error));
    TRY_DONE(read_initial(initial, &protocol, text, request->initial, error));
    if (request->output)
        TRY_DONE(name_beats(beats, sizeof beats, request->output, error));
    TRY_DONE(check_files(name, request, request->output ? beats : NULL, error));
    status = step_cell(&protocol, text, request, request->output ? beats : NULL, error);
done:
    free(parameter);
    free(initial);
    free(column);
    user_model_free(text);
    return status;
}

enum status command_cell(int argc, char **argv, struct error *error)
{
    struct request request = {.beats = -1};
    bool help;
    const struct option options[] = {
        {"--dt", "TIME", "time step (0.02 ms)", .text = &request.step},
        {"--duration", "TIME", "time simulated (start + beats x period)", .text = &request.duration},
        {"--stimulus", "CURRENT", "stimulus, positive depolarises (52 pA/pF)", .text = &request.current},
        {"--stim-start", "TIME", "start of the first stimulus (10 ms)", .text = &request.start},
        {"--stim-duration", "TIME", "duration of each stimulus (1 ms)", .text = &request.length},
        {"--period", "TIME", "interval between stimuli (1000 ms)", .text = &request.period},
        {"--beats", "N", "number of stimuli (1); with --until-steady the maximum (1000)",
         .number = &request.beats},
        {"--until-steady", "SHARE",
         "end when no state changes by more than SHARE of its range per beat: 0.1%", .text = &request.steady},
        {"--s1", "NxPERIOD", "restitution: a train of S1 stimuli, such as 8x600ms", .text = &request.s1},
        {"--s2", "FROM:TO:BY", "intervals from S1 to S2, such as 500:250:10ms; prints APD90 for each",
         .text = &request.s2},
        {"--parameter", "NAME=VALUE",
         "set a parameter of the model: a value, or x0.5 for half the default; repeatable",
         .list = &request.parameter},
        TEXT_MODEL_OPTION(&request.model),
        {"--initial", "FILE", "begin with the states that --save wrote to FILE", .text = &request.initial},
        {"--save", "FILE", "write the final states, for --initial and for a region's `initial` in a config",
         .text = &request.save},
        {"--state", "double|mixed", "all states in fp64, or the fast ones in fp32 (double)",
         .text = &request.state},
        {"--splitting", "NAME",
         "the step of the cell, as with solver.splitting: godunov or staggered (staggered)",
         .text = &request.splitting},
        {"--tables", NULL, "functions of V from tables, as with ionic.tables", .flag = &request.tables},
        {"--threshold", "VOLTAGE",
         "an action potential begins where V rises through it (the model's: -40 mV for tp06)",
         .text = &request.threshold},
        {"--every", "TIME", "time between lines of the table (1 ms)", .text = &request.every},
        {"--variables", "A,B", "states and currents in the table (all states, all currents of the membrane)",
         .text = &request.variables},
        {"--output", "FILE.csv",
         "file for the table (standard output), with FILE-beats.csv; `cardiac report` draws them",
         .text = &request.output},
        {"--json", NULL, "print a line of JSON for each beat; a table in time only with --output",
         .flag = &request.json},
        {0},
    };
    const struct usage usage = {
        "cell MODEL | FILE.mmt [options]",
        "Paces one cell and prints a CSV table with units in its header; standard error lists for each beat "
        "the rest,\npeak, steepest rise, action potential durations and calcium transient. `cardiac models` "
        "lists the models. Without\n--stimulus a text's own protocol (its first event) replaces the defaults "
        "of "
        "the stimulus. With --save\nor --until-steady there is no table unless --output, --every or "
        "--variables is given.",
        options, 1, 1};
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (!status && !help)
        status = run_cell(argv[1], &request, error);
    free(request.parameter.item);
    free(request.model.item);
    return status;
}
