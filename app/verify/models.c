/* models.c: the ionic models over one beat, against integrations of their texts at a tolerance of 1e-7.
 *
 * The largest difference from the text's V falls as dt^order, and V extrapolated linearly from two step sizes to
 * dt = 0 has almost none. With --full, V at the finest step is also compared directly. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/user_model.h"
#include "app/util/scan.h"
#include "app/verify/tissue.h"
#include "kernels/base/array.h"

enum { SAMPLES = 65, SAMPLES_QUICK = 34 };

/* A line of model_traces.txt (tests/kernels/model_texts.py): V in the first beat of a model's text from its initial
 * state, integrated with a tolerance of 1e-7. The first line contains the times of all samples instead; the last is
 * the end. */
struct trace {
    char model[64], text[64];  /* "published" = tests/kernels/published.py */
    double stimulus, duration; /* mV/ms, from 10 ms; ms */
    double v[SAMPLES];         /* mV; in the first line the times, ms */
};

/* *trace <- the line at *text; advances *text past it */
static enum status read_trace(struct trace *trace, const char **text, struct error *error)
{
    int length = 0;
    bool whole = sscanf(*text, "%63s %63s%n", trace->model, trace->text, &length) == 2;
    *text += length;
    whole = whole && scan_number(text, 0, &trace->stimulus) && scan_number(text, 0, &trace->duration);
    for (int k = 0; k < SAMPLES && whole; k++)
        whole = scan_number(text, 0, &trace->v[k]);
    if (!whole || *(*text)++ != '\n')
        return error_set(error, STATUS_RUN, "the trace of the model '%.63s' has not %d values", trace->model,
                         SAMPLES);
    return STATUS_OK;
}

/* v[samples] <- V at time[samples] (ms), with steps of 1 / per_ms ms */
static enum status follow_trace(struct verify *verify, const struct ionic_model *model,
                                const double *parameter, const struct trace *trace, const double *time,
                                int per_ms, int samples, double *v, struct error *error)
{
    enum { STIMULUS_STARTS = 10 };
    struct verify_single cell;
    const double step = (verify->inject ? 1.01 : 1.0) / per_ms;
    const int64_t on = STIMULUS_STARTS * (int64_t)per_ms, off = on + (int64_t)round(trace->duration * per_ms);
    enum status status;
    TRY_DONE(verify_single_make(&cell, verify, model, parameter, error));
    for (int64_t k = 0, n = 0; k < samples; k++) {
        const int64_t end = (int64_t)round(time[k] * per_ms);
        while (n < end) {
            int64_t edge = n < on && on < end ? on : n < off && off < end ? off : end;
            TRY_DONE(verify_single_step(&cell, step, (int)(edge - n),
                                        n >= on && n < off ? trace->stimulus : 0, error));
            n = edge;
        }
        TRY_DONE(verify_single_get(&cell, &v[k], NULL, error));
    }
done:
    verify_single_free(&cell);
    return status;
}

static double largest_distance(const double *v, const struct trace *trace, int samples)
{
    double most = 0;
    for (int k = 0; k < samples; k++)
        most = fabs(v[k] - trace->v[k]) <= most ? most : fabs(v[k] - trace->v[k]);
    return most;
}

static enum status model_case(struct verify *verify, const struct ionic_model *model,
                              const struct trace *trace, const double *time, struct error *error)
{
    const double within = 0.1; /* mV */
    const int few = verify->extent == EXTENT_QUICK ? 500 : 1000,
              per_ms = verify->extent == EXTENT_FULL ? 10000 : 2 * few,
              samples = verify->extent == EXTENT_QUICK ? SAMPLES_QUICK : SAMPLES;
    double coarse[SAMPLES], fine[SAMPLES], limit[SAMPLES];
    enum status status = STATUS_OK;
    double *parameter = array_zeroed(model->parameters, sizeof *parameter, "parameters", &status, error);
    if (status)
        return status;
    for (int k = 0; k < model->parameters; k++)
        parameter[k] = model->parameter[k].value;
    status = follow_trace(verify, model, parameter, trace, time, few, samples, coarse, error);
    if (!status)
        status = follow_trace(verify, model, parameter, trace, time, per_ms, samples, fine, error);
    free(parameter);
    TRY(status);
    const double off = largest_distance(fine, trace, samples),
                 order = log(largest_distance(coarse, trace, samples) / off) / log((double)per_ms / few);
    for (int k = 0; k < samples; k++)
        limit[k] = (per_ms * fine[k] - few * coarse[k]) / (per_ms - few);
    verify_case(verify, "%s, first beat, against %s", model->name,
                strcmp(trace->text, "published") == 0 ? "its equations stated anew" : trace->text);
    verify_interval(verify, "extrapolated: largest |dV|, mV", largest_distance(limit, trace, samples), 0,
                    within);
    verify_interval(verify, "order in dt", order, model->order - 0.2, model->order + 0.2);
    if (verify->extent == EXTENT_FULL)
        verify_interval(verify, "in steps of 1e-4 ms: largest |dV|, mV", off, 0, within);
    return STATUS_OK;
}

/* Verifies a bundled model; prints the reason and skips it if it cannot be compiled here. */
static enum status bundled_case(struct verify *verify, const struct trace *trace, const double *time,
                                struct error *error)
{
    struct user_model *list = NULL, *user = NULL;
    const struct source_way way = {0};
    struct error reason = {0};
    const struct bundled *bundled = bundled_find(trace->model);
    if (!bundled)
        return error_set(error, STATUS_RUN, "no ionic model '%s'", trace->model);
    enum status status;
    TRY_DONE(user_model_bundled(&list, &user, bundled, error));
    if (user_model_compile(user, way, &reason) || user_model_load(list, verify->queue, way, &reason))
        fprintf(verify->json ? stderr : stdout, "  not verified: %s\n", reason.text);
    else
        status = model_case(verify, &user->model, trace, time, error);
done:
    user_model_free(list);
    return status;
}

enum status verify_models(struct verify *verify, struct error *error)
{
    const char *text = bundled_text("traces");
    struct trace times, trace;
    TRY(read_trace(&times, &text, error));
    while (*text) {
        TRY(read_trace(&trace, &text, error));
        const struct ionic_model *model = ionic_find(trace.model);
        if (model)
            TRY(model_case(verify, model, &trace, times.v, error));
        else if (verify->extent != EXTENT_QUICK)
            TRY(bundled_case(verify, &trace, times.v, error));
    }
    return STATUS_OK;
}
