/* models.c: the ionic models over one beat, against integrations of their texts at a tolerance of 1e-7.
 *
 * A step is of first order: the largest difference from the text falls with dt, and V extrapolated from two
 * steps dt, 2 fine - coarse, has almost none; at the finest step V is compared as it is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/user_model.h"
#include "app/verify/model_traces.h"
#include "app/verify/tissue.h"
#include "kernels/base/array.h"

enum { SAMPLES = MODEL_TRACES_SAMPLES };

/* v[samples] <- V at the times of the trace, in steps of 1 / per_ms */
static enum status follow_trace(struct verify *verify, const struct ionic_model *model,
                                const double *parameter, const struct model_trace *trace, int per_ms,
                                int samples, double *v, struct error *error)
{
    enum { STIMULUS_STARTS = 10 };
    struct verify_single cell;
    const double step = (verify->inject ? 1.01 : 1.0) / per_ms;
    const int64_t on = STIMULUS_STARTS * (int64_t)per_ms, off = on + (int64_t)round(trace->duration * per_ms);
    enum status status;
    TRY_DONE(verify_single_make(&cell, verify, model, parameter, error));
    for (int64_t k = 0, n = 0; k < samples; k++) {
        const int64_t end = (int64_t)round(model_traces_time[k] * per_ms);
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

static double largest_distance(const double *v, const struct model_trace *trace, int samples)
{
    double most = 0;
    for (int k = 0; k < samples; k++)
        most = fabs(v[k] - trace->v[k]) <= most ? most : fabs(v[k] - trace->v[k]);
    return most;
}

static enum status model_case(struct verify *verify, const struct ionic_model *model,
                              const struct model_trace *trace, struct error *error)
{
    const double within = 0.1; /* mV */
    const int few = verify->extent == EXTENT_QUICK ? 500 : 1000,
              per_ms = verify->extent == EXTENT_FULL ? 10000 : 2 * few,
              samples = verify->extent == EXTENT_QUICK ? MODEL_TRACES_QUICK : SAMPLES;
    double coarse[SAMPLES], fine[SAMPLES], limit[SAMPLES];
    enum status status = STATUS_OK;
    double *parameter = array_zeroed(model->parameters, sizeof *parameter, "parameters", &status, error);
    if (status)
        return status;
    for (int k = 0; k < model->parameters; k++)
        parameter[k] = model->parameter[k].value;
    status = follow_trace(verify, model, parameter, trace, few, samples, coarse, error);
    if (!status)
        status = follow_trace(verify, model, parameter, trace, per_ms, samples, fine, error);
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

/* A bundled model; one that cannot be compiled here is reported and left out */
static enum status bundled_case(struct verify *verify, const struct model_trace *trace, struct error *error)
{
    struct user_model *list = NULL, *user = NULL;
    const struct source_way way = {false, false};
    struct error reason = {0};
    const struct bundled *bundled = bundled_find(trace->model);
    if (!bundled)
        return error_set(error, STATUS_RUN, "no ionic model '%s'", trace->model);
    enum status status;
    TRY_DONE(user_model_bundled(&list, &user, bundled, error));
    if (user_model_compile(user, way, &reason) || user_model_load(list, verify->queue, way, &reason))
        fprintf(verify->json ? stderr : stdout, "  not verified: %s\n", reason.text);
    else
        status = model_case(verify, &user->model, trace, error);
done:
    user_model_free(list);
    return status;
}

enum status verify_models(struct verify *verify, struct error *error)
{
    for (int k = 0; k < model_traces_count; k++) {
        const struct ionic_model *model = ionic_find(model_traces[k].model);
        if (model)
            TRY(model_case(verify, model, model_traces + k, error));
        else if (verify->extent != EXTENT_QUICK)
            TRY(bundled_case(verify, model_traces + k, error));
    }
    return STATUS_OK;
}
