/* stop.c: catch signals, parse durations, test conditions. */
#include "app/run/stop.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/clock.h"
#include "solver/cells/stimulus.h"

enum { BEFORE, STEPPING };

/* Globals, since a signal handler has no other way to communicate with the program */
static volatile sig_atomic_t phase, caught, mute;
static volatile double caught_at; /* seconds of the clock */

static void end_before_steps(void)
{
    static const char text[] =
        "cardiac: ended by a signal before the first step: no checkpoint was written\n";
    ssize_t written = mute ? 0 : write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(STATUS_RUN);
}

/* Records the first signal. A second one within 1 s is the same request, sent to the process and to its group; XCPU is
 * repeated by the kernel for every second of CPU time. Any other second signal ends the program. */
static void on_signal(int signal_number)
{
    if (phase == BEFORE)
        end_before_steps();
    double now = clock_seconds();
    if (!caught) {
        caught_at = now;
        caught = signal_number;
    } else if (now - caught_at >= 1 && signal_number != SIGXCPU)
        _exit(128 + signal_number);
}

void stop_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART; /* so that writes to network file systems are not interrupted */
    sigfillset(&action.sa_mask);
    phase = BEFORE;
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        if (sigaction(signals[k], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[k], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

void stop_mute(void)
{
    mute = 1;
}

void stop_begin_steps(void)
{
    phase = STEPPING;
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

enum status stop_read_duration(double *seconds, const char *text, struct error *error)
{
    if (text && stop_parse_duration(text, seconds) && *seconds < 60 && !text[strspn(text, "0123456789.")])
        fprintf(stderr, "cardiac: warning: --stop-after %s is %s s; minutes are written %sm, hours %sh\n",
                text, text, text, text);
    return !text || stop_parse_duration(text, seconds)
               ? STATUS_OK
               : error_set(error, STATUS_INPUT,
                           "--stop-after: '%.40s' is not a duration, such as 3h50m, 90s or 600 (seconds)",
                           text);
}

double stop_last_stimulus(const struct stimulus *stimulus, int stimuli)
{
    double last = 0;
    for (int s = 0; s < stimuli; s++)
        last = fmax(last, stimulus_end(stimulus + s));
    return last;
}

bool stop_activated(const double *activation, int64_t nodes, int64_t width, int64_t beats)
{
    for (int64_t i = 0; i < nodes; i++)
        if (isnan(activation[i * width + beats - 1]))
            return false;
    return true;
}

bool stop_quiet(const struct problem *problem, const int32_t *node_region, const double *v,
                const double *before, const double *activation, int64_t width)
{
    bool activated = false;
    for (int64_t i = 0; i < problem->mesh.nodes; i++) {
        if (v[i] > problem_threshold(problem, node_region[i]) || !(fabs(v[i] - before[i]) <= 0.01))
            return false;
        activated = activated || !isnan(activation[i * width]);
    }
    return activated;
}
