/* forecast.c: what the modules of a run say that they take, summed. */
#include "app/run/forecast.h"

#include <math.h>
#include <unistd.h>

#include "app/io/checkpoint_monodomain.h"
#include "app/run/fields.h"
#include "app/run/run.h"
#include "solver/snapshot.h"

struct forecast forecast_make(const struct problem *problem, const struct config *config)
{
    const struct config_output *output = &config->output;
    const double spare = 1 << 18; /* of all that does not grow with the mesh */
    double n = (double)problem->mesh.nodes, beats = (double)config->physics.activation_beats;
    int fields = output->fields > 0 ? output->fields : output->probes > 0;
    struct monodomain_memory tissue = monodomain_bytes(&problem->mesh, &problem->params);
    double device = tissue.device + snapshot_bytes(n, fields) + spare;
    double host = tissue.host + fields_bytes(n, fields) + checkpoint_space(n, beats) + run_bytes(n, beats);
    return (struct forecast){.set_up = problem_bytes(problem) + tissue.set_up,
                             .run = problem_bytes(problem) + device + host,
                             .device = device};
}

enum status forecast_check_host(const struct forecast *forecast, int64_t nodes, struct error *error)
{
    double need = fmax(forecast->set_up, forecast->run);
    double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (need <= have)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%lld nodes would need about %.1f GB of memory and this machine has %.1f GB; take a "
                     "coarser mesh or a larger machine",
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
    return error_set(
        error, STATUS_INPUT,
        "%lld nodes would need up to %.1f MB of the GPU's memory and device %s has %.1f MB free; take %s%sa "
        "coarser mesh, a larger GPU or device: cpu",
        (long long)nodes, forecast->device / 1e6, config->device, available / 1e6,
        p->ionic_mixed ? "" : "ionic.state: mixed, ",
        config->output.fields > 1 ? "fewer output.fields, " : "");
}
