/* node_list.c: numbers in a text file, with openCARP's head or without. */
#include "app/problem/node_list.h"

#include <stdbool.h>
#include <string.h>

#include "app/util/text_file.h"

enum status node_list_number(struct text_file *text, int64_t nodes, int64_t *node, struct error *error)
{
    enum status status = text_integer(text, node, "a node number", error);
    if (!status && (*node < 0 || *node >= nodes))
        status = text_error(text, error, "node %lld does not exist; the mesh has nodes 0 to %lld",
                            (long long)*node, (long long)nodes - 1);
    return status;
}

static enum status choose_number(struct text_file *text, int64_t nodes, uint8_t *chosen, struct error *error)
{
    int64_t node;
    TRY(node_list_number(text, nodes, &node, error));
    chosen[node] = 1;
    return STATUS_OK;
}

/* A .vtx file starts with a count and a word for the domain; both are checked, not needed. */
static enum status read_vtx_head(struct text_file *text, int64_t *count, struct error *error)
{
    char word[16];
    TRY(text_need(text, "the number of nodes", error));
    TRY(text_integer(text, count, "the number of nodes", error));
    TRY(text_need(text, "the domain (intra or extra)", error));
    text_word(text, word, sizeof word);
    if (strcmp(word, "intra") != 0 && strcmp(word, "extra") != 0)
        return text_error(text, error, "'%s' is no domain; a .vtx file says intra or extra here", word);
    return STATUS_OK;
}

enum status node_list_read(const char *path, int64_t nodes, uint8_t *chosen, struct error *error)
{
    struct text_file text = {0};
    size_t length = strlen(path);
    bool vtx = (length > 4 && strcmp(path + length - 4, ".vtx") == 0) ||
               (length > 7 && strcmp(path + length - 7, ".vtx.gz") == 0);
    int64_t said = -1, found = 0;
    bool more = true;
    enum status status;
    TRY_DONE(text_open(&text, path, error));
    if (vtx)
        TRY_DONE(read_vtx_head(&text, &said, error));
    for (;;) {
        TRY_DONE(text_content(&text, &more, error));
        if (!more)
            break;
        for (; text_has_word(&text); found++)
            TRY_DONE(choose_number(&text, nodes, chosen, error));
    }
    if (vtx && found != said)
        status = error_set(error, STATUS_INPUT, "%s: the file announces %lld nodes and lists %lld", path,
                           (long long)said, (long long)found);
done:
    text_close(&text);
    return status;
}
