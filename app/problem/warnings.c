/* warnings.c: warn about settings that, on this mesh, are probably unintended or have no effect. */
#include <math.h>

#include "app/meshio/mesh_report.h"
#include "app/problem/problem.h"
#include "app/problem/torso.h"

static void warn_fibers(FILE *file, const struct problem *problem)
{
    if (problem->fibers_across > 0)
        fprintf(
            file,
            "tissue.fibers: in %lld of %lld %s the fibre is perpendicular to the element and is ignored\n",
            (long long)problem->fibers_across, (long long)problem->mesh.elements,
            mesh_elements_name(problem->mesh.dimension));
}

/* Warns if a mesh file is too large for a heart, and suggests a scale. A mesh that is too small is compared with fronts
 * (velocity_describe). */
static void warn_size(FILE *file, const struct problem *problem, const struct config *config)
{
    static const char *const unit[] = {"mm", "um", "cm", "m"};
    static const double length[] = {1, 1e-3, 10, 1e3}; /* mm */
    const double high = 1000, across = environment_diagonal(&problem->mesh);
    int k = 0;
    if (config->mesh.kind != MESH_KIND_FILE || across <= high)
        return;
    fprintf(file, "mesh.scale: the mesh is %g mm across; hearts and their parts measure up to %g mm", across,
            high);
    while (k < 4 &&
           !(across / config->mesh.scale * length[k] >= 1 && across / config->mesh.scale * length[k] <= 300))
        k++;
    if (k < 4)
        fprintf(file, "; did you mean scale: 1 %s?", unit[k]);
    fputc('\n', file);
}

/* Warns if a stimulus covers no volume, or if the stimulated volume differs from that of its shape. */
static void warn_volume(FILE *file, const struct problem *problem, const struct config *config, int s)
{
    const double tolerated = 0.05;
    const struct volume *volume = &problem->stimulus_volume[s];
    const char *name = config->stimulus[s].name;
    if (volume->asked == 0)
        fprintf(file,
                "stimuli[%d]: %s covers no volume of the mesh; the nodes on it are stimulated as those of a "
                "surface\n",
                s, name);
    else if (fabs(volume->given - volume->asked) > tolerated * volume->asked)
        fprintf(file,
                "stimuli[%d]: %s covers %.3g %s of the mesh, and %.3g are stimulated: its shape is too small "
                "for the elements there\n",
                s, name, volume->asked, volume_unit(problem->mesh.dimension), volume->given);
}

/* Warns if delays or waveforms from files are probably not in ms. */
static void warn_times(FILE *file, const struct problem *problem, const struct config *config)
{
    for (int k = 0; k < problem->stimuli; k++) {
        const struct stimulus *train = &problem->stimulus[k];
        const int s = problem->stimulus_from[k];
        double latest = 0;
        if (train->phase) /* shares the files of the previous train */
            continue;
        for (int64_t i = 0; i < train->nodes && train->delay; i++)
            latest = fmax(latest, train->delay[i]);
        config_doubt(file, config_key("stimuli[%d].delays", s).text, latest);
        if (config->stimulus[s].pulse)
            config_doubt(file, config_key("stimuli[%d].pulse", s).text, train->duration);
    }
}

static void warn_region(FILE *file, const struct problem *problem, int r)
{
    bool any = false;
    for (int64_t e = 0; e < problem->mesh.elements && !any; e++)
        any = problem->element_region[e] == r;
    for (int64_t i = 0; i < problem->mesh.nodes && problem->node_region && !any; i++)
        any = problem->node_region[i] == r;
    if (!any)
        fprintf(file, "tissue.regions[%d]: the regions before it leave nothing for it\n", r);
}

/* Warns about body-surface electrodes inside the tissue's bounding box. */
static void warn_electrodes(FILE *file, const struct problem *problem, const struct config *config)
{
    double low[3], high[3];
    mesh_box(low, high, &problem->mesh);
    for (int e = 0; e < config->ecg.positions; e++) {
        const double *at = config->ecg.electrode[e].point;
        bool inside = config_standard_electrode(config->ecg.electrode[e].name) != NULL;
        for (int d = 0; d < 3; d++)
            inside = inside && at[d] >= low[d] && at[d] <= high[d];
        if (inside)
            fprintf(file,
                    "ecg.electrodes.%s: (%g, %g, %g) mm is inside the bounds of the tissue, where no "
                    "electrode of the "
                    "body surface is; in cm it is written %g cm\n",
                    config->ecg.electrode[e].name, at[0], at[1], at[2], at[0]);
    }
}

static void warn_lines(FILE *file, const struct problem *problem)
{
    if (problem->notes.lines[0])
        fprintf(file,
                "mesh: lines along edges of tetrahedra are left out: %s; they become tissue by a region with "
                "their "
                "tag and `radius` or `conductance`\n",
                problem->notes.lines);
}

void problem_warnings(FILE *file, const struct problem *problem, const struct config *config)
{
    torso_warning(file, problem, config);
    warn_fibers(file, problem);
    warn_size(file, problem, config);
    warn_lines(file, problem);
    for (int s = 0; s < config->stimuli; s++)
        warn_volume(file, problem, config, s);
    for (int r = 0; r < config->tissue.regions; r++) {
        warn_region(file, problem, r);
        paced_warning(file, problem, config, r);
    }
    warn_times(file, problem, config);
    warn_electrodes(file, problem, config);
    lines_warning(file, problem);
}
