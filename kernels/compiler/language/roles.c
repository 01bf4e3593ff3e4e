/* roles.c: finds roles by binding, label and unit. */
#include "kernels/base/printed.h"
#include "kernels/compiler/language/roles.h"

#include <stdio.h>
#include <string.h>

#include "kernels/compiler/language/names.h"

static int find_bound(struct mmt_tree *tree, const char *to)
{
    int found = -1;
    for (int v = 0; v < tree->variables.count; v++) {
        const struct mmt_variable *one = &tree->variable[v];
        if (strcmp(one->binding, to) != 0)
            continue;
        if (found >= 0)
            mmt_tree_fail(tree, one->line, one->column, "'%s' is bound to %s, as '%s' is already", one->full,
                          to, tree->variable[found].full);
        if (one->state)
            mmt_tree_fail(tree, one->line, one->column, "'%s' is a state and cannot be bound to %s",
                          one->full, to);
        found = v;
    }
    return found;
}

static int labelled(struct mmt_tree *tree, const char *label)
{
    int found = -1;
    for (int v = 0; v < tree->variables.count; v++) {
        const struct mmt_variable *one = &tree->variable[v];
        if (strcmp(one->label, label) != 0)
            continue;
        if (found >= 0)
            mmt_tree_fail(tree, one->line, one->column, "'%s' has the label %s, as '%s' has already",
                          one->full, label, tree->variable[found].full);
        found = v;
    }
    return found;
}

/* text <- the candidates for V: states in volts or with a usual name, else all states */
static const char *candidates(const struct mmt_tree *tree, char *text, size_t size)
{
    static const char *const usual[] = {"V", "Vm", "v", "vm", "u", "E", "V_m", "V_membrane"};
    text[0] = 0;
    for (int pass = 0; pass < 2 && !*text; pass++)
        for (int v = 0; v < tree->variables.count; v++) {
            const struct mmt_variable *one = &tree->variable[v];
            bool likely = one->unit.given && mmt_unit_comparable(one->unit, mmt_unit_named("V"));
            for (size_t k = 0; k < sizeof usual / sizeof usual[0]; k++)
                likely |= strcmp(one->name, usual[k]) == 0;
            if (one->state && (likely || pass))
                printed_item(text, size, "'%s'", one->full);
        }
    return text;
}

static int find_v(struct mmt_tree *tree, const char *named)
{
    char text[800];
    int v = labelled(tree, "membrane_potential");
    if (v < 0 && named) {
        v = mmt_names_find(tree, named);
        if (v < 0)
            mmt_tree_fail(
                tree, 0, 0,
                "no variable is named '%s', the name given for the membrane potential; perhaps it is %s",
                named, candidates(tree, text, sizeof text));
    } else if (v < 0) {
        mmt_tree_fail(
            tree, 0, 0,
            "no variable is labelled membrane_potential; give its name as voltage.name; perhaps it is %s",
            candidates(tree, text, sizeof text));
    }
    if (v >= 0 && !tree->variable[v].state)
        mmt_tree_fail(tree, tree->variable[v].line, tree->variable[v].column,
                      "the membrane potential '%s' is no state: it has no dot()", tree->variable[v].full);
    return v;
}

static void scale_v(struct mmt_roles *roles, struct mmt_tree *tree, const struct mmt_scale *scale)
{
    const struct mmt_variable *v = &tree->variable[roles->v];
    struct mmt_unit millivolt = mmt_unit_named("mV");
    roles->rest = 0;
    roles->amplitude = 1;
    if (!v->unit.given && scale->amplitude == 0) {
        mmt_tree_warn(tree, v->line, v->column, "'%s' has no unit: taken as mV", v->full);
    } else if (!v->unit.given || mmt_unit_comparable(v->unit, mmt_unit_one())) {
        roles->rest = scale->rest;
        roles->amplitude = scale->amplitude;
        if (scale->amplitude == 0)
            mmt_tree_fail(tree, v->line, v->column,
                          "'%s' has no dimension: give its rest and amplitude in mV", v->full);
    } else if (mmt_unit_comparable(v->unit, millivolt)) {
        roles->amplitude = mmt_unit_ratio(v->unit, millivolt);
    } else {
        char text[100];
        mmt_tree_fail(tree, v->line, v->column, "the membrane potential '%s' is in [%s], which are no volts",
                      v->full, mmt_unit_print(v->unit, text, sizeof text));
    }
}

static void scale_time(struct mmt_roles *roles, struct mmt_tree *tree, const struct mmt_scale *scale)
{
    static const struct mmt_variable nobody = {.full = "time"};
    const struct mmt_variable *time = roles->time >= 0 ? &tree->variable[roles->time] : &nobody;
    const struct mmt_variable *v = &tree->variable[roles->v];
    struct mmt_unit millisecond = mmt_unit_named("ms");
    roles->time_ms = scale->time_unit > 0 ? scale->time_unit : 1;
    if (time->unit.given && mmt_unit_comparable(time->unit, millisecond))
        roles->time_ms = mmt_unit_ratio(time->unit, millisecond);
    else if (time->unit.given && !mmt_unit_comparable(time->unit, mmt_unit_one()))
        mmt_tree_fail(tree, time->line, time->column,
                      "'%s' is bound to time, but its unit is not one of time", time->full);
    else if (!(scale->time_unit > 0) && v->unit.given && mmt_unit_comparable(v->unit, mmt_unit_one()))
        mmt_tree_fail(tree, time->line, time->column,
                      "time has no dimension; give its unit in ms as time_unit");
    else if (!(scale->time_unit > 0))
        mmt_tree_warn(tree, time->line, time->column, "time has no unit; assumed to be ms");
}

/* The variable that reads the pace, if there is only one and it is not a state; else the pace itself; -1 if
 * the pace is not read */
static int reader_of_pace(const struct mmt_tree *tree, int pace)
{
    int found = -1;
    for (int v = 0; v < tree->variables.count; v++) {
        const struct mmt_variable *one = &tree->variable[v];
        for (int k = one->first_term; k < one->first_term + one->terms && v != pace; k++)
            if (tree->term[k].meaning == MMT_NAME && tree->term[k].index == pace) {
                if (one->state || (found >= 0 && found != v))
                    return pace;
                found = v;
            }
    }
    return found;
}

/* The last variable in this order that depends only on time and constants and through which alone time enters
 * later variables, -1 = none */
static int reader_of_time(struct mmt_tree *tree, int time, const int *order)
{
    enum { TIMED = 1, CHANGING = 2 };
    int count = tree->variables.count, farthest = 0, found = -1;
    int *last =
        arena_allocate(tree->arena, (size_t)count, sizeof *last); /* 1 + position of the last reader */
    char *kind = arena_allocate(tree->arena, (size_t)count, 1);
    if (!last || !kind) {
        mmt_tree_memory(tree);
        return -1;
    }
    kind[time] = TIMED;
    for (int at = 0; at < count; at++) {
        int v = order[at];
        const struct mmt_variable *one = &tree->variable[v];
        for (int k = one->first_term; k < one->first_term + one->terms && v != time; k++) {
            const struct mmt_term *term = &tree->term[k];
            if (term->meaning != MMT_NAME && term->meaning != MMT_RATE)
                continue;
            last[term->index] = at + 1;
            if (!one->state)
                kind[v] |= tree->variable[term->index].state ? CHANGING : kind[term->index];
        }
    }
    for (int at = 0; at < count; at++) {
        int v = order[at];
        if (kind[v] == TIMED && v != time && farthest <= at + 1 && last[v])
            found = v;
        if (kind[v] & TIMED)
            farthest = last[v] > farthest ? last[v] : farthest;
    }
    return found;
}

void mmt_roles_find_stimulus(struct mmt_roles *roles, struct mmt_tree *tree, const int *order)
{
    int v = roles->pace >= 0 ? reader_of_pace(tree, roles->pace) : labelled(tree, "stimulus_current");
    if (v < 0 && roles->pace < 0 && roles->time >= 0) {
        v = reader_of_time(tree, roles->time, order);
        if (v >= 0)
            mmt_tree_warn(tree, tree->variable[v].line, tree->variable[v].column,
                          "'%s' alone brings the time into the formulas: taken as the stimulus current",
                          tree->variable[v].full);
    }
    roles->stimulus = v >= 0 && tree->variable[v].state ? -1 : v;
}

void mmt_roles_find(struct mmt_roles *roles, struct mmt_tree *tree, const struct mmt_scale *scale)
{
    roles->time = find_bound(tree, "time");
    roles->pace = find_bound(tree, "pace");
    roles->diffusion = find_bound(tree, "diffusion_current");
    roles->stimulus = -1;
    roles->v = tree->status ? -1 : find_v(tree, scale->voltage);
    if (!tree->status)
        scale_v(roles, tree, scale);
    if (!tree->status)
        scale_time(roles, tree, scale);
}

bool mmt_roles_has_formula(const struct mmt_roles *roles, int v)
{
    return v != roles->time && v != roles->pace && v != roles->diffusion;
}

bool mmt_roles_parameter(const struct mmt_roles *roles, const struct mmt_tree *tree, int v, double *number)
{
    const struct mmt_term *term = &tree->term[tree->variable[v].value];
    double sign = 1;
    if (tree->variable[v].state || !mmt_roles_has_formula(roles, v))
        return false;
    for (; term->meaning == MMT_MINUS || term->meaning == MMT_PLUS; term = &tree->term[term->first])
        sign = term->meaning == MMT_MINUS ? -sign : sign;
    *number = sign * term->number;
    return term->meaning == MMT_NUMBER;
}
