/* stops.c: find where and why waves stopped, and which re-entered. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/results.h"
#include "kernels/base/array.h"
#include "solver/matrix/tensor.h"

static const char what[] = "the results";

/* Whether the edge from node a to node b of element e, *edge mm long, is longer than twice *enough, so that the
 * relative error of the velocity is more than four times that on an edge of *enough mm */
static bool is_coarse(const struct results *results, int64_t e, int32_t a, int32_t b, double *edge,
                      double *enough)
{
    const struct problem *problem = results->problem;
    const struct monodomain_params *params = &problem->params;
    const struct tensors tensors = {&problem->mesh, params->region, params->element_region, params->fiber};
    const double *from = problem->mesh.point + 3 * (int64_t)a, *to = problem->mesh.point + 3 * (int64_t)b;
    double t[6], n[3];
    int32_t r = params->element_region[e];
    if (!results->cells->front || r < 0 || !tensor_of_element(&tensors, e, t))
        return false;
    *edge = mesh_distance(from, to);
    for (int x = 0; x < 3; x++)
        n[x] = (to[x] - from[x]) / *edge;
    double d = t[0] * n[0] * n[0] + t[3] * n[1] * n[1] + t[5] * n[2] * n[2] +
               2 * (t[1] * n[0] * n[1] + t[2] * n[0] * n[2] + t[4] * n[1] * n[2]);
    if (!(d > 0)) /* no conduction along it: not the cause */
        return false;
    *enough = sqrt(d) * front_enough(&results->cells->front[r]);
    return *edge > 2 * *enough;
}

/* Numbers of blocked edges of a wave: all; too long; to nodes next to passive ones. An edge counts once for each of
 * its elements. */
struct border {
    int64_t edges, coarse, sinks;
    double edge, enough; /* sums over the edges that are too long, mm */
};

static bool is_beside_passive(const struct results *results, int32_t node)
{
    const struct csr *neighbours = results->waves->neighbours;
    for (int64_t k = neighbours->start[node]; k < neighbours->start[node + 1]; k++)
        if (!sites_excitable(results->cells, neighbours->column[k]))
            return true;
    return false;
}

/* Whether a wave has a blocked edge from one of its activations of node a to node b */
static bool has_blocked_edge(const struct waves *waves, int32_t wave, int32_t a, int32_t b)
{
    bool blocked = false;
    for (int32_t k = waves->latest[a]; k >= 0; k = waves_before(waves, k, NULL))
        blocked |= (int32_t)waves->activation[k].wave == wave && waves_is_blocked(waves, k, b);
    return blocked;
}

/* The blocked edges of a wave; 0 if this rank does not have the elements */
static struct border find_border(const struct results *results, int32_t wave)
{
    const struct mesh *mesh = &results->problem->mesh;
    struct border border = {0};
    int corners = mesh->dimension + 1;
    for (int64_t e = 0; e < mesh->elements && mesh->vertex; e++)
        for (int k = 0; k < corners * corners; k++) {
            int32_t a = mesh->vertex[e * corners + k / corners], b = mesh->vertex[e * corners + k % corners];
            double edge, enough;
            if (a == b || !sites_excitable(results->cells, b) ||
                !has_blocked_edge(results->waves, wave, a, b))
                continue;
            border.edges++;
            border.sinks += is_beside_passive(results, b);
            if (is_coarse(results, e, a, b, &edge, &enough)) {
                border.coarse++;
                border.edge += edge;
                border.enough += enough;
            }
        }
    return border;
}

static void find_cause(struct results_stop *stop, const struct results *results,
                       const struct waves_blocked *blocked)
{
    const struct waves_rest *ahead = &blocked->ahead;
    if (2 * (ahead->up + ahead->early) > ahead->nodes) {
        stop->cause = RESULTS_AGAIN;
        return;
    }
    struct border border = find_border(results, stop->wave);
    stop->cause = border.edges == 0                  ? RESULTS_UNSEEN
                  : 2 * border.sinks > border.edges  ? RESULTS_BEHIND
                  : 2 * border.coarse > border.edges ? RESULTS_COARSE
                                                     : RESULTS_FAILED;
    if (stop->cause == RESULTS_COARSE) {
        stop->edge = border.edge / (double)border.coarse;
        stop->enough = border.enough / (double)border.coarse;
    }
}

/* Adds the stop of a wave that neither reached all nodes nor is still running. */
static void add_stop(struct results *results, int32_t w)
{
    const struct waves *waves = results->waves;
    const struct wave *wave = &waves->wave[w];
    struct waves_blocked blocked;
    int64_t reached = wave->activations - wave->again;
    if (reached >= results->excitable || waves_running(waves, w) || results->stops >= RESULTS_WAVES)
        return;
    waves_blocked_edges(&blocked, waves, w);
    if (blocked.last < 0)
        return;
    struct results_stop *stop = &results->stop[results->stops++];
    *stop = (struct results_stop){.wave = w,
                                  .reached = reached,
                                  .never = blocked.never,
                                  .time = waves->activation[blocked.last].time,
                                  .node = waves->activation[blocked.last].node,
                                  .rested = blocked.ahead.rested};
    find_cause(stop, results, &blocked);
}

static enum status add_return(struct results *results, int32_t w, struct error *error)
{
    const struct waves *waves = results->waves;
    const struct wave *wave = &waves->wave[w];
    if (wave->again == 0 || results->backs >= RESULTS_WAVES)
        return STATUS_OK;
    struct results_return *back = &results->back[results->backs++];
    *back = (struct results_return){.wave = w,
                                    .time = waves->activation[wave->returned].time,
                                    .node = waves->activation[wave->returned].node,
                                    .running = waves_running(waves, w)};
    return waves_cycle(&back->cycle, waves, w, -HUGE_VAL, error);
}

/* Adds a stop for nodes that no wave could reach, if no blocked edge leads to nodes that were never activated: at the
 * last activation next to passive nodes, else at the last activation of all. */
static void add_out_of_reach(struct results *results)
{
    const struct waves *waves = results->waves;
    int64_t never = 0;
    for (int k = 0; k < results->stops; k++)
        never += results->stop[k].never;
    if (results->activated == results->excitable || results->activated == 0 || never > 0 || results->running)
        return;
    struct results_stop *stop = &results->stop[results->stops];
    for (int64_t a = waves->activations - 1; a >= 0 && !stop->cause; a--)
        if (is_beside_passive(results, waves->activation[a].node)) {
            *stop = (struct results_stop){.cause = RESULTS_BEHIND,
                                          .time = waves->activation[a].time,
                                          .node = waves->activation[a].node};
        }
    if (!stop->cause)
        *stop = (struct results_stop){.cause = RESULTS_DISCONNECTED, .time = results->last, .node = -1};
    stop->wave = -1;
    stop->rested = NAN;
    results->stops++;
}

enum status results_find_waves(struct results *results, struct error *error)
{
    const struct waves *waves = results->waves;
    enum status status = STATUS_OK;
    results->stop = array_zeroed(RESULTS_WAVES + 1, sizeof *results->stop, what, &status, error);
    results->back = array_zeroed(RESULTS_WAVES, sizeof *results->back, what, &status, error);
    results->unknown_at = results->itself_at = NAN;
    for (int32_t w = 0; w < waves->waves && !status; w++) {
        if (waves->wave[w].owner == WAVES_UNKNOWN && results->unknown++ == 0)
            results->unknown_at = waves->wave[w].start;
        if (waves->wave[w].owner == WAVES_ITSELF && isnan(results->itself_at))
            results->itself_at = waves->wave[w].start;
        if (waves->wave[w].owner >= 0)
            add_stop(results, w);
        status = add_return(results, w, error);
    }
    TRY(status);
    if (waves->activations > 0)
        results->running = waves_running(waves, waves->activation[waves->activations - 1].wave);
    for (int64_t i = 0; i < waves->nodes; i++) {
        bool dropped = false;
        if (waves->latest[i] >= 0)
            waves_before(waves, waves->latest[i], &dropped);
        results->dropped += dropped;
    }
    add_out_of_reach(results);
    for (int k = 0; k < results->stops; k++)
        if (results->stop[k].node >= 0)
            memcpy(results->stop[k].position, results->point + 3 * results->stop[k].node, 3 * sizeof(double));
    for (int k = 0; k < results->backs; k++)
        memcpy(results->back[k].position, results->point + 3 * results->back[k].node, 3 * sizeof(double));
    return STATUS_OK;
}
