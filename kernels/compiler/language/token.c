/* token.c: a scanner that handles parentheses, indentation, comments and continued lines. */
#include "kernels/compiler/language/token.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/decimal.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Whether c may be the first, or a later, character of a name */
static bool is_named(const struct mmt_scanner *scanner, char c, bool later)
{
    bool wide =
        scanner->dialect == MMT_DIALECT_EXPRESSION && ((unsigned char)c >= 0x80 || (later && c == '.'));
    return is_letter(c) || wide || (later && decimal_digit(c));
}

bool mmt_token_is(const struct mmt_token *token, const char *word)
{
    return token->kind == MMT_TOKEN_NAME && strlen(word) == (size_t)token->length &&
           memcmp(token->text, word, (size_t)token->length) == 0 && !token->quoted;
}

static int column_of(const struct mmt_scanner *scanner, const char *at)
{
    return (int)(at - scanner->line_begin) + 1;
}

enum status mmt_token_fail(struct mmt_scanner *scanner, int line, int column, const char *text,
                           struct error *error)
{
    scanner->fault_line = line;
    scanner->fault_column = column;
    return scanner->dialect == MMT_DIALECT_EXPRESSION
               ? error_set(error, STATUS_INPUT, "%s", text)
               : error_at(error, STATUS_INPUT, scanner->file, line, column, "%s", text);
}

static enum status fail_here(struct mmt_scanner *scanner, const char *at, const char *what,
                             struct error *error)
{
    return mmt_token_fail(scanner, scanner->line, column_of(scanner, at), what, error);
}

static void pass_newline(struct mmt_scanner *scanner)
{
    scanner->at++;
    scanner->line++;
    scanner->line_begin = scanner->at;
}

static void pass_to(struct mmt_scanner *scanner, const char *end)
{
    while (scanner->at < end)
        if (*scanner->at == '\n')
            pass_newline(scanner);
        else
            scanner->at++;
}

/* The end of the text in three quotes at the current position, NULL = none */
static const char *quoted_end(const struct mmt_scanner *scanner)
{
    static const char quotes[] = "\"\"\"";
    const size_t left = (size_t)(scanner->end - scanner->at);
    if (left < 6 || memcmp(scanner->at, quotes, 3) != 0)
        return NULL;
    return memmem(scanner->at + 3, left - 3, quotes, 3);
}

/* Skips blanks, comments, and the ends of empty lines and of lines inside parentheses */
static void pass_blanks(struct mmt_scanner *scanner)
{
    while (scanner->at < scanner->end) {
        char c = *scanner->at;
        if (c == '#') {
            while (scanner->at < scanner->end && *scanner->at != '\n')
                scanner->at++;
        } else if (c == '\\') {
            const char *next = scanner->at + 1;
            while (next < scanner->end && is_blank(*next))
                next++;
            if (next < scanner->end && *next != '\n')
                return;
            scanner->at = next;
            if (next < scanner->end)
                pass_newline(scanner);
        } else if (c == '\n' && (scanner->depth || !scanner->said)) {
            pass_newline(scanner);
            if (!scanner->depth)
                scanner->fresh = true, scanner->indent = 0;
        } else if (c == '"' && scanner->fresh && quoted_end(scanner)) { /* a comment */
            pass_to(scanner, quoted_end(scanner) + 3);
        } else if (is_blank(c)) {
            if (scanner->fresh && c == '\t')
                scanner->indent += 8 - scanner->indent % 8;
            else if (scanner->fresh && c == ' ')
                scanner->indent++;
            scanner->at++;
        } else {
            return;
        }
    }
}

static const char *pass_digits(const char *at, const char *end)
{
    while (at < end && decimal_digit(*at))
        at++;
    return at;
}

static enum status read_number(struct mmt_scanner *scanner, struct error *error)
{
    const char *at = pass_digits(scanner->at, scanner->end);
    if (at < scanner->end && *at == '.')
        at = pass_digits(at + 1, scanner->end);
    if (at < scanner->end && (*at == 'e' || *at == 'E')) {
        const char *power = at + 1;
        if (power < scanner->end && (*power == '+' || *power == '-'))
            power++;
        const char *after = pass_digits(power, scanner->end);
        at = after > power ? after : at;
    }
    bool unit = scanner->dialect == MMT_DIALECT_EXPRESSION; /* "5mm" */
    if (at < scanner->end && ((is_letter(*at) && !unit) || *at == '.'))
        return fail_here(scanner, scanner->at, "not a valid number", error);
    char copy[64];
    size_t length = (size_t)(at - scanner->at);
    if (length >= sizeof copy)
        return fail_here(scanner, scanner->at, "a number of more than 63 characters", error);
    memcpy(copy, scanner->at, length);
    copy[length] = 0;
    scanner->token.kind = MMT_TOKEN_NUMBER;
    scanner->token.number = strtod(copy, NULL);
    if (!(scanner->token.number <= 1.7976931348623157e308))
        return fail_here(scanner, scanner->at, "a number beyond 1.8e308", error);
    scanner->token.length = (int)length;
    return STATUS_OK;
}

static enum status read_bracket(struct mmt_scanner *scanner, struct error *error)
{
    const char *at = scanner->at + 1, *end = scanner->end;
    bool segment = at < end && *at == '[';
    at += segment;
    const char *begin = at;
    while (at < end && *at != ']' && *at != '\n')
        at++;
    if (at == end || *at != ']')
        return fail_here(scanner, scanner->at, "'[' is not closed on its line", error);
    if (segment && (at + 1 == end || at[1] != ']'))
        return fail_here(scanner, scanner->at, "'[[' is not closed by ']]'", error);
    scanner->token.kind = segment ? MMT_TOKEN_SEGMENT : MMT_TOKEN_BRACKET;
    scanner->token.column += segment ? 2 : 1;
    scanner->token.text = begin;
    scanner->token.length = (int)(at - begin);
    scanner->at = at + (segment ? 2 : 1);
    return STATUS_OK;
}

static enum status read_quoted(struct mmt_scanner *scanner, struct error *error)
{
    const char *begin = scanner->at + 1;
    const char *end = memchr(begin, *scanner->at, (size_t)(scanner->end - begin));
    if (!end || end == begin)
        return fail_here(scanner, scanner->at,
                         end ? "a name is missing between the quotes" : "this quote is not closed", error);
    scanner->token.kind = MMT_TOKEN_NAME;
    scanner->token.quoted = true;
    scanner->token.text = begin;
    scanner->token.length = (int)(end - begin);
    scanner->at = end + 1;
    return STATUS_OK;
}

static enum status read_sign(struct mmt_scanner *scanner, struct error *error)
{
    static const struct {
        char text[3];
        int sign;
    } two[] = {{"==", MMT_SIGN_EQUAL},
               {"!=", MMT_SIGN_UNEQUAL},
               {"<=", MMT_SIGN_LESS_EQUAL},
               {">=", MMT_SIGN_GREATER_EQUAL},
               {"//", MMT_SIGN_QUOTIENT}};
    struct mmt_token *token = &scanner->token;
    token->kind = MMT_TOKEN_SIGN;
    for (int k = 0; k < 5 && scanner->end - scanner->at > 1; k++)
        if (memcmp(scanner->at, two[k].text, 2) == 0) {
            token->sign = two[k].sign;
            token->length = 2;
            return STATUS_OK;
        }
    bool expression = scanner->dialect == MMT_DIALECT_EXPRESSION;
    if (*scanner->at == 0 || !strchr(expression ? "+-*/%^()<>=,[]" : "+-*/%^()<>=,.:", *scanner->at))
        return fail_here(scanner, scanner->at,
                         *scanner->at == '"'
                             ? "a quote that begins no comment of three quotes on a line of its own"
                         : *scanner->at == '&' ? "'and' joins two conditions"
                         : *scanner->at == '|' ? "'or' joins two conditions"
                         : *scanner->at == '!' ? "'not' turns a condition round"
                                               : "a character that has no meaning here",
                         error);
    token->sign = *scanner->at;
    token->length = 1;
    if (token->sign == '(')
        scanner->depth++;
    else if (token->sign == ')' && scanner->depth > expression)
        scanner->depth--;
    return STATUS_OK;
}

enum status mmt_token_next(struct mmt_scanner *scanner, struct error *error)
{
    enum status status = STATUS_OK;
    pass_blanks(scanner);
    struct mmt_token *token = &scanner->token;
    const bool expression = scanner->dialect == MMT_DIALECT_EXPRESSION;
    const bool after_number = token->kind == MMT_TOKEN_NUMBER;
    *token = (struct mmt_token){.line = scanner->line,
                                .column = column_of(scanner, scanner->at),
                                .text = scanner->at,
                                .indent = scanner->indent,
                                .first = scanner->fresh};
    if (scanner->at == scanner->end || *scanner->at == '\n') {
        token->kind = scanner->said && !expression ? MMT_TOKEN_LINE : MMT_TOKEN_END;
        scanner->said = false;
        return STATUS_OK;
    }
    scanner->fresh = false;
    scanner->said = true;
    char c = *scanner->at, next = scanner->end - scanner->at > 1 ? scanner->at[1] : 0;
    if (c == '[' && (!expression || after_number))
        return read_bracket(scanner, error);
    if (expression && (c == '"' || c == '\''))
        return read_quoted(scanner, error);
    if (is_named(scanner, c, false)) {
        while (token->length < scanner->end - scanner->at &&
               is_named(scanner, token->text[token->length], true))
            token->length++;
        token->kind = MMT_TOKEN_NAME;
        if (c == '_' && !expression)
            return fail_here(scanner, scanner->at, "a name begins with a letter", error);
    } else if (decimal_digit(c) || (c == '.' && decimal_digit(next))) {
        status = read_number(scanner, error);
    } else {
        status = read_sign(scanner, error);
    }
    scanner->at += token->length;
    return status;
}

enum status mmt_token_prose(struct mmt_scanner *scanner, struct error *error)
{
    struct mmt_token *token = &scanner->token;
    while (scanner->at < scanner->end && is_blank(*scanner->at))
        scanner->at++;
    *token = (struct mmt_token){MMT_TOKEN_TEXT, scanner->line, column_of(scanner, scanner->at), scanner->at,
                                .indent = scanner->indent};
    if (scanner->end - scanner->at >= 3 && memcmp(scanner->at, "\"\"\"", 3) == 0) {
        const char *end = quoted_end(scanner);
        if (!end)
            return mmt_token_fail(scanner, token->line, token->column,
                                  "three quotes open a text that three more do not close", error);
        token->text = scanner->at + 3;
        token->length = (int)(end - token->text);
        pass_to(scanner, end + 3);
        return STATUS_OK;
    }
    const char *end = scanner->at;
    while (scanner->at < scanner->end && *scanner->at != '\n' && *scanner->at != '#') {
        if (!is_blank(*scanner->at))
            end = scanner->at + 1;
        if (*scanner->at++ == '\\' && scanner->at < scanner->end && *scanner->at == '\n')
            pass_newline(scanner);
    }
    token->length = (int)(end - token->text);
    return STATUS_OK;
}

enum status mmt_token_skip(struct mmt_scanner *scanner, struct error *error)
{
    while (scanner->at < scanner->end &&
           !(scanner->at == scanner->line_begin && scanner->end - scanner->at > 1 && scanner->at[0] == '[' &&
             scanner->at[1] == '['))
        if (*scanner->at == '\n')
            pass_newline(scanner);
        else
            scanner->at++;
    scanner->depth = 0;
    scanner->fresh = true;
    scanner->said = false;
    scanner->indent = 0;
    return mmt_token_next(scanner, error);
}

enum status mmt_token_begin(struct mmt_scanner *scanner, enum mmt_dialect dialect, const char *text,
                            size_t bytes, const char *file, struct error *error)
{
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3, bytes -= 3;
    *scanner = (struct mmt_scanner){.dialect = dialect,
                                    .file = file,
                                    .text = text,
                                    .end = text + bytes,
                                    .at = text,
                                    .line_begin = text,
                                    .line = 1,
                                    .depth = dialect == MMT_DIALECT_EXPRESSION,
                                    .fresh = true};
    return mmt_token_next(scanner, error);
}
