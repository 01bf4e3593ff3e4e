/* tree.c: lists that grow, and the first failure of reading a text. */
#include "kernels/compiler/language/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
        void *more = arena_take(tree->arena, (size_t)room, size);
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

/* Prose on one line, its blanks made one */
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
