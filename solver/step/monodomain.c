/* monodomain.c: the set-up of a tissue: matrix (monodomain_matrix.c), cells, vectors and halo. */
#include "solver/step/monodomain_internal.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/device/cpu.h"
#include "solver/ranks/subdomain.h"

static enum status find_local_indices(struct monodomain *sim, struct error *error)
{
    const struct partition *p = &sim->partition;
    const struct layout *layout = &sim->layout;
    int64_t held = partition_held(p);
    enum status status = STATUS_OK;
    sim->local = layout->node;
    if (held == p->here)
        return STATUS_OK;
    sim->local = array_new(layout->rows, sizeof *sim->local, "the ranks' rows", &status, error);
    if (status)
        return status;
    for (int64_t row = 0; row < layout->rows; row++)
        sim->local[row] = layout->node[row] < 0 ? -1 : (int32_t)partition_number(p, layout->node[row]);
    for (int64_t n = 0; n < held && held < p->nodes; n++)
        sim->local[layout->row[p->of.node[p->of.begin[p->comm->rank] + n]]] = (int32_t)n;
    return STATUS_OK;
}

/* V at rest, empty maps */
static enum status create_vectors(struct monodomain *sim, struct error *error)
{
    const struct scheme *scheme = &sim->report.scheme;
    int64_t n = sim->layout.rows;
    size_t bytes = (size_t)n * sizeof(double);
    enum status status =
        rotation_create(&sim->vectors, diffusion_depth(scheme), n + sim->layout.ghosts, sim->queue, error);
    if ((scheme->ahead || scheme->holds) && !status)
        sim->vectors.field =
            device_array(sim->queue, n + sim->layout.ghosts, sizeof(double), "the voltages", &status, error);
    sim->staging = array_new(n, sizeof *sim->staging, "the voltages", &status, error);
    double *by_row =
        sim->tissue.thresholds ? array_new(2 * n, sizeof *by_row, "the thresholds", &status, error) : NULL;
    TRY(status);
    if (by_row)
        tissue_thresholds(&sim->tissue, &sim->layout, by_row);
    tissue_models_rest(&sim->tissue, &sim->layout, sim->staging);
    status = beats_create(&sim->beats, &sim->params, n, by_row, sim->staging, sim->queue, error);
    free(by_row);
    TRY(status);
    tissue_rest(&sim->tissue, &sim->layout, sim->staging);
    TRY(device_upload(sim->queue, sim->vectors.v, sim->staging, bytes, error));
    TRY(device_upload(sim->queue, sim->vectors.u, sim->staging, bytes, error));
    return monodomain_create_lengths(sim, error);
}

/* Bytes of the thresholds of each row, if those of the regions differ */
static double thresholds_bytes(const struct monodomain_params *params, double rows)
{
    for (int r = 1; r < params->regions && params->activation_thresholds; r++)
        if (params->activation_thresholds[r][0] != params->activation_thresholds[0][0] ||
            params->activation_thresholds[r][1] != params->activation_thresholds[0][1])
            return 2 * rows * (double)sizeof(double);
    return 0;
}

struct monodomain_memory monodomain_bytes(const struct mesh *mesh, const struct monodomain_params *params)
{
    const int height = 32; /* the greatest height of any backend */
    double n = (double)mesh->nodes, entries = system_entries(mesh), maps = (double)beats_values(params);
    bool mixed = params->precision == PRECISION_MIXED;
    /* classes: fp64, fp32, and both with 32-bit integers, which save more than their padding costs */
    double rows = layout_rows(n, height, layout_window(height), mixed ? 3 : 1);
    double diffusion = diffusion_bytes(params, rows, entries);
    double vectors = rows * (8 * (2 + maps) + 5) + thresholds_bytes(params, rows);
    double packing = rows * (8 + 8 + 8) + 1.5 * diffusion; /* sums of the rows, order; small arrays */
    if (params->doublings > 0)                             /* copies for repeating a block */
        vectors += rows * (8 * (2 + maps) + 5) + tissue_bytes(params, rows);
    return (struct monodomain_memory){
        .device = diffusion + tissue_bytes(params, rows) + vectors,
        .host = layout_bytes(rows) + tissue_host_bytes(params, rows) + 8 * rows,
        .set_up = system_bytes(mesh, params->mass_lumping < 1) + fmax(system_workspace(mesh), packing),
    };
}

/* report <- numbers of nodes and border nodes of the ranks, the same on all ranks */
static void report_ranks(struct monodomain *sim)
{
    const struct comm *comm = sim->partition.comm;
    const int64_t *begin = sim->partition.of.begin;
    uint64_t own =
        begin ? (uint64_t)(begin[comm->rank + 1] - begin[comm->rank]) : (uint64_t)sim->layout.nodes;
    uint64_t most[] = {own, ~own, sim->halo ? (uint64_t)sim->halo->border : 0};
    comm->engine->largest(comm, COMM_STEPS, most, 3);
    sim->report.ranks = comm->size;
    sim->report.nodes_most = (int64_t)most[0];
    sim->report.nodes_least = (int64_t)~most[1];
    sim->report.border_most = (int64_t)most[2];
}

/* The cells, stimuli and vectors of this rank */
static enum status create_cells(struct monodomain *sim, const struct mesh *mesh, struct error *error)
{
    TRY(tissue_create(&sim->tissue, mesh, &sim->params, &sim->layout, sim->queue, error));
    return create_vectors(sim, error);
}

/* The matrix, the cells and the vectors of this rank */
static enum status create_components(struct monodomain *sim, const struct mesh *mesh, struct error *error)
{
    TRY(monodomain_create_matrix(sim, mesh, error));
    TRY(find_local_indices(sim, error));
    return create_cells(sim, mesh, error);
}

static enum status open_halo(struct monodomain *sim, struct error *error)
{
    TRY(sim->queue->backend->halo_open(sim->queue, sim->halo, sim->vectors.v, error));
    return sim->queue->backend->wait(sim->queue, error);
}

enum status monodomain_create(struct monodomain **out, const struct mesh *mesh,
                              const struct monodomain_params *params, struct queue *queue,
                              struct error *error)
{
    *out = NULL;
    enum status status = STATUS_OK;
    const struct comm *comm = params->subdomain ? params->subdomain->partition.comm : comm_alone();
    struct monodomain *sim = array_zeroed(1, sizeof *sim, "the simulation", &status, error);
    status = comm_agree(comm, COMM_STEPS, status, error);
    if (status) {
        free(sim);
        return status;
    }
    sim->queue = queue;
    sim->params = *params;
    sim->partition = params->subdomain
                         ? params->subdomain->partition
                         : (struct partition){.comm = comm, .nodes = mesh->nodes, .here = mesh->nodes};
    profile_start(&sim->profile, queue);
    TRY_DONE(comm_agree(comm, COMM_STEPS, create_components(sim, mesh, error), error));
    report_ranks(sim);
    TRY_DONE(comm_agree(comm, COMM_STEPS, open_halo(sim, error), error));
    TRY_DONE(comm_agree(comm, COMM_STEPS, monodomain_list_variables(sim, error), error));
    sim->report.uses_stores = sim->halo && sim->halo->stores;
    if (sim->halo) {
        sim->report.by_nccl = sim->halo->by_nccl;
        sim->report.by_stores = sim->halo->by_stores;
    }
    *out = sim;
    return STATUS_OK;
done:
    monodomain_free(sim);
    return status;
}

void monodomain_tune_threads(struct monodomain *sim, int threads)
{
    if (!sim->queue->backend->immediate)
        return;
    sim->cpu_threads = cpu_threads(sim->queue);
    thread_tuner_start(&sim->tuner, threads < sim->cpu_threads ? threads : sim->cpu_threads);
    cpu_set_threads(sim->queue, sim->tuner.threads);
}

const struct thread_tuner *monodomain_thread_tuner(const struct monodomain *sim)
{
    return &sim->tuner;
}

void monodomain_unload(struct monodomain *sim)
{
    if (sim->cpu_threads)
        cpu_set_threads(sim->queue, sim->cpu_threads);
    sim->queue->backend->graph_drop(sim->queue);
    lengths_free(&sim->lengths, sim->queue);
    rotation_free(&sim->vectors, sim->queue);
    beats_free(&sim->beats, sim->queue);
    tissue_free(&sim->tissue);
    free(sim->variable);
    free(sim->staging);
    *sim = (struct monodomain){.queue = sim->queue,
                               .report = sim->report,
                               .partition = sim->partition,
                               .layout = sim->layout,
                               .local = sim->local,
                               .halo = sim->halo,
                               .diffusion = sim->diffusion};
    sim->report.assembly_seconds = sim->report.ordering_seconds = sim->report.packing_seconds = 0;
}

enum status monodomain_reload(struct monodomain *sim, const struct mesh *mesh,
                              const struct monodomain_params *params, struct error *error)
{
    sim->params = *params;
    profile_start(&sim->profile, sim->queue);
    TRY(diffusion_restart(&sim->diffusion, &sim->layout, error));
    TRY(create_cells(sim, mesh, error));
    return monodomain_list_variables(sim, error);
}

void monodomain_free(struct monodomain *sim)
{
    if (!sim)
        return;
    monodomain_unload(sim);
    diffusion_free(&sim->diffusion);
    halo_free(sim->halo, sim->queue);
    if (sim->local != sim->layout.node)
        free(sim->local);
    layout_free(&sim->layout);
    free(sim);
}

int64_t monodomain_step(const struct monodomain *sim)
{
    return sim->control.step;
}

double monodomain_time(const struct monodomain *sim)
{
    return (double)sim->control.step * sim->params.step;
}

const struct monodomain_report *monodomain_report(const struct monodomain *sim)
{
    return &sim->report;
}

struct monodomain_work monodomain_work(const struct monodomain *sim)
{
    struct monodomain_work work = sim->work;
    double seconds[PROFILE_PHASES];
    work.split = profile_split(&sim->profile, seconds);
    work.seconds = sim->profile.advancing;
    work.ionic_seconds = seconds[PROFILE_IONIC];
    work.product_seconds = seconds[PROFILE_RHS];
    work.sweep_seconds = seconds[PROFILE_SWEEPS];
    work.rest_seconds = seconds[PROFILE_REST];
    return work;
}

double monodomain_passed(const struct monodomain *sim)
{
    return bits_to_real(sim->control.passed);
}

const struct failure *monodomain_failure(const struct monodomain *sim)
{
    return &sim->failure;
}
