/* activation.c: how much of each region was activated, how fast and for how long, and where a front stopped.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/config.h"
#include "app/report/results.h"
#include "kernels/base/array.h"
#include "solver/cells/beats.h"
#include "solver/cells/stimulus.h"
#include "solver/matrix/tensor.h"

static const char what[] = "the results";
/* On larger meshes velocities are measured only on request: that takes seconds */
enum { ELEMENTS_CHEAP = 4000000 };
enum { ELEMENTS_ENOUGH = 20 };   /* for a median */
enum { NODES_SORTED = 1000000 }; /* of so many at most, evenly chosen, are quartiles taken */

void results_find_activation(struct results *results)
{
    int64_t beats = results->config->physics.activation_beats;
    results->activated = results->excitable = 0;
    results->first = INFINITY;
    results->last = -INFINITY;
    for (int64_t i = 0; i < results->problem->mesh.nodes; i++) {
        double at = results->map[i * beats];
        if (!sites_excitable(results->cells, i))
            continue;
        results->excitable++;
        if (isnan(at))
            continue;
        results->activated++;
        results->first = fmin(results->first, at);
        results->last = fmax(results->last, at);
    }
}

double results_second_beat(const struct results *results)
{
    const struct problem *problem = results->problem;
    int64_t beats = results->config->physics.activation_beats, points = results->sites->points;
    double second = HUGE_VAL;
    for (int64_t i = 0; i < problem->mesh.nodes && beats > 1; i++)
        second = fmin(second, results->map[i * beats + 1]);
    for (int64_t p = 0; p < points && results->followed; p++)
        second = fmin(second, beats_at_points(&results->config->physics, results->sites->times,
                                              results->followed, points)
                                  .time[points + p]);
    for (int s = 0; s < problem->stimuli; s++) {
        const struct stimulus *stimulus = &problem->stimulus[s];
        int64_t k = 0;
        while (stimulus_start(stimulus, k) <= results->last && (stimulus->count == 0 || k < stimulus->count))
            k++;
        if (stimulus->count == 0 || k < stimulus->count)
            second = fmin(second, stimulus_start(stimulus, k));
    }
    return second;
}

/* Activation of a node in that beat, NaN = none or passive */
static double time_of(const struct results *results, int64_t node, int64_t beat)
{
    return sites_excitable(results->cells, node)
               ? results->map[node * results->config->physics.activation_beats + beat]
               : (double)NAN;
}

static enum status count_regions(struct results *results, struct error *error)
{
    int64_t beats = results->config->physics.activation_beats, nodes = results->problem->mesh.nodes;
    enum status status = STATUS_OK;
    results->region =
        array_zeroed(results->config->tissue.regions, sizeof *results->region, what, &status, error);
    results->regions = status ? 0 : results->config->tissue.regions;
    for (int r = 0; r < results->regions; r++) {
        struct results_region *region = &results->region[r];
        double asked[3];
        for (int k = 0; k < VELOCITY_DIRECTIONS; k++) {
            region->velocity[k] = (struct velocity_spread){0, NAN, NAN, NAN};
            region->asked[k] = NAN;
        }
        if (config_velocity(asked, &results->config->tissue.region[r]))
            memcpy(region->asked, asked, sizeof region->asked); /* along the fibres and across them */
        region->excitable = !results->cells->upstroke || results->cells->upstroke[r].speed > 0;
        region->activated = array_zeroed(beats, sizeof *region->activated, what, &status, error);
    }
    for (int64_t i = 0; i < nodes && !status; i++) {
        int32_t r = results->cells->region[i];
        if (r >= results->regions)
            continue;
        results->region[r].nodes++;
        for (int64_t b = 0; b < beats; b++)
            results->region[r].activated[b] += !isnan(time_of(results, i, b));
    }
    return status;
}

/* Of a beat of the whole tissue */
struct beat {
    int64_t number, activated;
    double last; /* ms */
};

/* The last beat that some excitable node had and others had not; number -1 = none */
static struct beat find_partial(const struct results *results)
{
    struct beat partial = {-1, 0, -HUGE_VAL};
    for (int64_t b = 0; b < results->config->physics.activation_beats; b++) {
        struct beat beat = {b, 0, -HUGE_VAL};
        for (int64_t i = 0; i < results->problem->mesh.nodes; i++) {
            double at = time_of(results, i, b);
            beat.activated += !isnan(at);
            beat.last = isnan(at) ? beat.last : fmax(beat.last, at);
        }
        if (beat.activated == 0)
            break;
        if (beat.activated < results->excitable)
            partial = beat;
    }
    return partial;
}

/* The edge from node a to node b of element e: the part of its speed that a front loses on it, about */
static double lost_on_edge(const struct results *results, int64_t e, int32_t a, int32_t b, double *edge,
                           double *enough)
{
    const struct problem *problem = results->problem;
    const struct monodomain_params *params = &problem->params;
    const struct tensors tensors = {&problem->mesh, params->region, params->element_region, params->fiber};
    const double *from = problem->mesh.point + 3 * (int64_t)a, *to = problem->mesh.point + 3 * (int64_t)b;
    double t[6], n[3];
    int32_t r = params->element_region[e];
    if (!results->cells->upstroke || r < 0 || !tensor_of_element(&tensors, e, t))
        return 0;
    const struct upstroke *upstroke = &results->cells->upstroke[r];
    *edge = mesh_distance(from, to);
    for (int x = 0; x < 3; x++)
        n[x] = (to[x] - from[x]) / *edge;
    double d = t[0] * n[0] * n[0] + t[3] * n[1] * n[1] + t[5] * n[2] * n[2] +
               2 * (t[1] * n[0] * n[1] + t[2] * n[0] * n[2] + t[4] * n[1] * n[2]);
    if (!(d > 0)) /* no tissue to conduct: its edges are not the cause */
        return 0;
    double unit = sqrt(d) / upstroke->speed; /* D / c, mm */
    *enough = unit * upstroke_enough(upstroke, 0.05, params->mass_lumping);
    return upstroke_lost(upstroke, *edge / unit, params->mass_lumping);
}

/* Of the edges over which a front did not go */
struct border {
    uint8_t *sink;                       /* [nodes] whether a neighbour is passive */
    int64_t edges, coarse, again, sinks; /* too long; towards nodes that had an earlier beat; towards sinks */
    double time, passive_time;           /* ms: the last activation at one, and next to a passive node */
    int64_t node, passive_node;
    double edge, enough; /* sums over the coarse ones, mm */
};

static void add_edge(struct border *border, const struct results *results, int64_t e, int32_t a, int32_t b,
                     int64_t beat)
{
    double at = time_of(results, a, beat), edge, enough;
    if (isnan(at))
        return;
    if (!sites_excitable(results->cells, b)) {
        if (at > border->passive_time) {
            border->passive_time = at;
            border->passive_node = a;
        }
        return;
    }
    if (!isnan(time_of(results, b, beat)))
        return;
    border->edges++;
    border->sinks += border->sink[b];
    border->again += beat > 0 && !isnan(time_of(results, b, beat - 1));
    if (lost_on_edge(results, e, a, b, &edge, &enough) > 0.2) {
        border->coarse++;
        border->edge += edge;
        border->enough += enough;
    }
    if (at > border->time) {
        border->time = at;
        border->node = a;
    }
}

static void mark_sinks(uint8_t *sink, const struct results *results)
{
    const struct mesh *mesh = &results->problem->mesh;
    int corners = mesh->dimension + 1;
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * corners;
        bool passive = false;
        for (int c = 0; c < corners; c++)
            passive |= !sites_excitable(results->cells, vertex[c]);
        for (int c = 0; c < corners && passive; c++)
            sink[vertex[c]] = 1;
    }
}

static enum status find_border(struct border *to, const struct results *results, int64_t beat,
                               struct error *error)
{
    const struct mesh *mesh = &results->problem->mesh;
    struct border border = {.time = -HUGE_VAL, .passive_time = -HUGE_VAL};
    int corners = mesh->dimension + 1;
    enum status status = STATUS_OK;
    border.sink = array_zeroed(mesh->nodes, sizeof *border.sink, what, &status, error);
    TRY(status);
    if (results->excitable < mesh->nodes)
        mark_sinks(border.sink, results);
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * corners;
        int came = 0;
        for (int a = 0; a < corners; a++)
            came += !isnan(time_of(results, vertex[a], beat));
        for (int k = 0; k < corners * corners && came > 0 && came < corners; k++)
            add_edge(&border, results, e, vertex[k / corners], vertex[k % corners], beat);
    }
    free(border.sink);
    *to = border;
    return STATUS_OK;
}

static int64_t last_node(const struct results *results, const struct beat *beat)
{
    for (int64_t i = 0; i < results->problem->mesh.nodes; i++)
        if (time_of(results, i, beat->number) == beat->last)
            return i;
    return 0;
}

bool results_is_running(double last, double end)
{
    static const double running = 5; /* ms */
    return last > end - running;
}

static enum status find_stop(struct results *results, struct error *error)
{
    struct results_stop *stop = &results->stop;
    struct beat beat = find_partial(results);
    *stop = (struct results_stop){.cause = RESULTS_NO_STOP};
    if (beat.number < 0)
        return STATUS_OK;
    *stop = (struct results_stop){.beat = beat.number + 1,
                                  .left = results->excitable - beat.activated,
                                  .time = beat.last,
                                  .node = last_node(results, &beat)};
    if (results_is_running(beat.last, results->time))
        stop->cause = RESULTS_RUNNING;
    else if (!results->problem->mesh.vertex)
        stop->cause = RESULTS_UNSEEN;
    if (stop->cause)
        return STATUS_OK;
    struct border border;
    TRY(find_border(&border, results, beat.number, error));
    if (border.edges > 0) {
        stop->time = border.time;
        stop->node = border.node;
        stop->cause = 2 * border.sinks > border.edges    ? RESULTS_BEHIND
                      : 2 * border.again > border.edges  ? RESULTS_AGAIN
                      : 2 * border.coarse > border.edges ? RESULTS_COARSE
                                                         : RESULTS_FAILED;
    } else if (border.passive_time > -HUGE_VAL) {
        stop->time = border.passive_time;
        stop->node = border.passive_node;
        stop->cause = RESULTS_BEHIND;
    } else
        stop->cause = RESULTS_DISCONNECTED;
    if (stop->cause == RESULTS_COARSE) {
        stop->edge = border.edge / (double)border.coarse;
        stop->enough = border.enough / (double)border.coarse;
    }
    return STATUS_OK;
}

static bool measures_velocity(const struct results *results)
{
    const struct config *config = results->config;
    const struct mesh *mesh = &results->problem->mesh;
    bool asked = maps_ask(config->output.map, config->output.maps, MAPS_CONDUCTION_VELOCITY);
    for (int r = 0; r < results->regions; r++)
        asked |= !isnan(results->region[r].asked[0]);
    return results->activated > 1 && mesh->vertex && (asked || mesh->elements <= ELEMENTS_CHEAP);
}

/* Of the first beat, where no stimulus made it: stimulated nodes rise at once */
static enum status find_velocities(struct results *results, struct error *error)
{
    const struct problem *problem = results->problem;
    const struct monodomain_params *params = &problem->params;
    const struct tensors tensors = {&problem->mesh, params->region, params->element_region, params->fiber};
    enum status status = STATUS_OK;
    struct velocity_spread(*spread)[VELOCITY_DIRECTIONS] =
        array_zeroed(results->regions, sizeof *spread, what, &status, error);
    double *time = array_new(problem->mesh.nodes, sizeof *time, what, &status, error);
    for (int64_t i = 0; i < problem->mesh.nodes && !status; i++)
        time[i] = time_of(results, i, 0);
    for (int s = 0; s < problem->stimuli && !status; s++)
        for (int64_t k = 0; k < problem->stimulus[s].nodes; k++)
            time[problem->stimulus[s].node[k]] = NAN;
    if (!status)
        status = velocity_spreads(spread, &tensors, results->regions, time, 1, error);
    for (int r = 0; r < results->regions && !status; r++)
        for (int k = 0; k < VELOCITY_DIRECTIONS && results->region[r].excitable; k++)
            if (spread[r][k].elements >= ELEMENTS_ENOUGH)
                results->region[r].velocity[k] = spread[r][k];
    free(spread);
    free(time);
    return status;
}

enum status results_find_regions(struct results *results, struct error *error)
{
    TRY(count_regions(results, error));
    TRY(find_stop(results, error));
    return measures_velocity(results) ? find_velocities(results, error) : STATUS_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts value[count]. */
static struct results_quartiles quartiles(double *value, int64_t count)
{
    qsort(value, (size_t)count, sizeof *value, compare_numbers);
    if (count == 0)
        return (struct results_quartiles){0, NAN, NAN, NAN};
    return (struct results_quartiles){count, value[(count - 1) / 4], value[(count - 1) / 2],
                                      value[3 * (count - 1) / 4]};
}

/* APD90 of a beat in a region: those of all nodes, or of the points -> value[]; returns how many */
static int64_t gather_apd(double *value, const struct results *results, const double *apd90, int r,
                          int64_t beat)
{
    const struct sites *sites = results->sites;
    int64_t nodes = apd90 ? results->problem->mesh.nodes : sites->points, count = 0;
    int64_t beats = results->config->physics.activation_beats;
    int64_t every = apd90 ? 1 + nodes / NODES_SORTED : 1;
    for (int64_t k = 0; k < nodes; k += every) {
        double apd;
        if (results->cells->region[apd90 ? k : sites->node[k]] != r)
            continue;
        if (apd90)
            apd = apd90[k * beats + beat];
        else {
            const struct observer o =
                beats_at_points(&results->config->physics, sites->times, results->followed, sites->points);
            apd = o.repolarized[0][beat * sites->points + k] - o.time[beat * sites->points + k];
        }
        if (!isnan(apd))
            value[count++] = apd;
    }
    return count;
}

enum status results_find_apd(struct results *results, const double *apd90, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t most = apd90 ? results->problem->mesh.nodes : results->sites->points;
    double *value = array_new(most, sizeof *value, what, &status, error);
    results->apd_everywhere = apd90;
    results->apd_beats = apd90 ? results->config->physics.activation_beats : results->sites->times - 1;
    for (int r = 0; r < results->regions && !status; r++) {
        struct results_region *region = &results->region[r];
        region->apd90 = array_zeroed(results->apd_beats, sizeof *region->apd90, what, &status, error);
        for (int64_t b = 0; b < results->apd_beats && !status; b++)
            region->apd90[b] =
                quartiles(value, region->excitable ? gather_apd(value, results, apd90, r, b) : 0);
    }
    free(value);
    return status;
}

void results_find_peak(struct results *results)
{
    const struct sites *sites = results->sites;
    const struct observer o =
        beats_at_points(&results->config->physics, sites->times, results->followed, sites->points);
    for (int64_t k = 0; k < (sites->times - 1) * sites->points; k++) {
        double value = o.peak.value[k];
        if (value > results->peak.value || (isnan(results->peak.value) && !isnan(value)))
            results->peak = (struct results_peak){
                .value = value, .time = o.time[k], .node = sites->node[k % sites->points]};
    }
}
