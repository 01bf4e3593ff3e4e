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
/* Of a number between what was measured and what is computed: it is not there, or the one with the least
 * differences is solved for. */
enum solved { SOLVED_NONE, SOLVED_FITTED };
enum output_precision { OUTPUT_PRECISION_FLOAT32, OUTPUT_PRECISION_FLOAT64 };

/* Numbers that were not given are NaN, texts and lists NULL. */

/* A surface: faces of a mark, or of a name, a list of nodes, or the rim of an opening; none = not given */
struct config_surface {
    const char *key;   /* its name in the config; NULL = one of the heart's */
    int32_t mark;      /* 0 = none */
    const char *name;  /* without dot or slash */
    const char *nodes; /* path of a node list */
    int64_t opening;   /* rank of a rim, 1 the longest; -1 = the one nearest to centre; 0 = none */
    double centre[3];  /* mm */
};

/* A function of the nodes, 0 on some surfaces and 1 on others, between which div grad = 0 */
struct config_laplace {
    const char *key; /* its name in expressions */
    const char **from, **to;
    int froms, tos;
};

/* A file of one number for each node or element, which the mesh gets as an array of that name */
struct config_column {
    const char *key, *file;
};

enum network_junctions { NETWORK_ENDS, NETWORK_FUSED, NETWORK_NONE };

/* Lines in a file of their own, which join the mesh (solver/mesh/network.h) */
struct config_network {
    const char *file;
    double scale; /* mm per length unit of the file; NaN = that of the mesh, or the format's */
    int tag;      /* of all its lines */
    enum network_junctions junctions;
    double radius;    /* mm; NaN = not given, as without junctions */
    int junction_tag; /* of the resistors of its ends; 0 = not given */
};

struct config_mesh {
    enum mesh_kind kind;
    double slab_size[3];                               /* mm */
    double sheet_size[2];                              /* mm */
    double cable_length;                               /* mm */
    double slab_spacing, sheet_spacing, cable_spacing; /* mm */
    double ellipsoid_size[3], ellipsoid_edge;          /* mm, solver/mesh/generate.h */
    struct config_surface *named;                      /* [nameds] all surfaces that are given, */
    int nameds;
    struct config_surface surface[HEART_SURFACES]; /* and those of the heart among them */
    struct config_laplace *laplace;                /* [laplaces] */
    int laplaces;
    struct config_column *column; /* [columns] */
    int columns;
    const char *file; /* path, relative to the working directory or absolute */
    double scale;     /* mm per length unit of the file; NaN = not given */
    const char *tags, *fibers,
        *sheets;                    /* names of its arrays; NULL = by custom (app/meshio/array_selection.h) */
    struct config_network *network; /* [networks] */
    int networks;
};

/* Conductivities along fibre, sheet and normal, or one for all directions, S/m. */
struct conductivity {
    double isotropic;
    double longitudinal, transverse, normal;
};

/* A model's text, and what the text does not contain; file NULL = a built-in model */
struct config_text {
    const char *file, *variant, *voltage;
    double rest, amplitude; /* mV */
    double time_unit;       /* ms */
};

/* A model parameter that an expression gives at the nodes, such as an array of the mesh file */
struct config_field {
    int parameter; /* index into model->parameter */
    const struct where *values;
    bool factor; /* of the default; else a value */
};

struct config_region {
    struct tag_list tags;
    const struct where *where, *scale; /* NULL = everywhere, 1 */
    const struct where *scale_axis[3]; /* longitudinal, transverse, normal, instead of scale; NULL = 1 */
    const struct ionic_model *model;
    const struct ionic_model *varied; /* of all regions with the model: see struct region; NULL = no fields */
    struct config_text text;
    double *parameter;          /* [model->parameters], defaults where not given; NULL = none was given */
    struct config_field *field; /* [fields] parameters that are not one value */
    int fields;
    double *initial;           /* [single_cell_values] V and states at the start; NULL = the model's own */
    int64_t pace;              /* beats of one cell that give them instead; 0 = none, */
    double pace_period;        /* ms */
    const struct where *phase; /* of nodes in the last beat, in periods; NULL = all start after it, or */
    const char *phase_times;   /* path of their times of activation in it, ms */
    double radius;             /* mm, of lines; NaN = not given */
    double thickness;          /* mm of triangles; NaN = not given */
    double surface_to_volume;  /* 1/mm; NaN = the tissue's */
    double conductance;        /* mS of each line, which then has no membrane; NaN = not given */
    struct conductivity monodomain; /* as written: this one, or both of the next */
    struct conductivity intra, extra;
    struct conductivity velocity; /* m/s: instead of all of these */
    const char *velocity_on;      /* NULL = mesh; or mesh, fine */
};

/* A train within a stimulus' protocol */
struct config_phase {
    int64_t count; /* 0 = for ever, of the last */
    double period, to,
        after; /* ms: between its pulses; at the end of a ramp; since the last pulse of the previous train */
};

struct config_stimulus {
    const char *name;
    enum stimulus_shape shape;
    double box_min[3], box_max[3]; /* mm, closed */
    double centre[3], radius;      /* mm */
    struct tag_list tags;
    const struct where *where;
    const struct where *selection;  /* the one of these that is given, as a condition; NULL = delays */
    const char *nodes;              /* path of a node list */
    const char *delays;             /* path of a list of nodes, or places, and times */
    const char *pulse;              /* path of its shape, instead of duration */
    double start, duration, period; /* ms; period is NaN when count is 1 */
    int64_t count;                  /* 0 = for ever */
    struct config_phase *phase;     /* [phases] instead of period and count */
    int phases;
    double current;   /* uA/uF */
    int current_kind; /* enum quantity; QUANTITY_CURRENT once the config is resolved */
};

/* Fibres in a part of the mesh: along the gradient of a field, turned by an angle */
struct config_fiber_rule {
    const struct where *where; /* NULL = in all elements */
    const char *field;         /* of mesh.laplace */
    const struct where *angle; /* degrees; NULL = 0 */
};

struct config_tissue {
    double surface_to_volume; /* 1/mm */
    double capacitance;       /* uF/mm^2 */
    enum fibers fibers;
    double fiber[3];                      /* FIBERS_UNIFORM: of any length but 0 */
    int fiber_across;                     /* FIBERS_TURNING: axis 0, 1 or 2, and */
    double fiber_degrees[2];              /* the angles at its two ends (solver/mesh/fibers.h) */
    struct ldrb ldrb;                     /* FIBERS_LDRB */
    bool fill_missing;                    /* FIBERS_FROM_MESH: the nearest one where there is none */
    struct config_fiber_rule *fiber_rule; /* [fiber_rules] FIBERS_FIELD: the first that holds */
    int fiber_rules;
    struct config_region *region;
    int regions;
};

struct config_probe {
    const char *name;
    double point[3]; /* mm */
};

/* A part of a conductor without cells */
struct config_passive {
    struct tag_list tags;
    struct conductivity conductivity;
};

struct config_ecg {
    double conductivity;            /* S/m */
    const char *torso;              /* path of the conductor's mesh; NULL = unbounded */
    double torso_scale;             /* mm per length unit of the file; NaN = not given */
    struct config_passive *passive; /* [passives] its parts around the heart */
    int passives;
    double every; /* ms */
    int64_t every_steps;
    struct config_probe *electrode; /* [positions] */
    int positions;
    const char *fields; /* path of lead fields instead */
    const char **name;  /* [electrodes] of either */
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
    bool segments;                /* instead, one in each segment of the left ventricle */
    struct config_lesion *lesion; /* [lesions] */
    int lesions;
    const struct where *where; /* NULL = at these sites, or where S1 is */
    double spacing;            /* mm between sites within `where`; NaN = all of it is one */
    double radius;             /* mm */
    double from, to, by;       /* ms */
    int64_t extra;
    double sustained; /* ms */
};

/* A value that overrides a key, with the places of both in a file; text NULL = none */
struct config_value {
    const char *key, *text;
    int line, column, key_line, key_column;
};

/* A key that `cardiac fit` varies: from one value to another, or a point on the surface of the mesh */
struct config_parameter {
    struct config_value bound[2]; /* of a point, one of its values: the origin */
    const struct where *on;       /* the point's nodes; NULL = between the bounds */
};

/* What `cardiac fit` varies, and what it compares */
struct config_fit {
    struct config_parameter *parameter; /* [parameters] */
    int parameters;
    int64_t evaluations, seed;
    double leads_noise, activation_noise; /* mV, ms; 0 = unknown */
    enum solved leads_lag, leads_gain, activation_lag;
    const char *leads, *activation; /* paths of what was measured; NULL = it was not */
};

/* When a run may end early */
struct config_stop {
    enum stop_when when;
    const char *probe; /* activated: this one alone; NULL = all nodes */
    double quiet;      /* quiescent: for this long, ms */
    int64_t beats;     /* activated: each node so many times */
};

struct config_output {
    const char *directory; /* relative to the working directory */
    double every;          /* ms */
    double probes_every;   /* ms */
    int64_t every_steps, probes_every_steps;
    const char **field; /* [fields] "V", a state or a current of a model */
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

/* A list of `sweep:`: the values that a key takes in the runs of a study */
struct config_axis {
    const char *key;
    const char **text; /* [values] as they stand in the file, or on one line */
    int values;
};

/* An array in the caller's memory, which the mesh gets by that name as if its file held it */
struct config_array {
    const char *name;
    int components; /* 1, or 3 for directions */
    double *value;  /* [values]: of all nodes or all elements of the mesh file */
    int64_t values;
    char sha256[SHA256_HEX]; /* of the values */
};

struct config {
    const char *path; /* of the file itself, as the user named it */
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
        physics;       /* region, element_region and stimulus are left NULL: see app/problem/problem.h */
    double ionic_step; /* ms; physics.ionic_substeps of them in a step */
    struct {
        const char *file; /* NULL = rest */
        double time;      /* ms; NaN = the file's last */
    } initial;
    struct config_stop stop;
    const char *device; /* "auto", "cpu", "cuda", "cuda:1" */
    int threads;        /* at most; 0 = by cores and mesh */
    struct config_output output;
    struct config_ecg ecg;
    struct config_checkpoint checkpoint;
    struct config_induction induction;
    struct config_fit fit;
    struct config_axis *axis; /* [axes] of `sweep:` */
    int axes;
    struct user_model *models;        /* of the regions' texts */
    const struct config_array *array; /* [arrays] the caller's */
    int arrays;
    const char **warning; /* [warnings] one line each */
    int warnings;
    const char *suspect;     /* the first of them about an implausible value; NULL = none */
    const struct tree *root; /* what was read, for the places of faults found later */
    struct tree *resolved;   /* all keys with their values (resolved.h) */
    struct inputs *inputs;   /* the files that were read: to be shared, and freed */
    struct arena memory;     /* owns all of the above */
};

/* An option of the command line that stands for a key, such as {"--output", "output.directory", "out"}; value
 * NULL = it was not given. Its value is taken as it stands, where that of --set is YAML. */
struct config_option {
    const char *name, *key, *value;
};

/* One run of a study: the values of its row of a table, and those of the lists of `sweep:`. */
struct config_row {
    const char *path; /* of the table */
    const struct config_value *value;
    int values;
    struct inputs *inputs; /* the list of all runs' files; NULL = one of its own */
    int64_t point; /* among all combinations of the lists, those of the last list side by side; -1 = none */
};

/* Reads, overrides (sets: [count] "key=value", from --set) and resolves the config at path. Errors:
 * STATUS_INPUT, all faults, each as path:line:column: key: what is wrong. *config is to be freed in any case.
 * Afterwards loops use at most the threads that the config allows. */
enum status config_read(struct config *config, const char *path, const char *const *sets, int count,
                        struct error *error);

/* The same with options, which override last. */
enum status config_read_with(struct config *config, const char *path, const char *const *sets, int count,
                             const struct config_option *options, int number, struct error *error);

/* The same with the values of a row, which override those of `sets`: the config of one run of a study.
 * Without a row `sweep:` is a fault. */
enum status config_read_row(struct config *config, const char *path, const char *const *sets, int count,
                            const struct config_option *options, int number, const struct config_row *row,
                            struct error *error);

/* The first from memory; paths in it are relative to `directory` ("" = the working directory). */
enum status config_parse(struct config *config, const char *path, const char *directory, const char *text,
                         size_t length, const char *const *sets, int count, struct error *error);

/* Values over those of a config, by key, in the order in which they apply; a later value of a key takes the
 * place of an earlier one. */
struct config_overrides {
    struct config_value *value; /* [values] key and text owned */
    int values;
};
/* Adds those of a JSON object (or a YAML map) from keys ("time.step") to values. Errors: STATUS_INPUT; *to
 * is to be freed in any case. */
enum status config_overrides_add(struct config_overrides *to, const char *text, struct error *error);
enum status config_overrides_copy(struct config_overrides *to, const struct config_overrides *from,
                                  struct error *error);
void config_overrides_free(struct config_overrides *overrides);

/* A config in the memory of a program, for a tissue that it steps itself */
struct config_source {
    const char *path, *directory, *text; /* as for config_parse */
    const struct config_overrides *overrides;
    const struct config_array *array; /* [arrays] */
    int arrays;
    struct inputs *inputs; /* the list of the files that were read by an earlier one; NULL = none */
};
/* The same from there; `threads` is 1 unless it is given. */
enum status config_parse_source(struct config *config, const struct config_source *source,
                                struct error *error);
/* *text <- what stands in the file, NUL-terminated, to be freed. STATUS_INPUT where it cannot be read or is
 * plainly no config. */
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

/* Prints "stimuli[0].delays: is up to 0.1 ms; .." if the quantity of that key hardly has a file's largest
 * value, which is in the unit of a bare number. */
void config_doubt(FILE *file, const char *path, double value);

/* The path of a key of an item: config_key("tissue.regions[%d].tags", r).text */
struct config_key {
    char text[120];
};
struct config_key config_key(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One more fault of what stands at `path` ("mesh.slab") in a config that was read, with its place there. */
enum status config_fault(struct faults *faults, const struct config *config, const char *path,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same of what a call found: STATUS_INPUT is a fault of the config, any other status ends the reading. */
enum status config_fault_found(struct faults *faults, const struct config *config, const char *path,
                               const struct error *found);

/* The same, a fault of the config `at` characters into the text of the value there; at < 0: somewhere in it
 * */
enum status config_fault_within(struct faults *faults, const struct config *config, const char *path, int at,
                                const struct error *found);

/* sigma[3] <- conductivities along fibre, sheet and normal in S/m: as given, or si se / (si + se) of the
 * intra- and extracellular ones. Returns true when the tissue is isotropic (needs no fibre). */
bool config_conductivity(double sigma[3], const struct config_region *region);

/* The same of the sum si + se, which currents of a bidomain's both spaces see; of a part without cells */
bool config_bulk(double sigma[3], const struct config_region *region);
bool config_passive(double sigma[3], const struct config_passive *passive);

/* sigma[3] <- the intracellular ones, or the monodomain's where there are none; *intra <- which */
bool config_intracellular(double sigma[3], bool *intra, const struct config_region *region);
/* speed[3] <- the velocities in m/s along fibre, sheet and normal that a region gives instead; returns
 * whether it does. Its conductivities are NaN. */
bool config_velocity(double speed[3], const struct config_region *region);
/* Whether these are velocities on a fine mesh, not on the config's own */
bool config_velocity_fine(const struct config_region *region);

/* chi of a region, 1/mm */
double config_surface_to_volume(const struct config_tissue *tissue, const struct config_region *region);
/* Whether the region is one of resistors: its model is that of another region and of no node */
bool config_is_resistor(const struct config_region *region);

/* The region of elements with this tag; -1: there is none, or one that has the tag has `where`. Without
 * `where` no tag is listed twice, and `all` comes last. */
int config_region_of_tag(const struct config *config, int32_t tag, int dimension);
/* Whether a list has the tag of elements of that dimension, 0 = of any */
bool config_tag_listed(const struct tag_list *tags, int32_t tag, int dimension);
/* Whether a region has `where` */
bool config_regions_by_position(const struct config *config);

/* How its cells are stepped */
struct source_way config_way(const struct config *config);

/* The order in time of a run: 2 where splitting and diffusion are second order, else 1 */
int config_order_in_time(const struct config *config);

/* The standard name, RA to V6, of an electrode of the body surface: RA for ra or R; NULL = none */
const char *config_standard_electrode(const char *name);

/* Whether initial.file is a result; else, if it is given, it is a checkpoint. */
bool config_starts_from_result(const struct config *config);

/* The resolved config with units and all defaults: a valid config that parses to the same values. Paths are
 * made absolute so that it may be kept anywhere. NULL without memory; the caller frees it. */
char *config_printed(const struct config *config);

/* The same as an object of JSON, to a file */
void config_print_json(FILE *file, const struct config *config);
/* All keys as a JSON Schema */
void config_print_schema(FILE *file);

/* thresholds[2] <- mV: activation.threshold and rearm in region r; own: the threshold of its model */
void config_thresholds(double thresholds[2], const struct config *config, int r, double own);

/* Keys that decide one thing of a run, with the digests of the files that they name: equal texts mean equal
 * parts. The matrix also depends on the mesh, and with `velocity` on the models. */
enum config_subset {
    CONFIG_NUMBERS,   /* what a checkpoint belongs to, with the mesh, the models and initial.file */
    CONFIG_MESH,      /* the mesh and its fibres */
    CONFIG_MATRIX,    /* the matrix, its order and the method */
    CONFIG_RESULTS,   /* all that is computed: not the device, threads or where results are stored */
    CONFIG_INDUCTION, /* the same for `cardiac induce` */
    CONFIG_FIT,       /* and for `cardiac fit` */
    CONFIG_SUBSETS
};
/* The printed config with these keys alone, files by their digests in config->inputs. NULL without memory; the
 * caller frees it. */
char *config_subset_text(const struct config *config, enum config_subset subset);

/* text <- "time.step was 0.05 ms and is 0.02 ms, ...": in which keys two of those texts differ; returns how many. */
int config_changes(char *text, size_t room, const char *then, const char *now);

/* The reference of all keys, in Markdown. */
void config_print_keys(FILE *file);
/* Prints the keys whose path or meaning contains the word, or that serve it; returns how many. */
int config_search_keys(FILE *file, const char *word);
/* Whether the key of that path (NULL = any) serves an everyday word, such as bcl */
bool config_serves(const char *word, const char *path);

#endif
