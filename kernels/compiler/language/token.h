/* token.h: scans a model's text into tokens, one at a time, each with line and column. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_TOKEN_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/error.h"

enum mmt_token_kind {
    MMT_TOKEN_END,     /* the end of the text */
    MMT_TOKEN_LINE,    /* the end of a nonempty line, outside parentheses */
    MMT_TOKEN_SEGMENT, /* [[model]]: the text in the brackets */
    MMT_TOKEN_BRACKET, /* [mV]: the text in the brackets */
    MMT_TOKEN_NAME,
    MMT_TOKEN_NUMBER,
    MMT_TOKEN_TEXT, /* text after a colon: the rest of the line, or inside three quotes */
    MMT_TOKEN_SIGN  /* a sign of one or two characters: `sign` */
};

enum {
    MMT_SIGN_POWER = '^',
    MMT_SIGN_EQUAL = 256,
    MMT_SIGN_UNEQUAL,
    MMT_SIGN_LESS_EQUAL,
    MMT_SIGN_GREATER_EQUAL,
    MMT_SIGN_QUOTIENT
};

struct mmt_token {
    enum mmt_token_kind kind;
    int line, column; /* from 1; columns count bytes */
    const char *text; /* not terminated */
    int length;
    int sign;
    bool quoted; /* a name in quotes, in an expression */
    double number;
    int indent; /* indentation of its line; a tab advances to the next multiple of 8 */
    bool first; /* the first of its line */
};

/* What a text is. An expression is a single formula: the end of a line counts as a blank, brackets are signs
 * except after a number, and names may be quoted or contain dots and non-ASCII letters. */
enum mmt_dialect { MMT_DIALECT_MODEL, MMT_DIALECT_EXPRESSION };

struct mmt_scanner {
    enum mmt_dialect dialect;
    const char *file, *text, *end, *at, *line_begin;
    int line, depth, indent;      /* depth of parentheses */
    bool fresh;                   /* no token of this line has been read */
    bool said;                    /* a token of this line has been read, but not its end */
    struct mmt_token token;       /* the current token */
    int fault_line, fault_column; /* of the failure, if one was reported */
};

/* Makes a scanner and reads the first token */
enum status mmt_token_begin(struct mmt_scanner *scanner, enum mmt_dialect dialect, const char *text,
                            size_t bytes, const char *file, struct error *error);
/* Sets an error at this position and returns STATUS_INPUT. The message begins with the position in a model,
 * but not in an expression. */
enum status mmt_token_fail(struct mmt_scanner *scanner, int line, int column, const char *text,
                           struct error *error);
/* Reads the next token; END after the last one */
enum status mmt_token_next(struct mmt_scanner *scanner, struct error *error);
/* Reads the text after the current token, a colon, as the token TEXT */
enum status mmt_token_prose(struct mmt_scanner *scanner, struct error *error);
/* Skips to the next line [[...]], or to the end of the text */
enum status mmt_token_skip(struct mmt_scanner *scanner, struct error *error);
/* Whether the token is this word */
bool mmt_token_is(const struct mmt_token *token, const char *word);

#endif
