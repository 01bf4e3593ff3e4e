/* order.c: a walk in depth, with a stack of its own. */
#include "kernels/compiler/language/order.h"

#include <stdio.h>

static void circle(struct mmt_tree *tree, const int *path, int length, int v)
{
    char text[700];
    size_t used = 0;
    int first = length - 1;
    while (first > 0 && path[first] != v)
        first--;
    for (int k = first; k < length && used < 400; k++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%.100s needs ", tree->variable[path[k]].full);
    snprintf(text + used, sizeof text - used, "%s%.100s", used < 400 ? "" : "... needs ",
             tree->variable[v].full);
    mmt_tree_fail(tree, tree->variable[v].line, tree->variable[v].column, "a circle: %s", text);
}

/* The variable whose value the term needs, -1 = none */
static int needed(const struct mmt_tree *tree, const struct mmt_term *term)
{
    bool value = term->meaning == MMT_NAME && !tree->variable[term->index].state;
    return value || term->meaning == MMT_RATE ? term->index : -1;
}

int *mmt_order_of(struct mmt_tree *tree, const struct mmt_roles *roles)
{
    enum { UNSEEN, ON_PATH, DONE };
    size_t count = (size_t)tree->variables.count;
    int ordered = 0, length = 0, *order = arena_take(tree->arena, count, sizeof *order);
    int *path = arena_take(tree->arena, count, sizeof *path),
        *passed = arena_take(tree->arena, count, sizeof *passed);
    char *seen = arena_take(tree->arena, count, 1);
    if (!order || !path || !passed || !seen)
        mmt_tree_memory(tree);
    for (int top = 0; top < tree->variables.count && !tree->status; top++) {
        if (seen[top] == UNSEEN)
            path[length++] = top;
        while (length && !tree->status) {
            int v = path[length - 1], next = -1;
            const struct mmt_variable *one = &tree->variable[v];
            seen[v] = ON_PATH;
            while (next < 0 && passed[v] < one->terms && mmt_roles_has_formula(roles, v) && !tree->status) {
                int of = needed(tree, &tree->term[one->first_term + passed[v]++]);
                if (of >= 0 && seen[of] == ON_PATH)
                    circle(tree, path, length, of);
                else if (of >= 0 && seen[of] == UNSEEN)
                    next = of;
            }
            if (next >= 0) {
                path[length++] = next;
            } else {
                seen[v] = DONE;
                order[ordered++] = v;
                length--;
            }
        }
    }
    return tree->status ? NULL : order;
}
