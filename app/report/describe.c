/* describe.c: describe meshes and the bounds of the method. */
#include "app/report/describe.h"

#include <math.h>

#include "app/config/keys.h"
#include "app/meshio/mesh_report.h"
#include "app/problem/problem.h"
#include "app/problem/torso.h"
#include "solver/matrix/clusters.h"
#include "solver/cells/stimulus.h"

static void describe_stimuli(FILE *file, const struct problem *problem, const struct config *config)
{
    for (int s = 0; s < problem->stimuli; s++) {
        const struct volume *volume = &problem->stimulus_volume[problem->stimulus_from[s]];
        const char *unit = volume_unit(problem->mesh.dimension);
        if (problem->stimulus[s].phase)
            continue;
        fprintf(file, "stimulus %s: %lld nodes, ", config->stimulus[problem->stimulus_from[s]].name,
                (long long)stimulus_nodes(&problem->stimulus[s]));
        if (!isnan(volume->asked))
            fprintf(file, "%.5g %s (shape: %.5g %s), ", volume->given, unit, volume->asked, unit);
        fprintf(file, "%g uA/uF\n", problem->stimulus[s].current);
    }
}

static int64_t region_elements(const struct problem *problem, int r)
{
    int64_t count = 0;
    for (int64_t e = 0; e < problem->mesh.elements; e++)
        count += problem->element_region[e] == r;
    return count;
}

static double memory_bytes(const struct forecast *forecast)
{
    return forecast->set_up > forecast->run ? forecast->set_up : forecast->run;
}

static void json_diffusion(struct json *json, const char *name, const double diffusion[3],
                           double per_diffusion)
{
    json_open(json, name, '[');
    for (int k = 0; k < 3; k++)
        json_number(json, NULL, diffusion[k] * per_diffusion);
    json_close(json);
}

/* Writes the conductivities in use, and those found for velocities, S/m along fibre, sheet and normal. */
static void json_conductivities(struct json *json, const struct problem *problem, const struct config *config,
                                int r)
{
    const struct velocity_goal *goal = &problem->goal[r];
    double per_diffusion =
        config_surface_to_volume(&config->tissue, &config->tissue.region[r]) * config->tissue.capacitance;
    json_diffusion(json, "conductivity", problem->region[r].diffusion, per_diffusion);
    if (!goal->given)
        return;
    json_text(json, "velocity_on", config_velocity_fine(&config->tissue.region[r]) ? "fine" : "mesh");
    json_diffusion(json, "conductivity_on_mesh", goal->mesh, per_diffusion);
    json_diffusion(json, "conductivity_on_fine", goal->fine, per_diffusion);
}

void describe_json(struct json *json, const struct problem *problem, const struct config *config,
                   const struct forecast *forecast)
{
    json_integer(json, "nodes", problem->mesh.nodes);
    json_integer(json, "elements", problem->mesh.elements);
    json_integer(json, "dimension", problem->mesh.dimension);
    json_open(json, "regions", '[');
    for (int r = 0; r < config->tissue.regions; r++) {
        json_open(json, NULL, '{');
        if (problem->region[r].resistor)
            json_number(json, "conductance", config->tissue.region[r].conductance);
        else
            json_text(json, "model", config->tissue.region[r].model->name);
        json_integer(json, "elements", region_elements(problem, r));
        json_conductivities(json, problem, config, r);
        json_close(json);
    }
    json_close(json);
    json_open(json, "stimuli", '[');
    for (int s = 0; s < problem->stimuli; s++) {
        if (problem->stimulus[s].phase)
            continue;
        json_open(json, NULL, '{');
        json_text(json, "name", config->stimulus[problem->stimulus_from[s]].name);
        json_integer(json, "nodes", stimulus_nodes(&problem->stimulus[s]));
        json_number(json, "volume", problem->stimulus_volume[problem->stimulus_from[s]].given);
        json_number(json, "shape_volume", problem->stimulus_volume[problem->stimulus_from[s]].asked);
        json_number(json, "current", problem->stimulus[s].current);
        json_close(json);
    }
    json_close(json);
    json_open(json, "probes", '[');
    for (int p = 0; p < config->output.probes; p++) {
        json_open(json, NULL, '{');
        json_text(json, "name", problem->probe[p].name);
        json_integer(json, "node", problem->probe[p].node);
        json_number(json, "distance", problem->probe[p].distance);
        json_close(json);
    }
    json_close(json);
    json_number(json, "memory_bytes", memory_bytes(forecast));
    json_number(json, "device_bytes", forecast->device);
    json_number(json, "disk_bytes", forecast_disk_bytes(problem, config));
}

/* Prints the conductivities, S/m, found for a region's velocities on this or on a fine mesh. */
static void describe_found(FILE *file, const char *mesh, const struct region *region,
                           const double diffusion[3], double per_diffusion, bool used)
{
    static const char *const names[] = {"longitudinal", "transverse", "normal"};
    int directions = velocity_directions(region);
    fprintf(file, "  velocity on %s mesh%s: ", mesh, used ? ", used" : "");
    if (isnan(diffusion[0]))
        fputs("no conductivity gives it", file);
    else if (directions == 1)
        fprintf(file, "conductivity: %.5g S/m", diffusion[0] * per_diffusion);
    for (int k = 0; k < directions && directions > 1 && !isnan(diffusion[0]); k++)
        fprintf(file, "%s%s: %.5g S/m%s", k ? ", " : "conductivity: {", names[k],
                diffusion[k] * per_diffusion, k == directions - 1 ? "}" : "");
    fputc('\n', file);
}

void describe_velocity(FILE *file, const struct problem *problem, const struct config *config, int r)
{
    const struct velocity_goal *goal = &problem->goal[r];
    double per_diffusion =
        config_surface_to_volume(&config->tissue, &config->tissue.region[r]) * config->tissue.capacitance;
    bool fine = config_velocity_fine(&config->tissue.region[r]);
    if (!goal->given)
        return;
    describe_found(file, "this", &problem->region[r], goal->mesh, per_diffusion, !fine);
    describe_found(file, "a fine", &problem->region[r], goal->fine, per_diffusion, fine);
    if (problem->region[r].fields > 0)
        fputs("  for cells with the region's uniform parameters: those given at nodes may change the "
              "velocity\n",
              file);
    if (velocity_fibers_turn(&problem->mesh, &problem->params, r))
        fputs("  for parallel fibres: where they turn, fronts across them are faster\n", file);
}

static void describe_regions(FILE *file, const struct problem *problem, const struct config *config)
{
    for (int r = 0; r < config->tissue.regions; r++) {
        const struct config_region *region = config->tissue.region + r;
        if (problem->region[r].resistor) {
            char text[40];
            fprintf(file, "region %d: %lld resistors of %s\n", r, (long long)region_elements(problem, r),
                    units_write(text, sizeof text, region->conductance, QUANTITY_CONDUCTANCE));
            continue;
        }
        fprintf(file, "region %d: %s, %lld elements", r, region->model->name,
                (long long)region_elements(problem, r));
        parameters_describe(file, problem, config, r);
        if (region->pace && !config->initial.file)
            fprintf(file, ", after %lld beat%s of %g ms%s%s", (long long)region->pace,
                    region->pace == 1 ? "" : "s", region->pace_period,
                    region->phase         ? ", at phase "
                    : region->phase_times ? ", at times of "
                                          : "",
                    region->phase         ? region->phase->text
                    : region->phase_times ? region->phase_times
                                          : "");
        fputc('\n', file);
        describe_velocity(file, problem, config, r);
    }
}

void describe_counts(FILE *file, const struct problem *problem, const struct config *config)
{
    char text[120];
    fprintf(file, "mesh: %lld nodes, %s\n", (long long)problem->mesh.nodes,
            mesh_elements_text(text, &problem->mesh));
    lines_describe(file, problem);
    describe_regions(file, problem, config);
    torso_describe(file, problem, config);
    describe_stimuli(file, problem, config);
}

enum status describe_mesh(FILE *file, const struct problem *problem, const struct config *config,
                          struct error *error)
{
    const double *fiber = config->tissue.fiber;
    char fibers[120] = "";
    if (config->tissue.fibers == FIBERS_UNIFORM)
        snprintf(fibers, sizeof fibers, "[%g, %g, %g] everywhere (tissue.fibers)", fiber[0], fiber[1],
                 fiber[2]);
    if (config->tissue.fibers == FIBERS_LDRB)
        snprintf(fibers, sizeof fibers,
                 "one per element, with sheet directions, by rule: ldrb (tissue.fibers)");
    enum status status =
        mesh_report(file, &problem->mesh, config->mesh.kind == MESH_KIND_FILE ? &problem->notes : NULL,
                    *fibers ? fibers : NULL, error);
    if (problem->filled_fibers)
        fprintf(file, "%-10s %lld were missing and are those of the nearest that has one\n", "fibres",
                (long long)problem->filled_fibers);
    lines_describe(file, problem);
    describe_regions(file, problem, config);
    torso_describe(file, problem, config);
    describe_stimuli(file, problem, config);
    for (int p = 0; p < config->output.probes; p++)
        fprintf(file, "probe %s: node %lld, %.3g mm away\n", problem->probe[p].name,
                (long long)problem->probe[p].node, problem->probe[p].distance);
    return status;
}

/* Prints the stages of rkl2, compared with the sweeps of the method in use. */
static void describe_stages(FILE *file, const struct monodomain_report *r)
{
    const struct scheme *scheme = &r->scheme;
    const struct scheme_length *of = scheme->length;
    double sweeps = report_sweeps(scheme->method, scheme->tolerance, of->low, of->high);
    if (of->stages == 0 || of->lumping < 1)
        return;
    fprintf(file, "rkl2 %s %d stages, the first by the product and %d by %s",
            scheme->method == METHOD_RKL2 ? "takes" : "would take", of->stages, of->stages - 1,
            of->stages > 2 ? "sweeps" : "a sweep");
    if (sweeps > 0)
        fprintf(file, "; %s takes at most %.0f sweeps from an error of 1 mV to the tolerance",
                config_word("solver.method", (int)scheme->method), sweeps);
    fprintf(file, "\n");
}

/* Prints the clusters of nodes solved as one unknown, and the strong edges outside clusters. */
static void describe_clusters(FILE *file, const struct monodomain_report *r)
{
    const struct cluster_counts *c = &r->clusters;
    if (c->clusters > 0)
        fprintf(file, "clusters: %lld of %lld nodes with edges too short for the step, the largest of %lld; ",
                (long long)c->clusters, (long long)c->nodes, (long long)c->largest);
    if (c->clusters > 0 && r->scheme.method == METHOD_RKL2)
        fprintf(file, "V within one lags by up to about %g ms (an estimate)\n",
                r->scheme.length[0].step * CLUSTERS_HELD);
    else if (c->clusters > 0)
        fprintf(file, "a sweep solves each exactly\n");
    if (c->refused > 0)
        fprintf(file,
                "clusters: %lld edges too short for the step are in no cluster, the strongest at (%g, %g, "
                "%g) mm: a chain or a region of them; `cardiac mesh repair IN OUT --collapse LENGTH` removes "
                "edges below "
                "LENGTH\n",
                (long long)c->refused, c->refused_at[0], c->refused_at[1], c->refused_at[2]);
    if (c->dropped > 0)
        fprintf(file,
                "clusters: %lld of nodes with edges too short for the step %s not used, since the equations "
                "are nearly singular; the first is at (%g, %g, %g) mm\n",
                (long long)c->dropped, c->dropped == 1 ? "is" : "are", c->dropped_at[0], c->dropped_at[1],
                c->dropped_at[2]);
}

/* Prints the sweeps or stages with and without the worst 1 % of the rows. */
static void describe_typical(FILE *file, const struct monodomain_report *r)
{
    const struct scheme *scheme = &r->scheme;
    const struct scheme_length *of = scheme->length;
    if (scheme->method == METHOD_RKL2)
        fprintf(file, "without the worst 1 %% of the rows: %d stages; with them %d\n", r->typical_stages,
                of->stages);
    else
        fprintf(file, "without the worst 1 %% of the rows: at most %.0f sweeps; with them %.0f\n",
                report_sweeps(scheme->method, scheme->tolerance, r->typical_low, r->typical_high),
                report_sweeps(scheme->method, scheme->tolerance, of->low, of->high));
    fprintf(file, "stiffest node: %lld, %.3g times as stiff as the median, its shortest edge %.3g mm\n",
            (long long)r->stiffest.node, r->stiffest.rate / r->stiffest.typical, r->stiffest.edge);
}

/* Prints the step lengths available, up to time.longest. */
static void describe_lengths(FILE *file, const struct monodomain_report *r, const struct config *config)
{
    const struct scheme *scheme = &r->scheme;
    const bool staged = scheme->method == METHOD_RKL2;
    if (config->physics.doublings == 0)
        return;
    fprintf(file, "steps of %g", scheme->length[0].step);
    for (int k = 1; k < scheme->lengths; k++)
        fprintf(file, "%s %g", k + 1 < scheme->lengths ? "," : " and", scheme->length[k].step);
    fprintf(file, " ms, as V changes");
    for (int k = 0; k < scheme->lengths && staged; k++)
        fprintf(file, "%s %d", k ? "," : "; their stages:", scheme->length[k].stages);
    if (scheme->lengths <= config->physics.doublings)
        fprintf(file, "; %s %g ms", staged ? "too many stages for" : "no bound for",
                scheme->length[scheme->lengths].step);
    fprintf(file, "\n");
}

void describe_compilations(FILE *file, const struct config *config)
{
    for (const struct user_model *user = config->models; user; user = user->next)
        if (user->source.seconds > 3)
            fprintf(file, "model %s: compiled in %.1f s; the next start loads it from the cache\n",
                    user->model.name, user->source.seconds);
}

/* Qualifies a number of sweeps: the forecast assumes fronts as steep as tp06's (docs/theory/numerics.md, section 4) */
static const char crossing[] = "while a steep front crosses";

/* Prints the work that the method not chosen by `auto` would need. */
static void describe_other(FILE *file, const struct monodomain_report *r, const struct config *config)
{
    const struct scheme *scheme = &r->scheme;
    const struct scheme_length *of = scheme->length;
    const bool staged = scheme->method == METHOD_RKL2, may = scheme_may(&config->physics, METHOD_RKL2);
    const double own = staged ? r->passes_of_stages : r->passes_of_sweeps,
                 other = staged ? r->passes_of_sweeps : r->passes_of_stages;
    if (staged && isfinite(other))
        fprintf(file, "; %s would take about %.1f sweeps %s", config_word("solver.method", (int)r->sweeping),
                r->sweeps, crossing);
    else if (staged || (scheme->method == METHOD_CHEBYSHEV && !(of->high < 2)))
        fprintf(file, "; jacobi may diverge, since the spectrum ends at %.4f", of->high);
    else if (scheme->method == METHOD_CHEBYSHEV)
        fprintf(file, "; jacobi would take about %.1f sweeps", report_forecast(r, METHOD_JACOBI));
    if (!staged && may && isfinite(other))
        fprintf(file, "; rkl2 would take %d stages", of->stages);
    if (may && isfinite(own) && isfinite(other))
        fprintf(file, ": %.1f passes over the matrix in %g ms instead of %.1f", own, of->step, other);
}

void describe_method(FILE *file, const struct monodomain_report *r, const struct config *config)
{
    const enum method method = r->scheme.method;
    const double forecast = report_forecast(r, method);
    fprintf(file, "method: %s", config_word("solver.method", (int)method));
    if (method == METHOD_RKL2)
        fprintf(file, ", %d stages a step", r->scheme.length[0].stages);
    else if (isfinite(forecast))
        fprintf(file, ", about %.1f sweeps a step %s, 2 where none does", forecast, crossing);
    if (config->physics.method == METHOD_AUTO)
        describe_other(file, r, config);
    fprintf(file, "\n");
    describe_clusters(file, r);
    describe_stages(file, r);
    describe_lengths(file, r, config);
}

/* Sweeps or stages of a step; infinite if the method is not stable at this step */
static double work_of(enum method method, const struct monodomain_report *r)
{
    const struct scheme_length *of = r->scheme.length;
    if (method != METHOD_RKL2)
        return report_forecast(r, method);
    return of->stages > 0 && of->lumping == 1 ? (double)of->stages : (double)INFINITY;
}

void describe_slow_method(char *text, size_t size, const struct monodomain_report *r,
                          const struct config *config)
{
    static const enum method methods[] = {METHOD_JACOBI, METHOD_CHEBYSHEV, METHOD_RKL2};
    const enum method named = config->physics.method;
    enum method least = METHOD_RKL2;
    text[0] = 0;
    if (named == METHOD_AUTO)
        return;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        least = work_of(methods[k], r) < work_of(least, r) ? methods[k] : least;
    const double own = work_of(named, r), other = work_of(least, r);
    if (isfinite(own) && own >= 3 * other)
        snprintf(text, size, "solver.method: %s takes about %.1f %s a step, %.1f times the %.1f %s of %s",
                 config_word("solver.method", (int)named), own, named == METHOD_RKL2 ? "stages" : "sweeps",
                 own / other, other, least == METHOD_RKL2 ? "stages" : "sweeps",
                 config_word("solver.method", (int)least));
}

/* Prints the explicit step limit of a mixed mesh by dimension of the elements. */
static void describe_dimensions(FILE *file, const struct monodomain_report *r)
{
    int found = 0;
    for (int d = 0; d < 4; d++)
        found += isfinite(r->limit_of[d]);
    if (found < 2)
        return;
    fprintf(file, "explicit steps of elements by themselves:");
    for (int d = 1, shown = 0; d < 4; d++)
        if (isfinite(r->limit_of[d]))
            fprintf(file, "%s %s %.4g ms", shown++ ? "," : "", mesh_elements_name(d), r->limit_of[d]);
    if (isfinite(r->limit_of[0]))
        fprintf(file, ", resistors %.4g ms, the stiffest element %lld", r->limit_of[0],
                (long long)r->stiffest_resistor);
    fputc('\n', file);
}

void describe_report(FILE *file, const struct monodomain_report *r)
{
    const struct scheme_length *of = r->scheme.length;
    fprintf(file, "spectrum of D^-1 A: within [%.4f, %.4f] (elements [%.4f, %.4f], rows [%.4f, %.4f])\n",
            of->low, of->high, r->element_low, r->element_high, r->row_low, r->row_high);
    fprintf(file, "explicit steps would be stable up to %.4g ms; the step is %g ms\n", r->explicit_limit,
            of->step);
    describe_typical(file, r);
    describe_dimensions(file, r);
    fprintf(file, "error of V per residual: %s %.4g\n", r->beta_is_bound ? "at most" : "estimated at",
            of->beta);
    fprintf(file,
            "matrix: %lld off-diagonal entries, %.1f %% padding, %.1f %% of the slices with 32-bit "
            "columns, "
            "%.1f %% of the rows read in fp32, update %s\n",
            (long long)r->entries, 100 * (r->padding - 1), 100 * r->index32_share, 100 * r->scheme.fp32_share,
            r->scheme.update == UPDATE_FUSED ? "fused" : "hybrid");
    if (r->whole32_share > 0)
        fprintf(file, "budget: K V of %.1f %% of the slices formed from entries in 32 bits\n",
                100 * r->whole32_share);
}

/* Prints how GPUs exchange data, and the measured costs. */
static void describe_ways(FILE *file, const struct monodomain_report *report)
{
    const struct halo_cost *nccl = &report->by_nccl, *stores = &report->by_stores;
    if (nccl->alone > 0)
        fprintf(file, "exchange: by %s; NCCL takes %.3g us, %.3g with the maximum of a test in it",
                report->uses_stores ? "stores into the other GPUs' memory" : "NCCL", nccl->alone,
                nccl->tested);
    if (stores->alone > 0)
        fprintf(file, ", stores %.3g and %.3g", stores->alone, stores->tested);
    if (nccl->alone > 0)
        fprintf(file, stores->alone > 0 ? "\n" : "; these GPUs do not reach each other's memory\n");
}

void describe_ranks(FILE *file, const struct monodomain_report *report)
{
    if (report->ranks > 1)
        fprintf(
            file,
            "nodes of a rank: %lld to %lld; to others it sends %lld values at most an exchange, %.3g kB\n",
            (long long)report->nodes_least, (long long)report->nodes_most, (long long)report->border_most,
            8e-3 * (double)report->border_most);
    describe_ways(file, report);
}

void describe_set_up(FILE *file, const struct monodomain_report *r)
{
    fprintf(file, "set-up: assembly %.3f s, ordering %.3f s, packing %.3f s\n", r->assembly_seconds,
            r->ordering_seconds, r->packing_seconds);
}

void describe_forecast(FILE *file, const struct forecast *forecast, int64_t nodes)
{
    double peak = memory_bytes(forecast);
    fprintf(file, "memory: at most about %.1f MB (%.0f bytes a node), %.1f MB of it on the device",
            peak / 1e6, peak / (double)nodes, forecast->device / 1e6);
    if (forecast->others > 0)
        fprintf(file, "; of each rank but the first %.1f MB", forecast->others / 1e6);
    fputc('\n', file);
}
