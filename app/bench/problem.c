/* problem.c: the mesh and the parameters behind the simulator's own matrices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/matrix.h"
#include "solver/mesh/refine.h"

/* The slab of Niederer et al. 2011, with fibres that follow no axis so that no entry vanishes */
static void own_config(char *text, size_t size, const struct bench *bench)
{
    bool is_cpu = strncmp(bench->queue->backend->name, "cpu", 3) == 0;
    double spacing = !isnan(bench->spacing) ? bench->spacing : bench->quick ? 0.2 : is_cpu ? 0.2 : 0.1;
    const char *extent = bench->quick ? "[3.6 mm, 1.6 mm, 1.2 mm]" : "[20 mm, 7 mm, 3 mm]";
    snprintf(text, size,
             "version: 1\n"
             "title: slab\n"
             "mesh: {slab: {size: %s, spacing: %.17g mm}}\n"
             "tissue:\n"
             "  surface_to_volume: 1400 /cm\n"
             "  capacitance: 1 uF/cm^2\n"
             "  fibers: [0.8, 0.5, 0.33]\n"
             "  regions:\n"
             "    - {tags: all, model: tp06-epi, conductivity: {longitudinal: 0.133417722 S/m, "
             "transverse: 0.017606178 S/m}}\n"
             "stimuli:\n"
             "  - {name: S1, box: {min: [0 mm, 0 mm, 0 mm], max: [1.5 mm, 1.5 mm, 1.5 mm]}, duration: 2 ms, "
             "current: 50 uA/uF}\n"
             "time: {end: 60 ms, step: 0.02 ms}\n"
             "output: {directory: out/bench}\n",
             extent, spacing);
}

static enum status refine(struct bench_problem *p, struct error *error)
{
    struct mesh fine, *mesh = &p->problem.mesh;
    enum status status = mesh_fibers_to_elements(mesh, error);
    AND(mesh_refine(&fine, mesh, error));
    if (status)
        return status;
    int64_t children = fine.elements / mesh->elements;
    int32_t *region = malloc(((size_t)fine.elements + 1) * sizeof *region);
    if (!region) {
        mesh_free(&fine);
        return error_memory(error, "the regions", 4.0 * (double)fine.elements);
    }
    for (int64_t e = 0; e < fine.elements; e++)
        region[e] = p->problem.params.element_region[e / children];
    mesh_free(mesh);
    *mesh = fine;
    free(p->element_region);
    p->element_region = region;
    p->problem.params.element_region = region;
    return STATUS_OK;
}

enum status bench_problem_open(struct bench_problem *p, struct bench *bench, struct error *error)
{
    char text[1200];
    memset(p, 0, sizeof *p);
    own_config(text, sizeof text, bench);
    enum status status =
        bench->config
            ? config_read(&p->config, bench->config, bench->set, bench->sets, error)
            : config_parse(&p->config, "slab", "", text, strlen(text), bench->set, bench->sets, error);
    AND(user_model_load(p->config.models, bench->queue, config_way(&p->config), error));
    AND(problem_create(&p->problem, &p->config, NULL, error));
    for (int k = 0; k < bench->refine && !status; k++)
        status = refine(p, error);
    if (status)
        bench_problem_free(p);
    return status;
}

void bench_problem_free(struct bench_problem *p)
{
    problem_free(&p->problem);
    config_free(&p->config);
    free(p->element_region);
    memset(p, 0, sizeof *p);
}
