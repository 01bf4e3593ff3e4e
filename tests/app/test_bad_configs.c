/* test_bad_configs.c: wrong configs, one mistake each, and the message and place that each must give. */
#include "app/config/config.h"
#include "app/config/yaml.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

/* A right config; each mistake below replaces one piece of it. */
static const char good[] = "version: 1\n"
                           "mesh: {slab: {size: [20 mm, 7 mm, 3 mm], spacing: 0.2 mm}}\n"
                           "tissue:\n"
                           "  surface_to_volume: 1400 /cm\n"
                           "  capacitance: 1 uF/cm^2\n"
                           "  fibers: [1, 0, 0]\n"
                           "  regions:\n"
                           "    - tags: [0, 1]\n"
                           "      model: tp06-epi\n"
                           "      conductivity:\n"
                           "        longitudinal: 0.13 S/m\n"
                           "        transverse: 0.017 S/m\n"
                           "stimuli:\n"
                           "  - box: {min: [0, 0, 0], max: [1, 1, 1]}\n"
                           "    duration: 2 ms\n"
                           "    current: 50 uA/uF\n"
                           "time: {end: 60 ms, step: 0.02 ms}\n"
                           "solver:\n"
                           "  mass_lumping: 1\n"
                           "output: {every: 1 ms}\n";

static const struct {
    const char *from, *to, *message;
} mistakes[] = {
    /* values and units */
    {"0.13 S/m", "0.13 S",
     "bad.yaml:11:23: tissue.regions[0].conductivity.longitudinal: '0.13 S' is not a "
     "conductivity (S/m)"},
    {"1400 /cm", "1400 cm", "bad.yaml:4:22: tissue.surface_to_volume: '1400 cm' is not a surface-to-volume"},
    {"1 uF/cm^2", "1 uF", "bad.yaml:5:16: tissue.capacitance: '1 uF' is not a capacitance per area"},
    {"1 uF/cm^2", "-1 uF/cm^2", "'-1 uF/cm^2' must be positive"},
    {"0.017 S/m", "-0.017 S/m", "must be 0 or more"},
    {"0.017 S/m", "1e300 S/m", "tissue.regions[0].conductivity: 1e+300 S/m over surface_to_volume"},
    {"1400 /cm", "1e-300 /cm", "out of range (1e+09)"},
    {"1 uF/cm^2", "1e-300 uF/cm^2", "out of range (1e+09)"},
    {"50 uA/uF", "50", "bad.yaml:16:14: stimuli[0].current: '50' needs a unit"},
    {"50 uA/uF", "50 uA", "'50 uA' is not a current per capacitance"},
    {"50 uA/uF", "[50 uA/uF]", "expected a current"},
    {"50 uA/uF", "1e300 uA/uF", "out of range"},
    {"2 ms", "inf", "'inf' is not a number"},
    {"2 ms", ".nan", "'.nan' is not a number"},
    {"2 ms", "0x2 ms", "unknown unit"},
    {"2 ms", "2,5 ms", "'2,5 ms' is not a time (ms): decimals follow a point, not a comma"},
    {"50 uA/uF", "0,5 uA/uF", "decimals follow a point, not a comma"},
    {"2 ms", "2 ms 3", "stimuli[0].duration: '2 ms 3' is not a time"},
    {"2 ms", "1e400 ms", "too large"},
    {"2 ms", "0 ms", "must be positive"},
    {"2 ms", "", "stimuli[0].duration: has no value"},
    {"2 ms", "[2 ms]", "expected one value, not a list"},
    {"2 ms", "{a: 2 ms}", "expected one value, not a map"},
    {"0.02 ms", "20 um", "bad.yaml:17:26: time.step: '20 um' is not a time (ms)"},
    /* factors, models and steps in other words */
    {"tags: [0, 1]", "parameters: {g_Kr: 50%}",
     "g_Kr: '50%' is not a number in nS/pF; a factor of the default is written x0.5"},
    {"tags: [0, 1]", "parameters: {g_Kr: '*0.5'}", "a factor of the default is written x0.5"},
    {"tags: [0, 1]", "parameters: {g_Kr: *0.5}", "a factor is written x0.5"},
    {"model: tp06-epi", "model: ORd", "no ionic model 'ORd' (did you mean 'ohara-endo'?)"},
    {"model: tp06-epi", "model: my.cellml",
     "bad.yaml:9:14: tissue.regions[0].model: my.cellml: is CellML; `myokit import cellml MODEL.cellml"},
    {"model: tp06-epi", "model: {file: my.ode}",
     "my.ode: is a model of Gotran; `gotranx ode2cellml MODEL.ode"},
    {"model: tp06-epi", "model: {file: my.model}", "my.model: is EasyML, openCARP's language"},
    {"model: tp06-epi", "model: TT2", "no ionic model 'TT2' (did you mean 'tp06-epi'?)"},
    {"model: tp06-epi", "model: ToRORd", "no ionic model 'ToRORd' (did you mean 'tor-ord-endo'?)"},
    {"  fibers: [1, 0, 0]\n", "  fibers: [1, 0, 0]\n  parameters: {g_Kr: 0.5}\n",
     "bad.yaml:7:22: tissue.parameters: g_Kr: expected a factor, such as x0.5; values belong to"},
    {"  fibers: [1, 0, 0]\n", "  fibers: [1, 0, 0]\n  parameters: {g_Na: x1, GKR2: x0.5}\n",
     "bad.yaml:7:32: tissue.parameters: no region's model has a parameter 'GKR2'"},
    {"  fibers: [1, 0, 0]\n", "  fibers: [1, 0, 0]\n  parameters: {g_Kr: x-1}\n",
     "bad.yaml:7:22: tissue.parameters: g_Kr: must be 0 or more"},
    {"  fibers: [1, 0, 0]\n", "  fibers: [1, 0, 0]\n  parameters: x0.5\n",
     "expected a map, such as {g_Kr: x0.5}"},
    {"output: {every: 1 ms}", "induction: {sites: aha}",
     "bad.yaml:20:20: induction.sites: 'aha': expected aha17"},
    {"output: {every: 1 ms}", "induction: {sites: aha17, where: x < 1 mm}",
     "induction.where: cannot be combined with induction.sites"},
    {"output: {every: 1 ms}", "induction: {lesions: [{name: a, where: x < 1}]}",
     "bad.yaml:20:42: induction.lesions[0].where:"},
    {"output: {every: 1 ms}", "induction: {lesions: [{where: x < 1 mm}]}",
     "induction.lesions[0].name: is missing"},
    {"output: {every: 1 ms}",
     "induction: {lesions: [{name: a, where: x < 1 mm}, {name: a, where: y < 1 mm}]}",
     "'a' is the name of two lesions"},
    {"tags: [0, 1]", "parameters: {GK1: 2}", "tp06-epi has no parameter 'GK1' (did you mean 'g_K1'?)"},
    {"model: tp06-epi", "model: ohara-endo\n      parameters: {g_Kr: 0.02}",
     "ohara-endo has no parameter 'g_Kr' (did you mean 'ikr.g_Kr'?)"},
    {"every: 1 ms", "maps: [LAT]", "'LAT' is not a map (did you mean 'activation_time'?)"},
    {"every: 1 ms", "maps: [CV]", "'CV' is not a map (did you mean 'conduction_velocity'?)"},
    {"every: 1 ms", "fields: [Vm]",
     "'Vm' is neither V nor a state or current of a model in use (did you mean 'V'?)"},
    {"duration: 2 ms", "duration: 2 ms\n    bcl: 500 ms",
     "stimuli[0].bcl: unknown key (did you mean 'period'?)"},
    {"current: 50", "amplitude: 50", "stimuli[0].amplitude: unknown key (did you mean 'current'?)"},
    {"step: 0.02 ms", "dt: 0.02 ms", "time.dt: unknown key (did you mean 'step'?)"},
    /* expressions of places, marked inside */
    {"box: {min: [0, 0, 0], max: [1, 1, 1]}", "where: X < 1 mm",
     "a number is written with its unit, as in 5 mm; the coordinates are x, y and z, not X"},
    {"box: {min: [0, 0, 0], max: [1, 1, 1]}", "where: r < 1 mm",
     "r has no unit: the lengths are x, y, z and distance_to(..), and ball([x, y, z], r) holds within r"},
    {"box: {min: [0, 0, 0], max: [1, 1, 1]}", "where: x < 1 mm && y < 1 mm",
     "bad.yaml:14:21: stimuli[0].where: 'and' joins two conditions"},
    {"box: {min: [0, 0, 0], max: [1, 1, 1]}", "where: x < 1 mm || y < 1 mm", "'or' joins two conditions"},
    {"box: {min: [0, 0, 0], max: [1, 1, 1]}", "where: rand(0.5, 1)",
     "no function is named 'rand' (did you mean 'random'?)"},
    {"box: {min: [0, 0, 0], max: [1, 1, 1]}", "where: random(30, 1)",
     "bad.yaml:14:19: stimuli[0].where: the first argument is a probability, from 0 to 1"},
    {"box: {min: [0, 0, 0], max: [1, 1, 1]}", "where: sphere([0 mm, 0 mm, 0 mm], 1 mm)",
     "no function is named 'sphere' (did you mean 'ball'?)"},
    {"tags: [0, 1]", "where: x < 5", "bad.yaml:8:16: tissue.regions[0].where: a comparison of [mm] with [1]"},
    {"tags: [0, 1]", "where: \"x < 5\"", "bad.yaml:8:17: tissue.regions[0].where: "},
    {"tags: [0, 1]", "where: \"x \\x3c 5\"",
     "bad.yaml:8:14: tissue.regions[0].where: a comparison of [mm] with [1]; "
     "a number is written with its unit, as in 5 mm (2 characters into it)"},
    {"tags: [0, 1]", "where: [x]", "bad.yaml:8:14: tissue.regions[0].where: expected an expression"},
    {"tags: [0, 1]", "where:", "tissue.regions[0].where: has no value"},
    {"tags: [0, 1]", "scale: 1 mm",
     "bad.yaml:8:14: tissue.regions[0].scale: this is in [mm]; expected a number"},
    {"        longitudinal: 0.13 S/m\n", "        field: fibrosis\n",
     "conductivity.field: unknown key; allowed here: "},
    {"        longitudinal: 0.13 S/m\n", "        field: fibrosis\n",
     "; factors at elements are `scale` of the region"},
    {"      conductivity:\n        longitudinal: 0.13 S/m\n        transverse: 0.017 S/m\n",
     "      conductivity: 0.1 S/m\n      scale: {longitudinal: 2}\n",
     "tissue.regions[0].scale: by direction needs a conductivity by direction, such as {longitudinal: 0.3 "
     "S/m, "
     "transverse: 0.1 S/m}; one factor is possible for all directions"},
    {"box: {min: [0, 0, 0], max: [1, 1, 1]}", "where: ball([0 mm, 0 mm, 0 mm], 5)",
     "bad.yaml:14:37: stimuli[0].where: a length is expected here, with its unit: 5 mm"},
    {"  - box: {", "  - where: x < 1 mm\n    box: {",
     "a stimulus has only one shape, and where is given as well"},
    /* velocities instead of conductivities */
    {"      conductivity:\n        longitudinal: 0.13 S/m\n        transverse: 0.017 S/m\n",
     "      velocity: 0.6 S/m\n", "tissue.regions[0].velocity: '0.6 S/m' is not a velocity (m/s)"},
    {"      conductivity:\n        longitudinal: 0.13 S/m\n        transverse: 0.017 S/m\n",
     "      velocity: {longitudinal: 0.6 m/s, factor: 1 + x / (9 mm)}\n",
     "on; a velocity that varies is `scale` of the region, with the square of its factor"},
    {"      conductivity:\n", "      velocity: 0.6 m/s\n      conductivity:\n",
     "tissue.regions[0].conductivity: is given with velocity: give one of them"},
    {"      conductivity:\n        longitudinal: 0.13 S/m\n        transverse: 0.017 S/m\n",
     "      velocity: {longitudinal: 0.6 m/s}\n", "tissue.regions[0].velocity: transverse is missing"},
    {"      conductivity:\n        longitudinal: 0.13 S/m\n        transverse: 0.017 S/m\n",
     "      velocity: {longitudinal: 0.6 m/s, transverse: 0.2 m/s, on: coarse}\n",
     "tissue.regions[0].velocity.on: 'coarse': must be mesh or fine"},
    {"      conductivity:\n        longitudinal: 0.13 S/m\n        transverse: 0.017 S/m\n",
     "      velocity: {on: fine}\n", "tissue.regions[0].velocity: longitudinal is missing"},
    /* names and structure */
    {"solver:\n  mass_lumping", "solver:\n  mass_lumpung",
     "bad.yaml:19:3: solver.mass_lumpung: unknown key (did you mean 'mass_lumping'?)"},
    {"solver:\n", "sovler:\n", "bad.yaml:18:1: sovler: unknown key (did you mean 'solver'?)"},
    {"solver:\n", "zzzzzzzz:\n", "unknown key; allowed here: version, title"},
    {"longitudinal:", "longitudnal:",
     "bad.yaml:11:9: tissue.regions[0].conductivity.longitudnal: unknown key"},
    {"duration", "duratoin", "stimuli[0].duratoin: unknown key (did you mean 'duration'?)"},
    {"tp06-epi", "tp06-eip",
     "bad.yaml:9:14: tissue.regions[0].model: no ionic model 'tp06-eip' (did you mean "
     "'tp06-epi'?)"},
    {"model: tp06-epi", "model: tp06-epi\n      parameters: {g_N: 3}",
     "bad.yaml:10:25: tissue.regions[0].parameters: tp06-epi has no parameter 'g_N' (did you mean 'g_Na'?)"},
    {"model: tp06-epi", "model: tp06-epi\n      parameters: {g_Na: 3 mV}",
     "g_Na: '3 mV' is not a number in nS/pF"},
    {"model: tp06-epi", "model: tp06-epi\n      parameters: {K_o: 5.4 mV}",
     "K_o: '5.4 mV' is not a number in mM"},
    {"model: tp06-epi", "model: tp06-epi\n      parameters: {g_Na: -3}", "g_Na: '-3' must be 0 or more"},
    {"model: tp06-epi", "model: tp06-epi\n      parameters: {K_o: -5.4 mM, g_Na: 1 mV}", "must be 0 or more"},
    {"model: tp06-epi", "model: tp06-epi\n      parameters: {g_Na: x-3}", "g_Na: 'x-3' must be 0 or more"},
    {"model: tp06-epi", "model: tp06-epi\n      parameters: {g_Na: x}", "g_Na: 'x' is not a factor"},
    {"model: tp06-epi", "model: tp06-epi\n      parameters: {g_Na: x2 nS/pF}", "'x2 nS/pF' is not a factor"},
    {"model: tp06-epi", "model: tp06-epi\n      parameters: 3", "expected a map, such as {g_Na: 14.8}"},
    {"      model: tp06-epi\n", "", "bad.yaml:8:7: tissue.regions[0].model: is missing"},
    {"version: 1", "version: 2", "bad.yaml:1:10: version: only version 1 is supported, not 2"},
    {"version: 1", "version: 3\nuntil: 7 ms", "bad.yaml:1:10: version: only version 1 is supported, not 3"},
    {"version: 1\n", "", "version: is missing"},
    {"version: 1", "version: one", "'one' is not a whole number"},
    {"version: 1", "version: 99999999999999999999", "must be at least 0"},
    {"  surface_to_volume: 1400 /cm\n", "", "bad.yaml:4:3: tissue.surface_to_volume: is missing"},
    {"time: {end: 60 ms, step: 0.02 ms}\n", "", "time.end: is missing"},
    {"time: {end: 60 ms, step: 0.02 ms}", "time: 60 ms", "time: expected a map of keys"},
    {"time: {end: 60 ms, step: 0.02 ms}", "time: [60 ms]", "time: expected a map of keys"},
    {"  mass_lumping: 1\n", "  mass_lumping: 1\n  mass_lumping: 1\n",
     "bad.yaml:20:3: key 'mass_lumping' is given twice (first in line 19)"},
    {"  mass_lumping: 1\n", "  mass_lumping: 1\n  method: jacoby\n",
     "'jacoby' is not one of jacobi, chebyshev, rkl2, auto (did you mean 'jacobi'?)"},
    {"  mass_lumping: 1\n", "  mass_lumping: 1\nionic: {tables: maybe}\n", "'maybe' is not one of off, on"},
    {"  - box:", "  box:", "not valid YAML"},
    {"stimuli:\n", "stimuli: 5\nx:\n", "stimuli: expected a list"},
    {"stimuli:\n", "stimuli: [5]\nx:\n", "stimuli[0]: expected a map of keys"},
    {"output: {", "device: gpu\noutput: {", "device: 'gpu' is not one of auto, cpu, cuda, cuda:N"},
    {"output: {", "device: \"cuda:x\"\noutput: {", "device: 'cuda:x' is not one of"},
    {"output: {", "threads: -1\noutput: {", "threads: '-1' must be at least 0"},
    /* mesh */
    {"mesh: {slab: {size: [20 mm, 7 mm, 3 mm], spacing: 0.2 mm}}\n", "",
     "mesh: one of slab, sheet, cable, ellipsoid or file"},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, file: a.msh",
     "bad.yaml:2:66: mesh.file: only one mesh can be given, and mesh.slab is given as well"},
    {", spacing: 0.2 mm", "", "mesh.slab.spacing: is missing"},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, scale: 1 mm", "mesh.scale: requires mesh.file"},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, fibers: f0", "mesh.fibers: requires mesh.file"},
    {"size: [20 mm, 7 mm, 3 mm]", "size: [20 mm, 7 mm]", "expected a list of 3 numbers"},
    {"size: [20 mm, 7 mm, 3 mm]", "size: [20 mm, 7 mm, 0 mm]",
     "bad.yaml:2:35: mesh.slab.size: '0 mm' must be "
     "positive"},
    {"size: [20 mm, 7 mm, 3 mm]", "size: 20 mm", "expected a list of 3 numbers"},
    /* tissue */
    {"fibers: [1, 0, 0]", "fibers: from mesh",
     "tissue.fibers: tissue.regions[0] is anisotropic and a generated "
     "mesh has no fibres"},
    {"  fibers: [1, 0, 0]\n  regions:\n    - tags: [0, 1]\n      model: tp06-epi\n      conductivity:\n      "
     "  longitudinal: 0.13",
     "  regions:\n    - tags: [0, 1]\n      model: tp06-epi\n      conductivity:\n        longitudinal: "
     "0.017",
     "is given by axes and a generated mesh has no fibres; give it one value, such as `conductivity: 0.1 "
     "S/m`"},
    {"  fibers: [1, 0, 0]\n  regions:\n    - tags: [0, 1]\n      model: tp06-epi\n      conductivity:\n      "
     "  longitudinal: 0.13",
     "  regions:\n    - tags: [0, 1]\n      model: tp06-epi\n      conductivity:\n        normal: 0.13 S/m\n "
     "       longitudinal: "
     "0.13",
     "tissue.regions[0] is anisotropic and a generated mesh has no fibres"},
    {"  fibers: [1, 0, 0]\n  regions:\n    - tags: [0, 1]\n      model: tp06-epi\n      conductivity:\n      "
     "  longitudinal: 0.13",
     "  regions:\n    - tags: [0, 1]\n      model: tp06-epi\n      conductivity:\n        normal: 0.01 S/m\n "
     "       longitudinal: "
     "0.017",
     "tissue.regions[0] is anisotropic and a generated mesh has no fibres"},
    {"[1, 0, 0]", "{across: z, from: 60 deg}",
     "tissue.fibers: to is missing, as in {across: z, from: 60 deg, to"},
    {"[1, 0, 0]", "{acros: z, from: 60, to: 0}", "unknown key 'acros' (did you mean 'across'?)"},
    {"[1, 0, 0]", "{across: w, from: 60, to: 0}", "bad.yaml:6:20: tissue.fibers: across is one of x, y, z"},
    {"[1, 0, 0]", "{across: z, from: 60 mm, to: 0}", "from: '60 mm' is not"},
    {"[1, 0, 0]", "{across: z, from: 60, to: [0]}", "to: expected a number"},
    {"[1, 0, 0]", "{across: z, from: 1e9, to: 0}", "from: 1e+09 deg exceeds a full turn"},
    {"[1, 0, 0]", "{rule: ldbr}", "bad.yaml:6:18: tissue.fibers: the named rules are ldrb and field"},
    {"[1, 0, 0]", "{rule: ldrb, fiber: 60 deg}", "fiber: expected two angles"},
    {"[1, 0, 0]", "{rule: ldrb, fiber: [60, -60, 0]}", "fiber: expected two angles"},
    {"[1, 0, 0]", "{rule: ldrb, sheet: [60 mm, 0]}", "sheet: '60 mm' is not"},
    {"[1, 0, 0]", "{rule: ldrb, fiber: [91, 0]}", "fiber: 91 deg exceeds a right angle"},
    {"[1, 0, 0]", "{rule: ldrb, sheets: [1, 0]}",
     "unknown key 'sheets'; the keys of ldrb are fiber and sheet"},
    {"[1, 0, 0]", "{missing: any}", "missing can only be nearest"},
    {"[1, 0, 0]", "{missing: nearest, fiber: [1, 0]}", "unknown key 'fiber'; missing allows no other keys"},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, surfaces: {epi: 0}",
     "mesh.surfaces.epi: 0 is not the mark of a face"},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, surfaces: {epi: 99999999999}", "is not the mark of a face"},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, surfaces: {lv: [1]}", "mesh.surfaces.lv: expected"},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, surfaces: [1]", "mesh.surfaces: expected a map from names"},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, surfaces: {m: opening(0)}",
     "mesh.surfaces.m: '0' must be at least 1"},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, surfaces: {m: \"opening([1 mm, 2 mm])\"}", "mesh.surfaces.m: "},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, surfaces: {m: opening(1}",
     "mesh.surfaces.m: expected opening(1)"},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, laplace: {up: {from: epi}}",
     "mesh.laplace.up: expected {from: SURFACES, to"},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, laplace: {x: {from: a, to: b}}",
     "mesh.laplace.x: is not a valid name"},
    {"spacing: 0.2 mm}", "spacing: 0.2 mm}, laplace: {up: {from: a, to: b, by: c}}",
     "mesh.laplace.up: expected {from: SURFACES, to"},
    {"[1, 0, 0]", "{rule: field}", "tissue.fibers: field is missing: a name in mesh.laplace"},
    {"[1, 0, 0]", "{rule: field, field: up, angle: 3 mm}", "tissue.fibers: this is in [mm]"},
    {"[1, 0, 0]", "{rule: field, field: up, sheet: 3}", "unknown key 'sheet'; the keys of field are"},
    {"[1, 0, 0]", "[{rule: field, field: up}, {rule: ldrb}]", "a list of rules has items {rule: field"},
    {"slab: {size: [20 mm, 7 mm, 3 mm], spacing: 0.2 mm}", "ellipsoid: {size: [20 mm, 7 mm, 3 mm]}",
     "mesh.ellipsoid.edge: is missing"},
    {"fibers: [1, 0, 0]", "fibers: [0, 0, 0]", "must not be [0, 0, 0]"},
    {"fibers: [1, 0, 0]", "fibers: [1, 0]", "expected `from mesh`, a direction"},
    {"fibers: [1, 0, 0]", "fibers: [1, 0, 0 mm]", "'0 mm' is not a plain number"},
    {"        transverse: 0.017 S/m\n", "", "tissue.regions[0].conductivity: transverse is missing"},
    {"        longitudinal: 0.13 S/m\n", "", "tissue.regions[0].conductivity: longitudinal is missing"},
    {"        longitudinal: 0.13 S/m\n        transverse: 0.017 S/m\n", "        intra: 0.1 S/m\n",
     "tissue.regions[0].conductivity: extra is missing"},
    {"        longitudinal: 0.13 S/m\n", "        intra: 0.13 S/m\n",
     "monodomain values or {intra, extra}, not both"},
    {"        longitudinal: 0.13 S/m\n        transverse: 0.017 S/m\n",
     "        intra: 0.1 S/m\n        extra: {longitudinal: 0.2 S/m}\n",
     "tissue.regions[0].conductivity.extra: transverse is missing"},
    {"      conductivity:\n        longitudinal: 0.13 S/m\n        transverse: 0.017 S/m\n", "",
     "tissue.regions[0].conductivity: is missing"},
    {"[0, 1]", "[]", "expected `all` or a list of tags"},
    {"[0, 1]", "[1, 1]", "tag 1 is listed twice"},
    {"[0, 1]", "[1.5]", "'1.5' is not a whole number"},
    {"[0, 1]", "[3000000000]", "must be at least -2147483648"},
    {"stimuli:\n", "    - {tags: 1, model: tp06-epi, conductivity: 1 S/m}\nstimuli:\n",
     "bad.yaml:13:14: tissue.regions[1].tags: tag 1 is already in tissue.regions[0]"},
    {"[0, 1]", "all\n    - tags: 2", "tissue.regions[0].model: is missing"},
    {"stimuli:\n",
     "    - {model: tp06-epi, conductivity: 1 S/m}\n    - {model: tp06-epi, conductivity: 1 S/m}\n"
     "stimuli:\n",
     "tissue.regions[1].tags: `all` leaves nothing for the regions after"},
    /* stimuli */
    {"  - box: {min: [0, 0, 0], max: [1, 1, 1]}\n    duration", "  - duration",
     "stimuli[0]: one of where, box"},
    {"max: [1, 1, 1]}\n", "max: [1, 1, 1]}\n    tags: 1\n",
     "stimuli[0].tags: a stimulus has only one shape, and box is"},
    {"max: [1, 1, 1]", "max: [1, -1, 1]", "stimuli[0].box.max: y is less than that of box.min"},
    {", max: [1, 1, 1]", "", "stimuli[0].box.max: is missing"},
    {"box: {min: [0, 0, 0], max: [1, 1, 1]}", "sphere: {radius: 1 mm}",
     "stimuli[0].sphere.centre: is missing"},
    {"box: {min: [0, 0, 0], max: [1, 1, 1]}", "sphere: {centre: [0, 0, 0]}",
     "stimuli[0].sphere.radius: is missing"},
    {"duration: 2 ms", "duration: 2 ms\n    count: 2", "stimuli[0].period: is missing"},
    {"duration: 2 ms", "duration: 2 ms\n    count: 2\n    period: 1 ms", "shorter than the duration"},
    {"duration: 2 ms", "duration: 2 ms\n    count: 2\n    period: 0.6",
     "an interval is shorter than the duration: the stimulus would overlap itself; 0.6 s was meant?"},
    {"duration: 2 ms", "duration: 2 ms\n    count: -2", "'-2' must be at least 0"},
    {"duration: 2 ms", "duration: 1 ns\n    count: 0\n    period: 2 ns",
     "stimuli[0].period: an interval is shorter than time.step (0.02 ms)"},
    {"duration: 2 ms", "duration: 1 ns\n    protocol: [{count: 100, period: 9 ms, to: 2 ns}]",
     "stimuli[0].protocol[0]: an interval is shorter than time.step (0.02 ms)"},
    {"duration: 2 ms", "start: 2 ms", "stimuli[0].duration: is missing"},
    {"duration: 2 ms", "duration: 2 ms\n    pulse: a.txt", "stimuli[0].duration: a pulse has its own"},
    {"duration: 2 ms", "duration: 2 ms\n    protocol: []", "stimuli[0].protocol: expected a list of trains"},
    {"duration: 2 ms", "duration: 2 ms\n    count: 3\n    protocol: [{count: 2, period: 90 ms}]",
     "stimuli[0].count: belongs to the items of the protocol"},
    {"duration: 2 ms", "duration: 2 ms\n    period: 3 ms\n    protocol: [{count: 2, period: 90 ms}]",
     "stimuli[0].period: belongs to the items of the protocol"},
    {"duration: 2 ms", "duration: 2 ms\n    protocol: [{count: 2}]",
     "stimuli[0].protocol[0]: period is missing"},
    {"duration: 2 ms", "duration: 2 ms\n    protocol: [{}, {}]",
     "stimuli[0].protocol[1]: period or after is missing"},
    {"duration: 2 ms", "duration: 2 ms\n    protocol: [{count: 0, period: 9 ms}, {after: 5 ms}]",
     "stimuli[0].protocol[0]: is repeated without end"},
    {"duration: 2 ms", "duration: 2 ms\n    protocol: [{after: 5 ms}]",
     "stimuli[0].protocol[0]: the first train begins at `start`"},
    {"duration: 2 ms", "duration: 2 ms\n    protocol: [{count: 2, period: 9 ms, to: 5 ms}]",
     "stimuli[0].protocol[0]: a ramp requires at least two intervals"},
    {"duration: 2 ms", "duration: 2 ms\n    protocol: [{count: 0, period: 9 ms, to: 5 ms}]",
     "stimuli[0].protocol[0]: a ramp requires at least two intervals"},
    {"duration: 2 ms", "duration: 2 ms\n    protocol: [{count: 3, period: 9 ms, to: 1 ms}]",
     "stimuli[0].protocol[0]: an interval is shorter than the duration"},
    {"duration: 2 ms", "duration: 2 ms\n    protocol: [{}, {after: 1 ms}]",
     "stimuli[0].protocol[1]: an interval is shorter than the duration"},
    {"duration: 2 ms", "duration: 2 ms\n    protocol: [{count: 2, priod: 9 ms}]",
     "stimuli[0].protocol[0].priod: unknown key (did you mean 'period'?)"},
    {"- box:", "- name: \"S1\\nwarning: all is well\"\n    box:", "stimuli[0].name: contains a line break"},
    {"stimuli:\n", "stop_when: {activated: P9}\nstimuli:\n", "stop_when: 'P9' is not among output.probes"},
    {"stimuli:\n", "stop_when: {beats: 2}\nstimuli:\n", "stop_when: 2 beats, but activation.beats records 1"},
    {"stimuli:\n", "stop_when: {quiescent: -2 ms}\nstimuli:\n", "stop_when: must be 0 or more"},
    {"stimuli:\n", "stop_when: {quiescent: soon}\nstimuli:\n", "stop_when: 'soon'"},
    {"stimuli:\n", "stop_when: bored\nstimuli:\n", "stop_when: expected never, activated"},
    /* times */
    {"end: 60 ms", "end: 60.03 ms",
     "bad.yaml:17:13: time.end: 60.03 ms is not a multiple of time.step (0.02 ms); "
     "the nearest is 60.04 ms"},
    {"every: 1 ms", "every: 0.03 ms",
     "bad.yaml:20:17: output.every: 0.03 ms is not a multiple of time.step (0.02 "
     "ms); the nearest is 0.04 ms"},
    {"every: 1 ms", "probes_every: 0.01 ms", "output.probes_every: 0.01 ms is not a multiple"},
    {"step: 0.02 ms", "step: 0.03 ms",
     "output.every: 1 ms is not a multiple of time.step (0.03 ms); the nearest"},
    {"{every: 1 ms}", "{}\ncheckpoint: {every: 0.05 ms}", "checkpoint.every: 0.05 ms is not a multiple"},
    {"step: 0.02 ms", "step: 1e-12 ms", "is longer than 1e12 steps"},
    {"step: 0.02 ms", "step: 0.02 ms, longest: 0.3 ms",
     "bad.yaml:17:44: time.longest: 0.3 ms is not time.step (0.02 ms) times 1, 2, 4 .. 64; the nearest is "
     "0.32 ms"},
    {"step: 0.02 ms", "step: 0.02 ms, longest: 20 s", "the nearest is 1.28 ms"},
    {"60 ms, step: 0.02 ms}", "60.02 ms, step: 0.02 ms, longest: 0.04 ms}",
     "bad.yaml:17:13: time.end: 60.02 ms is not a multiple of time.longest (0.04 ms); the nearest is 60.04 "
     "ms"},
    {"60 ms, step: 0.02 ms}", "64 ms, step: 0.02 ms, longest: 0.32 ms}",
     "output.every: 1 ms is not a multiple of time.longest (0.32 ms); the nearest is 0.96 ms; time.longest: "
     "0.04 ms "
     "divides it"},
    {"  mass_lumping: 1\n", "  mass_lumping: 1\nionic: {step: 0.015 ms}\n",
     "ionic.step: 0.015 ms does not divide time.step (0.02 "
     "ms); the nearest is 0.02 ms"},
    {"step: 0.02 ms", "step: 0.25 ms",
     "bad.yaml:17:26: time.step: cells of tp06-epi step by 0.25 ms; beyond 0.2 ms V overshoots what the "
     "currents can reach, or occupancies leave their range, so results are meaningless; use an ionic.step "
     "of 0.1 ms"},
    {"step: 0.02 ms}\nsolver:\n  mass_lumping: 1\n", "step: 1 ms}\nionic: {step: 0.5 ms}\n",
     "bad.yaml:18:15: ionic.step: cells of tp06-epi step by 0.5 ms"},
    {"  mass_lumping: 1\n", "  mass_lumping: 1\ninitial: {time: 3 ms}\n", "initial.time: needs initial.file"},
    {"  mass_lumping: 1\n", "  mass_lumping: 1\nactivation: {beats: 2, threshold: -20 mV, rearm: -19 mV}\n",
     "bad.yaml:20:50: activation.rearm: -19 mV is above activation.threshold (-20 mV)"},
    {"  mass_lumping: 1\n", "  mass_lumping: 1\ninitial: {file: a/checkpoint-5.h5, time: 3 ms}\n",
     "bad.yaml:20:42: initial.time: selects a frame of a result (.vtkhdf); a/checkpoint-5.h5 is a "
     "checkpoint"},
    /* solver and output */
    {"mass_lumping: 1", "mass_lumping: 1}", "is not a plain number"},
    {"mass_lumping: 1", "method: rkl2\n  mass_lumping: 0.5",
     "solver.mass_lumping: the method rkl2 needs a lumped"},
    {"mass_lumping: 1", "tolerance: 1e10 mV", "solver.tolerance: '1e10 mV' must be above 0 and at most 10"},
    {"every: 1 ms", "fields: [Ca_j]",
     "output.fields: 'Ca_j' is neither V nor a state or current of a model in use "
     "(did you mean 'Ca_i'?)"},
    {"every: 1 ms", "fields: [V, V]", "'V' is listed twice"},
    {"every: 1 ms", "fields: [../x]", "'../x' is not a name of a field"},
    {"every: 1 ms", "maps: [apd]", "'apd' is not a map"},
    {"every: 1 ms", "maps: [apd100]", "'apd100' is not a map (did you mean 'apd90'?)"},
    {"every: 1 ms", "maps: [repolarisation_time]", "is not a map (did you mean 'repolarization_time'?)"},
    {"every: 1 ms", "maps: [apd90, apd80, apd70, apd60, apd5]",
     "'apd5' is repolarization level number 5; at most 4 are supported"},
    {"stimuli:\n", "fit: {parameters: [1]}\nstimuli:\n",
     "fit.parameters: expected a map of keys with bounds"},
    {"stimuli:\n", "fit:\n  parameters:\n    time.end: 3\nstimuli:\n",
     "bad.yaml:15:15: fit.parameters.time.end: expected {from: .., to: ..}"},
    {"stimuli:\n", "fit:\n  parameters:\n    time.end: {from: 3 ms, to: 9 s}\nstimuli:\n",
     "fit.parameters.time.end: 3 ms and 9 s are not in the same unit"},
    {"stimuli:\n", "fit:\n  parameters:\n    time.end: {from: 9 ms, to: 3 ms}\nstimuli:\n",
     "from (9 ms) must be less than to (3 ms)"},
    {"stimuli:\n", "fit:\n  parameters:\n    time.end: {from: x, to: 3 ms}\nstimuli:\n",
     "'x' is not a number with its unit"},
    {"stimuli:\n", "fit:\n  parameters:\n    time.end: {on: surfac(lv)}\nstimuli:\n",
     "bad.yaml:15:20: fit.parameters.time.end: no function is named 'surfac'"},
    {"stimuli:\n", "ecg: {target: none.csv}\nstimuli:\n", "ecg.target: needs ecg.electrodes"},
    {"stimuli:\n", "activation: {target: none.csv}\nstimuli:\n",
     "activation.target: none.csv: No such file or directory"},
    {"every: 1 ms", "probes: [1, 2]", "expected a map from names, such as {apex: [1 mm, 2 mm, 3 mm]}"},
    {"every: 1 ms", "probes: {a: [1, 2]}", "output.probes.a: expected a list of 3 numbers"},
    {"every: 1 ms", "probes: {\"a,b\": [1, 2, 3]}", "is not a name (1 to 60 characters"},
    {"every: 1 ms", "probes: {a (b): [1, 2, 3]}", "no commas, brackets or quotes"},
    {"solver:", "ecg: {electrodes: {aVF: [0, 0, 0]}}\nsolver:",
     "aVF is a lead, computed from the electrodes RA, LA and LL"},
    {"solver:", "ecg: {electrodes: {a: [0, 0, 0]}, every: 0.03 ms}\nsolver:",
     "ecg.every: 0.03 ms is not a multiple of time.step"},
    {"solver:", "ecg: {electrodes: {a: [0, 0, 0]}, conductivity: 0 S/m}\nsolver:", "ecg.conductivity: "},
    /* YAML itself */
    {"version: 1", "version: 1\n---\nversion: 1", "bad.yaml:2:1: a second document begins here"},
    {"version: 1", "version: !!int 1", "YAML tags (such as !!str) are not used"},
    {"version: 1", "version: *none", "bad.yaml:1:10: no anchor '&none' before this"},
    {"version: 1", "version: &a [*a]", "alias '*a' is inside its own anchor"},
    {"version: 1", "? [a, b]\n: 1", "a key must be a name"},
    {"version: 1", "version: 1\n<<: 5", "'<<' merges maps only"},
    {"version: 1", "version: 1\ntitle: \"a\\0b\"", "a value with a NUL character"},
    {"version: 1", "version: 1\ntitle: \xff\xfe", "bad.yaml:2:8: not UTF-8 text"},
    {"version: 1", "version: 1\ntitle: \"", "bad.yaml:22:1: not valid YAML"},
    {"version: 1", "version: 1\n\ttitle: x", "not valid YAML"},
    {"version: 1", "version: 1\nversion: {", "not valid YAML"},
    {"version: 1", "version: 1\nfit: {\u00e9: 1, parameters: {stimuli[0].start: {from: 0 ms}}}",
     "bad.yaml:2:33: inside { }, a name with an index requires quotes: {\"stimuli[0].start\": ..}"},
    {"version: 1", "version: 1\nfit: {a: 1 [2]", "bad.yaml:2:12: not valid YAML"},
};

/* text with its first `from` replaced by `to`; to be freed */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    CHECK(at, "'%s' is not in the good config", from);
    size_t room = strlen(text) + strlen(to) + 1;
    char *out = malloc(room);
    snprintf(out, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static void expect(const char *text, size_t length, const char *const *sets, int count, const char *message)
{
    struct config config;
    struct error error = {0};
    enum status status = config_parse(&config, "bad.yaml", "", text, length, sets, count, &error);
    CHECK(status == STATUS_INPUT && error.status == STATUS_INPUT, "expected '%s', got status %d, '%s'",
          message, (int)status, error.text);
    CHECK(strstr(error.text, message), "expected '%s', got '%s'", message, error.text);
    /* one mistake is one fault, but that a key of another name is one that is missing */
    for (const char *more = strchr(error.text, '\n'); more; more = strchr(more + 1, '\n'))
        CHECK(strstr(more, ": is missing (") || strstr(more, ": x: unknown key"),
              "a fault of one mistake after the first: '%s'", error.text);
    config_free(&config);
}

static void test_mistakes(void)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char *text = replaced(good, mistakes[i].from, mistakes[i].to);
        expect(text, strlen(text), NULL, 0, mistakes[i].message);
        free(text);
    }
    struct config config;
    struct error error = {0};
    CHECK_OK(config_parse(&config, "good.yaml", "", good, strlen(good), NULL, 0, &error), error);
    config_free(&config);
}

static void test_sets(void)
{
    static const char *const rows[][2] = {
        {"solver.methd=auto", "--set solver.methd: unknown key (did you mean 'method'?)"},
        {"stimuli[0].current=5", "--set stimuli[0].current: '5' needs a unit"},
        {"stimuli[3].start=5", "--set stimuli[3].start: there is no item [3]; the list has 1"},
        {"stimuli.start=5", "--set stimuli.start: 'stimuli' is not a map"},
        {"time[0]=5", "--set time[0]: 'time' is not a list"},
        {"stimuli[x]=5", "an index is written [0]"},
        {"stimuli[99999999999]=5", "an index is written [0]"},
        {"time.=5", "not a key"},
        {".time=5", "not a key"},
        {"time..end=5", "not a key"},
        {"=5", "expected key=value"},
        {"time.end", "expected key=value"},
        {"output.probes.a\xf0\x62=[1, 2, 3]", "--set: a key that is not UTF-8 text"},
        {"output.probes.a\xc0\x80=[1, 2, 3]", "not UTF-8 text"},
        {"output.probes.a\xed\xa0\x80=[1, 2, 3]", "not UTF-8 text"},
        {"output.probes.a\xf4\x90\x80\x80=[1, 2, 3]", "not UTF-8 text"},
        {"output.probes.a\xe2\x82=[1, 2, 3]", "not UTF-8 text"},
        {"tissue.regions[].model=fhn", "an index is written [0], [1], ..., one item at a time"},
        {" time.end =5 mm", "--set time.end: '5 mm' is not a time"},
        {"time.end=5\u00a0mm", "--set time.end: '5\u00a0mm' is not a time (ms)"},
        {"time.end=", "--set time.end: nothing in it"},
        {"time={end: 5 ms", "--set time:2:1: not valid YAML"},
        {"time={end: 5 m, step: 1 ms}", "--set time: time.end: '5 m' is not a time"},
        {"tissue.regions[0].conductivity.intra=1 S/m", "monodomain values or {intra, extra}, not both"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(good, strlen(good), &rows[i][0], 1, rows[i][1]);
}

/* All mistakes in one: each line says its own, in the order of their places, with no word on what follows
 * from one of them */
static void test_all_at_once(void)
{
    static const char text[] = "version: 1\n"
                               "mesh: {slab: {size: [20 mm, 7 mm, 3 mm]}}\n"
                               "tissue:\n"
                               "  surface_to_volume: 1400 cm\n"
                               "  regions:\n"
                               "    - {model: tp06-eip, conductivity: 0.13 S, parameters: {g_Na: 3}}\n"
                               "    - {conductivity: 0.13 S/m, tags: [1, 1]}\n"
                               "stimuli:\n"
                               "  - {duration: 2 ms, current: 50}\n"
                               "  - {box: {min: [0, 0, 0], max: [1, 1, 1]}, curent: 1 uA/uF}\n"
                               "time: {end: 60 ms, step: 0.07 ms}\n"
                               "solver: {mass_lumping: 1.7}\n"
                               "output: {every: 1 mm, precision: single}\n"
                               "checkpoint: {every: 1 ms}\n";
    static const char *const faults[] = {
        "all.yaml:4:22: tissue.surface_to_volume: '1400 cm' is not",
        "all.yaml:6:15: tissue.regions[0].model: no ionic model 'tp06-eip'",
        "all.yaml:6:39: tissue.regions[0].conductivity: '0.13 S' is not",
        "all.yaml:7:38: tissue.regions[1].tags: tag 1 is listed twice",
        "all.yaml:7:7: tissue.regions[1].model: is missing",
        "all.yaml:9:31: stimuli[0].current: '50' needs a unit",
        "all.yaml:10:45: stimuli[1].curent: unknown key (did you mean 'current'?)",
        "all.yaml:10:5: stimuli[1].duration: is missing",
        "all.yaml:10:5: stimuli[1].current: is missing",
        "all.yaml:12:24: solver.mass_lumping: '1.7' must be at least 0 and at most 1",
        "all.yaml:13:17: output.every: '1 mm' is not a time",
        "all.yaml:13:34: output.precision: 'single' is",
        "all.yaml:2:14: mesh.slab.spacing: is missing",
        "all.yaml:11:13: time.end: 60 ms is not a multiple of time.step (0.07 ms); the nearest is 59.99 ms",
        "all.yaml:14:21: checkpoint.every: 1 ms is not a multiple",
    };
    struct config config;
    struct error error = {0};
    enum status status = config_parse(&config, "all.yaml", "", text, strlen(text), NULL, 0, &error);
    CHECK(status == STATUS_INPUT, "status %d", (int)status);
    const char *line = error.text;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        CHECK(line && strncmp(line, faults[k], strlen(faults[k])) == 0, "expected '%s' in '%s'", faults[k],
              error.text);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    CHECK(!line, "and '%s'", line);
    config_free(&config);
}

/* The first twenty, and how many more */
static void test_very_many(void)
{
    enum { MANY = 70 };
    char text[4000];
    int used = snprintf(text, sizeof text, "version: 1\nstimuli:\n"), lines = 1;
    for (int i = 0; i < MANY; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "  - {start: %d mm}\n", i);
    struct config config;
    struct error error = {0};
    enum status status = config_parse(&config, "many.yaml", "", text, (size_t)used, NULL, 0, &error);
    CHECK(status == STATUS_INPUT, "status %d", (int)status);
    for (const char *at = error.text; (at = strchr(at, '\n')); at++)
        lines++;
    /* each item has three, and mesh, two keys of the tissue and two of the time are missing */
    char more[40];
    snprintf(more, sizeof more, "\nand %d more", 3 * MANY + 5 - 20);
    CHECK(lines == 21 && strstr(error.text, more), "%d lines: %s", lines, error.text);
    config_free(&config);
}

/* Texts that are made, not written: too long, too deep, too many. */
static void test_hostile(void)
{
    enum { ROOM = TREE_TEXT_BYTES + 10 };
    char *text = malloc(ROOM + 1);
    expect("", 0, NULL, 0, "bad.yaml: nothing in it");
    expect("# only a comment\n", 17, NULL, 0, "nothing in it");
    expect("5", 1, NULL, 0, "the config: expected a map of keys");
    expect("\0\0\0\0", 4, NULL, 0, "bad.yaml:1:1: not UTF-8 text");
    expect("\xff\xfe"
           "v\0",
           4, NULL, 0, "not UTF-8 text");
    memset(text, '[', 2000);
    expect(text, 2000, NULL, 0, "bad.yaml:1:65: nested too deeply");
    memset(text, 'x', ROOM);
    expect(text, ROOM, NULL, 0, "larger than 1 MiB");
    memcpy(text, "title: ", 7);
    expect(text, 70000, NULL, 0, "bad.yaml:1:8: a value of more than 64 KiB");
    memcpy(text, "title: [", 8);
    for (size_t i = 8; i < 200000; i += 2)
        memcpy(text + i, "a,", 2);
    expect(text, 200000, NULL, 0, "too many values");
    /* every line doubles the one before: 2^30 values if the aliases were followed */
    int used = snprintf(text, ROOM, "a0: &a0 [x, x]\n");
    for (int i = 1; i < 30; i++)
        used += snprintf(text + used, (size_t)(ROOM - used), "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
    expect(text, (size_t)used, NULL, 0, "too many values (aliases counted as often as they are used)");
    used = 0;
    for (int i = 0; i < 2000; i++)
        used += snprintf(text + used, (size_t)(ROOM - used), "k%d: &a%d x\n", i, i);
    expect(text, (size_t)used, NULL, 0, "more than 1000 anchors");
    used = snprintf(text, ROOM, "a: &a {k: 1}\nb: {");
    for (int i = 0; i < 30000; i++)
        used += snprintf(text + used, (size_t)(ROOM - used), "k%d: 1, ", i);
    used += snprintf(text + used, (size_t)(ROOM - used), "<<: [");
    for (int i = 0; i < 1000; i++)
        used += snprintf(text + used, (size_t)(ROOM - used), "*a, ");
    used += snprintf(text + used, (size_t)(ROOM - used), "]}\n");
    expect(text, (size_t)used, NULL, 0, "'<<' merges too large maps");
    free(text);
}

/* Every prefix of a good config is either an error or a config; none is a crash. */
static void test_truncated(void)
{
    int good_ones = 0;
    for (size_t length = 0; length < strlen(good); length++) {
        struct config config;
        struct error error = {0};
        enum status status = config_parse(&config, "cut.yaml", "", good, length, NULL, 0, &error);
        CHECK(status == STATUS_OK || (status == STATUS_INPUT && error.text[0]), "%zu bytes: status %d",
              length, (int)status);
        good_ones += status == STATUS_OK;
        config_free(&config);
    }
    CHECK(good_ones > 0 && good_ones < 60, "%d prefixes were taken", good_ones);
}

int main(void)
{
    test_mistakes();
    test_sets();
    test_all_at_once();
    test_very_many();
    test_hostile();
    test_truncated();
    return 0;
}
