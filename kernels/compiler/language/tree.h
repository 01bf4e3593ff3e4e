/* tree.h: a model's text as its author wrote it: components, variables, functions, terms. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_TREE_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_TREE_H

#include "kernels/base/arena.h"
#include "kernels/compiler/language/cell.h"
#include "kernels/compiler/language/token.h"
#include "kernels/compiler/language/unit.h"

enum mmt_meaning {
    MMT_NUMBER,
    MMT_NAME,     /* a variable */
    MMT_RATE,     /* dot(x) */
    MMT_ARGUMENT, /* an argument of the enclosing user function */
    MMT_CALL,     /* a call of a user function */
    MMT_OUTSIDE,  /* item `index` of an expression's environment */
    MMT_PLUS,
    MMT_MINUS,
    MMT_NOT,
    MMT_ADD,
    MMT_SUBTRACT,
    MMT_MULTIPLY,
    MMT_DIVIDE,
    MMT_QUOTIENT, /* floor(a / b) */
    MMT_REMAINDER,
    MMT_POWER,
    MMT_LESS,
    MMT_MORE,
    MMT_LESS_EQUAL,
    MMT_MORE_EQUAL,
    MMT_EQUAL,
    MMT_UNEQUAL,
    MMT_AND,
    MMT_OR,
    MMT_IF,
    MMT_PIECEWISE,
    MMT_LOG_BASE,
    MMT_FUNCTION /* a function of one operand: `operation` */
};

struct mmt_term {
    enum mmt_meaning meaning;
    int line, column;
    int first, next; /* first operand; next sibling; -1 = none. Operands have lower numbers */
    int depth;       /* 1 + depth of the deepest operand */
    bool truth;      /* a condition, not a number */
    enum expression_operation operation;
    double number;
    int unit;                     /* of a number: index into the tree's units, -1 = none */
    const char *component, *name; /* component NULL = the name has none */
    int index;                    /* variable, argument or function */
};

struct mmt_variable {
    const char *name, *full; /* "m", "ina.m" */
    int line, column, indent, inner_indent;
    int component, parent; /* parent -1 = of the component itself */
    int depth;             /* 0 = of the component itself */
    bool state;
    int value;             /* term; for a state its rate */
    int first_term, terms; /* all terms of value */
    int initial;           /* term, -1 = none */
    struct mmt_unit unit;
    const char *unit_text;                 /* the unit as written */
    const char *binding, *label, *meaning; /* "" = none */
};

struct mmt_component {
    const char *name;
    int line, column;
};

struct mmt_alias {
    int component, line, column;
    const char *name, *from_component, *from_name;
    int variable;
};

enum { MMT_TREE_ARGUMENTS_MAX = 32 }; /* per function */

struct mmt_function {
    const char *name;
    int line, column, value, arguments;
    const char **argument;
};

struct mmt_initial {
    const char *component, *name;
    int line, column, value, first_term, terms;
};

struct mmt_change { /* a variant's value of a variable */
    const char *component, *name;
    int line, column, variable;
    double value;
};

struct mmt_variant {
    struct cell_variant is; /* values not filled in */
    int first, changes;     /* range in the tree's changes */
};

struct mmt_list {
    int count, room;
};

enum mmt_kind { MMT_VARIABLE, MMT_ALIAS, MMT_COMPONENT, MMT_FUNCTION_OWN };

struct mmt_symbol {
    const char *name; /* NULL = an empty slot */
    int scope;
    enum mmt_kind kind;
    int index, line, column;
};

struct mmt_tree;

/* A name that the environment defines; read makes its term, with the token `at` already consumed */
struct mmt_known {
    const char *name;
    int (*read)(struct mmt_tree *tree, const struct mmt_token *at);
};

/* Names in an expression and their meanings: an expression declares none itself */
struct mmt_environment {
    const struct mmt_known *known; /* [count] */
    int count;
    int (*name)(struct mmt_tree *tree, const struct mmt_token *at,
                const char *name); /* reads any other name */
    void *data;
    const char *const (*usual)[2]; /* [usuals] names in other programs, and our name for each */
    int usuals;
};

struct mmt_tree {
    const char *file;
    struct arena *arena;
    struct error *error;
    enum status status; /* of the first failure; after it nothing more is read */
    struct mmt_scanner scanner;
    const char *name, *title, *reference;
    bool units_warn; /* the property `units: warn`: contradictory units are warnings */
    struct mmt_list terms, units, variables, components, aliases, functions, initials, events, variants,
        changes, warnings;
    struct mmt_term *term;
    struct mmt_unit *unit;
    struct mmt_variable *variable;
    struct mmt_component *component;
    struct mmt_alias *alias;
    struct mmt_function *function;
    struct mmt_initial *initial;
    struct cell_event *event; /* times in the text's unit */
    struct mmt_variant *variant;
    struct mmt_change *change;
    struct cell_warning *warning;
    int symbols, slots;
    struct mmt_symbol *symbol;
    const struct mmt_function *inside; /* the function whose formula is being read */
    int nesting;
    const struct mmt_environment *environment; /* of an expression; NULL for a model */
};

/* tree->status <- STATUS_INPUT with an error at this position, unless it is already set */
void mmt_tree_fail(struct mmt_tree *tree, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a warning, unless there are too many to read */
void mmt_tree_warn(struct mmt_tree *tree, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* tree->status <- STATUS_RUN: out of memory */
void mmt_tree_memory(struct mmt_tree *tree);

/* Appends a zeroed item to `list` and *array and returns it; if out of memory, sets tree->status and returns
 * NULL */
void *mmt_tree_append(struct mmt_tree *tree, struct mmt_list *list, void *array, size_t size);
/* Returns a copy; if out of memory, sets tree->status and returns "" */
const char *mmt_tree_text(struct mmt_tree *tree, const char *text, int length);
/* Returns a copy on one line, with single blanks */
const char *mmt_tree_prose(struct mmt_tree *tree, const struct mmt_token *token);

/* Functions on the current token; they do nothing once tree->status is set. */
struct mmt_token *mmt_cursor_now(struct mmt_tree *tree);
void mmt_cursor_next(struct mmt_tree *tree);
/* Whether the current token is this sign */
bool mmt_cursor_at(struct mmt_tree *tree, int sign);
/* tree->status <- STATUS_INPUT: the current token is not `what` */
void mmt_cursor_expected(struct mmt_tree *tree, const char *what);
/* These consume what they read; on failure they return "" for a name, a unit without `given` for a unit. */
void mmt_cursor_sign(struct mmt_tree *tree, int sign, const char *what);
const char *mmt_cursor_name(struct mmt_tree *tree, const char *what);
struct mmt_unit mmt_cursor_unit(struct mmt_tree *tree);
void mmt_cursor_end_of_line(struct mmt_tree *tree);

#endif
