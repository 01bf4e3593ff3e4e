/* config.h: the contents of a config file, checked and in internal units (mm, ms, mV, S/m, uA/uF).
 *
 * One table of keys (keys.c) gives each key's type, unit, default, allowed values and meaning; the reader,
 * the printed config and the reference docs/user/config.md are made from it. Checks of one key against
 * another are in resolve.c. A config refers to its mesh by tags and positions only: nothing here depends on
 * the mesh. */
#ifndef CARDIAC_APP_CONFIG_CONFIG_H
#define CARDIAC_APP_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "app/config/where.h"
#include "app/models/user_model.h"
#include "app/util/faults.h"
#include "app/util/input.h"
#include "kernels/base/arena.h"
#include "kernels/base/sha256.h"
#include "kernels/base/error.h"
#include "solver/heart/ldrb.h"
#include "solver/heart/surfaces.h"
#include "solver/step/monodomain.h"

enum mesh_kind { MESH_KIND_SLAB, MESH_KIND_SHEET, MESH_KIND_CABLE, MESH_KIND_ELLIPSOID, MESH_KIND_FILE };
extern const char *const config_mesh_keys[]; /* "mesh.slab" of each kind */
enum fibers { FIBERS_FROM_MESH, FIBERS_UNIFORM, FIBERS_TURNING, FIBERS_LDRB, FIBERS_FIELD };
enum stimulus_shape {
    STIMULUS_SHAPE_WHERE,
    STIMULUS_SHAPE_BOX,
    STIMULUS_SHAPE_SPHERE,
    STIMULUS_SHAPE_TAGS,
    STIMULUS_SHAPE_NODES,
    STIMULUS_SHAPE_DELAYS
};
enum induction_protocol { INDUCTION_PROTOCOL_PROGRAMMED, INDUCTION_PROTOCOL_BURST, INDUCTION_PROTOCOL_PEERP };
enum stop_when { STOP_WHEN_NEVER, STOP_WHEN_ACTIVATED, STOP_WHEN_QUIESCENT };
/* How `cardiac fit` treats a lag or gain between measured and computed values: assumes none, or solves for
 * the one that minimises their differences. */
enum solved { SOLVED_NONE, SOLVED_FITTED };
enum output_precision { OUTPUT_PRECISION_FLOAT32, OUTPUT_PRECISION_FLOAT64 };

/* Below, a number that the config does not give is NaN; a text or list is NULL. */

/* A surface: faces with a mark or a name, a list of nodes, or the rim of an opening; all unset = not given */
struct config_surface {
    const char *key;   /* its name in the config; NULL for one of struct config_mesh's surface[] */
    int32_t mark;      /* 0 = none */
    const char *name;  /* without dot or slash */
    const char *nodes; /* path of a node list */
    int64_t opening;   /* rank of the rim by length, 1 = longest; -1 = the rim nearest to centre; 0 = none */
    double centre[3];  /* mm */
};

/* A harmonic function on the nodes: 0 on the `from` surfaces, 1 on the `to` surfaces, div grad = 0 elsewhere */
struct config_laplace {
    const char *key; /* its name in expressions */
    const char **from, **to;
    int froms, tos;
};

/* A file with one number for each node or element; it becomes the mesh array `key` */
struct config_column {
    const char *key, *file;
};

enum network_junctions { NETWORK_ENDS, NETWORK_FUSED, NETWORK_NONE };

/* A separate file of lines, joined with the mesh (solver/mesh/network.h) */
struct config_network {
    const char *file;
    double scale; /* mm per length unit of the file; NaN = that of the mesh, or the format's */
    int tag;      /* assigned to all its lines */
    enum network_junctions junctions;
    double radius;    /* mm; NaN = not given (required only with junctions) */
    int junction_tag; /* assigned to the resistors at its ends; 0 = not given */
};

struct config_mesh {
    enum mesh_kind kind;
    double slab_size[3];                               /* mm */
    double sheet_size[2];                              /* mm */
    double cable_length;                               /* mm */
    double slab_spacing, sheet_spacing, cable_spacing; /* mm */
    double ellipsoid_size[3], ellipsoid_edge;          /* mm, solver/mesh/generate.h */
    struct config_surface *named;                      /* [nameds] every surface of the config */
    int nameds;
    struct config_surface surface[HEART_SURFACES]; /* those of them that are the heart's */
    struct config_laplace *laplace;                /* [laplaces] */
    int laplaces;
    struct config_column *column; /* [columns] */
    int columns;
    const char *file; /* path, relative to the working directory or absolute */
    double scale;     /* mm per length unit of the file; NaN = not given */
    const char *tags, *fibers,
        *sheets; /* names of its arrays; NULL = the customary names (app/meshio/array_selection.h) */
    struct config_network *network; /* [networks] */
    int networks;
};

/* Conductivities along fibre, sheet and normal, or one for all directions; S/m */
struct conductivity {
    double isotropic;
    double longitudinal, transverse, normal;
};

/* A model's text file and what it does not specify; file NULL = a built-in model */
struct config_text {
    const char *file, *variant, *voltage;
    double rest, amplitude; /* mV */
    double time_unit;       /* ms */
};

/* A model parameter that varies between nodes, given by an expression (such as the name of a mesh array) */
struct config_field {
    int parameter; /* index into model->parameter */
    const struct where *values;
    bool factor; /* values multiply the default; else they replace it */
};

struct config_region {
    struct tag_list tags;
    const struct where *where, *scale; /* NULL = everywhere, 1 */
    const struct where *scale_axis[3]; /* longitudinal, transverse, normal, instead of scale; NULL = 1 */
    const struct ionic_model *model;
    const struct ionic_model *varied; /* model with all its regions' fields (struct region); or NULL */
    struct config_text text;
    double *parameter;          /* [model->parameters], defaults where not given; NULL = none was given */
    struct config_field *field; /* [fields] parameters given by an expression instead of one value */
    int fields;
    double *initial;           /* [single_cell_values] initial V and states; NULL = the model's own */
    int64_t pace;              /* instead of `initial`: pace one cell for this many beats; 0 = do not */
    double pace_period;        /* ms */
    const struct where *phase; /* start of each node in the last beat, in periods; NULL = at its end, or */
    const char *phase_times;   /* path of the nodes' activation times in that beat, ms */
    double radius;             /* mm, of lines; NaN = not given */
    double thickness;          /* mm, of triangles; NaN = not given */
    double surface_to_volume;  /* 1/mm; NaN = the tissue's */
    double conductance;        /* mS of each line, which then has no membrane; NaN = not given */
    struct conductivity monodomain; /* as written: either this or both intra and extra */
    struct conductivity intra, extra;
    struct conductivity velocity; /* m/s; replaces the conductivities */
    const char *velocity_on;      /* "mesh" or "fine"; NULL = "mesh" */
};

/* A train within a stimulus' protocol */
struct config_phase {
    int64_t count;            /* of pulses; 0 = unlimited, the last train only */
    double period, to, after; /* ms: period, its value at the end of a ramp, delay after the previous train */
};

struct config_stimulus {
    const char *name;
    enum stimulus_shape shape;
    double box_min[3], box_max[3]; /* mm, closed */
    double centre[3], radius;      /* mm */
    struct tag_list tags;
    const struct where *where;
    const struct where *selection;  /* the given shape as a condition; NULL with delays */
    const char *nodes;              /* path of a node list */
    const char *delays;             /* path of a list of nodes, or positions, and times */
    const char *pulse;              /* path of the waveform, instead of a duration */
    double start, duration, period; /* ms; period is NaN when count is 1 */
    int64_t count;                  /* 0 = unlimited */
    struct config_phase *phase;     /* [phases] instead of period and count */
    int phases;
    double current;   /* uA/uF */
    int current_kind; /* enum quantity; QUANTITY_CURRENT once the config is resolved */
};

/* Fibres of a part of the mesh: the gradient of a field, rotated by an angle */
struct config_fiber_rule {
    const struct where *where; /* NULL = in all elements */
    const char *field;         /* a key of mesh.laplace */
    const struct where *angle; /* degrees; NULL = 0 */
};

struct config_tissue {
    double surface_to_volume; /* 1/mm */
    double capacitance;       /* uF/mm^2 */
    enum fibers fibers;
    double fiber[3];         /* FIBERS_UNIFORM: any vector but 0 */
    int fiber_across;        /* FIBERS_TURNING: the axis (0, 1 or 2) along which fibres turn, and */
    double fiber_degrees[2]; /* their angles at its two ends (solver/mesh/fibers.h) */
    struct ldrb ldrb;        /* FIBERS_LDRB */
    bool fill_missing;       /* FIBERS_FROM_MESH: copy the nearest fibre where there is none */
    struct config_fiber_rule *fiber_rule; /* [fiber_rules] FIBERS_FIELD: the first whose `where` holds */
    int fiber_rules;
    struct config_region *region;
    int regions;
};

struct config_probe {
    const char *name;
    double point[3]; /* mm */
};

/* A part of the ECG's conductor without cells */
struct config_passive {
    struct tag_list tags;
    struct conductivity conductivity;
};

struct config_ecg {
    double conductivity;            /* S/m */
    const char *torso;              /* path of the conductor's mesh; NULL = unbounded */
    double torso_scale;             /* mm per length unit of the file; NaN = not given */
    struct config_passive *passive; /* [passives] parts of the conductor outside the heart */
    int passives;
    double every; /* ms */
    int64_t every_steps;
    struct config_probe *electrode; /* [positions] */
    int positions;
    const char *fields; /* path of lead fields, instead of electrode positions */
    const char **name;  /* [electrodes] their names in either case */
    int electrodes;     /* 0 = no ECG */
};

struct config_lesion {
    const char *name;
    const struct where *where;
};

/* Where and how `cardiac induce` stimulates after S1 */
struct config_induction {
    enum induction_protocol protocol;
    struct config_probe *site; /* [sites] */
    int sites;
    bool segments;                /* instead of sites: one in each segment of the left ventricle */
    struct config_lesion *lesion; /* [lesions] */
    int lesions;
    const struct where *where; /* NULL = at the sites above, or without any where S1 is */
    double spacing;            /* mm between sites within `where`; NaN = all of it is one site */
    double radius;             /* mm */
    double from, to, by;       /* ms */
    int64_t extra;
    double sustained; /* ms */
};

/* A value that overrides a key, and the positions of both in their file; text NULL = none */
struct config_value {
    const char *key, *text;
    int line, column, key_line, key_column;
};

/* A key that `cardiac fit` varies: a number between two bounds, or a point on the surface of the mesh */
struct config_parameter {
    struct config_value bound[2]; /* lower and upper; for a point both hold a placeholder, the origin */
    const struct where *on;       /* nodes that the point may be at; NULL = a number within the bounds */
};

/* What `cardiac fit` varies, and the measurements that it fits */
struct config_fit {
    struct config_parameter *parameter; /* [parameters] */
    int parameters;
    int64_t evaluations, seed;
    double leads_noise, activation_noise; /* mV, ms; 0 = unknown */
    enum solved leads_lag, leads_gain, activation_lag;
    const char *leads, *activation; /* paths of the measurements; NULL = none */
};

/* When a run may end early */
struct config_stop {
    enum stop_when when;
    const char *probe; /* STOP_WHEN_ACTIVATED: at this probe; NULL = at every node */
    double quiet;      /* STOP_WHEN_QUIESCENT: for this long, ms */
    int64_t beats;     /* STOP_WHEN_ACTIVATED: activations required of each */
};

struct config_output {
    const char *directory; /* relative to the working directory */
    double every;          /* ms */
    double probes_every;   /* ms */
    int64_t every_steps, probes_every_steps;
    const char **field; /* [fields] "V", or a state or current of a model */
    int fields;
    const char **map; /* [maps] app/config/maps.h */
    int maps;
    struct config_probe *probe;
    int probes;
    enum output_precision precision;
};

struct config_checkpoint {
    double every; /* ms; 0 = only when interrupted */
    int64_t every_steps;
    int keep;
};

/* One list of `sweep:`: the values of a key in the runs of a study */
struct config_axis {
    const char *key;
    const char **text; /* [values] scalars as written in the file, others in one line of YAML */
    int values;
};

/* An array in the caller's memory, used as if the mesh file contained it under that name */
struct config_array {
    const char *name;
    int components; /* 1, or 3 for directions */
    double *value;  /* [values] components of all nodes or all elements of the mesh file */
    int64_t values;
    char sha256[SHA256_HEX]; /* of the values */
};

struct config {
    const char *path; /* of this file, as the user wrote it */
    int version;
    const char *title;
    struct config_mesh mesh;
    struct config_tissue tissue;
    struct config_stimulus *stimulus;
    int stimuli;
    double end;     /* ms */
    double longest; /* ms: physics.step 2^physics.doublings; NaN = physics.step */
    int64_t steps;  /* end / physics.step */
    struct monodomain_params
        physics;       /* problem_create() fills region, element_region and stimulus, which are NULL here */
    double ionic_step; /* ms; a step has physics.ionic_substeps of them */
    struct {
        const char *file; /* NULL = start at rest */
        double time;      /* ms; NaN = the last time in the file */
    } initial;
    struct config_stop stop;
    const char *device; /* "auto", "cpu", "cuda", "cuda:1" */
    int threads;        /* maximum; 0 = chosen from cores and mesh size */
    struct config_output output;
    struct config_ecg ecg;
    struct config_checkpoint checkpoint;
    struct config_induction induction;
    struct config_fit fit;
    struct config_axis *axis; /* [axes] of `sweep:` */
    int axes;
    struct user_model *models;        /* list of the models read from text files */
    const struct config_array *array; /* [arrays] the caller's, not owned */
    int arrays;
    const char **warning; /* [warnings] one line each */
    int warnings;
    const char *suspect;     /* the first warning about an implausible value; NULL = none */
    const struct tree *root; /* the tree that was read; gives the positions of faults found later */
    struct tree *resolved;   /* all keys with their values (resolved.h) */
    struct inputs *inputs;   /* record of the files that were read; may be shared */
    struct arena memory;     /* owns all of the above */
};

/* A command-line option that sets a key, such as {"--output", "output.directory", "out"}; value NULL = not
 * given. The value is plain text, while that of --set is YAML. */
struct config_option {
    const char *name, *key, *value;
};

/* One run of a study: the values in its row of the table, and its combination of the `sweep:` lists */
struct config_row {
    const char *path; /* of the table */
    const struct config_value *value;
    int values;
    struct inputs *inputs; /* record shared by all runs; NULL = this run gets its own */
    int64_t point;         /* index of the combination, the last list varying fastest; -1 = no lists */
};

/* Reads, overrides (sets: [count] "key=value", from --set) and resolves the config at path. Errors:
 * STATUS_INPUT, all faults, each as path:line:column: key: what is wrong. Free *config even after an error.
 * Side effect: from then on OpenMP loops use at most config->threads. */
enum status config_read(struct config *config, const char *path, const char *const *sets, int count,
                        struct error *error);

/* config_read() with command-line options, which override the file and `sets`. */
enum status config_read_with(struct config *config, const char *path, const char *const *sets, int count,
                             const struct config_option *options, int number, struct error *error);

/* config_read_with() for one run of a study: the values of the row override `sets`. With row NULL, `sweep:`
 * is a fault. */
enum status config_read_row(struct config *config, const char *path, const char *const *sets, int count,
                            const struct config_option *options, int number, const struct config_row *row,
                            struct error *error);

/* config_read() from memory; paths in the text are relative to `directory` ("" = the working directory). */
enum status config_parse(struct config *config, const char *path, const char *directory, const char *text,
                         size_t length, const char *const *sets, int count, struct error *error);

/* Values that override those of a config, in the order in which they apply; a later value of the same key
 * replaces an earlier one. */
struct config_overrides {
    struct config_value *value; /* [values] key and text owned */
    int values;
};
/* Adds the entries of a JSON object (or YAML map) such as {"time.step": 0.02}. Errors: STATUS_INPUT. Free *to
 * even after an error. */
enum status config_overrides_add(struct config_overrides *to, const char *text, struct error *error);
enum status config_overrides_copy(struct config_overrides *to, const struct config_overrides *from,
                                  struct error *error);
void config_overrides_free(struct config_overrides *overrides);

/* A config in the memory of a program that steps the tissue itself */
struct config_source {
    const char *path, *directory, *text; /* as for config_parse */
    const struct config_overrides *overrides;
    const struct config_array *array; /* [arrays] */
    int arrays;
    struct inputs *inputs; /* record of the files read for an earlier config; NULL = none */
};
/* config_parse() of a source; `threads` defaults to 1. */
enum status config_parse_source(struct config *config, const struct config_source *source,
                                struct error *error);
/* *text <- the file's contents, NUL-terminated; the caller frees it. STATUS_INPUT if the file cannot be read
 * or is obviously not a config. */
enum status config_read_text(char **text, size_t *length, const char *path, struct error *error);
/* The caller's array of that name; NULL = none (or no name) */
static inline const struct config_array *config_array_find(const struct config *config, const char *name)
{
    for (int k = 0; name && k < config->arrays; k++)
        if (strcmp(config->array[k].name, name) == 0)
            return &config->array[k];
    return NULL;
}

void config_free(struct config *config);

/* Prints "stimuli[0].delays: is up to 0.1 ms; .." if `value` is implausible for the key `path`, which names a
 * file: the largest value in that file, in the unit of a bare number. */
void config_doubt(FILE *file, const char *path, double value);

/* Formats the path of a key of a list item: config_key("tissue.regions[%d].tags", r).text */
struct config_key {
    char text[120];
};
struct config_key config_key(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Adds a fault of the value at `path` ("mesh.slab") of a config already read, with its line and column. */
enum status config_fault(struct faults *faults, const struct config *config, const char *path,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Adds the error of a call as a fault if it is STATUS_INPUT; any other status ends the reading. */
enum status config_fault_found(struct faults *faults, const struct config *config, const char *path,
                               const struct error *found);

/* The same with the position `at` characters into the text of that value; at < 0: position unknown */
enum status config_fault_within(struct faults *faults, const struct config *config, const char *path, int at,
                                const struct error *found);

/* sigma[3] <- conductivities along fibre, sheet and normal in S/m: as given, or si se / (si + se) of the
 * intra- and extracellular ones. Returns true when the tissue is isotropic (needs no fibre). */
bool config_conductivity(double sigma[3], const struct config_region *region);

/* sigma[3] <- the bulk conductivities si + se, which carry current in both spaces of a bidomain; or those of a
 * part without cells. Return as above. */
bool config_bulk(double sigma[3], const struct config_region *region);
bool config_passive(double sigma[3], const struct config_passive *passive);

/* sigma[3] <- the intracellular conductivities, *intra <- true; without them the monodomain's, false */
bool config_intracellular(double sigma[3], bool *intra, const struct config_region *region);
/* speed[3] <- the velocities in m/s along fibre, sheet and normal that a region gives instead; returns
 * whether it does. Its conductivities are NaN. */
bool config_velocity(double speed[3], const struct config_region *region);
/* Whether these velocities are meant on a fine mesh instead of the config's own */
bool config_velocity_fine(const struct config_region *region);

/* chi of a region, 1/mm */
double config_surface_to_volume(const struct config_tissue *tissue, const struct config_region *region);
/* Whether the region's elements are resistors: it then borrows another region's model, and no node uses it */
bool config_is_resistor(const struct config_region *region);

/* The region of elements with this tag; -1 if there is none, or if a region with the tag also has `where`.
 * Without `where` no tag is listed twice, and `all` comes last. */
int config_region_of_tag(const struct config *config, int32_t tag, int dimension);
/* Whether a list contains the tag for elements of that dimension; 0 = any dimension */
bool config_tag_listed(const struct tag_list *tags, int32_t tag, int dimension);
/* Whether any region has `where` */
bool config_regions_by_position(const struct config *config);

/* The integration scheme of the config's cells */
struct source_way config_way(const struct config *config);

/* Order of accuracy in time: 2 if both splitting and diffusion are second order, else 1 */
int config_order_in_time(const struct config *config);

/* The standard name (RA to V6) of a body-surface electrode: "RA" for "ra" or "R"; NULL = not a standard one */
const char *config_standard_electrode(const char *name);

/* Whether initial.file is a result; otherwise, if given, it is a checkpoint. */
bool config_starts_from_result(const struct config *config);

/* The resolved config with units and all defaults: a valid config that parses to the same values. Paths are
 * made absolute, so that it may be stored anywhere. NULL if out of memory; the caller frees it. */
char *config_printed(const struct config *config);

/* Prints the resolved config as a JSON object. */
void config_print_json(FILE *file, const struct config *config);
/* Prints all keys as a JSON Schema. */
void config_print_schema(FILE *file);

/* thresholds[2] <- activation.threshold and rearm of region r, mV; own: its model's threshold, the default */
void config_thresholds(double thresholds[2], const struct config *config, int r, double own);

/* Subsets of the keys that determine one part of a run, with the digests of the files that they name: equal
 * texts mean equal parts. The matrix also depends on the mesh, and with `velocity` on the models. */
enum config_subset {
    CONFIG_NUMBERS,   /* what a checkpoint belongs to, with the mesh, the models and initial.file */
    CONFIG_MESH,      /* the mesh and its fibres */
    CONFIG_MATRIX,    /* the matrix, its order and the method */
    CONFIG_RESULTS,   /* all results: excludes the device, threads and output directory */
    CONFIG_INDUCTION, /* the same for `cardiac induce` */
    CONFIG_FIT,       /* and for `cardiac fit` */
    CONFIG_SUBSETS
};
/* The printed config with these keys only; files are replaced by their digests in config->inputs. NULL if out
 * of memory; the caller frees it. */
char *config_subset_text(const struct config *config, enum config_subset subset);

/* text <- "time.step was 0.05 ms and is 0.02 ms, ...": the keys in which two such texts differ; returns their
 * number. */
int config_changes(char *text, size_t room, const char *then, const char *now);

/* Prints the reference of all keys, in Markdown. */
void config_print_keys(FILE *file);
/* Prints the keys whose path or description contains the word, or for which it is a synonym; returns how many. */
int config_search_keys(FILE *file, const char *word);
/* Whether the word, such as bcl, is a synonym for the key at that path (NULL = for any key) */
bool config_serves(const char *word, const char *path);

#endif
