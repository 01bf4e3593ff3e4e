/* finish.c: the end of a run, however it came: what was computed is stored, files are closed, the log says
 * what the time went into. */
#include <stdlib.h>
#include <string.h>

#include "app/report/describe.h"
#include "app/run/run.h"
#include "kernels/base/array.h"

static double device_peak(const struct run *run)
{
    double available, peak;
    run->queue->backend->memory(run->queue, &available, &peak);
    return peak;
}

/* The least and the most that ranks have spent on exchanges, seconds */
struct exchange {
    double least, most;
};

static struct exchange exchange_of_all(const struct run *run)
{
    double own = monodomain_work(run->sim).exchange_seconds, most[] = {own, -own};
    comm_most(run->comm, COMM_STEPS, most, 2);
    return (struct exchange){.least = -most[1], .most = most[0]};
}

static void describe_exchange(FILE *file, const struct exchange *exchange, const struct monodomain_work *work)
{
    double steps = (double)work->steps;
    if (exchange->most > 0)
        fprintf(file,
                "exchange with other ranks: %.3g to %.3g ms a step (%.3g to %.3g %%), waits for slower ranks "
                "included\n",
                1e3 * exchange->least / steps, 1e3 * exchange->most / steps,
                100 * exchange->least / work->seconds, 100 * exchange->most / work->seconds);
}

static void say_work(struct run *run)
{
    struct exchange exchange = exchange_of_all(run);
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return;
    struct monodomain_work work = monodomain_work(run->sim);
    double peak = device_peak(run), waited = writer_waited(run->writer);
    if (work.steps > 0) {
        describe_work(file, &work, run->problem.mesh.nodes);
        describe_exchange(file, &exchange, &work);
    }
    if (peak > 0)
        fprintf(file, "device memory: %.1f MB at the most\n", peak / 1e6);
    if (waited > 0.001 * run->loop_seconds)
        fprintf(
            file,
            "output was the limit for %.3g s (%.3g %% of the time): %d frames were waiting to be written, "
            "and the steps waited for them\n",
            waited, 100 * waited / run->loop_seconds, WRITER_QUEUE);
    fclose(file);
    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
        progress_say(run->progress, "%s", line);
    free(text);
}

enum { NUMBERS = 15 };

/* number[] <- what the work took; returns how many: 0 where no step was taken */
static int work_numbers(const struct run *run, struct output_number number[NUMBERS])
{
    struct monodomain_work w = monodomain_work(run->sim);
    const struct monodomain_report *r = monodomain_report(run->sim);
    const struct output_number all[NUMBERS] = {
        {"steps", (double)monodomain_step(run->sim)},
        {"sweeps", (double)w.sweeps},
        {"loop_seconds", run->loop_seconds},
        {"step_seconds", w.seconds},
        {"ionic_seconds", w.ionic_seconds},
        {"product_seconds", w.product_seconds},
        {"sweep_seconds", w.sweep_seconds},
        {"rest_seconds", w.rest_seconds},
        {"output_wait_seconds", writer_waited(run->writer)},
        {"mesh_seconds", run->problem.read_seconds},
        {"assembly_seconds", r->assembly_seconds},
        {"ordering_seconds", r->ordering_seconds},
        {"packing_seconds", r->packing_seconds},
        {"fp32_share", r->fp32_share},
        {"device_peak_bytes", device_peak(run)}, /* the last: a CPU has none to tell of */
    };
    memcpy(number, all, sizeof all);
    return w.steps > 0 ? NUMBERS - (all[NUMBERS - 1].value == 0) : 0;
}

static enum status close_result(struct run *run, struct error *error)
{
    struct output_number number[NUMBERS];
    int count = work_numbers(run, number); /* 0: else they stay as they are */
    enum status status = run_write_maps(run, NULL, error);
    if (!run_writes(run))
        return status;
    enum status closed = output_close(run->output, number, count, status ? NULL : error);
    run->output = NULL;
    return status ? status : closed;
}

/* What became of the frames that an earlier run had written beyond the checkpoint */
static void say_resumed(struct run *run)
{
    struct output_resumed frames = output_resumed(run->output);
    if (frames.equal + frames.replaced + frames.dropped > 0)
        progress_say(
            run->progress,
            "frames after the checkpoint: %lld computed again and equal, %lld replaced, %lld dropped",
            (long long)frames.equal, (long long)frames.replaced, (long long)frames.dropped);
}

/* For the writer's thread. The first error counts. */
static enum status close_files(void *argument, struct error *error)
{
    struct run *run = argument;
    if (run->output)
        say_resumed(run);
    enum status status = run->opened ? close_result(run, error) : STATUS_OK;
    enum status closed = STATUS_OK;
    for (int t = 0; t < OUTPUT_TABLES; t++) {
        enum status one = probes_close(run->probes[t], status || closed ? NULL : error);
        run->probes[t] = NULL;
        closed = closed ? closed : one;
    }
    checkpoint_close(run->from);
    run->from = NULL;
    return status ? status : closed;
}

/* The last line for programs: how it ended, what became of the tissue, what the work took */
static void print_json(const struct run *run, enum status ended)
{
    struct output_number number[NUMBERS];
    int count = work_numbers(run, number);
    char *path = run_path(run, "run.vtkhdf");
    struct json json = json_line(stdout);
    json_open(&json, NULL, '{');
    json_integer(&json, "status", ended);
    json_text(&json, "result", path);
    json_number(&json, "time", monodomain_time(run->sim));
    json_integer(&json, "nodes", run->problem.mesh.nodes);
    json_integer(&json, "activated", run->first.nodes);
    json_number(&json, "first_activation", run->first.low);
    json_number(&json, "last_activation", run->first.high);
    for (int k = 0; k < count; k++)
        json_number(&json, number[k].name, number[k].value);
    json_close(&json);
    free(path);
}

/* Maps and numbers are stored also when the run failed: nothing that was computed is lost. The first error
 * counts. */
enum status run_close(struct run *run, enum status ended, struct error *error)
{
    struct error later = {0};
    checkpoint_state_free(run->state); /* room for the maps */
    run->state = NULL;
    enum status status = writer_call(run->writer, close_files, run, &later);
    status = comm_agree(run->comm, COMM_STEPS, status, &later);
    if (run->opened && !status)
        status = run_say_activation(run, &later);
    say_work(run);
    if (ended == STATUS_STOPPED)
        progress_say(run->progress, "time is up: checkpoint-%lld.h5 written; go on with --resume",
                     (long long)run->checkpoint_step);
    else if (ended > STATUS_INTERRUPTED)
        progress_say(run->progress, "interrupted: checkpoint-%lld.h5 written; go on with --resume",
                     (long long)run->checkpoint_step);
    else if (!ended && !status)
        progress_say(run->progress, "results: %s/run.vtkhdf and run.xdmf", run->config.output.directory);
    if (!ended && status)
        *error = later;
    ended = ended ? ended : status;
    if (ended == STATUS_RUN)
        progress_log(run->progress, "failed: %s", error->text);
    if (run->options.json && run_writes(run))
        print_json(run, ended);
    return ended;
}
