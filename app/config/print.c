/* print.c: print a config and the reference of all keys, and list the keys in which two printed configs differ. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/config/config.h"
#include "app/config/files.h"
#include "app/config/keys.h"
#include "app/config/resolved.h"
#include "app/config/value.h"
#include "app/config/yaml.h"
#include "kernels/base/printed.h"

static const char FILE_DIGEST[] = "sha256:"; /* prefix of a digest that replaces a file's path */

static bool is_of_numbers(const struct key *key)
{
    return key->numbers;
}

/* Whether a key belongs to the mesh and its fibres */
static bool is_of_mesh(const struct key *key)
{
    return strncmp(key->path, "mesh.", 5) == 0 || strcmp(key->path, "tissue.fibers") == 0;
}

/* Whether the path of a key begins with one of the names */
static bool begins_with(const struct key *key, const char *const *name)
{
    while (*name && strncmp(key->path, *name, strlen(*name)) != 0)
        name++;
    return *name;
}

/* The matrix is assumed to depend on every key that is not listed here, so on new ones too. */
static bool is_of_matrix(const struct key *key)
{
    static const char *const cells[] = {"title",
                                        "device",
                                        "threads",
                                        "stimuli",
                                        "activation.",
                                        "initial.",
                                        "ionic.",
                                        "output.",
                                        "ecg.",
                                        "checkpoint.",
                                        "induction.",
                                        "fit.",
                                        "stop_when",
                                        "time.end",
                                        "tissue.regions[].model",
                                        "tissue.regions[].parameters",
                                        "tissue.regions[].initial",
                                        NULL};
    return !begins_with(key, cells);
}

/* Whether a key determines what is computed, not where it is computed or stored */
static bool is_of_study(const struct key *key)
{
    static const char *const where[] = {"title",       "device", "threads", "output.directory",
                                        "checkpoint.", NULL};
    return !begins_with(key, where);
}

/* Keys of measurements, with which results are compared */
#define OF_TARGETS                                                                                           \
    "ecg.target", "ecg.noise", "ecg.lag", "ecg.gain", "activation.target", "activation.noise",               \
        "activation.lag"

static bool is_of_results(const struct key *key)
{
    static const char *const studies[] = {"induction.", "fit.", OF_TARGETS, NULL};
    return is_of_study(key) && !begins_with(key, studies);
}

static bool is_of_induction(const struct key *key)
{
    /* not these lists: a branch has one site, and one lesion or none */
    static const char *const others[] = {"fit.", OF_TARGETS, "induction.sites", "induction.lesions", NULL};
    return is_of_study(key) && !begins_with(key, others);
}

/* Excludes fit.evaluations, so that a fit can be continued with more of them */
static bool is_of_fit(const struct key *key)
{
    static const char *const others[] = {"induction.", "output.", "fit.evaluations", NULL};
    return is_of_study(key) && !begins_with(key, others);
}

struct taking {
    struct arena *arena;
    bool (*wanted)(const struct key *key);
    struct inputs *inputs;
    struct tree *list; /* digests of the files of one key */
    bool failed;       /* out of memory */
};

/* Appends sha256:DIGEST to the list, or "none" for a file that cannot be read. */
static void add_digest(const char *path, void *argument)
{
    struct taking *taking = argument;
    char hex[SHA256_HEX];
    struct error unread;
    const bool read = !inputs_digest(taking->inputs, path, hex, &unread);
    const char *text = read ? arena_print(taking->arena, "%s%s", FILE_DIGEST, hex) : "none";
    struct tree *digest = text ? yaml_tree_new(taking->arena, TREE_SCALAR, text) : NULL;
    taking->failed |= !digest;
    if (digest && taking->list)
        yaml_tree_append(taking->list, NULL, digest);
}

/* The digest of a file, or the list of digests of a mesh's files; it does not depend on their location. */
static struct tree *digests_of(struct taking *taking, const char *path, const char *key)
{
    taking->list = yaml_tree_new(taking->arena, TREE_LIST, NULL);
    if (taking->inputs->stored)
        files_of_record(taking->inputs, path, key, add_digest, taking);
    else
        files_of(path, key, add_digest, taking);
    return files_is_mesh(key) || !taking->list ? taking->list : taking->list->child;
}

/* A copy of the node with that path, reduced to the wanted keys; NULL = none is wanted, or out of memory */
static struct tree *take(struct taking *taking, const struct tree *node, const char *path, const char *key)
{
    const struct key *own = config_find_key(path);
    char inner[RESOLVED_PATH];
    if (own && !(node->block && node->kind == TREE_MAP) && !taking->wanted(own))
        return NULL;
    struct tree *copy = node->file ? digests_of(taking, node->text, key)
                                   : yaml_tree_new(taking->arena, node->kind, node->text);
    taking->failed |= !copy;
    if (!copy || node->file)
        return copy;
    copy->quoted = node->quoted;
    copy->block = node->block;
    for (const struct tree *child = node->child; child; child = child->next) {
        *inner = 0;
        if (node->block)
            resolved_path(inner, path, node, child);
        struct tree *part = take(taking, child, inner, node->block ? inner : key);
        if (part)
            yaml_tree_append(copy, child->key, part);
    }
    return copy->child || !(node->block && node->kind == TREE_MAP) ? copy : NULL;
}

/* The tree as text; NULL if out of memory; the caller frees it */
static char *print_tree(const struct tree *tree)
{
    struct printed printed;
    if (printed_open(&printed, NULL))
        return NULL;
    if (tree)
        resolved_write(printed.file, tree);
    printed_close(&printed, NULL);
    return printed.text;
}

char *config_printed(const struct config *config)
{
    return print_tree(config->resolved);
}

char *config_subset_text(const struct config *config, enum config_subset subset)
{
    static bool (*const wanted[])(const struct key *key) = {
        [CONFIG_NUMBERS] = is_of_numbers,     [CONFIG_MESH] = is_of_mesh,
        [CONFIG_MATRIX] = is_of_matrix,       [CONFIG_RESULTS] = is_of_results,
        [CONFIG_INDUCTION] = is_of_induction, [CONFIG_FIT] = is_of_fit};
    struct arena memory = {.limit = TREE_MEMORY};
    struct taking taking = {.arena = &memory, .wanted = wanted[subset], .inputs = config->inputs};
    const struct tree *part = take(&taking, config->resolved, "", "");
    char *text = taking.failed ? NULL : print_tree(part);
    arena_free(&memory);
    return text;
}

/* Prints what values a key allows, for the reference: a unit, words, a range. */
static void print_type(FILE *file, const struct key *key)
{
    static const char *const types[] = {[KEY_INT] = "whole number",
                                        [KEY_INT64] = "whole number",
                                        [KEY_BOOL] = "off, on",
                                        [KEY_TEXT] = "text",
                                        [KEY_PATH] = "path",
                                        [KEY_DEVICE] = "device",
                                        [KEY_NAMES] = "list of names",
                                        [KEY_TAGS] = "all, or tags",
                                        [KEY_WHERE] = "condition",
                                        [KEY_FACTOR] = "number, or expression",
                                        [KEY_SURFACES] = "map of marks, names, paths or openings",
                                        [KEY_LAPLACE] = "map",
                                        [KEY_COLUMNS] = "map of paths",
                                        [KEY_FIBERS] = "from mesh, a vector, or a rule",
                                        [KEY_MODEL] = "name",
                                        [KEY_PARAMETERS] = "map",
                                        [KEY_FACTORS] = "map",
                                        [KEY_INITIAL] = "map",
                                        [KEY_CURRENT] = "current with its unit",
                                        [KEY_PROBES] = "map of points",
                                        [KEY_SITES] = "map of points, or aha17",
                                        [KEY_BOUNDS] = "map of keys",
                                        [KEY_STOP] = "word, or map",
                                        [KEY_LIST] = "list"};
    const char *unit = units_default(key->quantity);
    if (key->choice)
        for (int i = 0; key->choice[i]; i++)
            fprintf(file, "%s%s", i ? ", " : "", key->choice[i]);
    else if (key->type == KEY_VECTOR)
        fprintf(file, "%d numbers, %s", (int)key->size, unit);
    else if (key->type == KEY_NUMBER)
        fputs(*unit ? unit : "number", file);
    else
        fputs(types[key->type], file);
    if (!(key->low < key->high))
        return;
    if (isinf(key->high))
        fprintf(file, ", %s 0", key->above ? ">" : ">=");
    else if (key->high < 1e9)
        fprintf(file, ", %s%.10g .. %.10g", key->above ? "above " : "", key->low, key->high);
}

/* The length of a key's group name, the first part of its path; 0 = the key is in no group */
static int section_of(const struct key *key)
{
    int length = (int)strcspn(key->path, ".[");
    return key->path[length] || key->type == KEY_LIST ? length : 0;
}

static void print_section(FILE *file, const struct key *key)
{
    int length = section_of(key);
    fprintf(file, "\n## %.*s\n\n", length ? length : 9, length ? key->path : "top level");
    fputs("| key | value | default | meaning |\n|---|---|---|---|\n", file);
}

/* Prints the default of a key, if it has one. */
static void print_default(FILE *file, const struct key *key)
{
    char text[VALUE_TEXT];
    if (key->fallback == KEY_SOLVER)
        fputs(value_of_solver(text, key), file);
    else if (key->fallback)
        fputs(key->fallback == KEY_REQUIRED ? "(required)" : key->fallback, file);
}

void config_print_keys(FILE *file)
{
    int count;
    const struct key *key = config_keys(&count);
    fputs(
        "# All keys of a config\n\n"
        "Generated by `cardiac check --keys`.\n\n"
        "A physical value is a number and a unit (`200 um`, `1.5e-3 S/cm`), or a bare number in the unit of\n"
        "its row. Units are products of m, s, V, A, S, F with decimal prefixes and powers, and any unit of "
        "the\n"
        "right dimension will do. `[]` stands for each item of a list. What is given by direction is one "
        "value,\n"
        "or `{longitudinal: .., transverse: .., normal: ..}`: along the fibre, across it in the sheet, and\n"
        "across the sheet, by default as transverse. `--set time.step=0.02` and\n"
        "`--set stimuli[0].start='10 ms'` override a key on the command line. Anchors, aliases and merge "
        "keys\n"
        "(`<<`) work. An unknown key is an error. `sweep:` lists values of keys for [many "
        "runs](studies.md).\n",
        file);
    for (int i = 0; i < count; i++) {
        if (key[i].direction)
            continue;
        int length = section_of(&key[i]);
        if (i == 0 || section_of(&key[i - 1]) != length ||
            strncmp(key[i - 1].path, key[i].path, (size_t)length))
            print_section(file, &key[i]);
        fprintf(file, "| `%s` | ", key[i].path);
        print_type(file, &key[i]);
        if (i + 1 < count && key[i + 1].direction)
            fputs(", or by direction", file);
        const char *quote = key[i].fallback && key[i].fallback != KEY_REQUIRED ? "`" : "";
        fprintf(file, key[i].fallback ? " | %s" : " |", quote);
        print_default(file, &key[i]);
        fputs(quote, file);
        fprintf(file, " | %s |\n", key[i].meaning);
    }
}

/* Whether the text contains the word, ignoring case; `whole`: not as part of a longer word */
static bool contains_word(const char *text, const char *word, bool whole)
{
    const size_t length = strlen(word);
    char before = 0;
    for (; *text; before = *text++)
        if (strncasecmp(text, word, length) == 0 &&
            !(whole && (isalnum((unsigned char)before) || isalnum((unsigned char)text[length]))))
            return true;
    return false;
}

/* Terms of the field, and the key for them or, after "see", the page about them */
static const struct {
    const char *path, *words;
} usual_words[] = {
    {"stimuli[].period", "bcl,pcl,cycle length,basic cycle length,pacing,frequency,rate,hz"},
    {"stimuli[].protocol", "s1s2,pacing"},
    {"stimuli[].current", "amplitude,strength"},
    {"stimuli[].sphere.centre", "point,position"},
    {"mesh.network[].file", "purkinje"},
    {"stimuli[].delays", "purkinje"},
    {"time.step", "dt,timestep"},
    {"time.end", "tend,t_end,tstop,duration"},
    {"stimuli[].count", "beats,pulses,npls,number"},
    {"stimuli", "stim,stims,pacing site"},
    {"mesh.file", "path,filename"},
    {"mesh.slab.spacing", "dx,resolution"},
    {"mesh.sheet.spacing", "dx,resolution"},
    {"mesh.cable.spacing", "dx,resolution"},
    {"output.every", "interval"},
    {"output.directory", "dir,folder,path"},
    {"tissue.surface_to_volume", "beta,chi,am"},
    {"tissue.capacitance", "cm"},
    {"tissue.regions[].where", "scar,fibrosis,purkinje"},
    {"tissue.regions[].scale", "scar,fibrosis"},
    {"tissue.regions[].conductivity",
     "scar,sigma,gap junction,gap junctions,anisotropy,diffusion,diffusivity,d"},
    {"tissue.regions[].velocity", "cv,conduction velocity,purkinje"},
    {"tissue.parameters", "drug,block,dose,ic50"},
    {"tissue.regions[].parameters", "border zone,ischemia,ischaemia"},
    {"tissue.regions[].initial", "spiral"},
    {"output.maps", "lat,apd,cv,conduction velocity,resting potential,rmp"},
    {"output.fields", "calcium"},
    {"output.probes", "electrogram"},
    {"ecg.electrodes", "lead,leads,ecg lead,ecg leads,12-lead,12-lead ecg,electrogram,egm"},
    {"ecg.conductor.file", "torso,thorax,lungs"},
    {"ecg.lead_fields", "ecg lead,ecg leads,12-lead,12-lead ecg"},
    {"induction.lesions", "ablation"},
    {"induction.protocol", "erp,refractory period,re-entry,arrhythmia"},
    {"induction.sustained", "re-entry,arrhythmia"},
    {"device", "gpu"},
    {"threads", "cores"},
    {"initial.file", "restart"},
    {"see `cardiac restitution`, docs/user/protocols.md", "erp,refractory period,apd,cv,restitution"},
    {"see `cardiac induce`, docs/user/induction.md", "re-entry,spiral,arrhythmia,erp"},
    {"see docs/user/reading-results.md: where a front stopped, and why", "block,conduction block"},
    {"see docs/user/heart.md: a fast endocardium in place of a Purkinje tree", "purkinje"},
    {"see docs/user/atrium.md",
     "atrium,af,atrial fibrillation,ablation,pulmonary vein,pulmonary veins,shell"},
    {"see docs/user/large-runs.md", "mpi"},
    {"see `cardiac sweep`, docs/user/studies.md", "sweep,sweeps,dose,ic50"},
    {"see `cardiac tips`, docs/user/reading-results.md",
     "singularity,phase singularity,phase singularities,rotor,tip"},
    {"see `cardiac film`, docs/user/python.md", "film,movie,video,animation"},
};

/* Whether a comma-separated list contains the word, ignoring case, blanks and hyphens: "re-entry" = "Reentry" */
static bool has_word(const char *list, const char *word)
{
    const char *at = word;
    bool same = true;
    for (;; list++) {
        list += strspn(list, " -");
        at += strspn(at, " -");
        if ((*list == ',' || !*list) && same && !*at)
            return true;
        if (!*list)
            return false;
        same = *list == ',' || (same && tolower((unsigned char)*at) == *list);
        at = *list == ',' ? word : at + same;
    }
}

bool config_serves(const char *word, const char *path)
{
    for (size_t k = 0; k < sizeof usual_words / sizeof *usual_words; k++)
        if ((!path || strcmp(path, usual_words[k].path) == 0) && has_word(usual_words[k].words, word))
            return true;
    return false;
}

static int print_pages(FILE *file, const char *word)
{
    int found = 0;
    for (size_t k = 0; k < sizeof usual_words / sizeof *usual_words; k++)
        if (strncmp(usual_words[k].path, "see ", 4) == 0 && has_word(usual_words[k].words, word))
            found += fprintf(file, "%s\n", usual_words[k].path) > 0;
    return found;
}

static void print_key(FILE *file, const struct key *key)
{
    fprintf(file, "%s: ", key->path);
    print_type(file, key);
    if (key->fallback)
        fputs(key->fallback == KEY_REQUIRED ? "; " : "; default ", file);
    print_default(file, key);
    fprintf(file, "\n    %s\n", key->meaning);
}

int config_search_keys(FILE *file, const char *word)
{
    int count, found = 0;
    const struct key *key = config_keys(&count);
    const bool usual = config_serves(word, NULL);
    for (int part = 0; part < 2;
         part++) /* first matches of the whole word (step), then of a part of one (stepped) */
        for (int i = 0; i < count; i++) {
            const char *const last = strrchr(key[i].path, '.');
            const bool named = strcasecmp(last ? last + 1 : key[i].path, word) == 0;
            const bool whole =
                contains_word(key[i].path, word, true) || contains_word(key[i].meaning, word, true);
            const bool any =
                contains_word(key[i].path, word, false) || contains_word(key[i].meaning, word, false);
            const bool serves = usual && (named || config_serves(word, key[i].path));
            if (part == 0 ? !(usual ? serves : whole) : usual || whole || !any)
                continue;
            found++;
            print_key(file, &key[i]);
        }
    return found + print_pages(file, word);
}

enum { PATH = 200 };

struct changes {
    char *text;
    size_t room;
    int count;
};

static const char *shown_value(const struct tree *node)
{
    return !node ? "not given" : node->kind == TREE_SCALAR ? node->text : "of another form";
}

static bool is_file(const struct tree *node)
{
    return node->kind == TREE_SCALAR && strncmp(node->text, FILE_DIGEST, strlen(FILE_DIGEST)) == 0;
}

static void add_change(struct changes *changes, const char *path, const struct tree *then,
                       const struct tree *now)
{
    changes->count++;
    if (then && now && is_file(then) && is_file(now))
        printed_item(changes->text, changes->room, "%.100s: the file has other contents", path);
    else
        printed_item(changes->text, changes->room, "%s was %.60s and is %.60s", path, shown_value(then),
                     shown_value(now));
}

static void compare_trees(struct changes *changes, const char *path, const struct tree *then,
                          const struct tree *now);

/* inner <- the path of child i of a list, or of a child of a map */
static void step_down(char inner[PATH], const char *path, const struct tree *parent, const struct tree *child,
                      int i)
{
    if (parent->kind == TREE_LIST)
        snprintf(inner, PATH, "%.180s[%d]", path, i);
    else
        snprintf(inner, PATH, "%.100s%s%.80s", path, *path ? "." : "", child->key);
}

static const struct tree *counterpart(const struct tree *other, const struct tree *child, int i)
{
    return other->kind == TREE_LIST ? yaml_tree_item(other, i) : yaml_tree_get(other, child->key);
}

static void compare_children(struct changes *changes, const char *path, const struct tree *then,
                             const struct tree *now)
{
    char inner[PATH];
    int i = 0;
    for (const struct tree *child = then->child; child; child = child->next, i++) {
        step_down(inner, path, then, child, i);
        compare_trees(changes, inner, child, counterpart(now, child, i));
    }
    i = 0;
    for (const struct tree *child = now->child; child; child = child->next, i++)
        if (!counterpart(then, child, i)) {
            step_down(inner, path, now, child, i);
            compare_trees(changes, inner, NULL, child);
        }
}

static void compare_trees(struct changes *changes, const char *path, const struct tree *then,
                          const struct tree *now)
{
    if (then && now && then->kind == now->kind && then->kind != TREE_SCALAR)
        compare_children(changes, path, then, now);
    else if (!then || !now || then->kind != now->kind || strcmp(then->text, now->text) != 0)
        add_change(changes, path, then, now);
}

int config_changes(char *text, size_t room, const char *then, const char *now)
{
    struct arena memory = {.limit = TREE_MEMORY};
    struct tree *before, *after;
    struct changes changes = {text, room, 0};
    text[0] = 0;
    if (!yaml_tree_parse(&before, &memory, "then", then, strlen(then), NULL) &&
        !yaml_tree_parse(&after, &memory, "now", now, strlen(now), NULL))
        compare_trees(&changes, "", before, after);
    arena_free(&memory);
    return changes.count;
}
