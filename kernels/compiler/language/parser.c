/* parser.c: parses the lines of a text by their indentation. */
#include "kernels/compiler/language/parser.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "kernels/compiler/language/tree.h"
#include "kernels/compiler/language/formula.h"
#include "kernels/compiler/language/names.h"

enum {
    INNER_MAX = 16, /* variables inside variables */
    VARIANTS_MAX = 64,
    VARIANT_NAME_MAX = 60,
    NAME_MAX_LENGTH = 100
};

static void *append_variable(struct mmt_tree *tree)
{
    return mmt_tree_append(tree, &tree->variables, &tree->variable, sizeof *tree->variable);
}

static void set_word(struct mmt_tree *tree, const char **where, const char *what)
{
    int line = mmt_cursor_now(tree)->line, column = mmt_cursor_now(tree)->column;
    mmt_cursor_next(tree);
    const char *word = mmt_cursor_name(tree, what);
    if (**where)
        mmt_tree_fail(tree, line, column, "a second %s; it has '%s' already", what, *where);
    *where = word;
}

/* Reads `in [unit]`, bind, label or description at the current token; false: none of them */
static bool attribute(struct mmt_tree *tree, int v)
{
    if (tree->status)
        return false;
    int line = mmt_cursor_now(tree)->line, column = mmt_cursor_now(tree)->column;
    if (mmt_token_is(mmt_cursor_now(tree), "in")) {
        mmt_cursor_next(tree);
        if (tree->variable[v].unit.given)
            mmt_tree_fail(tree, line, column, "'%s' has a unit already", tree->variable[v].full);
        const char *text = mmt_tree_prose(tree, mmt_cursor_now(tree));
        struct mmt_unit unit = mmt_cursor_unit(tree);
        tree->variable[v].unit = unit;
        tree->variable[v].unit_text = text;
    } else if (mmt_token_is(mmt_cursor_now(tree), "bind")) {
        set_word(tree, &tree->variable[v].binding, "name to bind to");
    } else if (mmt_token_is(mmt_cursor_now(tree), "label")) {
        set_word(tree, &tree->variable[v].label, "label");
    } else if (mmt_cursor_at(tree, ':')) {
        if (!tree->status)
            tree->status = mmt_token_prose(&tree->scanner, tree->error);
        tree->variable[v].meaning = mmt_tree_prose(tree, mmt_cursor_now(tree));
        mmt_cursor_next(tree);
    } else {
        return false;
    }
    return true;
}

/* Reads a property, `name: text`, after its name; returns its text; *prose <- its token */
static const char *property(struct mmt_tree *tree, struct mmt_token *prose)
{
    if (!tree->status)
        tree->status = mmt_token_prose(&tree->scanner, tree->error);
    *prose = *mmt_cursor_now(tree);
    const char *text = tree->status ? "" : mmt_tree_prose(tree, mmt_cursor_now(tree));
    mmt_cursor_next(tree);
    mmt_cursor_end_of_line(tree);
    return text;
}

/* Reads name = formula, after the name */
static int variable_line(struct mmt_tree *tree, const struct mmt_token *token, const char *name, bool state,
                         int component, int parent)
{
    mmt_cursor_sign(tree, '=', "'='");
    int first = tree->terms.count, value = mmt_formula_read(tree), v = tree->variables.count;
    struct mmt_variable *variable = tree->status ? NULL : append_variable(tree);
    if (!variable)
        return 0;
    const char *above = parent < 0 ? tree->component[component].name : tree->variable[parent].full;
    const char *full = arena_print(tree->arena, "%s.%s", above, name);
    *variable = (struct mmt_variable){.name = name,
                                      .full = full,
                                      .line = token->line,
                                      .column = token->column,
                                      .indent = token->indent,
                                      .component = component,
                                      .parent = parent,
                                      .depth = parent < 0 ? 0 : tree->variable[parent].depth + 1,
                                      .state = state,
                                      .value = value,
                                      .first_term = first,
                                      .terms = tree->terms.count - first,
                                      .initial = -1,
                                      .unit_text = "",
                                      .binding = "",
                                      .label = "",
                                      .meaning = ""};
    if (!full)
        mmt_tree_memory(tree);
    else if (variable->depth > INNER_MAX)
        mmt_tree_fail(tree, token->line, token->column, "more than %d variables inside each other",
                      INNER_MAX);
    else if (state && parent >= 0)
        mmt_tree_fail(tree, token->line, token->column, "a state cannot stand inside of another variable");
    else if (tree->term[value].truth)
        mmt_tree_fail(tree, tree->term[value].line, tree->term[value].column,
                      "'%s' is a condition; if(condition, 1, 0) is a number", full);
    mmt_names_add(tree, MMT_VARIABLE, v);
    while (attribute(tree, v))
        ;
    mmt_cursor_end_of_line(tree);
    return v;
}

/* The variable to which a line with this indentation belongs; `open` is the one begun last */
static int owner(struct mmt_tree *tree, int open, const struct mmt_token *token)
{
    while (open >= 0 && tree->variable[open].indent >= token->indent)
        open = tree->variable[open].parent;
    if (open < 0) {
        mmt_tree_fail(tree, token->line, token->column, "an indented line that belongs to no variable");
        return 0;
    }
    int *inner = &tree->variable[open].inner_indent;
    if (!*inner)
        *inner = token->indent;
    if (*inner != token->indent)
        mmt_tree_fail(tree, token->line, token->column, "indented by %d, and other lines of '%s' by %d",
                      token->indent, tree->variable[open].full, *inner);
    return open;
}

static void use_line(struct mmt_tree *tree, int component)
{
    do {
        mmt_cursor_next(tree);
        struct mmt_token token = *mmt_cursor_now(tree);
        const char *from = mmt_cursor_name(tree, "component.variable");
        mmt_cursor_sign(tree, '.', "component.variable");
        const char *name = mmt_cursor_name(tree, "a variable's name"), *as = name;
        if (!tree->status && mmt_token_is(mmt_cursor_now(tree), "as")) {
            mmt_cursor_next(tree);
            as = mmt_cursor_name(tree, "a name");
        }
        struct mmt_alias *alias =
            tree->status ? NULL : mmt_tree_append(tree, &tree->aliases, &tree->alias, sizeof *alias);
        if (!alias)
            return;
        *alias = (struct mmt_alias){component, token.line, token.column, as, from, name, -1};
        mmt_names_add(tree, MMT_ALIAS, tree->aliases.count - 1);
    } while (mmt_cursor_at(tree, ','));
    mmt_cursor_end_of_line(tree);
}

/* Reads one line of a component; returns the variable begun last */
static int component_line(struct mmt_tree *tree, int component, int open)
{
    struct mmt_token token = *mmt_cursor_now(tree);
    int of = token.indent ? owner(tree, open, &token) : -1;
    if (tree->status)
        return open;
    if (of >= 0 &&
        (mmt_token_is(&token, "in") || mmt_token_is(&token, "bind") || mmt_token_is(&token, "label"))) {
        attribute(tree, of);
        mmt_cursor_end_of_line(tree);
        return open;
    }
    if (of < 0 && mmt_token_is(&token, "use")) {
        use_line(tree, component);
        return open;
    }
    const char *name = mmt_cursor_name(tree, of < 0 ? "a variable, 'use' or [component]"
                                                    : "a variable, 'in', 'bind', 'label' or 'desc:'");
    if (mmt_cursor_at(tree, ':')) {
        struct mmt_token prose;
        const char *text = property(tree, &prose);
        if (of >= 0 && !tree->status && strcmp(name, "desc") == 0)
            tree->variable[of].meaning = text;
        return open;
    }
    bool state = strcmp(name, "dot") == 0 && mmt_cursor_at(tree, '(');
    if (state) {
        mmt_cursor_next(tree);
        name = mmt_cursor_name(tree, "the name of a state");
        mmt_cursor_sign(tree, ')', "')'");
    }
    return variable_line(tree, &token, name, state, component, of);
}

static void parse_component(struct mmt_tree *tree)
{
    struct mmt_token token = *mmt_cursor_now(tree);
    struct mmt_token inside = token;
    while (inside.length && (*inside.text == ' ' || *inside.text == '\t'))
        inside.text++, inside.length--;
    while (inside.length && (inside.text[inside.length - 1] == ' ' || inside.text[inside.length - 1] == '\t'))
        inside.length--;
    bool good = inside.length > 0 && inside.length <= NAME_MAX_LENGTH;
    for (int k = 0; k < inside.length && good; k++) {
        char c = inside.text[k];
        good =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (k && (c == '_' || (c >= '0' && c <= '9')));
    }
    if (!good)
        mmt_tree_fail(tree, token.line, token.column,
                      "the name in [ ] must begin with a letter and consist of letters, digits and '_'");
    if (token.indent)
        mmt_tree_fail(tree, token.line, token.column, "[component] must be at the beginning of its line");
    struct mmt_component *component =
        tree->status ? NULL : mmt_tree_append(tree, &tree->components, &tree->component, sizeof *component);
    if (!component)
        return;
    *component =
        (struct mmt_component){mmt_tree_text(tree, inside.text, inside.length), token.line, token.column};
    int c = tree->components.count - 1, open = -1;
    mmt_names_add(tree, MMT_COMPONENT, c);
    mmt_cursor_next(tree);
    mmt_cursor_end_of_line(tree);
    while (!tree->status && mmt_cursor_now(tree)->kind != MMT_TOKEN_END &&
           mmt_cursor_now(tree)->kind != MMT_TOKEN_SEGMENT && mmt_cursor_now(tree)->kind != MMT_TOKEN_BRACKET)
        open = component_line(tree, c, open);
}

/* Reads name(a, b) = formula, after the name */
static void function_line(struct mmt_tree *tree, const char *name, const struct mmt_token *token)
{
    struct mmt_function function = {name, token->line, token->column, .value = 0};
    function.argument = arena_allocate(tree->arena, MMT_TREE_ARGUMENTS_MAX, sizeof *function.argument);
    if (!function.argument)
        mmt_tree_memory(tree);
    do {
        mmt_cursor_next(tree);
        int line = mmt_cursor_now(tree)->line, column = mmt_cursor_now(tree)->column;
        const char *argument = mmt_cursor_name(tree, "an argument's name");
        tree->inside = &function;
        if (!tree->status && mmt_formula_argument(tree, argument) >= 0)
            mmt_tree_fail(tree, line, column, "a second argument '%s'", argument);
        if (function.arguments == MMT_TREE_ARGUMENTS_MAX)
            mmt_tree_fail(tree, line, column, "more than %d arguments", MMT_TREE_ARGUMENTS_MAX);
        if (!tree->status)
            function.argument[function.arguments++] = argument;
    } while (mmt_cursor_at(tree, ','));
    mmt_cursor_sign(tree, ')', "')'");
    mmt_cursor_sign(tree, '=', "'='");
    function.value = mmt_formula_read(tree);
    tree->inside = NULL;
    if (mmt_formula_has(name))
        mmt_tree_fail(tree, token->line, token->column, "the function %s() is there already", name);
    struct mmt_function *kept =
        tree->status ? NULL : mmt_tree_append(tree, &tree->functions, &tree->function, sizeof *kept);
    if (!kept)
        return;
    *kept = function;
    mmt_names_add(tree, MMT_FUNCTION_OWN, tree->functions.count - 1);
    mmt_cursor_end_of_line(tree);
}

static void initial_line(struct mmt_tree *tree, const char *component, const struct mmt_token *token)
{
    mmt_cursor_next(tree);
    const char *name = mmt_cursor_name(tree, "the name of a state");
    mmt_cursor_sign(tree, '=', "'='");
    int first = tree->terms.count, value = mmt_formula_read(tree);
    struct mmt_initial *initial =
        tree->status ? NULL : mmt_tree_append(tree, &tree->initials, &tree->initial, sizeof *initial);
    if (!initial)
        return;
    *initial = (struct mmt_initial){
        component, name, token->line, token->column, value, first, tree->terms.count - first};
    if (tree->term[value].truth)
        mmt_tree_fail(tree, tree->term[value].line, tree->term[value].column,
                      "expected a number, not a condition");
    mmt_cursor_end_of_line(tree);
}

/* The first reference at the end of a description: from the last line that begins with [1] to the line that
 * begins with [2], or to a blank line */
static const char *reference(struct mmt_tree *tree, const struct mmt_token *prose)
{
    struct mmt_token found = {.text = ""};
    const char *end = prose->text + prose->length;
    bool inside = false;
    for (const char *line = prose->text, *next; line < end; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line)), *first = line;
        next = stop ? stop + 1 : end;
        while (first < next && (*first == ' ' || *first == '\t' || *first == '\r' || *first == '\n'))
            first++;
        if (next - first > 4 && memcmp(first, "[1] ", 4) == 0) {
            inside = true;
            found.text = first + 4;
        } else {
            inside &= first < next && *first != '[';
        }
        if (inside)
            found.length = (int)(next - found.text);
    }
    return mmt_tree_prose(tree, &found);
}

/* Reads a number with an optional sign, at least `least`; `small` is the message for smaller ones */
static double signed_number(struct mmt_tree *tree, const char *what, double least, const char *small)
{
    double sign = 1, value = 0;
    if (mmt_cursor_at(tree, '-') || mmt_cursor_at(tree, '+')) {
        sign = mmt_cursor_at(tree, '-') ? -1 : 1;
        mmt_cursor_next(tree);
    }
    if (tree->status)
        return 0;
    if (mmt_cursor_now(tree)->kind != MMT_TOKEN_NUMBER)
        mmt_cursor_expected(tree, what);
    value = sign * mmt_cursor_now(tree)->number;
    if (value < least)
        mmt_tree_fail(tree, mmt_cursor_now(tree)->line, mmt_cursor_now(tree)->column, "%s", small);
    mmt_cursor_next(tree);
    return value;
}

/* Reads two numbers, ACCURATE LARGEST, in ms */
static void read_steps(struct mmt_tree *tree, double *accurate, double *largest, const char *positive,
                       const struct mmt_token *token)
{
    *accurate = signed_number(tree, "the accurate step, ms,", 1e-6, positive);
    *largest = signed_number(tree, "the largest step, ms,", 1e-6, positive);
    if (*largest < *accurate)
        mmt_tree_fail(tree, token->line, token->column,
                      "the accurate step %g ms is longer than the largest, %g ms", *accurate, *largest);
}

/* Reads display_name:, steps:, staggered:, capacitance: or names: of a variant, from the colon */
static void variant_property(struct mmt_tree *tree, struct cell_variant *variant, const char *name,
                             const struct mmt_token *token)
{
    const char *const positive = "a variant's steps and capacitance are positive";
    struct mmt_token prose;
    if (strcmp(name, "display_name") == 0) {
        variant->title = property(tree, &prose);
        return;
    }
    mmt_cursor_next(tree);
    if (strcmp(name, "steps") == 0) {
        read_steps(tree, &variant->step_accurate, &variant->step_largest, positive, token);
    } else if (strcmp(name, "staggered") == 0) {
        read_steps(tree, &variant->staggered_accurate, &variant->staggered_largest, positive, token);
    } else if (strcmp(name, "capacitance") == 0) {
        variant->capacitance = signed_number(tree, "a capacitance, uF/cm^2,", 1e-9, positive);
    } else if (strcmp(name, "names") == 0 && mmt_token_is(mmt_cursor_now(tree), "short")) {
        variant->short_names = true;
        mmt_cursor_next(tree);
    } else {
        mmt_tree_fail(tree, token->line, token->column,
                      "a variant has display_name: text, steps: ACCURATE LARGEST, staggered: ACCURATE "
                      "LARGEST, capacitance: NUMBER and names: short");
    }
    mmt_cursor_end_of_line(tree);
}

static void variant_line(struct mmt_tree *tree, struct mmt_variant *variant)
{
    struct mmt_token token = *mmt_cursor_now(tree);
    const char *name = mmt_cursor_name(tree, "a property or component.variable = number");
    if (mmt_cursor_at(tree, ':')) {
        variant_property(tree, &variant->is, name, &token);
        return;
    }
    mmt_cursor_sign(tree, '.', "':' or '.'");
    struct mmt_change change = {
        name, mmt_cursor_name(tree, "a variable's name"), token.line, token.column, -1, 0};
    mmt_cursor_sign(tree, '=', "'='");
    change.value = signed_number(tree, "a number", -DBL_MAX, "");
    mmt_cursor_end_of_line(tree);
    struct mmt_change *last =
        tree->status ? NULL : mmt_tree_append(tree, &tree->changes, &tree->change, sizeof *last);
    if (last) {
        *last = change;
        variant->changes++;
    }
}

/* "tp06-endo" for tp06_endo */
static const char *variant_name(struct mmt_tree *tree, const char *suffix, const struct mmt_token *token)
{
    char *name = arena_text(tree->arena, suffix, strlen(suffix));
    if (!name) {
        mmt_tree_memory(tree);
        return "";
    }
    if (!*name || strlen(name) > VARIANT_NAME_MAX ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
        mmt_tree_fail(tree, token->line, token->column,
                      "a variant's name has 1 to %d characters: small letters, digits and '_'",
                      VARIANT_NAME_MAX);
    for (char *at = name; *at; at++)
        *at = *at == '_' ? '-' : *at;
    for (int k = 0; k < tree->variants.count; k++)
        if (strcmp(tree->variant[k].is.name, name) == 0)
            mmt_tree_fail(tree, token->line, token->column, "a second variant '%s'", name);
    if (tree->variants.count == VARIANTS_MAX)
        mmt_tree_fail(tree, token->line, token->column, "more than %d variants", VARIANTS_MAX);
    return name;
}

/* Reads the lines of the property variant_SUFFIX, whose text is *prose */
static void read_variant(struct mmt_tree *tree, const char *suffix, const struct mmt_token *token,
                         const struct mmt_token *prose)
{
    const struct mmt_scanner after = tree->scanner;
    const char *name = variant_name(tree, suffix, token), *line = prose->text;
    struct mmt_variant *variant =
        tree->status ? NULL : mmt_tree_append(tree, &tree->variants, &tree->variant, sizeof *variant);
    if (!variant)
        return;
    *variant = (struct mmt_variant){.is = {.name = name, .title = ""}, .first = tree->changes.count};
    while (line > after.text && line[-1] != '\n')
        line--;
    tree->scanner = (struct mmt_scanner){.file = after.file,
                                         .text = prose->text,
                                         .end = prose->text + prose->length,
                                         .at = prose->text,
                                         .line_begin = line,
                                         .line = prose->line,
                                         .fresh = true};
    mmt_cursor_next(tree);
    while (!tree->status && mmt_cursor_now(tree)->kind != MMT_TOKEN_END)
        variant_line(tree, variant);
    tree->scanner = after;
}

/* Reads one line of the model's header: a property, a function or an initial value */
static void header_line(struct mmt_tree *tree)
{
    struct mmt_token token = *mmt_cursor_now(tree);
    if (token.indent)
        mmt_tree_fail(tree, token.line, token.column, "an indented line in the header of the model");
    const char *name =
        mmt_cursor_name(tree, "a property (name: text), component.state = value or [component]");
    if (mmt_cursor_at(tree, ':')) {
        struct mmt_token prose;
        const char *text = property(tree, &prose);
        if (strcmp(name, "name") == 0)
            tree->name = text;
        else if (strcmp(name, "display_name") == 0)
            tree->title = text;
        else if (strcmp(name, "units") == 0)
            tree->units_warn = strcmp(text, "warn") == 0;
        else if (strcmp(name, "desc") == 0 && !tree->status)
            tree->reference = reference(tree, &prose);
        else if (strncmp(name, "variant_", strlen("variant_")) == 0 && !tree->status)
            read_variant(tree, name + strlen("variant_"), &token, &prose);
    } else if (mmt_cursor_at(tree, '(')) {
        function_line(tree, name, &token);
    } else if (mmt_cursor_at(tree, '.')) {
        initial_line(tree, name, &token);
    } else {
        mmt_cursor_expected(tree, "':', '.' or '('");
    }
}

static double event_number(struct mmt_tree *tree, double least)
{
    return signed_number(tree, "a number: level, start, duration, period, count", least,
                         "an event's times and count cannot be negative");
}

static void event_line(struct mmt_tree *tree)
{
    struct cell_event event = {0}, *before = tree->events.count ? &tree->event[tree->events.count - 1] : NULL;
    struct mmt_token token = *mmt_cursor_now(tree);
    event.level = event_number(tree, -1e308);
    if (!tree->status && mmt_token_is(mmt_cursor_now(tree), "next")) {
        if (before && before->period > 0)
            mmt_tree_fail(tree, mmt_cursor_now(tree)->line, mmt_cursor_now(tree)->column,
                          "'next' after a repeated event");
        event.start = before ? before->start + before->duration : 0;
        mmt_cursor_next(tree);
    } else {
        event.start = event_number(tree, 0);
    }
    event.duration = event_number(tree, 0);
    event.period = event_number(tree, 0);
    double count = event_number(tree, 0);
    if (count > 1e9 || count != (double)(int64_t)count)
        mmt_tree_fail(tree, token.line, token.column, "an event's count is a whole number up to 1e9");
    if (event.period > 0 && event.period < event.duration)
        mmt_tree_fail(tree, token.line, token.column, "an event of %g every %g overlaps itself",
                      event.duration, event.period);
    if (tree->status)
        return;
    event.count = (int)count;
    struct cell_event *kept = mmt_tree_append(tree, &tree->events, &tree->event, sizeof *kept);
    if (kept)
        *kept = event;
    mmt_cursor_end_of_line(tree);
}

static void parse_sections(struct mmt_tree *tree)
{
    const struct mmt_token *token = mmt_cursor_now(tree);
    bool model = false;
    if (token->kind != MMT_TOKEN_SEGMENT)
        mmt_tree_fail(tree, token->line, token->column, "no text of a model: it begins with [[model]]");
    while (!tree->status && token->kind != MMT_TOKEN_END) {
        struct mmt_token inside = *token;
        inside.kind = MMT_TOKEN_NAME;
        if (token->kind != MMT_TOKEN_SEGMENT) {
            mmt_cursor_expected(tree, "[[protocol]], [[script]] or the end");
        } else if (mmt_token_is(&inside, "model")) {
            if (model)
                mmt_tree_fail(tree, token->line, token->column, "a second [[model]]");
            model = true;
            mmt_cursor_next(tree);
            mmt_cursor_end_of_line(tree);
            while (!tree->status && token->kind != MMT_TOKEN_END && token->kind != MMT_TOKEN_BRACKET &&
                   token->kind != MMT_TOKEN_SEGMENT)
                header_line(tree);
            while (!tree->status && token->kind == MMT_TOKEN_BRACKET)
                parse_component(tree);
        } else if (mmt_token_is(&inside, "protocol")) {
            mmt_cursor_next(tree);
            mmt_cursor_end_of_line(tree);
            while (!tree->status && token->kind != MMT_TOKEN_END && token->kind != MMT_TOKEN_SEGMENT)
                event_line(tree);
        } else if (mmt_token_is(&inside, "script")) {
            tree->status = mmt_token_skip(&tree->scanner, tree->error);
        } else {
            mmt_tree_fail(tree, token->line, token->column,
                          "the parts of a text are [[model]], [[protocol]] and [[script]]");
        }
    }
    if (!tree->status && !model)
        mmt_tree_fail(tree, 1, 1, "no text of a model: it has no [[model]]");
}

enum status mmt_parser_read(struct mmt_tree *tree, struct arena *arena, const char *text, size_t bytes,
                            const char *file, struct error *error)
{
    *tree = (struct mmt_tree){
        .file = file, .arena = arena, .error = error, .name = "", .title = "", .reference = ""};
    tree->status = mmt_token_begin(&tree->scanner, MMT_DIALECT_MODEL, text, bytes, file, error);
    if (!tree->status)
        parse_sections(tree);
    if (!tree->status)
        mmt_names_resolve(tree);
    return tree->status;
}
