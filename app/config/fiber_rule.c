/* fiber_rule.c: read fibres as one direction, a rotation through a wall, or a rule for a heart. */
#include "app/config/value.h"

#include <math.h>
#include <string.h>

#include "kernels/base/suggest.h"

/* Warns about bare numbers of at most pi/2 (likely radians), which are read as degrees. */
static void doubt_degrees(struct reader *reader, const char *name, const char *key, double a, double b)
{
    const double most = 1.6;
    if ((a != 0 || b != 0) && fabs(a) <= most && fabs(b) <= most)
        reader_doubt(reader, name, "%s: %g and %g are in degrees, and so nearly no angles", key, a, b);
}

/* Replaces the node by the angle in degrees. */
static enum status restate_angle(struct reader *reader, struct tree *node, double degrees)
{
    char number[80], text[90];
    snprintf(text, sizeof text, "%s deg", units_write(number, sizeof number, degrees, QUANTITY_NUMBER));
    return reader_restate(reader, node, text);
}

/* {across: z, from: 60 deg, to: -60 deg} */
static enum status read_turning(struct reader *reader, struct tree *node, const char *name,
                                struct config_tissue *tissue)
{
    static const char *const keys[] = {"across", "from", "to"};
    int found[3] = {0};
    for (struct tree *child = node->child; child; child = child->next) {
        struct error reason = {.text = "expected a number"};
        struct suggestion suggestion = suggest_for(child->key);
        int k = 0;
        while (k < 3 && !suggest_try(&suggestion, keys[k]))
            k++;
        if (k == 3)
            return reader_error(reader, child, name,
                                "unknown key '%.80s'%s; the keys of a rule are across, from and to",
                                child->key, suggest_hint(&suggestion));
        found[k] = 1;
        if (k == 0) {
            const char *axis =
                child->kind == TREE_SCALAR && strlen(child->text) == 1 ? strstr("xyz", child->text) : NULL;
            if (!axis)
                return reader_error(reader, child, name, "across is one of x, y, z");
            tissue->fiber_across = (int)(strlen("xyz") - strlen(axis));
            continue;
        }
        double *angle = &tissue->fiber_degrees[k - 1];
        if (child->kind != TREE_SCALAR || units_read_as(angle, child->text, "deg", &reason))
            return reader_error(reader, child, name, "%s: %s", keys[k], reason.text);
        if (!(fabs(*angle) <= 360))
            return reader_error(reader, child, name, "%s: %g deg exceeds a full turn", keys[k], *angle);
        TRY(restate_angle(reader, child, *angle));
    }
    yaml_tree_order(node, keys, 3);
    for (int k = 0; k < 3; k++)
        if (!found[k])
            return reader_error(reader, node, name,
                                "%s is missing, as in {across: z, from: 60 deg, to: -60 deg}", keys[k]);
    tissue->fibers = FIBERS_TURNING;
    doubt_degrees(reader, name, "from, to", tissue->fiber_degrees[0], tissue->fiber_degrees[1]);
    return STATUS_OK;
}

/* [60 deg, -60 deg] */
static enum status read_angles(struct reader *reader, struct tree *node, const char *name, double degrees[2])
{
    struct tree *item = node->kind == TREE_LIST && node->children == 2 ? node->child : NULL;
    if (!item)
        return reader_error(
            reader, node, name,
            "%s: expected two angles, on endocardium and epicardium, such as [60 deg, -60 deg]", node->key);
    for (int k = 0; k < 2; k++, item = item->next) {
        struct error reason = {.text = "expected a number"};
        if (item->kind != TREE_SCALAR || units_read_as(&degrees[k], item->text, "deg", &reason))
            return reader_error(reader, item, name, "%s: %s", node->key, reason.text);
        if (!(fabs(degrees[k]) <= 90))
            return reader_error(reader, item, name, "%s: %g deg exceeds a right angle", node->key,
                                degrees[k]);
        TRY(restate_angle(reader, item, degrees[k]));
    }
    doubt_degrees(reader, name, node->key, degrees[0], degrees[1]);
    return STATUS_OK;
}

static bool is_word(const struct tree *node, const char *word)
{
    return node->kind == TREE_SCALAR && strcmp(node->text, word) == 0;
}

/* Adds to the node those angles of a rule that it does not give. */
static enum status state_angles(struct reader *reader, struct tree *node, const char *key,
                                const double degrees[2])
{
    struct arena *memory = &reader->config->memory;
    struct tree *list = yaml_tree_new(memory, TREE_LIST, NULL);
    if (!list || yaml_tree_get(node, key))
        return list ? STATUS_OK : error_memory(reader->error, "the config", sizeof *list);
    for (int k = 0; k < 2; k++) {
        struct tree *item = yaml_tree_new(memory, TREE_SCALAR, NULL);
        if (!item)
            return error_memory(reader->error, "the config", sizeof *item);
        TRY(restate_angle(reader, item, degrees[k]));
        yaml_tree_append(list, NULL, item);
    }
    yaml_tree_append(node, key, list);
    return STATUS_OK;
}

/* {rule: field, field: roof, angle: 30 deg, where: tag = 2} */
static enum status read_field(struct reader *reader, struct tree *node, const char *name,
                              struct config_fiber_rule *rule)
{
    enum status status = STATUS_OK;
    for (struct tree *child = node->child; child && !status; child = child->next) {
        struct error reason = {0};
        char text[80];
        double degrees;
        if (child->kind == TREE_SCALAR && strcmp(child->key, "rule") != 0)
            child->quoted = true;
        if (strcmp(child->key, "field") == 0) {
            status = scalar_read_text(reader, child, name, &rule->field);
        } else if (strcmp(child->key, "where") == 0) {
            status = scalar_read_where(reader, child, name, WHERE_CONDITION, &rule->where);
        } else if (strcmp(child->key, "angle") == 0) {
            if (child->kind == TREE_SCALAR && !units_read_as(&degrees, child->text, "deg", &reason))
                status =
                    reader_restate(reader, child, units_write(text, sizeof text, degrees, QUANTITY_NUMBER));
            child->quoted = child->kind == TREE_SCALAR;
            if (!status)
                status = scalar_read_where(reader, child, name, WHERE_FACTOR, &rule->angle);
        } else if (strcmp(child->key, "rule") != 0) {
            return reader_error(reader, child, name,
                                "unknown key '%.80s'; the keys of field are field, angle and where",
                                child->key);
        }
    }
    if (!status && !rule->field)
        return reader_error(reader, node, name, "field is missing: a name in mesh.laplace");
    return status;
}

static bool is_field(const struct tree *node)
{
    const struct tree *rule = node->kind == TREE_MAP ? yaml_tree_get(node, "rule") : NULL;
    return rule && is_word(rule, "field");
}

/* One such map, or a list of them */
static enum status read_fields(struct reader *reader, struct tree *node, const char *name,
                               struct config_tissue *tissue)
{
    const int count = node->kind == TREE_LIST ? node->children : 1;
    tissue->fibers = FIBERS_FIELD;
    tissue->fiber_rule = reader_allocate(reader, count, sizeof *tissue->fiber_rule);
    if (!tissue->fiber_rule)
        return STATUS_RUN;
    for (struct tree *item = node->kind == TREE_LIST ? node->child : node;
         item && tissue->fiber_rules < count; item = item->next) {
        if (!is_field(item))
            return reader_error(reader, item, name,
                                "a list of rules has items {rule: field, field: NAME, where: CONDITION}");
        TRY(read_field(reader, item, name, &tissue->fiber_rule[tissue->fiber_rules++]));
    }
    return STATUS_OK;
}

/* {rule: ldrb, fiber: [...], sheet: [...]}, {missing: nearest}, or {across: ...} */
static enum status read_rule(struct reader *reader, struct tree *node, const char *name,
                             struct config_tissue *tissue)
{
    static const char *const keys[] = {"rule", "fiber", "sheet"};
    const struct tree *rule = yaml_tree_get(node, "rule"), *missing = yaml_tree_get(node, "missing");
    if (!rule && !missing)
        return read_turning(reader, node, name, tissue);
    if (rule && !is_word(rule, "ldrb"))
        return reader_error(reader, rule, name, "the named rules are ldrb and field");
    if (missing && !is_word(missing, "nearest"))
        return reader_error(reader, missing, name, "missing can only be nearest");
    tissue->fibers = rule ? FIBERS_LDRB : FIBERS_FROM_MESH;
    tissue->fill_missing = !rule;
    for (struct tree *child = node->child; child; child = child->next) {
        enum status status = STATUS_OK;
        if (rule && strcmp(child->key, "fiber") == 0)
            status = read_angles(reader, child, name, tissue->ldrb.fiber);
        else if (rule && strcmp(child->key, "sheet") == 0)
            status = read_angles(reader, child, name, tissue->ldrb.sheet);
        else if (child != rule && (rule || child != missing))
            return reader_error(reader, child, name, "unknown key '%.80s'; %s", child->key,
                                rule ? "the keys of ldrb are fiber and sheet"
                                     : "missing allows no other keys");
        if (status)
            return status;
    }
    if (!rule)
        return STATUS_OK;
    TRY(state_angles(reader, node, "fiber", tissue->ldrb.fiber));
    TRY(state_angles(reader, node, "sheet", tissue->ldrb.sheet));
    yaml_tree_order(node, keys, 3);
    return STATUS_OK;
}

enum status fiber_rule_read(struct reader *reader, struct tree *node, const char *name,
                            struct config_tissue *tissue)
{
    tissue->ldrb = ldrb_default();
    tissue->fill_missing = false;
    tissue->fiber_rules = 0;
    if (is_field(node) || (node->kind == TREE_LIST && node->child && node->child->kind == TREE_MAP))
        return read_fields(reader, node, name, tissue);
    if (node->kind == TREE_MAP)
        return read_rule(reader, node, name, tissue);
    if (node->kind == TREE_SCALAR && strcmp(node->text, "from mesh") == 0) {
        tissue->fibers = FIBERS_FROM_MESH;
        node->quoted = false;
        return STATUS_OK;
    }
    if (node->kind != TREE_LIST || node->children != 3)
        return reader_error(reader, node, name,
                            "expected `from mesh`, a direction, such as [1, 0, 0], or a rule, such as "
                            "{across: z, from: 60 deg, to: -60 deg} or {rule: ldrb}");
    tissue->fibers = FIBERS_UNIFORM;
    double largest = 0;
    int i = 0;
    for (const struct tree *item = node->child; item; item = item->next, i++) {
        struct error reason = {.text = "expected a number"};
        if (item->kind != TREE_SCALAR || units_read(&tissue->fiber[i], item->text, QUANTITY_NUMBER, &reason))
            return reader_error(reader, item, name, "%s", reason.text);
        largest = fmax(largest, fabs(tissue->fiber[i]));
    }
    if (!(largest > 1e-100 && largest < 1e100)) /* its squared length must be a normal number */
        return reader_error(reader, node, name, "a fibre direction must not be [0, 0, 0] or beyond 1e100");
    return reader_restate_numbers(reader, node, tissue->fiber, QUANTITY_NUMBER);
}
