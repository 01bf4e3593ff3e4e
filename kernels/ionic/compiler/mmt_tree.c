/* mmt_tree.c: the parser: lines by their indentation, formulas by the rank of their operators. */
#include "kernels/ionic/compiler/mmt_tree.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/suggest.h"

enum {
    TERMS_MAX = 1 << 18,
    NESTING_MAX = 200,     /* parentheses, signs and functions inside each other */
    DEPTH_MAX = 2000,      /* operands of operands: a sum of so many summands */
    INNER_MAX = 16,        /* variables inside variables */
    NAME_MAX_LENGTH = 100, /* characters */
};

/* Scopes of names; component c has scope c, what stands inside of variable v has -10 - v. */
enum { SCOPE_COMPONENTS = -1, SCOPE_FUNCTIONS = -2, SCOPE_INITIALS = -3 };
enum { KIND_VARIABLE, KIND_ALIAS, KIND_COMPONENT, KIND_FUNCTION };

void mmt_tree_fail(struct mmt_tree *tree, int line, int column, const char *format, ...)
{
    char text[900];
    if (tree->status)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tree->status = error_at(tree->error, STATUS_INPUT, tree->file, line, column, "%s", text);
}

static void out_of_memory(struct mmt_tree *tree)
{
    if (!tree->status)
        tree->status = error_set(tree->error, STATUS_RUN, "%s: no memory to read it", tree->file);
}

void *mmt_tree_append(struct mmt_tree *tree, struct mmt_list *list, void *array, size_t size)
{
    void *items;
    memcpy(&items, array, sizeof items); /* whatever its type */
    if (list->count == list->room) {
        int room = list->room ? 2 * list->room : 16;
        void *more = arena_take(tree->arena, (size_t)room, size);
        if (!more) {
            out_of_memory(tree);
            return NULL;
        }
        if (list->count)
            memcpy(more, items, (size_t)list->count * size);
        memcpy(array, &more, sizeof more);
        items = more;
        list->room = room;
    }
    return (char *)items + (size_t)list->count++ * size;
}

static const char *text_of(struct mmt_tree *tree, const char *text, int length)
{
    const char *copy = arena_text(tree->arena, text, (size_t)length);
    if (!copy)
        out_of_memory(tree);
    return copy ? copy : "";
}

/* Prose on one line, its blanks made one */
static const char *prose_of(struct mmt_tree *tree, const struct mmt_token *token)
{
    char *copy = arena_text(tree->arena, token->text, (size_t)token->length);
    if (!copy) {
        out_of_memory(tree);
        return "";
    }
    size_t kept = 0;
    for (int k = 0; k < token->length; k++) {
        unsigned char c = (unsigned char)copy[k];
        bool blank = c <= ' ' || c == 127;
        if (blank && (kept == 0 || copy[kept - 1] == ' '))
            continue;
        copy[kept++] = blank ? ' ' : (char)c;
    }
    copy[kept - (kept && copy[kept - 1] == ' ')] = 0;
    return copy;
}

/* Names */

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

/* NULL = that scope has no such name */
static const struct mmt_symbol *find(const struct mmt_tree *tree, int scope, const char *name)
{
    const struct mmt_symbol *symbol = tree->slots ? slot_of(tree, scope, name) : NULL;
    return symbol && symbol->name ? symbol : NULL;
}

static void line_of_symbol(const struct mmt_tree *tree, const struct mmt_symbol *symbol, int *line)
{
    *line = symbol->kind == KIND_VARIABLE    ? tree->variable[symbol->index].line
            : symbol->kind == KIND_ALIAS     ? tree->alias[symbol->index].line
            : symbol->kind == KIND_COMPONENT ? tree->component[symbol->index].line
                                             : tree->function[symbol->index].line;
}

static void declare(struct mmt_tree *tree, int scope, const char *name, int kind, int index, int line,
                    int column)
{
    if (tree->status)
        return;
    if (2 * tree->symbols >= tree->slots) {
        struct mmt_symbol *old = tree->symbol;
        int slots = tree->slots;
        tree->slots = slots ? 2 * slots : 256;
        tree->symbol = arena_take(tree->arena, (size_t)tree->slots, sizeof *tree->symbol);
        if (!tree->symbol) {
            tree->slots = 0;
            out_of_memory(tree);
            return;
        }
        for (int k = 0; k < slots; k++)
            if (old[k].name)
                *slot_of(tree, old[k].scope, old[k].name) = old[k];
    }
    struct mmt_symbol *symbol = slot_of(tree, scope, name);
    if (symbol->name) {
        int before;
        line_of_symbol(tree, symbol, &before);
        mmt_tree_fail(tree, line, column, "the name '%s' is taken already, by line %d", name, before);
        return;
    }
    *symbol = (struct mmt_symbol){name, scope, kind, index};
    tree->symbols++;
}

/* Tokens */

static struct mmt_token *now(struct mmt_tree *tree)
{
    return &tree->scanner.token;
}

static void next(struct mmt_tree *tree)
{
    if (!tree->status)
        tree->status = mmt_token_next(&tree->scanner, tree->error);
}

static bool at_sign(struct mmt_tree *tree, int sign)
{
    return !tree->status && now(tree)->kind == MMT_TOKEN_SIGN && now(tree)->sign == sign;
}

/* What the present token is, for a message */
static const char *seen(struct mmt_tree *tree, char text[64])
{
    const struct mmt_token *token = now(tree);
    if (token->kind == MMT_TOKEN_END)
        return "the text ends";
    if (token->kind == MMT_TOKEN_LINE)
        return "the line ends";
    snprintf(text, 64,
             token->kind == MMT_TOKEN_SEGMENT   ? "there is '[[%.*s'"
             : token->kind == MMT_TOKEN_BRACKET ? "there is '[%.*s'"
                                                : "there is '%.*s'",
             token->length < 40 ? token->length : 40, token->text);
    return text;
}

static void expected(struct mmt_tree *tree, const char *what)
{
    char text[64];
    if (!tree->status)
        mmt_tree_fail(tree, now(tree)->line, now(tree)->column, "%s where %s is expected", seen(tree, text),
                      what);
}

static void take_sign(struct mmt_tree *tree, int sign, const char *what)
{
    if (at_sign(tree, sign))
        next(tree);
    else
        expected(tree, what);
}

static bool is_reserved(const struct mmt_token *token)
{
    static const char *const word[] = {"in", "bind", "label", "use", "as", "and", "or", "not"};
    bool found = false;
    for (size_t k = 0; k < sizeof word / sizeof word[0]; k++)
        found |= mmt_token_is(token, word[k]);
    return found;
}

/* The name at the present token, which it passes; "" on failure */
static const char *take_name(struct mmt_tree *tree, const char *what)
{
    struct mmt_token *token = now(tree);
    if (tree->status)
        return "";
    if (token->kind != MMT_TOKEN_NAME || is_reserved(token)) {
        expected(tree, what);
        return "";
    }
    if (token->length > NAME_MAX_LENGTH) {
        mmt_tree_fail(tree, token->line, token->column, "a name of more than %d characters", NAME_MAX_LENGTH);
        return "";
    }
    const char *name = text_of(tree, token->text, token->length);
    next(tree);
    return name;
}

static void end_of_line(struct mmt_tree *tree)
{
    if (tree->status || now(tree)->kind == MMT_TOKEN_END)
        return;
    if (now(tree)->kind != MMT_TOKEN_LINE)
        expected(tree, "the end of the line");
    next(tree);
}

/* Formulas */

static int term_new(struct mmt_tree *tree, enum mmt_meaning meaning, int line, int column)
{
    if (tree->terms.count >= TERMS_MAX)
        mmt_tree_fail(tree, line, column, "the formulas have more than %d parts", TERMS_MAX);
    if (tree->status)
        return 0;
    struct mmt_term *term = mmt_tree_append(tree, &tree->terms, &tree->term, sizeof *term);
    if (!term)
        return 0;
    *term = (struct mmt_term){meaning, line, column, -1, -1, .depth = 1, .unit = -1, .index = -1};
    return tree->terms.count - 1;
}

/* term n <- with the operand a, behind those that it has; wants_truth: whether that is to be a condition */
static void operand(struct mmt_tree *tree, int n, int *last, int a, bool wants_truth)
{
    if (tree->status)
        return;
    struct mmt_term *term = &tree->term[n], *child = &tree->term[a];
    if (child->truth != wants_truth)
        mmt_tree_fail(tree, child->line, child->column, "%s",
                      wants_truth ? "a number stands where a condition, like V < 0, is expected"
                                  : "a condition stands where a number is expected");
    if (*last < 0)
        term->first = a;
    else
        tree->term[*last].next = a;
    *last = a;
    term->depth = child->depth >= term->depth ? child->depth + 1 : term->depth;
    if (term->depth > DEPTH_MAX)
        mmt_tree_fail(tree, term->line, term->column, "a formula of more than %d operations in a row",
                      DEPTH_MAX);
}

static int formula(struct mmt_tree *tree, int rank);

static int two(struct mmt_tree *tree, enum mmt_meaning meaning, int line, int column, int a, int b)
{
    int n = term_new(tree, meaning, line, column), last = -1;
    bool logic = meaning == MMT_AND || meaning == MMT_OR;
    operand(tree, n, &last, a, logic);
    operand(tree, n, &last, b, logic);
    if (!tree->status)
        tree->term[n].truth = meaning >= MMT_LESS && meaning <= MMT_OR;
    return n;
}

static const struct known_function {
    const char *name;
    enum mmt_meaning meaning;
    enum expression_operation operation;
    int least, most; /* operands */
} known_function[] = {
    {"exp", MMT_FUNCTION, EXPRESSION_EXP, 1, 1},     {"log", MMT_FUNCTION, EXPRESSION_LOG, 1, 2},
    {"log10", MMT_FUNCTION, EXPRESSION_LOG10, 1, 1}, {"sqrt", MMT_FUNCTION, EXPRESSION_SQRT, 1, 1},
    {"sin", MMT_FUNCTION, EXPRESSION_SIN, 1, 1},     {"cos", MMT_FUNCTION, EXPRESSION_COS, 1, 1},
    {"tan", MMT_FUNCTION, EXPRESSION_TAN, 1, 1},     {"asin", MMT_FUNCTION, EXPRESSION_ASIN, 1, 1},
    {"acos", MMT_FUNCTION, EXPRESSION_ACOS, 1, 1},   {"atan", MMT_FUNCTION, EXPRESSION_ATAN, 1, 1},
    {"floor", MMT_FUNCTION, EXPRESSION_FLOOR, 1, 1}, {"ceil", MMT_FUNCTION, EXPRESSION_CEIL, 1, 1},
    {"abs", MMT_FUNCTION, EXPRESSION_ABS, 1, 1},     {"if", MMT_IF, 0, 3, 3},
    {"piecewise", MMT_PIECEWISE, 0, 3, INT_MAX},
};
enum { KNOWN_FUNCTIONS = sizeof known_function / sizeof known_function[0] };

static int argument_of(const struct mmt_tree *tree, const char *name)
{
    for (int k = 0; tree->inside && k < tree->inside->arguments; k++)
        if (strcmp(tree->inside->argument[k], name) == 0)
            return k;
    return -1;
}

/* term n <- what the function's name means, once `count` operands are there */
static void name_function(struct mmt_tree *tree, int n, int count)
{
    struct mmt_term *term = &tree->term[n];
    const struct mmt_symbol *own = find(tree, SCOPE_FUNCTIONS, term->name);
    struct suggestion suggestion = suggest_for(term->name);
    char hint[128];
    int least = 0, most = -1;
    for (int k = 0; k < KNOWN_FUNCTIONS && !own; k++) {
        const struct known_function *known = &known_function[k];
        suggest_try(&suggestion, known->name);
        if (strcmp(known->name, term->name) != 0)
            continue;
        term->meaning = known->meaning == MMT_FUNCTION && count == 2 ? MMT_LOG_BASE : known->meaning;
        term->operation = known->operation;
        least = known->least;
        most = known->most;
    }
    if (own) {
        const struct mmt_function *function = &tree->function[own->index];
        term->meaning = MMT_CALL;
        term->index = own->index;
        term->truth = tree->term[function->value].truth;
        least = most = function->arguments;
    }
    for (int k = 0; k < tree->functions.count && most < 0; k++)
        suggest_try(&suggestion, tree->function[k].name);
    if (most < 0)
        mmt_tree_fail(tree, term->line, term->column, "no function is named '%s'%s", term->name,
                      suggest_hint(&suggestion, hint, sizeof hint));
    else if (count < least || count > most || (term->meaning == MMT_PIECEWISE && count % 2 == 0))
        mmt_tree_fail(tree, term->line, term->column, "%s() has %d operand%s, which are %s", term->name,
                      count, count == 1 ? "" : "s",
                      term->meaning == MMT_PIECEWISE
                          ? "to be pairs of a condition and a value, and one value more"
                      : count < least ? "too few"
                                      : "too many");
}

static int call(struct mmt_tree *tree, const char *name, int line, int column)
{
    int n = term_new(tree, MMT_CALL, line, column), last = -1, count = 0;
    if (tree->status)
        return 0;
    tree->term[n].name = name;
    bool choice = strcmp(name, "if") == 0, cases = strcmp(name, "piecewise") == 0;
    next(tree);
    while (!tree->status && !at_sign(tree, ')')) {
        int a = formula(tree, 0);
        bool last_one = at_sign(tree, ')');
        operand(tree, n, &last, a, (choice && count == 0) || (cases && count % 2 == 0 && !last_one));
        count++;
        if (last_one)
            break;
        take_sign(tree, ',', "',' or ')'");
    }
    take_sign(tree, ')', "')'");
    if (!tree->status)
        name_function(tree, n, count);
    return n;
}

static int rate(struct mmt_tree *tree, int line, int column)
{
    int n = term_new(tree, MMT_RATE, line, column);
    next(tree);
    const char *component = NULL, *name = take_name(tree, "the name of a state");
    if (at_sign(tree, '.')) {
        next(tree);
        component = name;
        name = take_name(tree, "the name of a state");
    }
    take_sign(tree, ')', "')'");
    if (!tree->status)
        tree->term[n].name = name, tree->term[n].component = component;
    return n;
}

static int named(struct mmt_tree *tree)
{
    int line = now(tree)->line, column = now(tree)->column;
    const char *component = NULL, *name = take_name(tree, "a number, a name or '('");
    if (at_sign(tree, '('))
        return strcmp(name, "dot") == 0 ? rate(tree, line, column) : call(tree, name, line, column);
    if (at_sign(tree, '.')) {
        next(tree);
        component = name;
        name = take_name(tree, "a variable's name");
    }
    int argument = component ? -1 : argument_of(tree, name);
    int n = term_new(tree, argument >= 0 ? MMT_ARGUMENT : MMT_NAME, line, column);
    if (tree->status)
        return 0;
    tree->term[n].name = name;
    tree->term[n].component = component;
    tree->term[n].index = argument;
    if (tree->inside && argument < 0)
        mmt_tree_fail(tree, line, column, "a function knows its arguments alone, and '%s' is none of them",
                      name);
    return n;
}

/* The unit in the present token, a bracket */
static struct mmt_unit take_unit(struct mmt_tree *tree)
{
    struct mmt_token *token = now(tree);
    struct mmt_unit unit = {0};
    char why[160];
    int at;
    if (tree->status)
        return unit;
    if (token->kind != MMT_TOKEN_BRACKET)
        expected(tree, "a unit in brackets, like [mV],");
    else if (!mmt_unit_read(&unit, token->text, token->length, &at, why, sizeof why))
        mmt_tree_fail(tree, token->line, token->column + at, "%s", why);
    next(tree);
    return unit;
}

static int number(struct mmt_tree *tree)
{
    int n = term_new(tree, MMT_NUMBER, now(tree)->line, now(tree)->column);
    if (tree->status)
        return 0;
    tree->term[n].number = now(tree)->number;
    next(tree);
    if (!tree->status && now(tree)->kind == MMT_TOKEN_BRACKET && !now(tree)->first) {
        struct mmt_unit *unit = mmt_tree_append(tree, &tree->units, &tree->unit, sizeof *unit);
        if (unit)
            *unit = take_unit(tree);
        tree->term[n].unit = tree->units.count - 1;
    }
    return n;
}

enum { RANK_LOGIC = 1, RANK_COMPARISON, RANK_SUM, RANK_PRODUCT, RANK_POWER, RANK_OPERAND };

static int prefixed(struct mmt_tree *tree, enum mmt_meaning meaning, int rank)
{
    int line = now(tree)->line, column = now(tree)->column, last = -1;
    next(tree);
    int a = formula(tree, rank), n = term_new(tree, meaning, line, column);
    operand(tree, n, &last, a, meaning == MMT_NOT);
    if (!tree->status)
        tree->term[n].truth = meaning == MMT_NOT;
    return n;
}

static int primary(struct mmt_tree *tree)
{
    if (tree->status)
        return 0;
    if (now(tree)->kind == MMT_TOKEN_NUMBER)
        return number(tree);
    if (at_sign(tree, '-'))
        return prefixed(tree, MMT_MINUS, RANK_POWER);
    if (at_sign(tree, '+'))
        return prefixed(tree, MMT_PLUS, RANK_POWER);
    if (mmt_token_is(now(tree), "not"))
        return prefixed(tree, MMT_NOT, RANK_COMPARISON);
    if (!at_sign(tree, '('))
        return named(tree);
    next(tree);
    int n = formula(tree, 0);
    take_sign(tree, ')', "')'");
    return n;
}

/* The operator at the present token, MMT_NUMBER = it is none, and its rank */
static enum mmt_meaning operator_at(struct mmt_tree *tree, int *rank)
{
    static const struct {
        int sign;
        enum mmt_meaning meaning;
        int rank;
    } known[] = {
        {'+', MMT_ADD, RANK_SUM},
        {'-', MMT_SUBTRACT, RANK_SUM},
        {'*', MMT_MULTIPLY, RANK_PRODUCT},
        {'/', MMT_DIVIDE, RANK_PRODUCT},
        {'%', MMT_REMAINDER, RANK_PRODUCT},
        {'^', MMT_POWER, RANK_POWER},
        {'<', MMT_LESS, RANK_COMPARISON},
        {'>', MMT_MORE, RANK_COMPARISON},
        {MMT_SIGN_QUOTIENT, MMT_QUOTIENT, RANK_PRODUCT},
        {MMT_SIGN_EQUAL, MMT_EQUAL, RANK_COMPARISON},
        {MMT_SIGN_UNEQUAL, MMT_UNEQUAL, RANK_COMPARISON},
        {MMT_SIGN_LESS_EQUAL, MMT_LESS_EQUAL, RANK_COMPARISON},
        {MMT_SIGN_GREATER_EQUAL, MMT_MORE_EQUAL, RANK_COMPARISON},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (at_sign(tree, known[k].sign)) {
            *rank = known[k].rank;
            return known[k].meaning;
        }
    *rank = RANK_LOGIC;
    return mmt_token_is(now(tree), "and") ? MMT_AND : mmt_token_is(now(tree), "or") ? MMT_OR : MMT_NUMBER;
}

/* A formula of operators of at least that rank; equal ranks from the left */
static int formula(struct mmt_tree *tree, int rank)
{
    if (++tree->nesting > NESTING_MAX)
        mmt_tree_fail(tree, now(tree)->line, now(tree)->column,
                      "more than %d parentheses, signs or functions inside each other", NESTING_MAX);
    int a = primary(tree), here;
    while (!tree->status) {
        enum mmt_meaning meaning = operator_at(tree, &here);
        if (meaning == MMT_NUMBER || here < rank)
            break;
        int line = now(tree)->line, column = now(tree)->column;
        next(tree);
        int b = formula(tree, here + 1);
        a = two(tree, meaning, line, column, a, b);
    }
    tree->nesting--;
    return a;
}

/* Lines */

static void *append_variable(struct mmt_tree *tree)
{
    return mmt_tree_append(tree, &tree->variables, &tree->variable, sizeof *tree->variable);
}

static void set_word(struct mmt_tree *tree, const char **where, const char *what)
{
    int line = now(tree)->line, column = now(tree)->column;
    next(tree);
    const char *word = take_name(tree, what);
    if (**where)
        mmt_tree_fail(tree, line, column, "a second %s; it has '%s' already", what, *where);
    *where = word;
}

/* in [unit], bind, label and description, at the present token; false: it is none of them */
static bool attribute(struct mmt_tree *tree, int v)
{
    if (tree->status)
        return false;
    int line = now(tree)->line, column = now(tree)->column;
    if (mmt_token_is(now(tree), "in")) {
        next(tree);
        if (tree->variable[v].unit.given)
            mmt_tree_fail(tree, line, column, "'%s' has a unit already", tree->variable[v].full);
        struct mmt_unit unit = take_unit(tree);
        tree->variable[v].unit = unit;
    } else if (mmt_token_is(now(tree), "bind")) {
        set_word(tree, &tree->variable[v].binding, "name to bind to");
    } else if (mmt_token_is(now(tree), "label")) {
        set_word(tree, &tree->variable[v].label, "label");
    } else if (at_sign(tree, ':')) {
        if (!tree->status)
            tree->status = mmt_token_prose(&tree->scanner, tree->error);
        tree->variable[v].meaning = prose_of(tree, now(tree));
        next(tree);
    } else {
        return false;
    }
    return true;
}

/* A property, `name: text`, whose name was passed; returns its text */
static const char *property(struct mmt_tree *tree)
{
    if (!tree->status)
        tree->status = mmt_token_prose(&tree->scanner, tree->error);
    const char *text = tree->status ? "" : prose_of(tree, now(tree));
    next(tree);
    end_of_line(tree);
    return text;
}

static int scope_inside(int component, int parent)
{
    return parent < 0 ? component : -10 - parent;
}

/* name = formula, whose name was passed */
static int variable_line(struct mmt_tree *tree, const struct mmt_token *place, const char *name, bool state,
                         int component, int parent)
{
    take_sign(tree, '=', "'='");
    int first = tree->terms.count, value = formula(tree, 0), v = tree->variables.count;
    struct mmt_variable *variable = tree->status ? NULL : append_variable(tree);
    if (!variable)
        return 0;
    const char *above = parent < 0 ? tree->component[component].name : tree->variable[parent].full;
    const char *full = arena_print(tree->arena, "%s.%s", above, name);
    *variable = (struct mmt_variable){.name = name,
                                      .full = full,
                                      .line = place->line,
                                      .column = place->column,
                                      .indent = place->indent,
                                      .component = component,
                                      .parent = parent,
                                      .depth = parent < 0 ? 0 : tree->variable[parent].depth + 1,
                                      .state = state,
                                      .value = value,
                                      .first_term = first,
                                      .terms = tree->terms.count - first,
                                      .initial = -1,
                                      .binding = "",
                                      .label = "",
                                      .meaning = ""};
    if (!full)
        out_of_memory(tree);
    else if (variable->depth > INNER_MAX)
        mmt_tree_fail(tree, place->line, place->column, "more than %d variables inside each other",
                      INNER_MAX);
    else if (state && parent >= 0)
        mmt_tree_fail(tree, place->line, place->column, "a state cannot stand inside of another variable");
    else if (tree->term[value].truth)
        mmt_tree_fail(tree, tree->term[value].line, tree->term[value].column,
                      "'%s' is a condition; if(condition, 1, 0) is a number", full);
    declare(tree, scope_inside(component, parent), name, KIND_VARIABLE, v, place->line, place->column);
    while (attribute(tree, v))
        ;
    end_of_line(tree);
    return v;
}

/* The variable that a line of such an indentation belongs to; `open` is the one begun last */
static int owner(struct mmt_tree *tree, int open, const struct mmt_token *place)
{
    while (open >= 0 && tree->variable[open].indent >= place->indent)
        open = tree->variable[open].parent;
    if (open < 0) {
        mmt_tree_fail(tree, place->line, place->column, "an indented line that belongs to no variable");
        return 0;
    }
    int *inner = &tree->variable[open].inner_indent;
    if (!*inner)
        *inner = place->indent;
    if (*inner != place->indent)
        mmt_tree_fail(tree, place->line, place->column, "indented by %d, and other lines of '%s' by %d",
                      place->indent, tree->variable[open].full, *inner);
    return open;
}

static void use_line(struct mmt_tree *tree, int component)
{
    do {
        next(tree);
        struct mmt_token place = *now(tree);
        const char *from = take_name(tree, "component.variable");
        take_sign(tree, '.', "component.variable");
        const char *name = take_name(tree, "a variable's name"), *as = name;
        if (!tree->status && mmt_token_is(now(tree), "as")) {
            next(tree);
            as = take_name(tree, "a name");
        }
        struct mmt_alias *alias =
            tree->status ? NULL : mmt_tree_append(tree, &tree->aliases, &tree->alias, sizeof *alias);
        if (!alias)
            return;
        *alias = (struct mmt_alias){component, place.line, place.column, as, from, name, -1};
        declare(tree, component, as, KIND_ALIAS, tree->aliases.count - 1, place.line, place.column);
    } while (at_sign(tree, ','));
    end_of_line(tree);
}

/* One line of a component; returns the variable begun last */
static int component_line(struct mmt_tree *tree, int component, int open)
{
    struct mmt_token place = *now(tree);
    int of = place.indent ? owner(tree, open, &place) : -1;
    if (tree->status)
        return open;
    if (of >= 0 &&
        (mmt_token_is(&place, "in") || mmt_token_is(&place, "bind") || mmt_token_is(&place, "label"))) {
        attribute(tree, of);
        end_of_line(tree);
        return open;
    }
    if (of < 0 && mmt_token_is(&place, "use")) {
        use_line(tree, component);
        return open;
    }
    const char *name = take_name(tree, of < 0 ? "a variable, 'use' or [component]"
                                              : "a variable, 'in', 'bind', 'label' or 'desc:'");
    if (at_sign(tree, ':')) {
        const char *text = property(tree);
        if (of >= 0 && !tree->status && strcmp(name, "desc") == 0)
            tree->variable[of].meaning = text;
        return open;
    }
    bool state = strcmp(name, "dot") == 0 && at_sign(tree, '(');
    if (state) {
        next(tree);
        name = take_name(tree, "the name of a state");
        take_sign(tree, ')', "')'");
    }
    return variable_line(tree, &place, name, state, component, of);
}

static void component_part(struct mmt_tree *tree)
{
    struct mmt_token place = *now(tree);
    struct mmt_token inside = place;
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
        mmt_tree_fail(tree, place.line, place.column, "[component] is a name of letters, digits and '_'");
    if (place.indent)
        mmt_tree_fail(tree, place.line, place.column, "[component] stands at the beginning of its line");
    struct mmt_component *component =
        tree->status ? NULL : mmt_tree_append(tree, &tree->components, &tree->component, sizeof *component);
    if (!component)
        return;
    *component = (struct mmt_component){text_of(tree, inside.text, inside.length), place.line, place.column};
    int c = tree->components.count - 1, open = -1;
    declare(tree, SCOPE_COMPONENTS, component->name, KIND_COMPONENT, c, place.line, place.column);
    next(tree);
    end_of_line(tree);
    while (!tree->status && now(tree)->kind != MMT_TOKEN_END && now(tree)->kind != MMT_TOKEN_SEGMENT &&
           now(tree)->kind != MMT_TOKEN_BRACKET)
        open = component_line(tree, c, open);
}

/* name(a, b) = formula, whose name was passed */
static void function_line(struct mmt_tree *tree, const char *name, const struct mmt_token *place)
{
    enum { ARGUMENTS_MAX = 32 };
    struct mmt_function function = {name, place->line, place->column, .value = 0};
    function.argument = arena_take(tree->arena, ARGUMENTS_MAX, sizeof *function.argument);
    if (!function.argument)
        out_of_memory(tree);
    do {
        next(tree);
        int line = now(tree)->line, column = now(tree)->column;
        const char *argument = take_name(tree, "an argument's name");
        tree->inside = &function;
        if (!tree->status && argument_of(tree, argument) >= 0)
            mmt_tree_fail(tree, line, column, "a second argument '%s'", argument);
        if (function.arguments == ARGUMENTS_MAX)
            mmt_tree_fail(tree, line, column, "more than %d arguments", ARGUMENTS_MAX);
        if (!tree->status)
            function.argument[function.arguments++] = argument;
    } while (at_sign(tree, ','));
    take_sign(tree, ')', "')'");
    take_sign(tree, '=', "'='");
    function.value = formula(tree, 0);
    tree->inside = NULL;
    for (int k = 0; k < KNOWN_FUNCTIONS; k++)
        if (strcmp(known_function[k].name, name) == 0 || strcmp(name, "dot") == 0)
            mmt_tree_fail(tree, place->line, place->column, "the function %s() is there already", name);
    struct mmt_function *kept =
        tree->status ? NULL : mmt_tree_append(tree, &tree->functions, &tree->function, sizeof *kept);
    if (!kept)
        return;
    *kept = function;
    declare(tree, SCOPE_FUNCTIONS, name, KIND_FUNCTION, tree->functions.count - 1, place->line,
            place->column);
    end_of_line(tree);
}

static void initial_line(struct mmt_tree *tree, const char *component, const struct mmt_token *place)
{
    next(tree);
    const char *name = take_name(tree, "the name of a state");
    take_sign(tree, '=', "'='");
    int first = tree->terms.count, value = formula(tree, 0);
    struct mmt_initial *initial =
        tree->status ? NULL : mmt_tree_append(tree, &tree->initials, &tree->initial, sizeof *initial);
    if (!initial)
        return;
    *initial = (struct mmt_initial){
        component, name, place->line, place->column, value, first, tree->terms.count - first};
    if (tree->term[value].truth)
        mmt_tree_fail(tree, tree->term[value].line, tree->term[value].column,
                      "a condition stands where a number is expected");
    end_of_line(tree);
}

/* Header of the model: properties, functions, initial values */
static void header_line(struct mmt_tree *tree)
{
    struct mmt_token place = *now(tree);
    if (place.indent)
        mmt_tree_fail(tree, place.line, place.column, "an indented line in the header of the model");
    const char *name = take_name(tree, "a property (name: text), component.state = value or [component]");
    if (at_sign(tree, ':')) {
        const char *text = property(tree);
        const char **where = strcmp(name, "name") == 0           ? &tree->name
                             : strcmp(name, "display_name") == 0 ? &tree->title
                             : strcmp(name, "desc") == 0         ? &tree->meaning
                                                                 : NULL;
        if (where)
            *where = text;
    } else if (at_sign(tree, '(')) {
        function_line(tree, name, &place);
    } else if (at_sign(tree, '.')) {
        initial_line(tree, name, &place);
    } else {
        expected(tree, "':', '.' or '('");
    }
}

static double event_number(struct mmt_tree *tree, double least)
{
    double sign = 1, value = 0;
    if (at_sign(tree, '-') || at_sign(tree, '+')) {
        sign = at_sign(tree, '-') ? -1 : 1;
        next(tree);
    }
    if (tree->status)
        return 0;
    if (now(tree)->kind != MMT_TOKEN_NUMBER)
        expected(tree, "a number: level, start, duration, period, count");
    value = sign * now(tree)->number;
    if (value < least)
        mmt_tree_fail(tree, now(tree)->line, now(tree)->column,
                      "an event's times and count cannot be negative");
    next(tree);
    return value;
}

static void event_line(struct mmt_tree *tree)
{
    struct cell_event event = {0}, *before = tree->events.count ? &tree->event[tree->events.count - 1] : NULL;
    struct mmt_token place = *now(tree);
    event.level = event_number(tree, -1e308);
    if (!tree->status && mmt_token_is(now(tree), "next")) {
        if (before && before->period > 0)
            mmt_tree_fail(tree, now(tree)->line, now(tree)->column,
                          "'next' behind an event that is repeated");
        event.start = before ? before->start + before->duration : 0;
        next(tree);
    } else {
        event.start = event_number(tree, 0);
    }
    event.duration = event_number(tree, 0);
    event.period = event_number(tree, 0);
    double count = event_number(tree, 0);
    if (count > 1e9 || count != (double)(int64_t)count)
        mmt_tree_fail(tree, place.line, place.column, "an event's count is a whole number up to 1e9");
    if (event.period > 0 && event.period < event.duration)
        mmt_tree_fail(tree, place.line, place.column, "an event of %g every %g overlaps itself",
                      event.duration, event.period);
    if (tree->status)
        return;
    event.count = (int)count;
    struct cell_event *kept = mmt_tree_append(tree, &tree->events, &tree->event, sizeof *kept);
    if (kept)
        *kept = event;
    end_of_line(tree);
}

static void read_parts(struct mmt_tree *tree)
{
    const struct mmt_token *token = now(tree);
    bool model = false;
    if (token->kind != MMT_TOKEN_SEGMENT)
        mmt_tree_fail(tree, token->line, token->column, "no text of a model: it begins with [[model]]");
    while (!tree->status && token->kind != MMT_TOKEN_END) {
        struct mmt_token inside = *token;
        inside.kind = MMT_TOKEN_NAME;
        if (token->kind != MMT_TOKEN_SEGMENT) {
            expected(tree, "[[protocol]], [[script]] or the end");
        } else if (mmt_token_is(&inside, "model")) {
            if (model)
                mmt_tree_fail(tree, token->line, token->column, "a second [[model]]");
            model = true;
            next(tree);
            end_of_line(tree);
            while (!tree->status && token->kind != MMT_TOKEN_END && token->kind != MMT_TOKEN_BRACKET &&
                   token->kind != MMT_TOKEN_SEGMENT)
                header_line(tree);
            while (!tree->status && token->kind == MMT_TOKEN_BRACKET)
                component_part(tree);
        } else if (mmt_token_is(&inside, "protocol")) {
            next(tree);
            end_of_line(tree);
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

/* Names found */

int mmt_tree_find(const struct mmt_tree *tree, const char *full)
{
    for (int v = 0; v < tree->variables.count; v++)
        if (strcmp(tree->variable[v].full, full) == 0)
            return v;
    return -1;
}

static void unknown(struct mmt_tree *tree, int line, int column, const char *component, const char *name,
                    int scope)
{
    char hint[400] = "", near[160];
    struct suggestion suggestion = suggest_for(name);
    for (int v = 0; v < tree->variables.count && !tree->status; v++)
        if (tree->variable[v].component == scope && tree->variable[v].parent < 0)
            suggest_try(&suggestion, tree->variable[v].name);
    for (int k = 0; k < tree->aliases.count && !component; k++)
        if (tree->alias[k].component == scope)
            suggest_try(&suggestion, tree->alias[k].name);
    suggest_hint(&suggestion, near, sizeof near);
    for (int v = 0; v < tree->variables.count && !near[0]; v++)
        if (tree->variable[v].parent < 0 && strcmp(tree->variable[v].name, name) == 0) {
            snprintf(hint, sizeof hint, " (did you mean '%s'?)", tree->variable[v].full);
            break;
        }
    mmt_tree_fail(tree, line, column, "no variable is named '%s%s%s'%s%s", component ? component : "",
                  component ? "." : "", name, near, hint);
}

/* The variable that component.name means, or name in that component; -1 and tree->status = none */
static int qualified(struct mmt_tree *tree, const char *component, const char *name, int line, int column)
{
    const struct mmt_symbol *in = find(tree, SCOPE_COMPONENTS, component);
    if (!in) {
        struct suggestion suggestion = suggest_for(component);
        char hint[160];
        for (int k = 0; k < tree->components.count; k++)
            suggest_try(&suggestion, tree->component[k].name);
        mmt_tree_fail(tree, line, column, "no component is named '%s'%s", component,
                      suggest_hint(&suggestion, hint, sizeof hint));
        return -1;
    }
    const struct mmt_symbol *symbol = find(tree, in->index, name);
    if (!symbol || symbol->kind != KIND_VARIABLE) {
        unknown(tree, line, column, component, name, in->index);
        return -1;
    }
    return symbol->index;
}

/* The variable that a name in variable v's formula means */
static int meant(struct mmt_tree *tree, int v, const struct mmt_term *term)
{
    if (term->component)
        return qualified(tree, term->component, term->name, term->line, term->column);
    const struct mmt_symbol *symbol = NULL;
    for (int of = v; of >= 0 && !symbol; of = tree->variable[of].parent)
        symbol = find(tree, scope_inside(0, of), term->name);
    if (!symbol)
        symbol = find(tree, tree->variable[v].component, term->name);
    if (!symbol) {
        unknown(tree, term->line, term->column, NULL, term->name, tree->variable[v].component);
        return -1;
    }
    return symbol->kind == KIND_ALIAS ? tree->alias[symbol->index].variable : symbol->index;
}

static void find_names(struct mmt_tree *tree, int v)
{
    const struct mmt_variable *variable = &tree->variable[v];
    for (int k = variable->first_term; k < variable->first_term + variable->terms && !tree->status; k++) {
        struct mmt_term *term = &tree->term[k];
        if (term->meaning != MMT_NAME && term->meaning != MMT_RATE)
            continue;
        term->index = meant(tree, v, term);
        if (term->index >= 0 && term->meaning == MMT_RATE && !tree->variable[term->index].state)
            mmt_tree_fail(tree, term->line, term->column, "dot() of '%s', which is no state",
                          tree->variable[term->index].full);
    }
    for (int of = variable->parent; of >= 0 && !tree->status; of = tree->variable[of].parent) {
        const struct mmt_symbol *outer =
            find(tree, scope_inside(variable->component, tree->variable[of].parent), variable->name);
        int line;
        if (!outer)
            continue;
        line_of_symbol(tree, outer, &line);
        mmt_tree_fail(tree, variable->line, variable->column, "the name '%s' is taken already, by line %d",
                      variable->name, line);
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
    variable->initial_first = initial->first_term;
    variable->initial_terms = initial->terms;
    for (int k = initial->first_term; k < initial->first_term + initial->terms && !tree->status; k++) {
        struct mmt_term *term = &tree->term[k];
        if (term->meaning == MMT_RATE || (term->meaning == MMT_NAME && !term->component))
            mmt_tree_fail(tree, term->line, term->column,
                          "an initial value names constants as component.variable");
        else if (term->meaning == MMT_NAME)
            term->index = qualified(tree, term->component, term->name, term->line, term->column);
    }
}

static void find_all(struct mmt_tree *tree)
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
    for (int v = 0; v < tree->variables.count && !tree->status; v++)
        if (tree->variable[v].state && tree->variable[v].initial < 0)
            mmt_tree_fail(tree, tree->variable[v].line, tree->variable[v].column,
                          "the state '%s' has no initial value: '%s = ...' belongs behind [[model]]",
                          tree->variable[v].full, tree->variable[v].full);
}

enum status mmt_tree_read(struct mmt_tree *tree, struct arena *arena, const char *text, size_t bytes,
                          const char *file, struct error *error)
{
    *tree = (struct mmt_tree){
        .file = file, .arena = arena, .error = error, .name = "", .title = "", .meaning = ""};
    tree->status = mmt_token_begin(&tree->scanner, text, bytes, file, error);
    if (!tree->status)
        read_parts(tree);
    if (!tree->status)
        find_all(tree);
    return tree->status;
}
