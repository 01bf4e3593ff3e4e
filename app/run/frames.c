/* frames.c: read what is due at one time from the tissue, for the writer's thread to store. */
#include <math.h>

#include "app/run/run.h"
#include "kernels/base/clock.h"

_Static_assert((int)WRITER_QUEUE <= (int)READBACK_MOST, "a row on its way has the place of its task");

/* Writes a row of a table to the result and to the CSV file. */
static enum status write_row(struct run *run, enum output_table which, double time, const double *row,
                             struct error *error)
{
    TRY(probes_row(run->probes[which], time, row, error));
    return output_row(run->output, which, time, row, error);
}

/* run->peak <- the larger of itself and the largest V at the time of a frame or row; collective */
static void find_peak(struct run *run, double time, int few)
{
    int64_t node;
    const double most = fields_largest(&run->setup->fields, few, &node);
    if (!isnan(most) && !(most <= run->peak.value))
        run->peak =
            (struct results_peak){.value = most, .time = time, .since = run->peak.since, .node = node};
}

enum status run_sync(void *argument, struct error *error)
{
    struct run *run = argument;
    if (!run->output || !run->unsynced || clock_seconds() < run->synced_at + 1)
        return STATUS_OK;
    TRY(output_sync(run->output, error));
    for (int t = 0; t < OUTPUT_TABLES; t++)
        if (run->probes[t])
            TRY(probes_sync(run->probes[t], error));
    progress_sync(run->setup->progress);
    run->synced_at = clock_seconds();
    run->unsynced = false;
    return STATUS_OK;
}

static enum status write_frame(void *argument, struct error *error)
{
    struct run_frame *due = argument;
    struct run *run = due->run;
    struct fields *fields = &run->setup->fields;
    const int few = (int)(due - run->frame);
    if ((due->frame || due->row) && !due->fetch_error.status)
        due->fetch_error.status = fields_arrive(fields, due->slot, few, &due->fetch_error);
    TRY(run_begin_task(run, &due->fetch_error, error));
    if (due->frame)
        fields_gather(fields, due->slot);
    if (due->row)
        fields_gather_row(fields, few, run->row);
    if (due->frame || due->row)
        find_peak(run, due->time, few);
    if (!run->output)
        return STATUS_OK;
    run->unsynced = true;
    if (due->lead)
        TRY(write_row(run, OUTPUT_ECG, due->time, run->lead + few * run->setup->ecg.columns, error));
    if (due->row)
        TRY(write_row(run, OUTPUT_PROBES, due->time, run->row, error));
    if (due->frame)
        TRY(output_append(run->output, due->time, (const double *const *)fields->value, error));
    return run_sync(run, error);
}

enum status run_begin_task(const struct run *run, const struct error *fetch_error, struct error *error)
{
    if (fetch_error->status)
        *error = *fetch_error;
    return comm_agree(run->setup->comm, COMM_FILES, fetch_error->status, error);
}

enum status run_decline(void *argument, struct error *error)
{
    const struct error failure = *error;
    return run_begin_task(argument, &failure, error);
}

enum status run_queue_frame(struct run *run, bool frame, bool row, bool lead, struct error *error)
{
    if (run->setup->options.no_files)
        return STATUS_OK;
    const int index = writer_index(run->writer), slot = frame ? run->next_slot : -1;
    struct run_frame *due = &run->frame[index];
    enum status status = STATUS_OK;
    *due = (struct run_frame){run, slot, monodomain_time(run->setup->sim), frame, row, lead, {0}};
    if (lead)
        status = ecg_read(&run->setup->ecg, run->lead + index * run->setup->ecg.columns, &due->fetch_error);
    if (frame) {
        writer_wait(run->writer, run->slot_task[slot]);
        run->slot_task[slot] = writer_tasks(run->writer) + 1;
        run->next_slot = (slot + 1) % READBACK_SLOTS;
    }
    if (!status && (frame || row))
        status = fields_take(&run->setup->fields, slot, index, &due->fetch_error);
    due->fetch_error.status = status;
    return writer_put(run->writer, write_frame, due, error);
}

/* Removes the beats of passive nodes from the map: V rises there only because neighbours drive it. */
static void clear_passive(const struct run *run, const struct maps_map *map)
{
    const struct map_values *values = &run->values;
    int64_t width = map_values_width(values, map);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < values->nodes * width; k++)
        if (!sites_excitable(&run->setup->cells, k / width))
            values->value[k] = map->kind == MAPS_BEATS ? 0 : (double)NAN;
}

enum status run_write_maps(struct run *run, struct checkpoint_state *state, struct error *error)
{
    enum status status = STATUS_OK;
    double time = state ? checkpoint_state_time(state) : monodomain_time(run->setup->sim);
    for (int k = 0; k < run->setup->config.output.maps; k++) { /* even after a failure: it is collective */
        struct maps_map map;
        maps_find(&map, run->setup->config.output.map[k], NULL);
        enum status made = map_values_make(&run->values, &map, state, status ? NULL : error);
        status = status ? status : made;
        if (run->output && !status)
            clear_passive(run, &map);
        if (run->output && !status)
            status = output_map(run->output, k, run->values.value, time, error);
    }
    return status;
}
