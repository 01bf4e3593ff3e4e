/* progress.c: print the lines of run.log and of the terminal. */
#include "app/util/progress.h"

#include "app/util/json.h"
#include "app/util/own_file.h"
#include "app/util/program.h"
#include "app/util/text_media.h"
#include "app/util/watch.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "kernels/base/printed.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPANS = 32 };

/* Stages of the run, or parts of one */
struct spans {
    struct {
        const char *what;
        double seconds;
    } span[SPANS];
    int count;
};

static const double terminal_pause = 0.2, json_pause = 1, watch_pause = 1,
                    plain_pause = WATCH_SILENCE; /* seconds between lines */

struct progress {
    FILE *log;
    char *log_path;
    struct printed lines;      /* of progress_lines(); empty if out of memory */
    progress_listener *listen; /* NULL = none */
    void *listener;
    char **warning;
    int64_t warnings, room;
    int lost; /* errno of the log's first write that failed, 0 = none */
    bool quiet, mute, terminal, json;
    bool line; /* the terminal's last line is a progress line, to be overwritten */
    double start_time, end;
    int64_t start_step;
    double staged, parted, started, terminal_at, json_at, watch_at, plain_at; /* seconds of the clock */
    struct spans stages, parts; /* of the process; of its last stage */
};

enum status progress_open(struct progress **out, const char *log_path, bool append, enum progress_form form,
                          struct error *error)
{
    *out = NULL;
    enum status status = STATUS_OK;
    struct progress *progress = array_zeroed(1, sizeof *progress, "the progress", &status, error);
    if (status)
        return status;
    progress->quiet = form != PROGRESS_WORDS;
    progress->json = form == PROGRESS_JSON;
    progress->terminal = isatty(STDOUT_FILENO);
    progress->staged = clock_seconds();
    if (log_path) {
        status = own_file_stream(&progress->log, log_path, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC),
                                 append ? "a" : "w", error);
        progress->log_path = strdup(log_path);
    }
    if (status) {
        free(progress->log_path);
        free(progress);
        return status;
    }
    printed_open(&progress->lines, NULL);
    *out = progress;
    return STATUS_OK;
}

const char *progress_lines(struct progress *progress)
{
    const struct printed *lines = &progress->lines;
    return lines->file && fflush(lines->file) == 0 && lines->text ? lines->text : "";
}

const char *progress_warning(const struct progress *progress, int k)
{
    return k < progress->warnings ? progress->warning[k] : NULL;
}

void progress_mute(struct progress *progress)
{
    progress->quiet = progress->mute = true;
}

/* Go on silently if the reader of stdout has exited, or if words cannot be written that run.log has. The loss
 * of other words and of JSON, a result, is reported by program_main. With line buffering the write that
 * failed is one before fflush. */
static void flush_terminal(struct progress *progress)
{
    const bool words = !progress->quiet;
    if (!words && !progress->json) /* another's stdout */
        return;
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && (errno == EPIPE || (words && progress->log)) && program_silence()) {
        progress->quiet = true;
        progress->json = false;
    }
}

static void say_lost(const struct progress *progress, const char *what)
{
    fprintf(stderr, "cardiac: warning: %s: %s: %s\n", progress->log_path ? progress->log_path : "run.log",
            strerror(progress->lost), what);
}

/* Flushes the log to its file; the first failure is reported. */
static void flush_log(struct progress *progress)
{
    bool failed = fflush(progress->log) || ferror(progress->log);
    if (!failed || progress->lost)
        return;
    progress->lost = errno ? errno : EIO;
    say_lost(progress, "the log cannot be written; the run continues");
}

void progress_sync(struct progress *progress)
{
    if (progress->log)
        fdatasync(fileno(progress->log));
}

/* Writes a control sequence to the terminal, bypassing stdout, which would escape it. */
static void control_terminal(const char *sequence)
{
    fflush(stdout);
    ssize_t written = write(STDOUT_FILENO, sequence, strlen(sequence));
    (void)written;
}

static void clear_line(struct progress *progress)
{
    if (progress->line)
        control_terminal("\r\033[K");
    progress->line = false;
}

void progress_close(struct progress *progress)
{
    if (!progress)
        return;
    if (progress->line) {
        fputc('\n', stdout);
        flush_terminal(progress);
    }
    if (progress->log && fclose(progress->log) && !progress->lost)
        progress->lost = errno;
    if (progress->lost)
        say_lost(progress, "some messages of this run are not in the log");
    printed_close(&progress->lines, NULL);
    free(progress->lines.text);
    for (int64_t k = 0; k < progress->warnings; k++)
        free(progress->warning[k]);
    free(progress->warning);
    free(progress->log_path);
    free(progress);
}

/* Prints a line; adds a newline if the text does not end with one. */
static void put_line(FILE *out, const char *start, const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        return;
    fputs(start, out);
    text_media_put(out, TEXT_TERMINAL, text);
    free(text);
    if (format[0] == '\0' || format[strlen(format) - 1] != '\n')
        fputc('\n', out);
}

void progress_listen(struct progress *progress, progress_listener *listen, void *argument)
{
    progress->listen = listen;
    progress->listener = argument;
}

/* Passes the lines after the first `from` bytes of progress_lines() to the listener. */
static void tell_listener(struct progress *progress, size_t from)
{
    const char *text = progress_lines(progress);
    while (progress->listen && from < strlen(text)) {
        const size_t length = strcspn(text + from, "\n");
        char *line = strndup(text + from, length);
        if (line)
            progress->listen(progress->listener, line);
        free(line);
        from += length + 1;
    }
}

/* Writes to the log, to progress_lines() and to the listener. */
static void put_log(struct progress *progress, const char *start, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const size_t before = strlen(progress_lines(progress));
    if (progress->lines.file)
        put_line(progress->lines.file, start, format, again);
    va_end(again);
    tell_listener(progress, before);
    if (progress->log) {
        put_line(progress->log, start, format, arguments);
        flush_log(progress);
    }
}

void progress_print(struct progress *progress, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_log(progress, "", format, arguments);
    va_end(arguments);
    if (progress->quiet)
        return;
    clear_line(progress);
    va_start(arguments, format);
    put_line(stdout, "", format, arguments);
    va_end(arguments);
    flush_terminal(progress);
    watch_printed();
}

enum status progress_print_lines(struct progress *progress, struct printed *lines, bool terminal,
                                 struct error *error)
{
    TRY(printed_close(lines, error));
    for (char *line = strtok(lines->text, "\n"); line; line = strtok(NULL, "\n"))
        (terminal ? progress_print : progress_log)(progress, "%s", line);
    free(lines->text);
    return STATUS_OK;
}

void progress_log(struct progress *progress, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_log(progress, "", format, arguments);
    va_end(arguments);
}

/* Stores a warning for progress_warning(); if out of memory it is only in the log. */
static void keep_warning(struct progress *progress, const char *format, va_list arguments)
{
    if (!array_grow((void **)&progress->warning, &progress->room, progress->warnings,
                    sizeof *progress->warning, "a warning", NULL) &&
        vasprintf(&progress->warning[progress->warnings], format, arguments) >= 0)
        progress->warnings++;
}

void progress_warn(struct progress *progress, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_log(progress, "warning: ", format, arguments);
    va_end(arguments);
    va_start(arguments, format);
    keep_warning(progress, format, arguments);
    va_end(arguments);
    if (progress->mute)
        return;
    clear_line(progress);
    flush_terminal(progress);
    va_start(arguments, format);
    put_line(stderr, "cardiac: warning: ", format, arguments);
    va_end(arguments);
    watch_printed();
}

/* Adds seconds to the span `what`; the last of SPANS collects all further ones. */
static void add_seconds(struct spans *spans, const char *what, double seconds)
{
    int k = 0;
    while (k < spans->count && strcmp(spans->span[k].what, what) != 0)
        k++;
    k = k < SPANS ? k : SPANS - 1;
    if (k == spans->count)
        spans->span[spans->count++].what = what;
    spans->span[k].seconds += seconds;
}

void progress_mark(struct progress *progress, const char *what)
{
    if (!progress)
        return;
    const double now = clock_seconds();
    add_seconds(&progress->stages, what, now - progress->staged);
    progress->staged = now;
}

void progress_part(struct progress *progress, const char *what)
{
    if (!progress)
        return;
    const double now = clock_seconds();
    add_seconds(&progress->parts, what, now - fmax(progress->staged, progress->parted));
    progress->parted = now;
}

void progress_stage(struct progress *progress, const char *what)
{
    const double before = progress ? progress->staged : 0;
    progress_mark(progress, what);
    watch_now("setting up, %s done", what);
    if (progress && progress->staged - before >= 1)
        progress_print(progress, "%s: %.1f s", what, progress->staged - before);
}

void progress_move(struct progress *progress, const char *from, const char *to, double seconds)
{
    add_seconds(&progress->stages, from, -seconds);
    add_seconds(&progress->stages, to, seconds);
}

bool progress_span(const struct progress *progress, bool parts, int k, const char **what, double *seconds)
{
    const struct spans *spans = parts ? &progress->parts : &progress->stages;
    if (k >= spans->count)
        return false;
    *what = spans->span[k].what;
    *seconds = spans->span[k].seconds;
    return true;
}

void progress_begin(struct progress *progress, double began)
{
    progress->staged = began;
    progress_mark(progress, "start");
}

/* The printed numbers add up: each is the difference of two sums, rounded. */
static void print_spans(struct progress *progress, const char *name, double all, const struct spans *spans)
{
    double sum = 0;
    const int decimals = all < 10 ? 2 : 1;
    const double unit = all < 10 ? 0.01 : 0.1;
    char text[64 + 40 * SPANS] = "";
    for (int k = 0; k < spans->count; k++) {
        const double seconds = spans->span[k].seconds, before = round(sum / unit);
        if (seconds < 0.01 * all || seconds < unit)
            continue;
        sum += seconds;
        printed_add(text, sizeof text, "%s %.*f + ", spans->span[k].what, decimals,
                    (round(sum / unit) - before) * unit);
    }
    progress_print(progress, "%s: %.*f s = %srest %.*f", name, decimals, all, text, decimals,
                   (round(all / unit) - round(sum / unit)) * unit);
}

void progress_print_wall(struct progress *progress, bool parts)
{
    const struct spans *stages = &progress->stages;
    double wall = 0;
    for (int k = 0; k < stages->count; k++)
        wall += stages->span[k].seconds;
    print_spans(progress, "wall", wall, stages);
    if (parts && stages->count > 0)
        print_spans(progress, stages->span[stages->count - 1].what, stages->span[stages->count - 1].seconds,
                    &progress->parts);
}

void progress_start(struct progress *progress, double time, double end, int64_t step)
{
    progress->start_time = time;
    progress->end = end;
    progress->start_step = step;
    progress->started = progress->plain_at = clock_seconds();
    progress->terminal_at = progress->started - terminal_pause;
    progress->json_at = progress->started - json_pause;
    progress->watch_at = progress->started;
    watch_now("stepping from %s to %s ms", time_text(time).text, time_text(end).text);
}

struct time_text time_text(double ms)
{
    struct time_text time;
    const long long hundredths = llround(100 * ms);
    const int decimals = hundredths % 100 == 0 ? 0 : hundredths % 10 == 0 ? 1 : 2;
    snprintf(time.text, sizeof time.text, "%.*f", decimals, (double)hundredths / 100);
    return time;
}

void progress_duration(char *text, size_t room, double seconds)
{
    long long s = seconds < 1e9 ? (long long)ceil(seconds) : 1000000000;
    if (s >= 3600)
        snprintf(text, room, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, room, "%lld:%02lld", s / 60, s % 60);
}

/* Wall seconds per simulated ms so far; 0 = unknown */
static double pace(double time, int64_t steps, double start_time, double elapsed)
{
    return steps < 1 || !(elapsed > 0) || !(time > start_time) ? 0 : elapsed / (time - start_time);
}

void progress_text(char *text, int room, double time, double end, int64_t steps, double start_time,
                   double elapsed)
{
    char left[32];
    snprintf(text, (size_t)room, "%.6g of %.6g ms (%.1f %%)", time, end, end > 0 ? 100 * time / end : 100);
    double seconds_per_ms = pace(time, steps, start_time, elapsed);
    if (!(seconds_per_ms > 0))
        return;
    progress_duration(left, sizeof left, seconds_per_ms * fmax(0, end - time));
    printed_add(text, (size_t)room, ", %.3g ms/step, %.3g x real time, %s left",
                1e3 * elapsed / (double)steps, 1e-3 / seconds_per_ms, left);
}

static void show_json(struct progress *progress, double time, int64_t step)
{
    progress->json_at = clock_seconds();
    double elapsed = progress->json_at - progress->started;
    double each = pace(time, step - progress->start_step, progress->start_time, elapsed);
    struct json json = json_line(stdout);
    json_open(&json, NULL, '{');
    json_number(&json, "time", time);
    json_number(&json, "end", progress->end);
    json_integer(&json, "step", step);
    json_number(&json, "seconds", elapsed);
    json_number(&json, "seconds_left", each > 0 ? each * fmax(0, progress->end - time) : (double)NAN);
    json_close(&json);
    flush_terminal(progress);
}

static void show(struct progress *progress, double time, int64_t step, bool terminal, bool plain)
{
    char text[200];
    double t = clock_seconds();
    progress_text(text, sizeof text, time, progress->end, step - progress->start_step, progress->start_time,
                  t - progress->started);
    if (plain) {
        progress->plain_at = t;
        if (progress->log)
            fprintf(progress->log, "%s\n", text);
        if (progress->log)
            flush_log(progress);
        if (!progress->quiet && !progress->terminal)
            printf("%s\n", text);
    }
    if (!progress->quiet)
        watch_printed();
    if (terminal) {
        progress->terminal_at = t;
        control_terminal("\r");
        fputs(text, stdout);
        control_terminal("\033[K");
        progress->line = true;
    }
    flush_terminal(progress);
}

/* Updates the watch line, for a study, whose runs print nothing themselves. */
static void tell_watch(struct progress *progress, double time, int64_t step, double t)
{
    char text[200];
    progress_text(text, sizeof text, time, progress->end, step - progress->start_step, progress->start_time,
                  t - progress->started);
    watch_now("%s", text);
    progress->watch_at = t;
}

void progress_step(struct progress *progress, double time, int64_t step)
{
    double t = clock_seconds();
    if (t - progress->watch_at >= watch_pause)
        tell_watch(progress, time, step, t);
    bool terminal = progress->terminal && !progress->quiet && t - progress->terminal_at >= terminal_pause;
    bool plain = t - progress->plain_at >= plain_pause;
    if (progress->json && t - progress->json_at >= json_pause)
        show_json(progress, time, step);
    if (terminal || plain)
        show(progress, time, step, terminal, plain);
}

void progress_end(struct progress *progress, double time, int64_t step)
{
    if (progress->json)
        show_json(progress, time, step);
    show(progress, time, step, progress->terminal && !progress->quiet, true);
    if (progress->line)
        fputc('\n', stdout);
    progress->line = false;
    flush_terminal(progress);
    watch_now("finishing");
}
