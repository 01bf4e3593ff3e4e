/* names.c: a hash table of names by their scope. */
#include "kernels/compiler/language/names.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/suggest.h"

/* Scopes: component c has scope c, the inside of variable v has INSIDE - v. */
enum { COMPONENTS = -1, FUNCTIONS = -2, INSIDE = -10 };

static uint64_t hash_of(int scope, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)(int64_t)scope * 0x9e3779b97f4a7c15u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash ^ hash >> 31;
}

static struct mmt_symbol *slot_of(const struct mmt_tree *tree, int scope, const char *name)
{
    for (uint64_t at = hash_of(scope, name);; at++) {
        struct mmt_symbol *symbol = &tree->symbol[at & (uint64_t)(tree->slots - 1)];
        if (!symbol->name || (symbol->scope == scope && strcmp(symbol->name, name) == 0))
            return symbol;
    }
}

/* NULL = no such name in this scope */
static const struct mmt_symbol *find(const struct mmt_tree *tree, int scope, const char *name)
{
    const struct mmt_symbol *symbol = tree->slots ? slot_of(tree, scope, name) : NULL;
    return symbol && symbol->name ? symbol : NULL;
}

static struct mmt_symbol symbol_of(const struct mmt_tree *tree, enum mmt_kind kind, int index)
{
    switch (kind) {
    case MMT_VARIABLE: {
        const struct mmt_variable *of = &tree->variable[index];
        int scope = of->parent < 0 ? of->component : INSIDE - of->parent;
        return (struct mmt_symbol){of->name, scope, kind, index, of->line, of->column};
    }
    case MMT_ALIAS: {
        const struct mmt_alias *of = &tree->alias[index];
        return (struct mmt_symbol){of->name, of->component, kind, index, of->line, of->column};
    }
    case MMT_COMPONENT: {
        const struct mmt_component *of = &tree->component[index];
        return (struct mmt_symbol){of->name, COMPONENTS, kind, index, of->line, of->column};
    }
    default: {
        const struct mmt_function *of = &tree->function[index];
        return (struct mmt_symbol){of->name, FUNCTIONS, kind, index, of->line, of->column};
    }
    }
}

static void refuse_duplicate(struct mmt_tree *tree, const struct mmt_symbol *symbol,
                             const struct mmt_symbol *by)
{
    mmt_tree_fail(tree, symbol->line, symbol->column, "the name '%s' is taken already, by line %d",
                  symbol->name, by->line);
}

void mmt_names_add(struct mmt_tree *tree, enum mmt_kind kind, int index)
{
    if (tree->status)
        return;
    const struct mmt_symbol symbol = symbol_of(tree, kind, index);
    if (2 * tree->symbols >= tree->slots) {
        struct mmt_symbol *old = tree->symbol;
        int slots = tree->slots;
        tree->slots = slots ? 2 * slots : 256;
        tree->symbol = arena_allocate(tree->arena, (size_t)tree->slots, sizeof *tree->symbol);
        if (!tree->symbol) {
            tree->slots = 0;
            mmt_tree_memory(tree);
            return;
        }
        for (int k = 0; k < slots; k++)
            if (old[k].name)
                *slot_of(tree, old[k].scope, old[k].name) = old[k];
    }
    struct mmt_symbol *slot = slot_of(tree, symbol.scope, symbol.name);
    if (slot->name) {
        refuse_duplicate(tree, &symbol, slot);
        return;
    }
    *slot = symbol;
    tree->symbols++;
}

int mmt_names_function(const struct mmt_tree *tree, const char *name)
{
    const struct mmt_symbol *symbol = find(tree, FUNCTIONS, name);
    return symbol ? symbol->index : -1;
}

int mmt_names_find(const struct mmt_tree *tree, const char *full)
{
    for (int v = 0; v < tree->variables.count; v++)
        if (strcmp(tree->variable[v].full, full) == 0)
            return v;
    return -1;
}

static void fail_unknown(struct mmt_tree *tree, int line, int column, const char *component, const char *name,
                         int scope)
{
    struct suggestion suggestion = suggest_for(name);
    for (int v = 0; v < tree->variables.count && !tree->status; v++)
        if (tree->variable[v].component == scope && tree->variable[v].parent < 0)
            suggest_try(&suggestion, tree->variable[v].name);
    for (int k = 0; k < tree->aliases.count && !component; k++)
        if (tree->alias[k].component == scope)
            suggest_try(&suggestion, tree->alias[k].name);
    for (int v = 0; v < tree->variables.count && !suggestion.best; v++)
        if (tree->variable[v].parent < 0 && strcmp(tree->variable[v].name, name) == 0)
            suggestion.best = tree->variable[v].full;
    mmt_tree_fail(tree, line, column, "no variable is named '%s%s%s'%s", component ? component : "",
                  component ? "." : "", name, suggest_hint(&suggestion));
}

/* The variable that component.name means; if there is none, sets tree->status and returns -1 */
static int qualified(struct mmt_tree *tree, const char *component, const char *name, int line, int column)
{
    const struct mmt_symbol *in = find(tree, COMPONENTS, component);
    if (!in) {
        struct suggestion suggestion = suggest_for(component);
        for (int k = 0; k < tree->components.count; k++)
            suggest_try(&suggestion, tree->component[k].name);
        mmt_tree_fail(tree, line, column, "no component is named '%s'%s", component,
                      suggest_hint(&suggestion));
        return -1;
    }
    const struct mmt_symbol *symbol = find(tree, in->index, name);
    if (!symbol || symbol->kind != MMT_VARIABLE) {
        fail_unknown(tree, line, column, component, name, in->index);
        return -1;
    }
    return symbol->index;
}

/* The variable that a name in variable v's formula means */
static int resolve(struct mmt_tree *tree, int v, const struct mmt_term *term)
{
    if (term->component)
        return qualified(tree, term->component, term->name, term->line, term->column);
    const struct mmt_symbol *symbol = NULL;
    for (int of = v; of >= 0 && !symbol; of = tree->variable[of].parent)
        symbol = find(tree, INSIDE - of, term->name);
    if (!symbol)
        symbol = find(tree, tree->variable[v].component, term->name);
    if (!symbol) {
        fail_unknown(tree, term->line, term->column, NULL, term->name, tree->variable[v].component);
        return -1;
    }
    return symbol->kind == MMT_ALIAS ? tree->alias[symbol->index].variable : symbol->index;
}

static void find_names(struct mmt_tree *tree, int v)
{
    const struct mmt_variable *variable = &tree->variable[v];
    for (int k = variable->first_term; k < variable->first_term + variable->terms && !tree->status; k++) {
        struct mmt_term *term = &tree->term[k];
        if (term->meaning != MMT_NAME && term->meaning != MMT_RATE)
            continue;
        term->index = resolve(tree, v, term);
        if (term->index >= 0 && term->meaning == MMT_RATE && !tree->variable[term->index].state)
            mmt_tree_fail(tree, term->line, term->column, "dot() of '%s', which is no state",
                          tree->variable[term->index].full);
    }
    for (int of = variable->parent; of >= 0 && !tree->status; of = tree->variable[of].parent) {
        const struct mmt_symbol here = symbol_of(tree, MMT_VARIABLE, v),
                                above = symbol_of(tree, MMT_VARIABLE, of);
        const struct mmt_symbol *outer = find(tree, above.scope, variable->name);
        if (outer)
            refuse_duplicate(tree, &here, outer);
    }
}

static void find_initial(struct mmt_tree *tree, const struct mmt_initial *initial)
{
    int v = qualified(tree, initial->component, initial->name, initial->line, initial->column);
    if (tree->status)
        return;
    struct mmt_variable *variable = &tree->variable[v];
    if (!variable->state)
        mmt_tree_fail(tree, initial->line, initial->column,
                      "'%s' is no state: an initial value belongs to what has a dot()", variable->full);
    if (variable->initial >= 0)
        mmt_tree_fail(tree, initial->line, initial->column, "a second initial value of '%s'", variable->full);
    variable->initial = initial->value;
    for (int k = initial->first_term; k < initial->first_term + initial->terms && !tree->status; k++) {
        struct mmt_term *term = &tree->term[k];
        if (term->meaning == MMT_RATE || (term->meaning == MMT_NAME && !term->component))
            mmt_tree_fail(tree, term->line, term->column,
                          "an initial value names constants as component.variable");
        else if (term->meaning == MMT_NAME)
            term->index = qualified(tree, term->component, term->name, term->line, term->column);
    }
}

void mmt_names_resolve(struct mmt_tree *tree)
{
    for (int k = 0; k < tree->aliases.count && !tree->status; k++) {
        struct mmt_alias *alias = &tree->alias[k];
        alias->variable =
            qualified(tree, alias->from_component, alias->from_name, alias->line, alias->column);
    }
    for (int v = 0; v < tree->variables.count && !tree->status; v++)
        find_names(tree, v);
    for (int k = 0; k < tree->initials.count && !tree->status; k++)
        find_initial(tree, &tree->initial[k]);
    for (int k = 0; k < tree->changes.count && !tree->status; k++) {
        struct mmt_change *change = &tree->change[k];
        change->variable = qualified(tree, change->component, change->name, change->line, change->column);
    }
    for (int v = 0; v < tree->variables.count && !tree->status; v++)
        if (tree->variable[v].state && tree->variable[v].initial < 0)
            mmt_tree_fail(tree, tree->variable[v].line, tree->variable[v].column,
                          "the state '%s' has no initial value: '%s = ...' belongs after [[model]]",
                          tree->variable[v].full, tree->variable[v].full);
}
