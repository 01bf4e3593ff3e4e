/* tree.c: growable lists, the first error of a text, and the current token. */
#include "kernels/compiler/language/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 100 };

void mmt_tree_fail(struct mmt_tree *tree, int line, int column, const char *format, ...)
{
    char text[900];
    if (tree->status)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tree->status = mmt_token_fail(&tree->scanner, line, column, text, tree->error);
}

void mmt_tree_warn(struct mmt_tree *tree, int line, int column, const char *format, ...)
{
    enum { WARNINGS_MAX = 100 };
    struct cell_warning *warning =
        tree->warnings.count < WARNINGS_MAX && !tree->status
            ? mmt_tree_append(tree, &tree->warnings, &tree->warning, sizeof *warning)
            : NULL;
    if (!warning)
        return;
    warning->line = line;
    warning->column = column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning->text, sizeof warning->text, format, arguments);
    va_end(arguments);
}

void mmt_tree_memory(struct mmt_tree *tree)
{
    if (!tree->status)
        tree->status = error_set(tree->error, STATUS_RUN, "%s: no memory to read it",
                                 tree->file ? tree->file : "a formula");
}

void *mmt_tree_append(struct mmt_tree *tree, struct mmt_list *list, void *array, size_t size)
{
    void *items;
    memcpy(&items, array, sizeof items); /* whatever its type */
    if (list->count == list->room) {
        int room = list->room ? 2 * list->room : 16;
        void *more = arena_allocate(tree->arena, (size_t)room, size);
        if (!more) {
            mmt_tree_memory(tree);
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

const char *mmt_tree_text(struct mmt_tree *tree, const char *text, int length)
{
    const char *copy = arena_text(tree->arena, text, (size_t)length);
    if (!copy)
        mmt_tree_memory(tree);
    return copy ? copy : "";
}

/* Prose on one line, with single blanks */
const char *mmt_tree_prose(struct mmt_tree *tree, const struct mmt_token *token)
{
    char *copy = arena_text(tree->arena, token->text, (size_t)token->length);
    if (!copy) {
        mmt_tree_memory(tree);
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

struct mmt_token *mmt_cursor_now(struct mmt_tree *tree)
{
    return &tree->scanner.token;
}

void mmt_cursor_next(struct mmt_tree *tree)
{
    if (!tree->status)
        tree->status = mmt_token_next(&tree->scanner, tree->error);
}

bool mmt_cursor_at(struct mmt_tree *tree, int sign)
{
    return !tree->status && mmt_cursor_now(tree)->kind == MMT_TOKEN_SIGN &&
           mmt_cursor_now(tree)->sign == sign;
}

/* text <- a description of the current token for a message; returns it */
static const char *token_text(struct mmt_tree *tree, char text[64])
{
    const struct mmt_token *token = mmt_cursor_now(tree);
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

void mmt_cursor_expected(struct mmt_tree *tree, const char *what)
{
    char text[64];
    if (!tree->status)
        mmt_tree_fail(tree, mmt_cursor_now(tree)->line, mmt_cursor_now(tree)->column,
                      "%s where %s is expected", token_text(tree, text), what);
}

void mmt_cursor_sign(struct mmt_tree *tree, int sign, const char *what)
{
    if (mmt_cursor_at(tree, sign))
        mmt_cursor_next(tree);
    else
        mmt_cursor_expected(tree, what);
}

static bool is_reserved(const struct mmt_tree *tree, const struct mmt_token *token)
{
    static const char *const word[] = {"in", "bind", "label", "use", "as", "and", "or", "not"};
    bool found = false;
    for (size_t k = tree->environment ? 5 : 0; k < sizeof word / sizeof word[0]; k++)
        found |= mmt_token_is(token, word[k]);
    return found;
}

/* Reads the name at the current token; "" on failure */
const char *mmt_cursor_name(struct mmt_tree *tree, const char *what)
{
    struct mmt_token *token = mmt_cursor_now(tree);
    if (tree->status)
        return "";
    if (token->kind != MMT_TOKEN_NAME || is_reserved(tree, token)) {
        mmt_cursor_expected(tree, what);
        return "";
    }
    if (token->length > NAME_MAX_LENGTH) {
        mmt_tree_fail(tree, token->line, token->column, "a name of more than %d characters", NAME_MAX_LENGTH);
        return "";
    }
    const char *name = mmt_tree_text(tree, token->text, token->length);
    mmt_cursor_next(tree);
    return name;
}

void mmt_cursor_end_of_line(struct mmt_tree *tree)
{
    if (tree->status || mmt_cursor_now(tree)->kind == MMT_TOKEN_END)
        return;
    if (mmt_cursor_now(tree)->kind != MMT_TOKEN_LINE)
        mmt_cursor_expected(tree, "the end of the line");
    mmt_cursor_next(tree);
}

/* Reads the unit in the current token, [...] */
struct mmt_unit mmt_cursor_unit(struct mmt_tree *tree)
{
    struct mmt_token *token = mmt_cursor_now(tree);
    struct mmt_unit unit = {0};
    char why[160];
    int at;
    if (tree->status)
        return unit;
    if (token->kind != MMT_TOKEN_BRACKET)
        mmt_cursor_expected(tree, "a unit in brackets, like [mV],");
    else if (!mmt_unit_read(&unit, token->text, token->length, &at, why, sizeof why))
        mmt_tree_fail(tree, token->line, token->column + at, "%s", why);
    mmt_cursor_next(tree);
    return unit;
}
