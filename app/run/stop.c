/* stop.c: signals, durations, conditions. */
#include "app/run/stop.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A signal handler has no other way to speak to the program. */
static volatile sig_atomic_t caught;

static void on_signal(int signal_number)
{
    if (caught)
        _exit(128 + signal_number);
    caught = signal_number;
}

void stop_catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART; /* a write on a network file system goes on */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int stop_signal(void)
{
    return caught;
}

bool stop_parse_duration(const char *text, double *seconds)
{
    double sum = 0, last = INFINITY;
    if (!*text)
        return false;
    while (*text) {
        char *end;
        if (*text < '0' || *text > '9')
            return false;
        double value = strtod(text, &end);
        double unit = *end == 'd'            ? 86400
                      : *end == 'h'          ? 3600
                      : *end == 'm'          ? 60
                      : *end == 's' || !*end ? 1
                                             : 0;
        if (unit == 0 || unit >= last || !isfinite(value))
            return false;
        sum += value * unit;
        last = unit;
        text = *end ? end + 1 : end;
    }
    *seconds = sum;
    return sum > 0;
}

double stop_last_stimulus(const struct config *config)
{
    double last = 0;
    for (int s = 0; s < config->stimuli; s++) {
        const struct config_stimulus *stimulus = config->stimulus + s;
        double after = stimulus->count == 1 ? 0 : (double)(stimulus->count - 1) * stimulus->period;
        if (stimulus->count == 0)
            return INFINITY;
        last = fmax(last, stimulus->start + after + stimulus->duration);
    }
    return last;
}

bool stop_condition(enum stop_when when, int64_t nodes, const double *v, const double *before,
                    const double *activation, int64_t width, double threshold)
{
    if (when == STOP_WHEN_NEVER)
        return false;
    int64_t activated = 0;
    for (int64_t i = 0; i < nodes; i++)
        activated += !isnan(activation[i * width]);
    if (when == STOP_WHEN_ACTIVATED)
        return activated == nodes;
    for (int64_t i = 0; i < nodes; i++)
        if (v[i] > threshold || !(fabs(v[i] - before[i]) <= 0.01))
            return false;
    return activated > 0;
}
