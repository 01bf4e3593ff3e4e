/* frames.c: what is due at one time, from the tissue to the files: taken here, written by the writer's
 * thread. */
#include <assert.h>
#include <string.h>

#include "app/run/run.h"
#include "kernels/base/clock.h"

/* A row of the probes from the gathered fields */
static enum status write_probes(struct run *run, double time, struct error *error)
{
    int k = 0;
    for (int p = 0; p < run->config.output.probes; p++)
        for (int f = 0; f < run->fields.count; f++)
            run->row[k++] = run->fields.value[f][run->problem.probe[p].node];
    enum status status = probes_row(run->probes[OUTPUT_PROBES], time, run->row, error);
    return status ? status : output_row(run->output, OUTPUT_PROBES, time, run->row, error);
}

static enum status write_leads(struct run *run, const struct run_frame *due, struct error *error)
{
    const double *row = run->lead + due->slot * run->ecg.columns;
    enum status status = probes_row(run->probes[OUTPUT_ECG], due->time, row, error);
    return status ? status : output_row(run->output, OUTPUT_ECG, due->time, row, error);
}

enum status run_keep(void *argument, struct error *error)
{
    struct run *run = argument;
    if (!run->output || !run->unkept || clock_seconds() < run->kept_at + 1)
        return STATUS_OK;
    enum status status = output_sync(run->output, error);
    for (int t = 0; t < OUTPUT_TABLES && !status; t++)
        if (run->probes[t])
            status = probes_sync(run->probes[t], error);
    progress_sync(run->progress);
    run->kept_at = clock_seconds();
    run->unkept = false;
    return status;
}

static enum status write_frame(void *argument, struct error *error)
{
    struct run_frame *due = argument;
    struct run *run = due->run;
    bool fields = due->frame || due->row;
    if (fields && !due->taken.status)
        due->taken.status = fields_arrive(&run->fields, due->slot, &due->taken);
    enum status status = run_begin_work(run, &due->taken, error);
    if (!status && fields)
        fields_gather(&run->fields, due->slot);
    if (status || !run_writes(run))
        return status;
    if (due->lead)
        AND(write_leads(run, due, error));
    if (!status && due->row)
        status = write_probes(run, due->time, error);
    if (!status && due->frame)
        status = output_append(run->output, due->time, (const double *const *)run->fields.value, error);
    run->unkept = true;
    return status ? status : run_keep(run, error);
}

enum status run_begin_work(const struct run *run, const struct error *taken, struct error *error)
{
    if (taken->status)
        *error = *taken;
    return comm_agree(run->comm, COMM_FILES, taken->status, error);
}

enum status run_decline(void *argument, struct error *error)
{
    const struct error failure = *error;
    return run_begin_work(argument, &failure, error);
}

static_assert((int)WRITER_QUEUE <= (int)READBACK_SLOTS, "a place in the queue is a slot of the snapshot");

enum status run_hand_over(struct run *run, bool frame, bool row, bool lead, struct error *error)
{
    int slot = writer_place(run->writer);
    struct run_frame *due = &run->frame[slot];
    enum status status = STATUS_OK;
    *due = (struct run_frame){run, slot, monodomain_time(run->sim), frame, row, lead, {0}};
    if (lead)
        status = ecg_read(&run->ecg, run->lead + slot * run->ecg.columns, &due->taken);
    if (frame || row)
        AND(fields_take(&run->fields, slot, &due->taken));
    due->taken.status = status;
    return writer_put(run->writer, write_frame, due, error);
}

enum status run_write_maps(struct run *run, struct checkpoint_state *taken, struct error *error)
{
    enum status status = STATUS_OK;
    double time = taken ? checkpoint_state_time(taken) : monodomain_time(run->sim);
    for (int k = 0; k < run->config.output.maps; k++) { /* whatever failed: other ranks hand over */
        struct maps_map map;
        maps_find(&map, run->config.output.map[k], NULL);
        enum status made = map_values_make(&run->values, &map, taken, status ? NULL : error);
        status = status ? status : made;
        if (run_writes(run))
            AND(output_map(run->output, k, run->values.value, time, error));
    }
    return status;
}
