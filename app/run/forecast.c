/* forecast.c: counts times bytes. */
#include "app/run/forecast.h"

#include <math.h>
#include <unistd.h>

#include "kernels/device/readback.h"

/* Off-diagonal entries: 2 a node on a line, 6 on a triangulation, about 14 among tetrahedra (Euler's formula
 * bounds the last one only through the mesh itself: 2 edges a node and 5/3 elements). */
static double count_entries(const struct mesh *mesh)
{
    double n = (double)mesh->nodes;
    if (mesh->dimension == 3)
        return 2 * ((double)mesh->elements * 7 / 6 + n);
    return n * (mesh->dimension == 2 ? 6 : 2);
}

/* Bytes of a node's states, those of the largest model */
static double state_bytes(const struct config *config)
{
    double most = 0;
    for (int r = 0; r < config->tissue.regions; r++) {
        const struct ionic_model *model = config->tissue.region[r].model;
        most = fmax(most, (double)ionic_state_bytes(model, config->physics.ionic_mixed, 1));
    }
    return most;
}

/* Bytes of a row's numbers in the time loop: solver/diffusion.c, solver/tissue.c, solver/monodomain.c */
static double row_bytes(const struct config *config)
{
    const struct monodomain_params *p = &config->physics;
    double doubles = 9 + (double)p->activation_beats; /* V, u, b, x, y, three steps' changes, 1/d */
    doubles += p->activation == ACTIVATION_MAX_SLOPE;
    doubles += p->method == METHOD_CG ? 4 : 0; /* mass, diagonal, three of work, no y */
    doubles += p->method != METHOD_CG && p->unknown == UNKNOWN_VOLTAGE;
    bool momentum = p->method == METHOD_CHEBYSHEV || p->method == METHOD_AUTO;
    doubles += momentum && (p->update == UPDATE_NAIVE || p->update == UPDATE_AUTO);
    double floats = 4; /* weight, two x32, counts of activations */
    return 8 * doubles + 4 * floats + 2 + (config->tissue.regions > 1 ? 4 : 0);
}

struct forecast forecast_make(const struct problem *problem, const struct config *config)
{
    const struct monodomain_params *p = &config->physics;
    const struct mesh *mesh = &problem->mesh;
    double n = (double)mesh->nodes, corners = mesh->dimension + 1, entries = count_entries(mesh);
    double consistent = p->mass_lumping < 1 ? 8 : 0;
    /* a column, the product's number, the sweeps' own where it is another */
    double packed = entries * 1.1 * (2 + 8 + (consistent > 0 ? 8 : p->precision == PRECISION_DOUBLE ? 0 : 4));
    double frame = 8 * n * fmax(config->output.fields, config->output.probes > 0);
    double directions = (mesh->fiber ? 24 : 0) + (mesh->sheet ? 24 : 0);
    double geometry = n * 24 + (double)mesh->elements * (corners * 4 + 8) +
                      directions * (mesh->fiber_location == LOCATION_NODE ? n : (double)mesh->elements);
    double system = entries * (12 + consistent) + n * 32;
    struct forecast forecast = {.device = 1.05 * (packed + n * (row_bytes(config) + state_bytes(config))) +
                                          frame + (1 << 20)};
    /* two vectors, the activation map, and what a checkpoint needs: models, and the widest variable twice */
    double host = n * (16 + 8 * (double)p->activation_beats + 8 + 16 * (double)p->activation_beats);
    forecast.run = geometry + forecast.device + host + (1 + READBACK_SLOTS) * frame;
    forecast.set_up = geometry + system + fmax((double)mesh->elements * corners * 4, 1.5 * packed);
    return forecast;
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
                                  const struct backend *backend, struct queue *queue, struct error *error)
{
    double available, peak;
    backend->memory(queue, &available, &peak);
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
