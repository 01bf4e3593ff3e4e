/* model_traces.h: the first beat of every ionic model, integrated from its text. */
#ifndef CARDIAC_APP_VERIFY_MODEL_TRACES_H
#define CARDIAC_APP_VERIFY_MODEL_TRACES_H

/* V, mV, of a model's text over its first beat from its initial state, integrated with a tolerance of 1e-7
 * (tests/kernels/model_texts.py), at model_traces_time[] (ms), of which the last is the end */
enum { MODEL_TRACES_SAMPLES = 65, MODEL_TRACES_QUICK = 34 };
struct model_trace {
    const char *model, *text;  /* "published" = tests/kernels/published.py */
    double stimulus, duration; /* mV/ms from 10 ms on, ms */
    double v[MODEL_TRACES_SAMPLES];
};
extern const double model_traces_time[MODEL_TRACES_SAMPLES];
extern const struct model_trace model_traces[];
extern const int model_traces_count;

#endif
