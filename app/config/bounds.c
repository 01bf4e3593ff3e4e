/* bounds.c: {stimuli[0].start: {from: 0 ms, to: 20 ms}, stimuli[0].sphere.centre: {on: surface(lv)}} */
#include "app/config/bounds.h"

#include <stdlib.h>
#include <string.h>

#include "app/config/scalar.h"

static struct config_value value_of(const struct tree *item, const char *text, const struct tree *at)
{
    return (struct config_value){.key = item->key,
                                 .text = text,
                                 .line = at->line,
                                 .column = at->column,
                                 .key_line = item->key_line,
                                 .key_column = item->key_column};
}

/* Two numbers of one unit, the lower one first */
static enum status check_pair(struct reader *reader, const struct tree *item, const char *name,
                              const struct config_value bound[2])
{
    char *unit[2];
    double low = strtod(bound[0].text, &unit[0]), high = strtod(bound[1].text, &unit[1]);
    for (int k = 0; k < 2; k++)
        if (unit[k] == bound[k].text)
            return reader_error(reader, item, name, "'%.80s' is not a number with its unit", bound[k].text);
    if (strcmp(unit[0] + strspn(unit[0], " "), unit[1] + strspn(unit[1], " ")) != 0)
        return reader_error(reader, item, name, "%.80s and %.80s are not in the same unit", bound[0].text,
                            bound[1].text);
    return low < high ? STATUS_OK
                      : reader_error(reader, item, name, "from (%.80s) must be less than to (%.80s)",
                                     bound[0].text, bound[1].text);
}

static enum status read_parameter(struct reader *reader, const struct tree *item, const char *name,
                                  struct config_parameter *parameter)
{
    static const char origin[] = "[0 mm, 0 mm, 0 mm]";
    const struct tree *from = item->kind == TREE_MAP ? yaml_tree_get(item, "from") : NULL,
                      *to = from ? yaml_tree_get(item, "to") : NULL,
                      *on = item->kind == TREE_MAP ? yaml_tree_get(item, "on") : NULL;
    if (on && item->children == 1) {
        parameter->bound[0] = parameter->bound[1] = value_of(item, origin, item);
        return scalar_read_where(reader, on, name, WHERE_CONDITION, &parameter->on);
    }
    if (!from || !to || item->children != 2 || from->kind != TREE_SCALAR || to->kind != TREE_SCALAR)
        return reader_error(
            reader, item, name,
            "expected {from: .., to: ..}, two values of the key, or of a point {on: CONDITION}");
    parameter->bound[0] = value_of(item, from->text, from);
    parameter->bound[1] = value_of(item, to->text, to);
    return check_pair(reader, item, name, parameter->bound);
}

enum status bounds_read(struct reader *reader, const struct tree *node, const char *name,
                        struct config_parameter **parameter, int *count)
{
    if (node->kind != TREE_MAP || node->children == 0)
        return reader_error(
            reader, node, name,
            "expected a map of keys with bounds, such as {stimuli[0].start: {from: 0 ms, to: 20 ms}}");
    *count = node->children;
    *parameter = reader_take(reader, *count, sizeof **parameter);
    if (!*parameter)
        return STATUS_RUN;
    int k = 0;
    for (const struct tree *item = node->child; item; item = item->next) {
        char inner[400];
        snprintf(inner, sizeof inner, "%.100s.%.250s", name, item->key);
        TRY(read_parameter(reader, item, inner, &(*parameter)[k++]));
    }
    return STATUS_OK;
}

void bounds_write(FILE *file, const struct config_parameter *parameter, int count)
{
    for (int i = 0; i < count; i++) {
        const struct config_value *bound = parameter[i].bound;
        fputs(i ? ", " : "{", file);
        scalar_write_text(file, bound->key);
        fputs(parameter[i].on ? ": {on: " : ": {from: ", file);
        scalar_write_text(file, parameter[i].on ? parameter[i].on->text : bound[0].text);
        if (!parameter[i].on) {
            fputs(", to: ", file);
            scalar_write_text(file, bound[1].text);
        }
        fputc('}', file);
    }
    fputs(count > 0 ? "}" : "{}", file);
}
