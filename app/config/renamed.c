/* renamed.c: walks the tree along the former path of each key that had one. */
#include "app/config/renamed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/keys.h"

enum { PATH = 400 };

/* The rest of the former path below `map`, which the message calls `shown` */
static enum status rename_below(struct reader *reader, const struct tree *map, const struct key *key,
                                const char *rest, const char *shown)
{
    char part[64], path[PATH];
    size_t length = strcspn(rest, ".[");
    snprintf(part, sizeof part, "%.*s", (int)length, rest);
    struct tree *node = map->kind == TREE_MAP ? yaml_tree_get(map, part) : NULL;
    enum status status = STATUS_OK;
    int i = 0;
    if (!node)
        return STATUS_OK;
    if (rest[length] == '.') {
        snprintf(path, sizeof path, "%.300s%.60s.", shown, part);
        return rename_below(reader, node, key, rest + length + 1, path);
    }
    if (rest[length] == '[') {
        for (struct tree *item = node->child; item && node->kind == TREE_LIST && !status; item = item->next) {
            snprintf(path, sizeof path, "%.250s%.60s[%d].", shown, part, i++);
            status = rename_below(reader, item, key, rest + length + 3, path);
        }
        return status;
    }
    const char *name = strrchr(key->path, '.') ? strrchr(key->path, '.') + 1 : key->path;
    snprintf(path, sizeof path, "%.300s%.60s", shown, part);
    if (yaml_tree_get(map, name))
        return reader_error(reader, node, path, "stands there as %s too, which is its name now", name);
    node->key = name;
    snprintf(path, sizeof path, "%.300s%.60s", shown, name);
    return reader_warning(reader, path, "was called %s in earlier versions and is still read so", part);
}

enum status config_rename(struct reader *reader)
{
    int count;
    const struct key *key = config_keys(&count);
    const struct tree *version =
        reader->root->kind == TREE_MAP ? yaml_tree_get(reader->root, "version") : NULL;
    enum status status = STATUS_OK;
    char *end;
    if (version && version->kind == TREE_SCALAR) {
        long number = strtol(version->text, &end, 10);
        if (end != version->text && !*end && number >= 0 && number <= 1000000000 && number != 1)
            return reader_error(reader, version, "version",
                                "this program reads version 1, not %.40s: see docs/user/config.md for its "
                                "keys, or take the program that this config was written for",
                                version->text);
    }
    for (int k = 0; k < count && !status; k++)
        if (key[k].was)
            status = rename_below(reader, reader->root, &key[k], key[k].was, "");
    return status;
}
