/* keys.c: the table of all config keys; a new key needs a field in config.h and a row here. */
#include "app/config/keys.h"

#include <math.h>
#include <string.h>

#include "app/config/config.h"

const char KEY_REQUIRED[] = "required", KEY_SOLVER[] = "the solver's";

static const char *const methods[] = {"jacobi", "chebyshev", "rkl2", "auto", NULL};
static const char *const splittings[] = {"godunov", "staggered", NULL};
static const char *const precisions[] = {"double", "mixed", NULL};
static const char *const ionic_states[] = {"double", "mixed", NULL};
static const char *const inductions[] = {"programmed", "burst", "peerp", NULL};
static const char *const junctions[] = {"ends", "fused", "none", NULL};
static const char *const solved[] = {"none", "fitted", NULL};
static const char *const output_precisions[] = {"float32", "float64", NULL};

#define TOP(member) .offset = offsetof(struct config, member)
/* .numbers: a key without it may change on resume. */
#define PHYSICS(member) .offset = offsetof(struct config, physics.member), .numbers = true
#define REGION(member) .offset = offsetof(struct config_region, member), .numbers = true
#define STIMULUS(member) .offset = offsetof(struct config_stimulus, member), .numbers = true
#define NETWORK(member) .offset = offsetof(struct config_network, member), .numbers = true
#define PHASE(member) .offset = offsetof(struct config_phase, member), .numbers = true
#define PASSIVE(member) .offset = offsetof(struct config_passive, member), .numbers = true
#define COUNT(member) .count_offset = offsetof(struct config, member)
#define POSITIVE .low = 0, .high = HUGE_VAL, .above = true
#define NOT_NEGATIVE .low = 0, .high = HUGE_VAL
#define BETWEEN(a, b) .low = (a), .high = (b)
/* Keys of a value given either once for all directions, or along the fibre and (two) across it */
#define DIRECTION(path, quantity, text, ...)                                                                 \
    {                                                                                                        \
        path, KEY_NUMBER, quantity, __VA_ARGS__, .direction = true, .meaning = (text)                        \
    }
#define DIRECTIONS(path, quantity, OF, member, range, text)                                                  \
    {path, KEY_NUMBER, quantity, OF(member.isotropic), range, .meaning = (text)},                            \
        DIRECTION(path ".longitudinal", quantity, "along the fibre", OF(member.longitudinal), range),        \
        DIRECTION(path ".transverse", quantity, "across the fibre, in the sheet", OF(member.transverse),     \
                  range),                                                                                    \
        DIRECTION(path ".normal", quantity, "across the sheet; by default as transverse", OF(member.normal), \
                  range)

#define SCALE(direction_, text, member)                                                                      \
    {                                                                                                        \
        "tissue.regions[].scale." direction_, KEY_FACTOR, REGION(member), .direction = true,                 \
                                                                          .meaning = (text)                  \
    }

static const struct key keys[] = {
    {"version", KEY_INT, TOP(version), .fallback = KEY_REQUIRED, BETWEEN(0, 1000000000),
     .meaning = "version of this config format: 1"},
    {"title", KEY_TEXT, TOP(title), .meaning = "shown in the log and stored in the result"},
    {"stop_when", KEY_STOP, TOP(stop), .fallback = "never",
     .meaning =
         "end before time.end: `activated`, once every node has been activated, or `{activated: P8}`, that "
         "probe; `{beats: 5}`, once every node has had so many beats; `quiescent`, once no stimulus remains "
         "and V is below the activation threshold everywhere, or `{quiescent: 200 ms}`, for that long"},

    {"device", KEY_DEVICE, TOP(device), .fallback = "auto",
     .meaning =
         "`auto`, `cpu` (or one of its instruction sets: `cpu-avx512`, `cpu-avx512-loads`, `cpu-avx2`, "
         "`cpu-plain`), `cuda` or `cuda:N`; `--device` overrides this"},
    {"threads", KEY_INT, TOP(threads), .fallback = "0", BETWEEN(0, 4096),
     .meaning = "most threads of the CPU; 0 = by cores and mesh; `--threads` overrides this"},

    {"mesh.slab.size", KEY_VECTOR, QUANTITY_LENGTH, TOP(mesh.slab_size), .size = 3, POSITIVE,
     .meaning = "a box of tetrahedra from the origin to this corner; one of slab, sheet, cable, ellipsoid "
                "and file is required"},
    {"mesh.slab.spacing", KEY_NUMBER, QUANTITY_LENGTH, TOP(mesh.slab_spacing), POSITIVE,
     .meaning = "edge along the axes; the size must be a multiple of it"},
    {"mesh.sheet.size", KEY_VECTOR, QUANTITY_LENGTH, TOP(mesh.sheet_size), .size = 2, POSITIVE,
     .meaning = "a rectangle of triangles in the plane z = 0, from the origin"},
    {"mesh.sheet.spacing", KEY_NUMBER, QUANTITY_LENGTH, TOP(mesh.sheet_spacing), POSITIVE,
     .meaning = "edge along the axes; the size must be a multiple of it"},
    {"mesh.cable.length", KEY_NUMBER, QUANTITY_LENGTH, TOP(mesh.cable_length), POSITIVE,
     .meaning = "a line along x, from the origin"},
    {"mesh.cable.spacing", KEY_NUMBER, QUANTITY_LENGTH, TOP(mesh.cable_spacing), POSITIVE,
     .meaning = "length of an element; the length must be a multiple of it"},
    {"mesh.ellipsoid.size", KEY_VECTOR, QUANTITY_LENGTH, TOP(mesh.ellipsoid_size), .size = 3, POSITIVE,
     .meaning =
         "a left ventricle: radius of the cavity, its depth from the widest point down to the apex, wall; "
         "cut flat at a quarter of the depth above the widest point, at z = 0; its surfaces base, epi and lv "
         "are marked"},
    {"mesh.ellipsoid.edge", KEY_NUMBER, QUANTITY_LENGTH, TOP(mesh.ellipsoid_edge), POSITIVE,
     .meaning = "approximate edge length"},
    {"mesh.surfaces", KEY_SURFACES, TOP(mesh.named), COUNT(mesh.nameds), .numbers = true,
     .meaning = "surfaces by name, `{epi: 2, mitral: opening(1)}`: the mark of the faces in the mesh file (a "
                "TetGen marker, a Gmsh "
                "physical group), their name there, a file of node numbers (with a dot or slash in its "
                "path), or an opening of a "
                "shell: `opening(1)`, the longest closed rim, or `\"opening([1 mm, 2 mm, 3 mm])\"`, the one "
                "whose centre is "
                "nearest. The heart's, for coordinates and fibres by rule: base, epi, lv, rv (if there is "
                "one) and apex (for a "
                "piece of wall; by default the node of epi farthest from the centre of the base); when none "
                "of these is given, "
                "those that the mesh file names so, else by the shape of the boundary. Others, of any name, "
                "for `mesh.laplace` and "
                "expressions (docs/user/where.md)"},
    {"mesh.laplace", KEY_LAPLACE, TOP(mesh.laplace), COUNT(mesh.laplaces), .numbers = true,
     .meaning =
         "functions by name, `{roof: {from: mitral, to: [lspv, rspv]}}`: Laplace's equation with 0 on the "
         "surfaces `from` and "
         "1 on `to`, of `mesh.surfaces`, of the heart or of the mesh file; variables of every expression "
         "(docs/user/where.md), and fields for `tissue.fibers`"},
    {"mesh.arrays", KEY_COLUMNS, TOP(mesh.column), COUNT(mesh.columns), .numbers = true,
     .meaning =
         "arrays by name, `{fibrosis: fibrosis.dat}`, from files of one number a line for each node or "
         "each element, in their order (or an openCARP .adj file of all nodes); variables of every "
         "expression, as arrays of the mesh file are"},
    {"mesh.file", KEY_PATH, TOP(mesh.file), .numbers = true,
     .meaning = "mesh file, relative to the config's folder"},
    {"mesh.scale", KEY_NUMBER, QUANTITY_LENGTH, TOP(mesh.scale), POSITIVE,
     .meaning = "length of one unit in the mesh file; required except for formats that carry a unit and for "
                "openCARP (1 um)"},

    {"mesh.tags", KEY_TEXT, TOP(mesh.tags),
     .meaning = "the array of the mesh file that holds the elements' tags, by its name there; by default the "
                "format's own tags or an array `region`, `elemTag` or `gmsh:physical`; `cardiac mesh info` "
                "lists the "
                "arrays"},
    {"mesh.fibers", KEY_TEXT, TOP(mesh.fibers),
     .meaning =
         "the array of the fibres, at nodes or elements; by default the format's own or one named `fiber`"},
    {"mesh.sheets", KEY_TEXT, TOP(mesh.sheets),
     .meaning = "the array of the sheets; by default one named `sheet`"},

    {"mesh.network", KEY_LIST, TOP(mesh.network), COUNT(mesh.networks), .size = sizeof(struct config_network),
     .numbers = true,
     .meaning =
         "lines in files of their own that join the mesh, such as Purkinje trees (docs/user/networks.md)"},
    {"mesh.network[].file", KEY_PATH, NETWORK(file), .fallback = KEY_REQUIRED,
     .meaning = "a mesh file of lines alone, relative to the config's folder"},
    {"mesh.network[].scale", KEY_NUMBER, QUANTITY_LENGTH, NETWORK(scale), POSITIVE,
     .meaning = "length of one unit in that file; by default `mesh.scale`"},
    {"mesh.network[].tag", KEY_INT, NETWORK(tag), .fallback = KEY_REQUIRED, BETWEEN(1, 1000000000),
     .meaning = "tag of its lines, which a region names"},
    {"mesh.network[].junctions", KEY_CHOICE, NETWORK(junctions), .fallback = "ends", .choice = junctions,
     .meaning = "`ends`: resistors join each end, but for the file's first node, to the nodes of the mesh "
                "within `radius`; `fused`: each end becomes the nearest of these; `none`: no end is joined"},
    {"mesh.network[].radius", KEY_NUMBER, QUANTITY_LENGTH, NETWORK(radius), POSITIVE,
     .meaning = "how far an end reaches; required with `ends` and `fused`"},
    {"mesh.network[].junction_tag", KEY_INT, NETWORK(junction_tag), .fallback = "0", BETWEEN(0, 1000000000),
     .meaning = "tag of the resistors, whose region gives their `conductance`; required with `ends`"},

    {"tissue.surface_to_volume", KEY_NUMBER, QUANTITY_SURFACE_TO_VOLUME, TOP(tissue.surface_to_volume),
     .fallback = KEY_REQUIRED, POSITIVE, .numbers = true,
     .meaning = "membrane area per tissue volume, chi, such as 1400 1/cm"},
    {"tissue.capacitance", KEY_NUMBER, QUANTITY_CAPACITANCE, TOP(tissue.capacitance), .fallback = "1 uF/cm^2",
     POSITIVE, .numbers = true, .meaning = "membrane capacitance, Cm"},
    {"tissue.fibers", KEY_FIBERS, TOP(tissue), .fallback = "from mesh", .numbers = true,
     .meaning =
         "direction of the fibres: `from mesh`; one vector `[x, y, z]` for all (any length but 0); or "
         "a rule, `{across: z, from: 60 deg, to: -60 deg}`: in the plane across that axis, at angles "
         "(from x, towards y) that turn evenly from the mesh's low end of the axis to its high end, "
         "the sheets along the axis; y counts from z, x from y; or `{rule: ldrb, fiber: [40 deg, -50 deg], "
         "sheet: [-65 deg, 25 deg]}` for a heart (docs/theory/heart.md): the angles on endocardium and "
         "epicardium, these unless given; or `{rule: field, field: roof, angle: 30 deg}`: along the gradient "
         "of a field of "
         "`mesh.laplace`, in a shell turned counter-clockwise seen from outside by an angle, which may be an "
         "expression "
         "in degrees; or a list of these, each with `where` but the last; `{missing: nearest}` is `from "
         "mesh`, with the "
         "nearest fibre where the file has none"},
    {"tissue.parameters", KEY_FACTORS, TOP(tissue),
     .meaning =
         "factors on parameters of the models of all regions that have them, such as of a drug: `{g_Kr: "
         "x0.5}`. A name stands for that parameter of any component, in capitals or not, with `_` or not: "
         "`g_Kr` and `GKr` for `ikr.g_Kr`. They apply on top of a region's own values"},
    {"tissue.regions", KEY_LIST, TOP(tissue.region), COUNT(tissue.regions),
     .size = sizeof(struct config_region), .fallback = KEY_REQUIRED, .numbers = true,
     .meaning = "parts of the tissue; where two overlap, the one listed first applies"},
    {"tissue.regions[].tags", KEY_TAGS, REGION(tags), .fallback = "all",
     .meaning = "element tags of the part: `all`, or a list of numbers or of names that the mesh file gives "
                "them; `all` after other parts means all others"},
    {"tissue.regions[].where", KEY_WHERE, REGION(where),
     .meaning = "restricts the region to where this condition holds, such as `transmural < 0.3` "
                "(docs/user/where.md): at an element's "
                "centre for its conductivity, at a node for its cell"},
    {"tissue.regions[].model", KEY_MODEL, REGION(model), .fallback = KEY_REQUIRED, .unless = "conductance",
     .meaning = "name of an ionic model, see `cardiac models`; or the keys below, for a text of your own"},
    {"tissue.regions[].model.file", KEY_PATH, .offset = offsetof(struct config_region, text.file),
     .meaning = "a model's text in Myokit's language (.mmt), relative to the config's folder"},
    {"tissue.regions[].model.variant", KEY_TEXT, REGION(text.variant),
     .meaning = "one of the variants that the text declares, such as `tp06-endo`; without it the text's own "
                "values"},
    {"tissue.regions[].model.voltage.name", KEY_TEXT, REGION(text.voltage),
     .meaning = "name of the membrane potential, such as `membrane.V`, if no variable has that label"},
    {"tissue.regions[].model.voltage.rest", KEY_NUMBER, QUANTITY_VOLTAGE, REGION(text.rest),
     .meaning = "V in mV where the potential of a text without units is 0"},
    {"tissue.regions[].model.voltage.amplitude", KEY_NUMBER, QUANTITY_VOLTAGE, REGION(text.amplitude),
     POSITIVE, .meaning = "increase of V in mV when that potential goes from 0 to 1"},
    {"tissue.regions[].model.time_unit", KEY_NUMBER, QUANTITY_TIME, REGION(text.time_unit), POSITIVE,
     .meaning = "unit of time of a text without units"},
    {"tissue.regions[].parameters", KEY_PARAMETERS, REGION(parameter),
     .meaning =
         "values of model parameters other than the defaults: `{name: value}`, in the "
         "model's units, or times the default: `{g_Ks: x0.5}`; `{g_Ks: {field: EXPRESSION}}` takes "
         "them from an array at the nodes of the mesh file or an expression (docs/user/where.md), `{factor: "
         "EXPRESSION}` times the default"},
    {"tissue.regions[].initial", KEY_INITIAL, QUANTITY_VOLTAGE, REGION(initial),
     .meaning =
         "initial state of its cells, by default the model's: `{file: epi.yaml}`, written by `cardiac "
         "cell --save`; V and states as `{name: value}`; or `{pace: 100, period: 1000 ms}`: the state "
         "after that many beats of one cell, paced as by `cardiac cell`; with `phase: EXPRESSION` each node "
         "starts at a fraction of the last beat (`x / 20 mm`; 0 and 1: its end), with `times: "
         "FILE` where its activation at a time in ms, a line a node, would have left it"},
    DIRECTIONS("tissue.regions[].conductivity", QUANTITY_CONDUCTIVITY, REGION, monodomain, NOT_NEGATIVE,
               "of both spaces in one; or the two keys below"),
    DIRECTIONS("tissue.regions[].conductivity.intra", QUANTITY_CONDUCTIVITY, REGION, intra, NOT_NEGATIVE,
               "intracellular si; with `extra` the tissue conducts si se / (si + se)"),
    DIRECTIONS("tissue.regions[].conductivity.extra", QUANTITY_CONDUCTIVITY, REGION, extra, NOT_NEGATIVE,
               "extracellular se"),

    DIRECTIONS("tissue.regions[].velocity", QUANTITY_VELOCITY, REGION, velocity, NOT_NEGATIVE,
               "how fast a plane front runs, instead of a conductivity, which is found from it "
               "(docs/user/velocity.md)"),
    {"tissue.regions[].velocity.on", KEY_TEXT, .offset = offsetof(struct config_region, velocity_on),
     .numbers = true, .meaning = "`mesh`, this one, if left out, or `fine`, one with short edges"},
    {"tissue.regions[].radius", KEY_NUMBER, QUANTITY_LENGTH, REGION(radius), POSITIVE,
     .meaning =
         "of the region's lines: their cross-section is pi radius^2; required where the mesh has elements "
         "of other dimensions (docs/user/networks.md)"},
    {"tissue.regions[].thickness", KEY_NUMBER, QUANTITY_LENGTH, REGION(thickness), POSITIVE,
     .meaning = "of the region's triangles, required where the mesh has elements of other dimensions"},
    {"tissue.regions[].surface_to_volume", KEY_NUMBER, QUANTITY_SURFACE_TO_VOLUME, REGION(surface_to_volume),
     POSITIVE,
     .meaning = "chi of the region, by default the tissue's; 2 / radius of a fibre that is one cell wide"},
    {"tissue.regions[].conductance", KEY_NUMBER, QUANTITY_CONDUCTANCE, REGION(conductance), NOT_NEGATIVE,
     .meaning = "each of the region's lines is a resistor of this conductance without a membrane; of several "
                "that join one end of a network their sum"},
    {"tissue.regions[].scale", KEY_FACTOR, REGION(scale),
     .meaning = "factor on the conductivity: a number, or one for each element, such as `1 - 0.5 * fibrosis` "
                "(docs/user/where.md); of lines with a conductance, on that"},
    SCALE("longitudinal", "along the fibre; by default 1", scale_axis[0]),
    SCALE("transverse", "across the fibre, in the sheet; by default 1", scale_axis[1]),
    SCALE("normal", "across the sheet; by default as transverse", scale_axis[2]),

    {"stimuli", KEY_LIST, TOP(stimulus), COUNT(stimuli), .size = sizeof(struct config_stimulus),
     .numbers = true, .meaning = "currents into parts of the tissue; where several overlap they add"},
    {"stimuli[].name", KEY_TEXT, .offset = offsetof(struct config_stimulus, name),
     .meaning = "name in messages and the log; by default S1, S2, ..."},
    {"stimuli[].where", KEY_WHERE, STIMULUS(where),
     .meaning = "the tissue where this holds, such as `distance_to(lv) < 1 mm` (docs/user/where.md)"},
    {"stimuli[].box.min", KEY_VECTOR, QUANTITY_LENGTH, STIMULUS(box_min), .size = 3,
     .meaning = "lowest corner of a box, whose volume is stimulated"},
    {"stimuli[].box.max", KEY_VECTOR, QUANTITY_LENGTH, STIMULUS(box_max), .size = 3,
     .meaning = "highest corner"},
    {"stimuli[].sphere.centre", KEY_VECTOR, QUANTITY_LENGTH, STIMULUS(centre), .size = 3,
     .meaning = "centre of a ball"},
    {"stimuli[].sphere.radius", KEY_NUMBER, QUANTITY_LENGTH, STIMULUS(radius), POSITIVE,
     .meaning = "its radius"},
    {"stimuli[].tags", KEY_TAGS, STIMULUS(tags), .meaning = "elements with these tags"},
    {"stimuli[].nodes", KEY_PATH, STIMULUS(nodes),
     .meaning = "file with a list of nodes, relative to the config's folder"},
    {"stimuli[].delays", KEY_PATH, QUANTITY_TIME, STIMULUS(delays),
     .meaning =
         "file whose lines hold a node number, or a position x, y and z in mm, and a delay in ms: each node, "
         "or the node nearest to the position, is stimulated that long after start, rounded to time.step"},
    {"stimuli[].start", KEY_NUMBER, QUANTITY_TIME, STIMULUS(start), .fallback = "0 ms", NOT_NEGATIVE,
     .meaning = "start of the stimulus"},
    {"stimuli[].duration", KEY_NUMBER, QUANTITY_TIME, STIMULUS(duration), .fallback = KEY_REQUIRED,
     .unless = "pulse", POSITIVE, .meaning = "duration; or use a pulse"},
    {"stimuli[].pulse", KEY_PATH, QUANTITY_TIME, STIMULUS(pulse),
     .meaning = "file whose lines hold a time in ms after start and a fraction of `current`: the shape of "
                "the pulse, linear between lines"},
    {"stimuli[].count", KEY_INT64, STIMULUS(count), .fallback = "1", BETWEEN(0, 1e9),
     .meaning = "number of pulses; 0 = unlimited"},
    {"stimuli[].period", KEY_NUMBER, QUANTITY_TIME, STIMULUS(period), POSITIVE,
     .meaning = "interval between pulse starts; required unless count is 1"},
    {"stimuli[].protocol", KEY_LIST, STIMULUS(phase),
     .count_offset = offsetof(struct config_stimulus, phases), .size = sizeof(struct config_phase),
     .meaning = "trains one after the other, instead of count and period (docs/user/protocols.md)"},
    {"stimuli[].protocol[].count", KEY_INT64, PHASE(count), .fallback = "1", BETWEEN(0, 1e9),
     .meaning = "number of its pulses; 0 = unlimited, for the last train only"},
    {"stimuli[].protocol[].period", KEY_NUMBER, QUANTITY_TIME, PHASE(period), POSITIVE,
     .meaning = "interval between pulse starts"},
    {"stimuli[].protocol[].to", KEY_NUMBER, QUANTITY_TIME, PHASE(to), POSITIVE,
     .meaning = "a ramp: the period changes linearly to this value at the end of the train"},
    {"stimuli[].protocol[].after", KEY_NUMBER, QUANTITY_TIME, PHASE(after), POSITIVE,
     .meaning = "from the last pulse of the previous train to the first of this one; by default as period"},
    {"stimuli[].current", KEY_CURRENT, STIMULUS(current), .fallback = KEY_REQUIRED,
     .meaning = "amplitude; positive depolarises; the unit is required: per capacitance "
                "(uA/uF, pA/pF, mV/ms), per membrane area (uA/cm^2) or per tissue volume (uA/cm^3)"},

    {"time.end", KEY_NUMBER, QUANTITY_TIME, TOP(end), .fallback = KEY_REQUIRED, POSITIVE,
     .meaning = "how long to simulate, a multiple of the step"},
    {"time.step", KEY_NUMBER, QUANTITY_TIME, PHYSICS(step), .fallback = KEY_REQUIRED, POSITIVE,
     .meaning = "time step"},
    {"time.longest", KEY_NUMBER, QUANTITY_TIME, TOP(longest), POSITIVE, .numbers = true,
     .meaning = "steps of time.step times 2, 4, 8 .. up to this one while V changes slowly everywhere "
                "(docs/theory/numerics.md, section 3); off if left out"},

    {"solver.method", KEY_CHOICE, PHYSICS(method), .fallback = KEY_SOLVER, .choice = methods,
     .meaning = "how the diffusion step is solved; `auto` chooses jacobi, chebyshev or, where `mass_lumping` "
                "is 1, rkl2 by forecasts of their sweeps and stages; `rkl2` is "
                "a second-order explicit step with as many stages as stability requires"},
    {"solver.mass_lumping", KEY_NUMBER, PHYSICS(mass_lumping), .fallback = KEY_SOLVER, BETWEEN(0, 1),
     .meaning = "fraction f of the lumped mass matrix: 1 = lumped, 0 = consistent"},
    {"solver.splitting", KEY_CHOICE, PHYSICS(splitting), .fallback = KEY_SOLVER, .choice = splittings,
     .meaning =
         "splitting of cells and diffusion; `staggered`: gates half a step apart from V and diffusion by "
         "Crank-Nicolson's scheme, a fraction of the error of `godunov` (with backward Euler) for the same "
         "cost; by default `godunov` where all cells are passive"},
    {"solver.tolerance", KEY_NUMBER, QUANTITY_VOLTAGE, PHYSICS(tolerance), .fallback = KEY_SOLVER,
     BETWEEN(0, 10), .above = true, .meaning = "largest error of V that the sweeps may leave in a step"},
    {"solver.precision", KEY_CHOICE, PHYSICS(precision), .fallback = KEY_SOLVER, .choice = precisions,
     .meaning = "precision that matrix rows are read in: `mixed` chooses for each row by the budget"},
    {"solver.precision_budget", KEY_NUMBER, QUANTITY_VOLTAGE, PHYSICS(precision_budget),
     .fallback = KEY_SOLVER, POSITIVE, .meaning = "most that rounded rows may move V in a step"},
    {"solver.voltage_limit", KEY_NUMBER, QUANTITY_VOLTAGE, TOP(physics.voltage_limit), .fallback = KEY_SOLVER,
     POSITIVE, .meaning = "a V beyond it, up or down, ends the run as a blow-up"},

    {"ionic.state", KEY_BOOL, TOP(physics.ionic_mixed), .fallback = KEY_SOLVER, .choice = ionic_states,
     .numbers = true,
     .meaning = "precision of the cells' states: `mixed` keeps in single precision all but V and what "
                "`cardiac models NAME` marks fp64"},
    {"ionic.tables", KEY_BOOL, PHYSICS(ionic_tables), .fallback = KEY_SOLVER,
     .meaning =
         "functions of V from tables: faster on a GPU, within 1e-3 mV over a beat of tp06; refused for a "
         "model with few such functions"},
    {"ionic.step", KEY_NUMBER, QUANTITY_TIME, TOP(ionic_step), POSITIVE, .numbers = true,
     .meaning = "step of the cells; must divide time.step, the default"},

    {"activation.threshold", KEY_NUMBER, QUANTITY_VOLTAGE, PHYSICS(activation_threshold),
     .meaning =
         "a beat begins where V rises through it, in all regions; by default each model has its own: its "
         "resting V and 0.4 of the way to the peak of a beat, rounded down to 5 mV, such as -40 mV for "
         "tp06, and 0 mV for cells without an upstroke"},
    {"activation.rearm", KEY_NUMBER, QUANTITY_VOLTAGE, PHYSICS(activation_rearm),
     .meaning =
         "V must fall below it before another beat can begin: at a fast pace the notch after an upstroke "
         "crosses the threshold too; at most the threshold; by default half-way from there to the cells' "
         "initial V"},
    {"activation.beats", KEY_INT64, PHYSICS(activation_beats), .fallback = KEY_SOLVER, BETWEEN(1, 1000),
     .meaning = "activations recorded for each node"},

    {"activation.target", KEY_PATH, TOP(fit.activation),
     .meaning = "measured activation times, with which `cardiac report` and `fit` compare those of the first "
                "beat: a CSV file with columns node, or x, y and z (mm), and activation (ms)"},
    {"activation.noise", KEY_NUMBER, QUANTITY_TIME, TOP(fit.activation_noise), .fallback = "0 ms",
     NOT_NEGATIVE,
     .meaning = "standard deviation of the measured activation times, against which `fit` judges a misfit; 0 "
                "= unknown"},
    {"activation.lag", KEY_CHOICE, TOP(fit.activation_lag), .fallback = "none", .choice = solved,
     .meaning = "by how much activation was measured later than the run has it: `none`, on the clock of the "
                "run, or `fitted`, on one with an unknown zero: the lag with the least differences"},

    {"initial.file", KEY_PATH, TOP(initial.file),
     .meaning = "start from the states in this checkpoint or result, relative to the config's folder; of a "
                "result on another mesh each node takes those of the nearest node with its model; by default "
                "from rest"},
    {"initial.time", KEY_NUMBER, QUANTITY_TIME, TOP(initial.time), NOT_NEGATIVE, .numbers = true,
     .meaning = "time of the frame in a result file; by default the last"},

    {"output.directory", KEY_TEXT, TOP(output.directory), .fallback = "out",
     .meaning = "directory of the results, relative to the working directory; `--output` overrides this"},
    {"output.every", KEY_NUMBER, QUANTITY_TIME, TOP(output.every), POSITIVE,
     .meaning =
         "time between two stored frames, a multiple of the step; by default 1 ms, or the next multiple of "
         "`time.longest`"},
    {"output.fields", KEY_NAMES, TOP(output.field), COUNT(output.fields), .fallback = "V",
     .meaning =
         "stored in each frame: V, and states or currents of the models: `Ca_i`, or `tp06-epi/Ca_i` for one "
         "model only"},
    {"output.maps", KEY_NAMES, TOP(output.map), COUNT(output.maps), .fallback = "activation_time",
     .meaning =
         "stored once, most of them for each recorded beat: activation_time, repolarization_time (90 %), "
         "apd90 (or of any other level, such as apd50), diastolic_interval and cycle_length (since the "
         "beat before), peak, rest, dvdt_max, conduction_velocity, beats (how many are recorded)"},
    {"output.probes", KEY_PROBES, TOP(output.probe), COUNT(output.probes),
     .meaning =
         "points whose fields, or V if there are none, are written to probes.csv: `{name: [x, y, z]}`"},
    {"output.probes_every", KEY_NUMBER, QUANTITY_TIME, TOP(output.probes_every), POSITIVE,
     .meaning = "time between two lines of probes.csv, a multiple of the step; by default as output.every"},
    {"output.precision", KEY_CHOICE, TOP(output.precision), .fallback = "float32",
     .choice = output_precisions, .meaning = "type of the stored fields"},

    {"ecg.electrodes", KEY_PROBES, QUANTITY_LENGTH, TOP(ecg.electrode), COUNT(ecg.positions), .numbers = true,
     .meaning =
         "positions of electrodes, in the tissue or around it: `{RA: [x, y, z], ...}`; their potentials, "
         "or, with RA, "
         "LA and LL, the standard leads I to aVF, and V1 to V6 against Wilson's terminal, are written "
         "to ecg.csv"},
    {"ecg.lead_fields", KEY_PATH, TOP(ecg.fields), .numbers = true,
     .meaning =
         "instead of positions, a file with a named column for each electrode and a row for each node: the "
         "potential in V at the node for a current of 1 A out of that electrode, in any torso"},
    {"ecg.conductor.file", KEY_PATH, TOP(ecg.torso), .numbers = true,
     .meaning = "instead of an unbounded medium, a mesh of tetrahedra that contains the tissue, such as a "
                "torso, relative to the config's folder; `intra` and `extra` of the tissue's conductivities "
                "are required; electrodes outside are moved to its surface"},
    {"ecg.conductor.scale", KEY_NUMBER, QUANTITY_LENGTH, TOP(ecg.torso_scale), POSITIVE,
     .meaning = "length of one unit in this file, as `mesh.scale`"},
    {"ecg.conductor.regions", KEY_LIST, TOP(ecg.passive), COUNT(ecg.passives),
     .size = sizeof(struct config_passive), .numbers = true,
     .meaning = "its parts without cells, such as lungs; elements of other tags are the heart's and take "
                "fibres and conductivities from the tissue there"},
    {"ecg.conductor.regions[].tags", KEY_TAGS, PASSIVE(tags), .fallback = KEY_REQUIRED,
     .meaning = "element tags of the part: a list of numbers or of names that the file gives them"},
    DIRECTIONS("ecg.conductor.regions[].conductivity", QUANTITY_CONDUCTIVITY, PASSIVE, conductivity, POSITIVE,
               "of the part; by direction along the fibres of the file, as of muscle"),
    {"ecg.conductivity", KEY_NUMBER, QUANTITY_CONDUCTIVITY, TOP(ecg.conductivity), POSITIVE, .numbers = true,
     .meaning = "conductivity of the unbounded medium around the tissue; by default 0.2 S/m"},
    {"ecg.every", KEY_NUMBER, QUANTITY_TIME, TOP(ecg.every), POSITIVE,
     .meaning = "time between two lines of ecg.csv, a multiple of the step; by default 1 ms, or the next "
                "multiple of "
                "`time.longest`"},
    {"ecg.target", KEY_PATH, TOP(fit.leads),
     .meaning = "measured leads, with which `cardiac report` and `fit` compare these: a CSV file with a "
                "column time (ms) and one for each lead by its name (mV)"},
    {"ecg.noise", KEY_NUMBER, QUANTITY_VOLTAGE, TOP(fit.leads_noise), .fallback = "0 mV", NOT_NEGATIVE,
     .meaning = "standard deviation of the samples of measured leads, against which `fit` judges a misfit; 0 "
                "= unknown"},
    {"ecg.lag", KEY_CHOICE, TOP(fit.leads_lag), .fallback = "none", .choice = solved,
     .meaning = "as `activation.lag`, of all leads; the samples then last no longer than the run"},
    {"ecg.gain", KEY_CHOICE, TOP(fit.leads_gain), .fallback = "none", .choice = solved,
     .meaning = "amplitude of the measured leads over that of the computed ones: `none`, 1, or `fitted`, the "
                "one factor for all leads with the least differences"},

    {"checkpoint.every", KEY_NUMBER, QUANTITY_TIME, TOP(checkpoint.every), .fallback = "0 ms", NOT_NEGATIVE,
     .meaning = "time between two checkpoints, a multiple of the step; 0 = only when interrupted"},
    {"checkpoint.keep", KEY_INT, TOP(checkpoint.keep), .fallback = "2", BETWEEN(1, 1000000),
     .meaning = "number of most recent checkpoints to keep"},

    {"induction.protocol", KEY_CHOICE, TOP(induction.protocol), .fallback = "programmed",
     .choice = inductions,
     .meaning = "what `cardiac induce` applies after S1, the first stimulus (docs/user/induction.md): "
                "`programmed`, extra stimuli at ever shorter intervals; `burst`, trains; `peerp`, each extra "
                "stimulus at the end of the refractory period"},
    {"induction.sites", KEY_SITES, TOP(induction),
     .meaning = "stimulated places, one after the other: `{name: [x, y, z]}`, or `aha17`: a node on the "
                "endocardium of "
                "each of the 17 segments of the left ventricle; by default the place of S1"},
    {"induction.where", KEY_WHERE, TOP(induction.where),
     .meaning = "instead of sites, nodes where this condition holds, such as `surface(lv)`, as one site"},
    {"induction.lesions", KEY_LIST, TOP(induction.lesion), COUNT(induction.lesions),
     .size = sizeof(struct config_lesion),
     .meaning = "tissue that is made to conduct nothing, such as by ablation: with each of these in turn, "
                "sites with "
                "sustained re-entry are tested again"},
    {"induction.lesions[].name", KEY_TEXT, .offset = offsetof(struct config_lesion, name),
     .fallback = KEY_REQUIRED, .meaning = "what the table calls it"},
    {"induction.lesions[].where", KEY_WHERE, .offset = offsetof(struct config_lesion, where),
     .fallback = KEY_REQUIRED, .meaning = "where it is (docs/user/where.md)"},
    {"induction.spacing", KEY_NUMBER, QUANTITY_LENGTH, TOP(induction.spacing), POSITIVE,
     .meaning = "sites within `where`, no closer to each other than this, and no node farther from all"},
    {"induction.radius", KEY_NUMBER, QUANTITY_LENGTH, TOP(induction.radius), .fallback = "2 mm", POSITIVE,
     .meaning = "radius of the ball that is stimulated around a place"},
    {"induction.from", KEY_NUMBER, QUANTITY_TIME, TOP(induction.from), .fallback = "400 ms", POSITIVE,
     .meaning = "longest interval from one stimulus to the next, tested first"},
    {"induction.to", KEY_NUMBER, QUANTITY_TIME, TOP(induction.to), .fallback = "100 ms", POSITIVE,
     .meaning = "shortest interval"},
    {"induction.by", KEY_NUMBER, QUANTITY_TIME, TOP(induction.by), .fallback = "10 ms", POSITIVE,
     .meaning = "difference of two intervals; `peerp` finds the shortest one that captures to 1 ms"},
    {"induction.extra", KEY_INT64, TOP(induction.extra), .fallback = "3", BETWEEN(1, 31),
     .meaning = "most extra stimuli after S1; of a burst, the stimuli of each train"},
    {"induction.sustained", KEY_NUMBER, QUANTITY_TIME, TOP(induction.sustained), .fallback = "1 s", POSITIVE,
     .meaning = "re-entry that lasts so long after the last stimulus is sustained"},

    {"fit.parameters", KEY_BOUNDS, TOP(fit.parameter), COUNT(fit.parameters),
     .meaning = "what `cardiac fit` varies (docs/user/fit.md): a map of keys, each with its bounds, "
                "`{from: 0.1 S/m, to: 0.5 S/m}`, or of a point, the nodes of the surface that it moves on, "
                "`{on: surface(epi)}`"},
    {"fit.evaluations", KEY_INT64, TOP(fit.evaluations), .fallback = "1000", BETWEEN(1, 1e6),
     .meaning = "most runs of the search for the best values"},
    {"fit.seed", KEY_INT64, TOP(fit.seed), .fallback = "1", BETWEEN(0, 1e15),
     .meaning = "of the random numbers; a fit with the same seed is the same in every bit"},
};

static const struct removed_key removed[] = {
    {"", NULL, NULL, NULL}, /* placeholder: no key was removed since the last release */
};

const struct removed_key *config_removed(const char *path, const char *word)
{
    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++)
        if (strcmp(removed[i].path, path) == 0 &&
            (removed[i].word ? word && strcmp(removed[i].word, word) == 0 : !word))
            return &removed[i];
    return NULL;
}

const struct key *config_keys(int *count)
{
    *count = (int)(sizeof keys / sizeof *keys);
    return keys;
}

const struct key *config_find_key(const char *path)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].path, path) == 0)
            return &keys[i];
    return NULL;
}

const char *config_word(const char *path, int value)
{
    return config_find_key(path)->choice[value];
}

bool config_key_in_scope(const struct key *key, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(key->path, prefix, length) == 0 && !strstr(key->path + length, "[]");
}
