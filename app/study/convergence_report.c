/* convergence_report.c: what the tissue did, how much that changes with the numerics, and what changes it
 * most.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/study/convergence.h"
#include "app/util/json.h"

static const char *const kinds[REFINEMENT_KINDS] = {[REFINEMENT_TOLERANCE] = "the tolerance",
                                                    [REFINEMENT_ROUNDING] = "rounding",
                                                    [REFINEMENT_STEP] = "the step",
                                                    [REFINEMENT_MESH] = "the mesh"};
static const char *const columns[REFINEMENT_KINDS] = {[REFINEMENT_TOLERANCE] = "tolerance/10",
                                                      [REFINEMENT_ROUNDING] = "in double",
                                                      [REFINEMENT_STEP] = "step/2",
                                                      [REFINEMENT_MESH] = "edge/2"};
static const char *const keys[REFINEMENT_KINDS] = {[REFINEMENT_TOLERANCE] = "tolerance",
                                                   [REFINEMENT_ROUNDING] = "rounding",
                                                   [REFINEMENT_STEP] = "step",
                                                   [REFINEMENT_MESH] = "mesh"};
/* Those of interest first */
static const enum refinement_kind order[] = {REFINEMENT_MESH, REFINEMENT_STEP, REFINEMENT_TOLERANCE,
                                             REFINEMENT_ROUNDING};
enum { KINDS = sizeof order / sizeof *order };

static bool has_kind(const struct convergence *c, enum refinement_kind kind)
{
    for (int k = 0; k < c->plan.runs; k++)
        if (c->plan.run[k].kind == kind)
            return true;
    return false;
}

/* "APD90 region 1" for apd90_first[1], and with " in the first beat" where there are others */
static void name_quantity(char *text, size_t room, const struct convergence *c, const char *name)
{
    static const struct {
        const char *name, *words;
    } all[] = {{"first_activation", "first activation"},
               {"last_activation", "last activation"},
               {"total_activation", "total activation"},
               {"activation", "activation of"},
               {"activated", "activated"},
               {"apd90", "APD90"},
               {"velocity_along", "velocity along fibres"},
               {"velocity_across", "velocity across fibres"},
               {"qrs", "QRS"},
               {"qt", "QT"},
               {"ecg_peak", "largest deflection of the ECG"}};
    const char *words = name, *beat = "";
    size_t length = strcspn(name, "[");
    const char *rest = name[length] ? name + length + 1 : "";
    if (length > 5 && strncmp(name + length - 5, "_last", 5) == 0) {
        beat = " in the last beat";
        length -= 5;
    } else if (length > 6 && strncmp(name + length - 6, "_first", 6) == 0) {
        beat = convergence_other_beat(c, name) ? " in the first beat" : "";
        length -= 6;
    }
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strlen(all[k].name) == length && strncmp(all[k].name, name, length) == 0)
            words = all[k].words;
    const char *region = *rest && strcmp(words, "activation of") != 0 ? " region" : "";
    snprintf(text, room, "%s%s%s%.*s%s", words, region, *rest ? " " : "", *rest ? (int)strlen(rest) - 1 : 0,
             rest, beat);
}

static const struct convergence_quantity *find_quantity(const struct convergence *c, const char *name)
{
    for (int q = 0; q < c->quantities; q++)
        if (strcmp(c->quantity[q].name, name) == 0)
            return &c->quantity[q];
    return NULL;
}

/* The largest |difference|, and of which kind; NaN where nothing was compared */
static double largest(const struct convergence_quantity *quantity, enum refinement_kind *kind)
{
    double most = NAN;
    for (int k = 0; k < KINDS; k++) {
        double size = fabs(quantity->of[order[k]].first);
        if (size > most || (isnan(most) && !isnan(size))) {
            most = size;
            *kind = order[k];
        }
    }
    return most;
}

/* What happened: events that differ from run to run matter more than any number. */
static void report_events(const struct convergence *c, FILE *file)
{
    const struct convergence_quantity *activated = find_quantity(c, "activated"),
                                      *pulses = find_quantity(c, "pulses"),
                                      *captured = find_quantity(c, "captured");
    if (activated && captured && pulses)
        fprintf(file, "This run: %.4g %% of the tissue activated; %.0f of %.0f stimuli captured.\n",
                activated->value[0], captured->value[0], pulses->value[0]);
    for (int q = 0; q < c->quantities; q++) {
        const struct convergence_quantity *quantity = &c->quantity[q];
        for (int k = 1; k < c->plan.runs && quantity->event; k++) {
            double value = quantity->value[k], own = quantity->value[0];
            enum refinement_kind kind = c->plan.run[k].kind;
            if (isnan(value) ||
                fabs(value - own) <= 0.05 * fabs(own) * (strcmp(quantity->name, "activated") == 0))
                continue;
            fprintf(
                file,
                "With %s %s is %.6g%s%s, not %.6g: these runs differ in what happens, not only in when.\n",
                kind == REFINEMENT_MESH && c->plan.run[k].edge == 1   ? "half the edge and step"
                : kind == REFINEMENT_MESH                             ? "a quarter of the edge"
                : kind == REFINEMENT_STEP && c->plan.run[k].step == 1 ? "half the step"
                : kind == REFINEMENT_STEP                             ? "a quarter of the step"
                                                                      : columns[kind],
                quantity->name, value, *quantity->unit ? " " : "", quantity->unit, own);
        }
    }
}

static void report_break(const struct convergence *c, FILE *file)
{
    const struct convergence_break *first = &c->broken[0];
    for (int k = 1; k < c->plan.runs; k++)
        if (c->broken[k].time < first->time)
            first = &c->broken[k];
    if (first->time < HUGE_VAL)
        fprintf(file,
                "A front breaks at %.6g ms at (%.4g, %.4g, %.4g) mm: what comes later depends on the "
                "smallest\nchange, and is not compared.\n",
                first->time, first->place[0], first->place[1], first->place[2]);
}

static void report_cut(const struct convergence *c, FILE *file)
{
    bool cut = false;
    for (int k = 0; k < c->plan.runs; k++)
        cut |= c->row[k] >= 0 && convergence_is_cut(c, k);
    if (cut)
        fprintf(file,
                "A front was still running at the end: the last activation is that of the end, and is not "
                "compared; set a\nlater time.end.\n");
}

static void put_difference(FILE *file, double difference)
{
    char text[40];
    snprintf(text, sizeof text, "%+.3g", difference);
    fprintf(file, " %14s", isnan(difference) ? "-" : difference == 0 ? "0" : text);
}

static void report_table(const struct convergence *c, FILE *file)
{
    char name[230];
    fprintf(file, "\n%-30s %12s", "", "this run");
    for (int k = 0; k < KINDS; k++)
        if (has_kind(c, order[k]))
            fprintf(file, " %14s", columns[order[k]]);
    fputc('\n', file);
    for (int q = 0; q < c->quantities; q++) {
        const struct convergence_quantity *quantity = &c->quantity[q];
        if (quantity->event || isnan(quantity->value[0]))
            continue;
        name_quantity(name, sizeof name, c, quantity->name);
        fprintf(file, "%-30s %7.5g %-4s", name, quantity->value[0], quantity->unit);
        for (int k = 0; k < KINDS; k++)
            if (has_kind(c, order[k]))
                put_difference(file, quantity->of[order[k]].first);
        fputc('\n', file);
    }
}

static void report_map(const struct convergence_map *map, const struct convergence *c, FILE *file)
{
    for (int k = 0; k < KINDS; k++) {
        enum refinement_kind kind = order[k];
        if (!has_kind(c, kind) || map->of[kind].compared + map->of[kind].left_out == 0)
            continue;
        fprintf(file, "map %s, %s: ", map->name, columns[kind]);
        if (map->of[kind].compared > 0)
            fprintf(file, "median change %.3g %s, 95 %% within %.3g, largest %.3g", map->of[kind].median,
                    map->unit, map->of[kind].p95, map->of[kind].largest);
        else
            fprintf(file, "not compared");
        if (map->of[kind].left_out > 0)
            fprintf(file, " (%.3g %% of the values are later than the break)",
                    100.0 * (double)map->of[kind].left_out /
                        (double)(map->of[kind].compared + map->of[kind].left_out));
        fputc('\n', file);
    }
}

/* The quantity that changes most, relative to itself: of the tissue as a whole, else of its parts */
static const struct convergence_quantity *find_worst(const struct convergence *c, bool parts)
{
    const struct convergence_quantity *worst = NULL;
    double most = -1;
    for (int q = 0; q < c->quantities; q++) {
        const struct convergence_quantity *quantity = &c->quantity[q];
        enum refinement_kind kind;
        double share = largest(quantity, &kind) / fabs(quantity->value[0]);
        if (!quantity->event && !strchr(quantity->name, '[') == !parts &&
            strcmp(quantity->name, "first_activation") != 0 && share > most) {
            worst = quantity;
            most = share;
        }
    }
    return worst;
}

/* "the mesh: -4.1 ms of 61; the step: 0.3; rounding: 1e-05" */
static void report_contributors(const struct convergence *c, FILE *file)
{
    const struct convergence_quantity *worst = find_worst(c, false);
    worst = worst ? worst : find_worst(c, true);
    enum refinement_kind most = REFINEMENT_MESH;
    char name[230];
    if (!worst)
        return;
    largest(worst, &most);
    name_quantity(name, sizeof name, c, worst->name);
    fprintf(file, "\nThe largest contributor, in the %s: %s: %+.3g %s of %.5g", name, kinds[most],
            worst->of[most].first, worst->unit, worst->value[0]);
    for (int k = 0; k < KINDS; k++)
        if (order[k] != most && !isnan(worst->of[order[k]].first))
            fprintf(file, worst->of[order[k]].first == 0 ? "; %s: 0" : "; %s: %+.2g", kinds[order[k]],
                    worst->of[order[k]].first);
    if (!has_kind(c, REFINEMENT_ROUNDING))
        fprintf(file, "; rounding: none, all is in double precision");
    fputs(".\n", file);
}

/* "mesh 1.94, step 0.97": the orders seen */
static void print_orders(FILE *file, const struct convergence *c, const struct convergence_quantity *quantity)
{
    static const char *const names[] = {"mesh", "step"};
    bool more = false;
    for (int k = 0; k < 2; k++) {
        const struct convergence_sequence *of = &quantity->of[order[k]];
        if (!has_kind(c, order[k]))
            continue;
        fprintf(file, "%s%s ", more ? ", " : "", names[k]);
        if (isnan(of->order))
            fprintf(file, "%+.2g, then %+.2g", of->first, of->second);
        else
            fprintf(file, "%.2f", of->order);
        more = true;
    }
    fputc('\n', file);
}

/* Of three levels */
static void report_limit(const struct convergence *c, const struct convergence_quantity *quantity, FILE *file)
{
    char name[230], text[80] = "not in the asymptotic range";
    bool whole = true, known = true;
    double limit = quantity->value[0], bar = 0;
    if (quantity->event || isnan(quantity->value[0]))
        return;
    for (int k = 0; k < 2; k++) {
        const struct convergence_sequence *of = &quantity->of[order[k]];
        if (!has_kind(c, order[k]))
            continue;
        whole = whole && of->asymptotic;
        known = known && !isnan(of->first) && !isnan(of->second);
        limit += of->first + of->second + of->rest;
        bar += of->bar;
    }
    if (whole)
        snprintf(text, sizeof text, "%.5g +- %.2g %s (this run: %+.3g)", limit, bar, quantity->unit,
                 quantity->value[0] - limit);
    else if (!known)
        snprintf(text, sizeof text, "not compared");
    name_quantity(name, sizeof name, c, quantity->name);
    fprintf(file, known ? "%-30s %-40s orders: " : "%-30s %s\n", name, text);
    if (!known)
        return;
    print_orders(file, c, quantity);
}

static void report_meaning(const struct convergence *c, FILE *file)
{
    bool mesh = has_kind(c, REFINEMENT_MESH);
    if (c->plan.levels == 2) {
        fprintf(
            file,
            "These are differences between two levels, no bars: the error that is left with half the %s is "
            "unknown.\n--levels 3 estimates it.\n",
            mesh ? "edge and step" : "step");
        return;
    }
    fprintf(
        file,
        "\nThe limit of three levels, with a bar (the grid convergence index) where all orders are within 30 "
        "%% of those expected,\n%s%d of the step:\n",
        mesh ? "2 of the mesh and " : "", config_order_in_time(&c->base));
    for (int q = 0; q < c->quantities; q++)
        report_limit(c, &c->quantity[q], file);
}

void convergence_report(const struct convergence *c, FILE *file)
{
    report_events(c, file);
    report_break(c, file);
    report_cut(c, file);
    report_table(c, file);
    for (int m = 0; m < c->maps; m++)
        report_map(&c->map[m], c, file);
    report_contributors(c, file);
    report_meaning(c, file);
    refinement_notes(&c->plan, file);
    for (int k = 0; k < c->plan.runs; k++)
        if (c->row[k] < 0)
            fprintf(file, "Run %d (%s) failed and is not compared: table.csv has its message.\n", k + 1,
                    columns[c->plan.run[k].kind]);
}

static void put_sequence(struct json *json, const char *key, const struct convergence_sequence *of,
                         bool levels)
{
    json_open(json, key, '{');
    json_number(json, "difference", of->first);
    if (levels) {
        json_number(json, "second", of->second);
        json_number(json, "order", of->order);
        json_number(json, "expected", of->expected);
        json_flag(json, "asymptotic", of->asymptotic);
        json_number(json, "rest", of->rest);
        json_number(json, "bar", of->bar);
    }
    json_close(json);
}

void convergence_report_json(const struct convergence *c, FILE *file)
{
    struct json json = json_line(file);
    double broken = HUGE_VAL;
    for (int k = 0; k < c->plan.runs; k++)
        broken = fmin(broken, c->broken[k].time);
    json_open(&json, NULL, '{');
    json_integer(&json, "levels", c->plan.levels);
    json_number(&json, "broken", broken);
    json_open(&json, "quantities", '[');
    for (int q = 0; q < c->quantities; q++) {
        const struct convergence_quantity *quantity = &c->quantity[q];
        json_open(&json, NULL, '{');
        json_text(&json, "name", quantity->name);
        json_text(&json, "unit", quantity->unit);
        json_number(&json, "value", quantity->value[0]);
        for (int k = 0; k < KINDS; k++)
            if (has_kind(c, order[k]))
                put_sequence(&json, keys[order[k]], &quantity->of[order[k]],
                             c->plan.levels > 2 &&
                                 (order[k] == REFINEMENT_MESH || order[k] == REFINEMENT_STEP));
        json_close(&json);
    }
    json_close(&json);
    json_open(&json, "maps", '[');
    for (int m = 0; m < c->maps; m++) {
        const struct convergence_map *map = &c->map[m];
        json_open(&json, NULL, '{');
        json_text(&json, "name", map->name);
        json_text(&json, "unit", map->unit);
        for (int k = 0; k < KINDS; k++)
            if (has_kind(c, order[k])) {
                json_open(&json, keys[order[k]], '{');
                json_integer(&json, "compared", map->of[order[k]].compared);
                json_integer(&json, "left_out", map->of[order[k]].left_out);
                json_number(&json, "median", map->of[order[k]].median);
                json_number(&json, "p95", map->of[order[k]].p95);
                json_number(&json, "largest", map->of[order[k]].largest);
                json_close(&json);
            }
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}
