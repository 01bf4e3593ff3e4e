/* forecast.c: sum the memory and disk space that the parts of a run need. */
#include "app/problem/forecast.h"

#include <math.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "app/io/checkpoint/checkpoint_monodomain.h"
#include "app/problem/ecg.h"
#include "app/problem/sites.h"
#include "kernels/ops/rhs.h"
#include "solver/cells/beats.h"
#include "solver/matrix/assembly.h"
#include "solver/step/snapshot.h"

/* Bytes on the host of `count` fields (app/run/fields.h), including frames in flight */
static double fields_bytes(double nodes, int count)
{
    return 8 * nodes * count + READBACK_SLOTS * snapshot_bytes(nodes, count);
}

/* Bytes of a run's maps, of the scratch to compute one, and of the values that stop_when compares */
static double maps_bytes(double nodes, double beats)
{
    return nodes * (3 * beats + 5) * (double)sizeof(double);
}

/* Bytes of the copy of the states in which staggered gates are shifted to the time of V (monodomain_show) */
static double shown_bytes(double nodes, const struct config *config)
{
    double most = 0;
    bool shown = false;
    for (int k = 0; k < config->output.fields; k++)
        shown |= strcmp(config->output.field[k], "V") != 0;
    for (int r = 0; r < config->tissue.regions; r++)
        most = fmax(most,
                    (double)ionic_state_bytes(config->tissue.region[r].model, config->physics.ionic_mixed));
    return shown && config_way(config).staggered ? nodes * most : 0;
}

/* Bytes of finding the waves at the end of a run, after its checkpoint buffers are freed: the recorded activations,
 * two activations a node with their sorting scratch, and the neighbour lists while they are built */
static double waves_bytes(const struct problem *problem)
{
    enum { ACTIVATION = 32, SORTED = 32, EDGE = 4 };
    const struct mesh *mesh = &problem->mesh;
    const double n = (double)mesh->nodes, edges = 0.5 * mesh->dimension * (mesh->dimension + 1);
    if (problem->params.activation_slots == 0)
        return 0;
    return n * (24.0 * (double)problem->params.activation_slots + 2 * (2 * ACTIVATION + SORTED) + 20) +
           (double)mesh->elements * edges * EDGE * 1.5;
}

struct forecast forecast_make(const struct problem *problem, const struct config *config)
{
    const struct config_output *output = &config->output;
    const double spare = 1 << 18; /* for everything independent of the mesh size */
    double n = (double)problem->mesh.nodes, beats = (double)config->physics.activation_beats;
    int fields = output->fields > 0 ? output->fields : output->probes > 0;
    struct monodomain_memory tissue = monodomain_bytes(&problem->mesh, &problem->params);
    double state = checkpoint_state_bytes(n, &problem->params);
    int electrodes = config->ecg.electrodes;
    double followed =
        8.0 * (double)sites_points_most(problem, config) * (double)beats_values_at_point(sites_times(config));
    double device = tissue.device + snapshot_bytes(n, fields) + snapshot_bytes_at(n) + state +
                    leads_bytes(n, electrodes) + followed + shown_bytes(n, config) + spare;
    double host = tissue.host + fields_bytes(n, fields) + state +
                  3 * followed + /* live, in a checkpoint, in a table */
                  checkpoint_state_space(n, &problem->params) + maps_bytes(n, beats);
    const double mesh = problem_bytes(problem) + 4 * system_entries(&problem->mesh) + 8 * n; /* neighbours */
    return (struct forecast){
        .set_up = mesh + fmax(tissue.set_up, device + tissue.host + ecg_set_up_bytes(problem, electrodes)),
        .run = mesh + device + host + fmax(waves_bytes(problem) - 2 * state, 0),
        .device = device};
}

/* Factor on a rank's device memory for ghost nodes and unequal subdomains */
static const double ghosts = 1.1;

struct forecast forecast_subdomain(const struct problem *problem, const struct config *config, int ranks)
{
    /* bytes a node of the whole mesh: its owner and group; during partitioning; during assembly on a rank that
     * keeps all nodes */
    enum { PLACE = 12, CUT = 36, ROW = 124 };
    const double checked = 1.4; /* factor on a mesh's memory while it is read and checked */
    struct forecast all = forecast_make(problem, config);
    double n = (double)problem->mesh.nodes, beats = (double)config->physics.activation_beats;
    double fraction = ghosts / ranks < 1 ? ghosts / ranks : 1, read = problem_bytes(problem);
    bool whole = config->ecg.electrodes > 0 || velocity_measured(config, problem->mesh.elements);
    double mesh = whole ? read : fraction * read, rows = n * (whole || config->initial.file ? ROW : PLACE);
    double frame = 8 * n * config->output.fields + maps_bytes(n, beats);
    double fields = (1 - fraction) * parameters_bytes(problem); /* whole on every rank */
    if (ranks == 1)
        return all;
    return (struct forecast){
        .set_up =
            fmax(fmax(checked * read, read + CUT * n), mesh + fraction * (all.set_up - read) + rows + fields),
        .run = mesh + fraction * (all.run - read) + frame + PLACE * n + fields,
        .device = fraction * all.device,
        .others = fraction * fmax(all.set_up, all.run) + fields + (config->initial.file ? ROW * n : 0)};
}

enum status forecast_check_host(const struct forecast *forecast, int64_t nodes, int ranks,
                                struct error *error)
{
    double need = fmax(forecast->set_up, forecast->run) + (ranks - 1) * forecast->others;
    double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (need <= have)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%lld nodes need about %.1f GB of memory and this machine has %.1f GB; use a coarser "
                     "mesh or a larger machine",
                     (long long)nodes, need / 1e9, have / 1e9);
}

enum status forecast_check_device(const struct forecast *forecast, int64_t nodes, const struct config *config,
                                  struct queue *queue, struct error *error)
{
    double available, peak;
    queue->backend->memory(queue, &available, &peak);
    if (forecast->device <= available)
        return STATUS_OK;
    const struct monodomain_params *p = &config->physics;
    return error_set(error, STATUS_INPUT,
                     "%lld nodes need up to %.1f MB of GPU memory and device %s has %.1f MB free; use %s%sa "
                     "coarser mesh, a larger GPU, %.0f times as many GPUs (run --gpus) or device: cpu",
                     (long long)nodes, forecast->device / 1e6, config->device, available / 1e6,
                     p->ionic_mixed ? "" : "ionic.state: mixed, ",
                     config->output.fields > 1 ? "fewer output.fields, " : "",
                     ceil(ghosts * forecast->device / fmax(available, 1)));
}

/* Upper estimate of one checkpoint: V, the states, the increments of the initial guess, and the maps */
static double checkpoint_bytes(const struct problem *problem, const struct config *config)
{
    int states = 0;
    for (int r = 0; r < config->tissue.regions; r++)
        states =
            config->tissue.region[r].model->states > states ? config->tissue.region[r].model->states : states;
    return 8 * (double)problem->mesh.nodes *
           (states + 1 + RHS_HISTORY + (double)beats_values(&config->physics));
}

double forecast_disk_bytes(const struct problem *problem, const struct config *config)
{
    const struct config_output *output = &config->output;
    const double view = 1100; /* bytes of a frame's view of a field, and of its lines in the sidecar */
    double n = (double)problem->mesh.nodes, word = output->precision == OUTPUT_PRECISION_FLOAT64 ? 8 : 4;
    double frames = (double)(config->steps / output->every_steps + 1);
    double rows = output->probes > 0 ? (double)(config->steps / output->probes_every_steps + 1) : 0;
    double fields = frames * output->fields * (word * n + view);
    double leads = config->ecg.electrodes > 0 ? (double)(config->steps / config->ecg.every_steps + 1) : 0;
    double probes = (config->ecg.electrodes + 7) * leads * (8 + 20) +
                    rows * (output->probes * fmax(output->fields, 1) + 1) * (8 + 14);
    double checkpoints =
        config->checkpoint.every > 0 ? (config->checkpoint.keep + 1) * checkpoint_bytes(problem, config) : 0;
    const double mesh = 0.5 * mesh_bytes(&problem->mesh); /* compressed: 0.47 of a heart's */
    return fields + probes + checkpoints + mesh +
           4 * n * output->maps * (double)config->physics.activation_beats;
}

void forecast_disk(FILE *file, const struct problem *problem, const struct config *config)
{
    const struct config_output *output = &config->output;
    double bytes = forecast_disk_bytes(problem, config);
    int64_t frames = config->steps / output->every_steps + 1;
    struct statvfs disk;
    fprintf(file, "disk: about %.4g %s in %s: %lld frames of %d field%s, before they are compressed\n",
            bytes < 1e9 ? bytes / 1e6 : bytes / 1e9, bytes < 1e9 ? "MB" : "GB", output->directory,
            (long long)frames, output->fields, output->fields == 1 ? "" : "s");
    if (statvfs(output->directory, &disk) != 0 && statvfs(".", &disk) != 0)
        return;
    double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    if (bytes > free_bytes)
        fprintf(stderr,
                "cardiac: warning: output.directory: the run may write %.4g GB and its disk has %.4g GB "
                "free; reduce it by output.every or fields\n",
                bytes / 1e9, free_bytes / 1e9);
}
