/* test_sites.c: the nodes by which a run reports captures, of random trains and cells on a sheet: which they are by their definition, all
 * of them where there are few, and evenly chosen where there are many. */
#include "app/problem/sites.h"

#include <stdlib.h>
#include <string.h>

#include "app/config/config.h"
#include "tests/support/mesh_sample.h"

enum { TRAINS = 3, REGIONS = 3, PROBES = 2, DRAWS = 60 };

static uint64_t drawn;

static double draw(void)
{
    return bits_random(++drawn);
}

/* list[count] is chosen from those nodes for which is[node], ascending: all, or `most` whose distances in it differ by a factor of 2 at most */
static void check_list(const int32_t *list, int64_t count, const bool *is, int64_t nodes, int64_t most,
                       const char *what)
{
    int64_t all = 0, at = 0, last = 0, least = nodes, greatest = 0;
    for (int64_t i = 0; i < nodes; i++) {
        if (!is[i])
            continue;
        if (at < count && list[at] == i) {
            CHECK(at > 0 || all == 0, "%s: node %lld is not the first", what, (long long)i);
            if (at > 0) {
                least = all - last < least ? all - last : least;
                greatest = all - last > greatest ? all - last : greatest;
            }
            last = all;
            at++;
        }
        all++;
    }
    CHECK(at == count, "%s: node %d is none of them", what, list[at]);
    CHECK(count == (all < most ? all : most), "%s: %lld of %lld nodes", what, (long long)count,
          (long long)all);
    CHECK(greatest <= 2 * least || count < 2, "%s: every %lld to %lld", what, (long long)least,
          (long long)greatest);
}

static void test_draw(int edges)
{
    struct mesh mesh = mesh_sample_straight(2, (const int[]){edges, 30, 1});
    const int64_t n = mesh.nodes;
    int32_t *region = calloc((size_t)n, sizeof *region), *node[TRAINS];
    double *weight[TRAINS];
    bool *is[TRAINS][2], *excitable = calloc((size_t)n, 1), *in = calloc((size_t)n, 1);
    const struct front_speed front[REGIONS] = {{.rest = 1}, {.rest = 0}, {.rest = 0.5}};
    const struct sites_cells cells = {region, REGIONS, front};
    struct stimulus stimulus[TRAINS] = {{0}};
    struct probe probe[PROBES] = {{.node = 5}, {.node = n - 1}};
    struct config_stimulus stimuli[TRAINS] = {{.count = 1}, {.count = 1}, {.count = 1}};
    struct problem problem = {.mesh = mesh, .stimulus = stimulus, .stimuli = TRAINS, .probe = probe};
    struct config config = {.stimulus = stimuli,
                            .stimuli = TRAINS,
                            .output.probes = PROBES,
                            .physics.activation_beats = 2 + 100 * (edges % 2),
                            .tissue.regions = REGIONS};
    struct sites sites;
    struct error error = {0};
    for (int64_t i = 0; i < n; i++) {
        region[i] = (int32_t)(draw() * (REGIONS + 1)); /* the last: in no element */
        excitable[i] = region[i] == 0 || region[i] == 2;
    }
    for (int s = 0; s < TRAINS; s++) {
        const double share = 0.5 * draw() * draw();
        node[s] = calloc((size_t)n, sizeof *node[s]);
        weight[s] = calloc((size_t)n, sizeof *weight[s]);
        stimulus[s] = (struct stimulus){.node = node[s], .weight = weight[s], .phase = s == 1};
        for (int k = 0; k < 2; k++)
            is[s][k] = calloc((size_t)n, 1);
        for (int32_t i = s; i < n; i++)
            if (draw() < share || i == s) {
                node[s][stimulus[s].nodes] = i;
                weight[s][stimulus[s].nodes++] = i == s ? 1 : draw() + 1e-3;
                is[s][0][i] = weight[s][stimulus[s].nodes - 1] >= 0.5;
            }
        for (int64_t e = 0; e < mesh.elements; e++)
            for (int a = 0; a < 9; a++) {
                const int32_t of = mesh.vertex[3 * e + a / 3], beside = mesh.vertex[3 * e + a % 3];
                is[s][1][beside] |= is[s][0][of] && !is[s][0][beside];
            }
        for (int64_t i = 0; i < n; i++)
            for (int k = 0; k < 2; k++)
                is[s][k][i] = is[s][k][i] && excitable[i];
    }
    CHECK_OK(sites_find(&sites, &problem, &config, &cells, &error), error);
    CHECK(sites.trains == TRAINS && sites.times == (edges % 2 ? 103 : SITES_TIMES), "%d trains, %lld times",
          sites.trains, (long long)sites.times);
    CHECK(sites.node[0] == 5 && sites.node[1] == n - 1, "probes at %lld and %lld", (long long)sites.node[0],
          (long long)sites.node[1]);
    int64_t at = PROBES;
    for (int s = 0; s < TRAINS; s++) {
        const struct sites_train *train = &sites.train[s];
        if (s == 1) { /* continues the train before it */
            CHECK(!train->own && !train->next && train->owns + train->nexts == 0, "a list of a phase");
            continue;
        }
        check_list(train->own, train->owns, is[s][0], n, SITES_OF_TRAIN, "stimulated");
        check_list(train->next, train->nexts, is[s][1], n, SITES_OF_TRAIN, "beside");
        for (int64_t k = 0; k < train->owns; k++)
            CHECK(sites.node[at++] == train->own[k], "point %lld", (long long)at);
        for (int64_t k = 0; k < train->nexts; k++)
            CHECK(sites.node[at++] == train->next[k], "point %lld", (long long)at);
    }
    for (int r = 0; r < REGIONS; r += 2) {
        int32_t list[SITES_OF_REGION];
        int64_t count = 0;
        for (; at < sites.points && count < SITES_OF_REGION && region[sites.node[at]] == r; at++)
            list[count++] = (int32_t)sites.node[at];
        for (int64_t i = 0; i < n; i++)
            in[i] = region[i] == r;
        check_list(list, count, in, n, SITES_OF_REGION, "of a region");
    }
    CHECK(at == sites.points && at <= sites_points_most(&problem, &config), "%lld points of at most %lld",
          (long long)sites.points, (long long)sites_points_most(&problem, &config));
    CHECK(sites_points_most(&problem, &config) ==
              PROBES + 2 * (2 * SITES_OF_TRAIN) + REGIONS * SITES_OF_REGION,
          "at most %lld points", (long long)sites_points_most(&problem, &config));
    sites_free(&sites);
    config.stimuli = 1; /* of one pulse, and no probes: nothing is recorded */
    config.output.probes = 0;
    CHECK_OK(sites_find(&sites, &problem, &config, &cells, &error), error);
    CHECK(sites.points == 0 && sites_points_most(&problem, &config) == 0 &&
              sites.times == config.physics.activation_beats + 1,
          "%lld points, %lld times", (long long)sites.points, (long long)sites.times);
    sites_free(&sites);
    for (int s = 0; s < TRAINS; s++) {
        free(node[s]);
        free(weight[s]);
        free(is[s][0]);
        free(is[s][1]);
    }
    free(region);
    free(excitable);
    free(in);
    mesh_free(&mesh);
}

int main(void)
{
    for (int k = 0; k < DRAWS; k++)
        test_draw(1 + k);
    printf("%d sheets\n", DRAWS);
    return 0;
}
