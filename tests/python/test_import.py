"""Parameter files at random, most with values that a config cannot have: what import prints is always a config, and each line of the
file is in it or listed. A line that is not listed changes the config if it is removed or has another value."""
import csv
import os
import random
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from support import Case, cardiac_program, main, warm

warm()

from cardiac.convert import opencarp, parameters
from cardiac.convert.attempt import tags_of
from cardiac.convert.models import FACTORS, PARAMETERS
from cardiac.convert.opencarp import convert
from cardiac.program import InputError
from cardiac.text import terminal

NAMES = """simID tend dt spacedt timedt parab_solve mass_lumping num_imp_regions num_gregions num_stim num_LATs num_gvecs bidm_eqv_mono
prepacing_beats prepacing_bcl imp_region[#].im imp_region[#].im_param imp_region[#].ID imp_region[#].ID[#] imp_region[#].num_IDs
imp_region[#].cellSurfVolRatio gregion[#].ID gregion[#].ID[#] gregion[#].num_IDs gregion[#].g_il gregion[#].g_it gregion[#].g_in
gregion[#].g_el gregion[#].g_et gregion[#].g_mult stim[#].name stim[#].crct.type stim[#].pulse.strength stim[#].pulse.strength
stim[#].ptcl.start stim[#].ptcl.duration stim[#].ptcl.npls stim[#].ptcl.bcl stim[#].elec.p0 stim[#].elec.p1[#] stim[#].elec.geom_type
stim[#].elec.radius stim[#].elec.geomID stim[#].elec.vtx_file stim[#].nonsense stimulus[#].strength stimulus[#].x0 stimulus[#].xd
stimulus[#].ctr_def stimulus[#].duration lats[#].measurand lats[#].mode lats[#].method lats[#].threshold lats[#].all gvec[#].ID
gvec[#].ID[0] phie_rec_ptf chkpt_intv cg_tol_parab adjustment[#].file adjustment[#].variable num_adjustments phys_region[#].ptype""".split()
VALUES = """0|1|2|3|-1|0.5|0.1|7|12|25|100|400|1e-9|1e9|1e300|-1e300|1e400|nan|inf||x|-0|0x10|1_0|1 2|1, 2, 3|21, 23, 25, 27|1,,2|1 2 x|2.5
100 200 300|100 200 300 400|1e20|slab|"two words"|'it'|"with # sign"|a: b|- x|{|[1|&a|*a|!tag|~|null|\udcff\udcfe|\x01|café|all|S1|S2|leads
corner|Cai|Ca_i|V|INa|Nothing|tenTusscherPanfilov|LuoRudy91|OHara|LRDII_F|"flags=ENDO,GNa*0.9,Gks-50%,GK1=5.0"|"flags=NONE,GNa*-1"
GNa*2,GNa*3,GKr=nan,GKs/0,GKr+x,GNa*1e400|GK1=-5,flags=EPI,flags=MCELL|%s%n|../../etc/passwd|/""".replace("\n", "|").split("|")
# What suits the end of a name, so that not all is refused; never a factor of 0, which hides others
FITTING = {"g_mult": "0.5 2 x", "strength": "50 60.5 20", ".im": "OHara LuoRudy91 MitchellSchaeffer", "duration": "1 2 0.5", "dt": "10 20 25",
           "tend": "10 20 33", "num_stim": "1 3 4", "npls": "2 3 4", "bcl": "300 400 500", "im_param": "GNa*0.5 GKr*2 GNa=3"}
OTHERS = ["0", "1", "2", "3.5", "corner", "LuoRudy91", "1 2 3"]
SILENT = ("meshname", "dt", "num_", "gregion[0].ID", "imp_region[0].ID")  # errors; a count of items; a first region also has the elements of no list


MODELS = [line.split()[0] for line in subprocess.run([cardiac_program, "models"], capture_output=True, text=True).stdout.splitlines()]

# The current, or flux, to which each parameter of PARAMETERS is proportional
CURRENTS = {
    "courtemanche-ra": {"ikur.g_Kur": "ikur.IKur", "inaca.I_max": "inaca.INaCa", "inak.I_max": "inak.INaK", "ipca.I_max": "ipca.IpCa",
                        "calcium.V_max": "calcium.J_up"},
    "tp06-epi": {"K_NaCa": "INaCa", "P_NaK": "INaK"},
    "stewart": {"inaca.K_NaCa": "inaca.INaCa", "inak.P_NaK": "inak.INaK"},
    "grandi-epi": {"inaca.I_max": "inaca.INaCa_sl", "inak.I_max": "inak.INaK_sl", "ipca.I_max": "ipca.IpCa_sl"},
    "maleckar": {"inak.I_max": "inak.INaK", "icap.I_max": "icap.ICaP"},
    "fabbri": {"inak.I_max": "inak.INaK", "inaca.I_max": "inaca.INaCa"},
}
SHAPES = {"gamma", "u_gate"}  # of the same formula by another name: not in proportion

AF = "g_CaL-55%,g_K1+100%,blf_i_Kur-50%,g_to-65%,g_Ks+100%,maxI_pCa+50%,maxI_NaCa+60%,g_Kr*1.6"
ADJUSTED = """imp_region[0].im = LuoRudy91; imp_region[0].im_param = GNa*0.5; num_adjustments = 1; adjustment[0].variable = %s;
adjustment[0].file = a; num_stim = 0""".replace("\n", " ")
# Parameter files as published ones are: lines apart from the mesh, what the config has, what is listed, how many lines are not converted
FILES = [
    ("imp_region[0].im = COURTEMANCHE; imp_region[0].im_param = \"%s\"" % AF,
     "ikur.g_Kur: x0.5|ipca.I_max: x1.5|inaca.I_max: x1.6|ical.g_CaL: x0.45|ikr.g_Kr: x1.6", "", 0),
    ("imp_region[0].im = Courtemanche; imp_region[0].im_param = \"g_CaL -55% , maxI_pCa +50%\"", "ical.g_CaL: x0.45|ipca.I_max: x1.5", "", 0),
    ("imp_region[0].im = Courtemanche; imp_region[0].im_param = \"GK1*2,factorGKur=0.5,maxINaCa*1.6\"", "ik1.g_K1: x2|ikur.g_Kur: x0.5|inaca.I_max: x1.6", "", 0),
    ("imp_region[0].im = Courtemanche; imp_region[0].im_param = \"GK1*2,factorGtr*0.5\"", "ik1.g_K1: x2", "factorGtr*0.5 is left out: no parameter", 1),
    ("imp_region[0].im = Courtemanche; imp_region[0].im_param = \"ACh=0.1,GNa*0.6\"", "ina.g_Na: x0.6", "ACh=0.1 is left out", 1),
    ("imp_region[0].im = tenTusscherPanfilov; imp_region[0].im_param = \"flags=EPI,knak*0.7,knaca/2\"", "model: tp06-epi|P_NaK: x0.7|K_NaCa: x0.5", "", 0),
    ("imp_region[0].im = TT2; imp_region[0].im_param = flags=ENDO", "model: tp06-endo", "", 0),
    ("imp_region[0].im = tenTusscherPanfilov; imp_region[0].im_param = Vc=0.016404", "model: tp06-epi", "in another unit?", 1),
    ("imp_region[0].im = Stewart; imp_region[0].im_param = GCaL=3.98e-5", "model: stewart", "in another unit?", 1),
    ("imp_region[0].im = OHara; imp_region[0].im_param = \"flags=MCELL,GKr*0.3,GNaL*2\"", "model: ohara-m|ikr.g_Kr: x0.3|inal.g_NaL: x2", "", 0),
    ("imp_region[0].im = Grandi; imp_region[0].im_param = IbarNCX*1.2", "inaca.I_max: x1.2", "", 0),
    ("imp_region[0].im = MitchellSchaeffer; imp_region[0].im_param = \"V_max=40.0,V_min=-86.2, tau_in = 0.3, tau_out=5.4,V_gate=0.1\"",
     "V_max: 40|V_min: -86.2|tau_in: 0.3|tau_out: 5.4|u_gate: 0.1", "", 0),
    ("imp_region[0].im = LuoRudy91; imp_region[0].im_param = Gsi*0.5", "isi.g_si: x0.5", "", 0),
    ("imp_region[0].im = LuoRudy91; imp_region[0].im_param = \"Gsi*0,GNa/0.0\"", "isi.g_si: x0", "GNa/0.0 is left out: expected NAME=VALUE", 1),
    ("imp_region[0].im = Koivumaki; imp_region[0].im_param = g_Ca_L*0.41", "model: Koivumaki", "Koivumaki: this model is not here", 1),
    ("imp_region[0].im = MacCannell_Fb", "model: MacCannell_Fb", "this model is not here", 0),
    ("imp_region[0].im = MahajanShiferaw", "model: MahajanShiferaw", "this model is not here", 0),
    (ADJUSTED % "LuoRudy91.Gsi", "arrays: {adjustment_0: a.adj}}|isi.g_si: {field: adjustment_0}|ina.g_Na: x0.5", "", 0),
    (ADJUSTED % "g_si", "isi.g_si: {field: adjustment_0}", "", 0),
    (ADJUSTED % "LuoRudy91.GNa", "model: luo-rudy-1991", "f.par:6: adjustment[0].file = a (not of the order of ina.g_Na, 23", 2),
    (ADJUSTED % "LuoRudy91.Cai", "model: luo-rudy-1991", "no parameter here; initial.file starts from states", 2),
    (ADJUSTED % "OHara.Gsi", "model: luo-rudy-1991", "no parameter here", 2),
    (ADJUSTED.replace("= a;", "= few;") % "LuoRudy91.Gsi", "model: luo-rudy-1991", "few.adj: 1 values for 4 nodes", 2),
    (ADJUSTED.replace("= a;", "= m.pts;") % "LuoRudy91.Gsi", "model: luo-rudy-1991", "m.pts.adj: No such file", 2),
    ("imp_region[0].im = OHara; gregion[0].g_il = 0.4; gregion[0].g_it = 0.4; gregion[0].g_in = 0.4", "intra: 0.4 S/m|extra: 0.625 S/m", "isotropic", 0),
    ("imp_region[0].im = OHara; bidm_eqv_mono = 0; gregion[0].g_il = 0.3; gregion[0].g_it = 0.3", "conductivity: 0.3 S/m", "", 0),
    ("imp_region[0].im = OHara; gregion[0].g_il = 0.34; gregion[0].g_it = 0.06; gregion[0].g_el = 0.12; gregion[0].g_et = 0.08",
     "longitudinal: 0.34 S/m|transverse: 0.08 S/m", "", 0),
    ("imp_region[0].im = OHara; num_imp_regions = 2; imp_region[0].ID = 1; imp_region[1].im = Courtemanche; imp_region[1].ID = 9", "model: ohara-endo",
     "no element of the mesh has tag 9", 1),
    ("imp_region[0].im = OHara; parab_solve = 0",
     "method: rkl2  # stages of explicit steps, for those of parab_solve = 0, which are not available", "", 0),
]

# Parameter files, whole: what each becomes, and what is said of it, as read by a person
WHOLE = [
    ("""\
meshname = m.elem
# every key once
dt = 25
tend = 33.01
spacedt = 0.05
chkpt_intv = 7.49
parab_solve = 0
mass_lumping = 0
simID = "out 1"
bidm_eqv_mono = 1
num_imp_regions = 3
imp_region[0].im = tenTusscherPanfilov
imp_region[0].im_param = "flags=ENDO,GNa*0.9,Gks-50%,GK1=5.0,GKr/4,foo=3"
imp_region[0].cellSurfVolRatio = 0.2
imp_region[0].ID = 1
imp_region[1].im = OHara
imp_region[1].im_param = flags=XX,GKr+x
imp_region[1].num_IDs = 1
imp_region[1].ID[0] = 2
imp_region[1].ID[1] = 1
imp_region[2].im = Koivumaki
imp_region[2].im_param = a*2
imp_region[2].ID = {0 7}
num_gregions = 2
gregion[0].ID = 1, 2
gregion[0].g_il = 0.3
gregion[0].g_it = 0.1
gregion[0].g_in = 0.05
gregion[0].g_el = 0.6
gregion[0].g_mult = 0.5
gregion[1].ID = 0
gregion[1].g_il = 0.2
gregion[1].g_it = 0.2
prepacing_beats = 10
prepacing_bcl = 500
prepacing_lats = lats.dat
num_stim = 3
stim[0].pulse.strength = 60
stim[0].elec.geomID = 0
stim[0].ptcl.npls = 1001
stim[0].ptcl.bcl = 20.5
stim[0].ptcl.start = 1.5
stim[2].crct.type = 8
stim[2].pulse.strength = 5
num_LATs = 2
lats[0].ID = a
lats[0].all = 1
lats[0].threshold = -10
lats[1].method = 0
num_gvecs = 1
gvec[0].ID[0] = INa
gvec[0].ID[1] = Xr1
gvec[0].ID[2] = INa
phie_rec_ptf = e
cg_tol_parab = 1e-9
tsav[0] = 3
output_level = 2
experiment = 1
""", """\
version: 1
mesh: {file: m.elem}
tissue:
  surface_to_volume: 0.2 /um
  regions:
    - model: Koivumaki
      tags: [0]
      conductivity:
        intra: 0.2 S/m
        extra: 0.625 S/m
      initial: {pace: 10, period: 500 ms, times: lats.dat}
    - model: ohara-endo
      tags: [2]
      conductivity:
        intra:
          longitudinal: 0.15 S/m
          transverse: 0.05 S/m
          normal: 0.025 S/m
        extra:
          longitudinal: 0.3 S/m
          transverse: 0.118 S/m
          normal: 0.118 S/m
      initial: {pace: 10, period: 500 ms, times: lats.dat}
    - model: tp06-endo
      parameters:
        g_Na: x0.9
        g_Ks: x0.5
        g_K1: 5
        g_Kr: x0.25
      tags: [1]
      conductivity:
        intra:
          longitudinal: 0.15 S/m
          transverse: 0.05 S/m
          normal: 0.025 S/m
        extra:
          longitudinal: 0.3 S/m
          transverse: 0.118 S/m
          normal: 0.118 S/m
      initial: {pace: 10, period: 500 ms, times: lats.dat}
stimuli:
  - name: S1
    tags: [0]
    start: 1.5 ms
    duration: 1 ms
    count: 1001
    period: 20.5 ms
    current: 60 uA/cm^2
time:
  end: 33 ms
  step: 25 us
solver:
  method: rkl2  # stages of explicit steps, for those of parab_solve = 0, which are not available
  mass_lumping: 0
activation: {threshold: -10 mV, beats: 1000}
output:
  directory: "out 1"
  every: 0.05 ms
  fields:
    - V
    - INa
    - Xr1
checkpoint: {every: 7.5 ms}
ecg:
  electrodes:
    E0: [100 um, 200 um, 300 um]
    E1: [400.5 um, 500 um, 600 um]
""", """\
cardiac: warning: p.par: no element of the mesh has tag 7: what the regions say of it is left out
cardiac: warning: p.par:21: Koivumaki: this model is not here; write one of `cardiac models`, or a text: model: {file: my.mmt}
cardiac: warning: p.par: gregion[1]: the extracellular conductivity is not given, and the intracellular one is isotropic; the config has 0.625 S/m in every direction, openCARP less across the fibres
cardiac: warning: p.par: stimulus 2 is left out: its type 8 is a prescribed activation time (`delays` of a current does this); only transmembrane currents (type 0) are supported
cardiac: warning: p.par: tend becomes 33 ms, a whole number of steps of 0.025 ms
cardiac: warning: p.par: chkpt_intv becomes 7.5 ms, a whole number of steps of 0.025 ms
10 of 57 lines were not converted:
p.par:13: imp_region[0].im_param = flags=ENDO,GNa*0.9,Gks-50%,GK1=5.0,GKr/4,foo=3 (foo=3 is left out: no parameter of tp06-endo is equivalent)
p.par:17: imp_region[1].im_param = flags=XX,GKr+x (flags=XX is left out: no equivalent of this layer; GKr+x is left out: expected NAME=VALUE, NAME*FACTOR, NAME/FACTOR, NAME+N% or NAME-N%)
p.par:20: imp_region[1].ID[1] = 1
p.par:22: imp_region[2].im_param = a*2 (a*2 is left out: its model is not here)
p.par:43: stim[2].crct.type = 8
p.par:44: stim[2].pulse.strength = 5
p.par:49: lats[1].method = 0
p.par:55: cg_tol_parab = 1e-9 (sweeps stop by `solver.tolerance`, in mV)
p.par:56: tsav[0] = 3 (checkpoints are evenly spaced: `checkpoint.every`)
p.par:58: experiment = 1
lines without effect here: 11, 18, 24, 37, 45, 50, 57
"""),
    ("""\
meshname = m
num_imp_regions = 1
imp_region[0].im = LuoRudy91
imp_region[0].im_param = GNa*0.5,Gsi*2
num_adjustments = 3
adjustment[0].variable = LuoRudy91.Gsi
adjustment[0].file = a
adjustment[1].variable = LuoRudy91.Cai
adjustment[1].file = a
adjustment[2].variable = Courtemanche.GNa
adjustment[2].file = a.adj
num_stim = 2
stimulus[0].name = old one
stimulus[0].strength = 30
stimulus[0].duration = 2
stimulus[0].start = 4
stimulus[0].npls = 3
stimulus[0].bcl = 300
stimulus[0].x0 = -100
stimulus[0].xd = 200
stimulus[0].y0 = 10
stimulus[0].yd = 20
stimulus[0].z0 = 1
stimulus[0].zd = 3
stimulus[1].strength = 40
stimulus[1].vtx_file = list.vtx
stimulus[1].npls = 2
num_LATs = 2
lats[0].threshold = -35.5
lats[0].all = 0
lats[1].mode = 1
lats[1].threshold = -70
parab_solve = 1
mass_lumping = 1
tend = 12
num_tagreg = 4
tagreg[0].tag = 5
tagreg[0].type = 1
tagreg[0].p0[0] = 10
tagreg[0].p0[2] = 30
tagreg[0].radius = 250
tagreg[1].tag = 9
tagreg[1].type = 3
tagreg[1].p0 = 0 0 0
tagreg[1].p1 = 0 300 400
tagreg[1].radius = 50
tagreg[2].tag = 2147483648
tagreg[3].tag = 1.5
gvec[0].ID = Vm
num_gvecs = 1
""", """\
version: 1
mesh: {file: m.elem, arrays: {adjustment_0: a.adj}}
tissue:
  surface_to_volume: 0.14 /um
  regions:
    - model: luo-rudy-1991
      parameters:
        isi.g_si: {field: adjustment_0}
        ina.g_Na: x0.5
      where: 0 um <= (x - (0 um)) * (0) + (y - (0 um)) * (0.6) + (z - (0 um)) * (0.8) <= 500 um and (x - (0 um))^2 + (y - (0 um))^2 + (z - (0 um))^2 - ((x - (0 um)) * (0) + (y - (0 um)) * (0.6) + (z - (0 um)) * (0.8))^2 <= (50 um)^2
      conductivity:
        intra:
          longitudinal: 0.174 S/m
          transverse: 0.0193 S/m
        extra:
          longitudinal: 0.625 S/m
          transverse: 0.236 S/m
    - model: luo-rudy-1991
      parameters:
        isi.g_si: {field: adjustment_0}
        ina.g_Na: x0.5
      where: ball([10 um, 0 um, 30 um], 250 um)
      conductivity:
        intra:
          longitudinal: 0.174 S/m
          transverse: 0.0193 S/m
        extra:
          longitudinal: 0.625 S/m
          transverse: 0.236 S/m
    - model: luo-rudy-1991
      parameters:
        isi.g_si: {field: adjustment_0}
        ina.g_Na: x0.5
      conductivity:
        intra:
          longitudinal: 0.174 S/m
          transverse: 0.0193 S/m
        extra:
          longitudinal: 0.625 S/m
          transverse: 0.236 S/m
stimuli:
  - name: "old one"
    box: {min: [-100 um, 10 um, 1 um], max: [100 um, 30 um, 4 um]}
    start: 4 ms
    duration: 2 ms
    count: 3
    period: 300 ms
    current: 30 uA/cm^2
  - name: S2
    nodes: list.vtx
    start: 0 ms
    duration: 1 ms
    count: 2
    current: 40 uA/cm^2
time:
  end: 12 ms
  step: 10 us
solver:
  mass_lumping: 1
activation: {threshold: -35.5 mV, beats: 1}
output:
  every: 1 ms
  fields:
    - V
  maps: [activation_time, repolarization_time]
""", """\
cardiac: warning: p.par: tagreg[2] is left out: it has no tag
cardiac: warning: p.par: tagreg[3] is left out: it has no tag
cardiac: warning: p.par: tagreg: an element belongs to a shape that its centre lies in, not one of its nodes
cardiac: warning: p.par: lats[1]: falling crossings become the times of 90 % repolarisation
9 of 50 lines were not converted:
p.par:4: imp_region[0].im_param = GNa*0.5,Gsi*2 (Gsi*2 is left out: an adjustment replaces it)
p.par:8: adjustment[1].variable = LuoRudy91.Cai (no parameter here; initial.file starts from states that vary in space)
p.par:9: adjustment[1].file = a
p.par:10: adjustment[2].variable = Courtemanche.GNa (no parameter here; initial.file starts from states that vary in space)
p.par:11: adjustment[2].file = a.adj
p.par:32: lats[1].threshold = -70
p.par:47: tagreg[2].tag = 2147483648
p.par:48: tagreg[3].tag = 1.5
p.par:49: gvec[0].ID = Vm
lines without effect here: 2, 5, 12, 28, 36, 50
"""),
    ("""\
meshname = nomesh
bidm_eqv_mono = 0
imp_region[0].im = Courtemanche
imp_region[0].im_param = "factorGKur=0.5,GCaL-55%,maxIpCa+50%"
num_adjustments = 1
adjustment[0].variable = Courtemanche.factorGKur
adjustment[0].file = f
gregion[0].g_il = 0.3
gregion[0].g_mult = 2
num_phys_regions = 2
phys_region[0].ptype = 0
phys_region[0].ID = 3 1
phys_region[1].ptype = 1
phys_region[1].ID = 1, 8 4
prepacing_beats = 3
dt = 20
dt = 10
num_stim = 4
stim[0].pulse.strength = 1
stim[0].elec.geom_type = 1
stim[0].elec.p0 = 1 2 3
stim[0].elec.radius = 4
stim[1].pulse.strength = 2
stim[1].elec.geom_type = 3
stim[1].elec.p0 = 1 1 1
stim[1].elec.p1 = 1 1 1
stim[1].elec.radius = 4
stim[1].ptcl.npls = 0
stim[2].pulse.strength = 2
stim[2].elec.geom_type = 2
stim[2].elec.p0 = 1 x 1
stim[3].elec.vtx_file = v
stim[3].pulse.strength = 9
stim[3].ptcl.duration = 3
lats[0].measurand = 0
num_LATs = 1
lats[0].method = 0
phie_rec_ptf = none
""", """\
version: 1
mesh: {file: nomesh.elem, arrays: {adjustment_0: f.adj}}
tissue:
  surface_to_volume: 0.14 /um
  regions:
    - model: courtemanche-ra
      parameters:
        ikur.g_Kur: {factor: adjustment_0}
        ical.g_CaL: x0.45
        ipca.I_max: x1.5
      tags: [3, 1]
      conductivity:
        longitudinal: 0.6 S/m
        transverse: 0.0386 S/m
stimuli:
  - name: S1
    sphere: {centre: [1 um, 2 um, 3 um], radius: 4 um}
    start: 0 ms
    duration: 1 ms
    current: 1 uA/cm^2
  - name: S2
    where: 0 um <= (x - (1 um)) * (0) + (y - (1 um)) * (0) + (z - (1 um)) * (0) <= 0 um and (x - (1 um))^2 + (y - (1 um))^2 + (z - (1 um))^2 - ((x - (1 um)) * (0) + (y - (1 um)) * (0) + (z - (1 um)) * (0))^2 <= (4 um)^2
    start: 0 ms
    duration: 1 ms
    count: 0
    current: 2 uA/cm^2
  - name: S4
    nodes: v.vtx
    start: 0 ms
    duration: 3 ms
    current: 9 uA/cm^2
time:
  end: 100 ms
  step: 10 us
output:
  every: 1 ms
  fields:
    - V
""", """\
cardiac: warning: p.par: elements with tag 4, 8 are a bath, which is not simulated; take them out of the mesh: cardiac mesh extract nomesh.elem muscle.elem --regions 1,3, and set mesh: {file: muscle.elem}
cardiac: warning: p.par:31: stimulus 2 is left out because this line is refused
cardiac: warning: p.par: lats[0]: the steepest rise becomes the upward crossing of each model's threshold
7 of 38 lines were not converted:
p.par:4: imp_region[0].im_param = factorGKur=0.5,GCaL-55%,maxIpCa+50% (factorGKur=0.5 is left out: an adjustment replaces it)
p.par:15: prepacing_beats = 3
p.par:16: dt = 20 (line 17 replaces it)
p.par:29: stim[2].pulse.strength = 2
p.par:30: stim[2].elec.geom_type = 2
p.par:31: stim[2].elec.p0 = 1 x 1 (expected three numbers)
p.par:38: phie_rec_ptf = none (none.pts: No such file or directory)
lines without effect here: 5, 10, 13, 14, 18, 36
"""),
]


def make_line(dice):
    name = "".join(str(dice.randrange(dice.randint(1, 3))) if c == "#" else c for c in dice.choice(NAMES))
    value = dice.choice(VALUES)
    for end, fitting in FITTING.items():
        if name.endswith(end) and (end in ("g_mult", "dt") or dice.random() < 0.7):
            value = dice.choice(fitting.split())
    return "%s = %s" % (name, value)


class Import(Case):
    files = int(os.environ.get("CARDIAC_IMPORT_FILES", "20"))

    def setUp(self):
        super().setUp()
        tags_of.cache_clear()  # each test has meshes of its own

    def convert(self, lines):
        with open("f.par", "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write("\n".join(lines) + "\n")
        text, notes = convert("f.par")
        with open("f.yaml", "w", encoding="utf-8", errors="surrogateescape") as file:
            missing = any("this model is not here" in note for note in notes)  # which `check` refuses
            file.write(re.sub(r"(?m)^    - model: (?!%s$).*" % "|".join(MODELS), "    - model: tp06-epi", text) if missing else text)
        done = subprocess.run([cardiac_program, "check", "--syntax", "f.yaml"], capture_output=True, text=True, errors="replace")
        self.assertEqual(done.returncode, 0, "\n".join([done.stderr, text] + notes))
        for note in notes:
            self.assertTrue(terminal(note).isprintable(), repr(note))
        return text, notes

    def test_parameters(self):
        """Half of each parameter of the table halves its current."""
        def current(model, name, *more):
            command = [cardiac_program, "cell", model, "--duration", "0.02ms", "--dt", "0.02", "--variables", name, *more]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            return float(list(csv.reader(done.stdout.splitlines()))[1][-1])
        for model, names in PARAMETERS.items():
            for name in sorted(set(names.values()) - SHAPES):
                whole, half = (current(model, CURRENTS[model][name], *more) for more in ([], ["--parameter", name + "=x0.5"]))
                self.assertNotEqual(whole, 0)
                self.assertAlmostEqual(half / whole, 0.5, 9, "%s %s" % (model, name))
        self.assertLessEqual(set(FACTORS), set(PARAMETERS["courtemanche-ra"]))

    def test_files(self):
        with open("m.elem", "w") as file:
            file.write("1\nTt 0 1 2 3 1\n")
        for name, content in (("m.pts", "4\n"), ("a.adj", "4\nextra\n0 0.09\n1 0.08\n2 0.07\n3 0.06\n"), ("few.adj", "1\nextra\n0 0.09\n")):
            Path(name).write_text(content)
        for lines, has, listed, lost in FILES:
            text, notes = self.convert(["meshname = m"] + lines.split("; "))
            for part in has.split("|"):
                self.assertIn(part, text, lines)
            self.assertIn(listed, "\n".join(notes), lines)
            self.assertIn("%d of " % lost, "\n".join(notes), lines)
        os.remove("m.elem")
        self.assertNotIn("tp06", self.convert(["meshname = m", "imp_region[0].im = Koivumaki"])[0])

    def test_whole_files(self):
        """Whole files: every key of the config, every warning and every line that is left out"""
        for name, content in (("m.elem", "3\nTt 0 1 2 3 1\nTt 0 1 2 3 2\n\nTt 0 1 2 3 0\n"), ("m.pts", "4\n"), ("a.adj", "4\nextra\n0 0.09\n1 0.08\n2 0.07\n3 0.06\n"), ("e.pts", "2\n100 200 300\n400.5 500 600\n"),
                              ("f.adj", "4\nintra\n0 0.5\n1 0.5\n2 1\n3 1\n")):
            Path(name).write_text(content)
        self.maxDiff = None
        for lines, config, said in WHOLE:
            Path("p.par").write_text(lines)
            with mock.patch("cardiac.convert.opencarp.check", return_value=[]):
                text, notes = convert("p.par")
            self.assertEqual((text, "\n".join(notes) + "\n"), (config, said))

    def test_bounds(self):
        """Of each limit a value that it has, and one that is beyond it"""
        Path("m.elem").write_text("1\nTt 0 1 2 3 1\n")
        for name, count in (("1.pts", 1), ("1000.pts", 1000), ("1001.pts", 1001), ("0.pts", 0)):
            Path(name).write_text("%d\n" % count + "1 2 3\n" * count)
        Path("inf.pts").write_text("1\n1 inf 3\n")
        Path("short.pts").write_text("2\n1 2 3\n4 5\n")
        region = "imp_region[0].im = LuoRudy91; "
        for lines, has in (
            ("stim[0].pulse.strength = 1; stim[0].ptcl.npls = 1000; num_stim = 1; num_LATs = 1; lats[0].threshold = 5", "beats: 1000}"), ("stim[0].pulse.strength = 1; stim[0].ptcl.npls = 999; num_stim = 1; num_LATs = 1; lats[0].threshold = 5", "beats: 999}"),
            ("stim[0].pulse.strength = 1; stim[0].ptcl.npls = 7; num_stim = 1; num_LATs = 1; lats[0].all = 0", "beats: 1}"), ("num_stim = 0; num_LATs = 1; lats[0].threshold = 5", "beats: 1}"),
            ("phie_rec_ptf = 1", "E0: ["), ("phie_rec_ptf = 1000", "E999: ["), ("phie_rec_ptf = 1001", "!expected the number of points, 1 to 1000, then their coordinates"), ("phie_rec_ptf = 0", "!expected the number of points"),
            ("phie_rec_ptf = inf", "!expected the number of points"), ("phie_rec_ptf = short", "!expected the number of points"), ("imp_region[0].ID = " + " ".join(["1"] * 20000), "-expected a list"), ("imp_region[0].ID = " + " ".join(["1"] * 20001), "!expected a list of at most 20000 whole numbers"),
            ("imp_region[0].ID = 2147483648", "!expected a list of at most"), ("imp_region[0].ID = 1.5", "!expected a list of at most"), ("imp_region[0].ID = 1 x", "!expected a list"),
            ("num_tagreg = 1; tagreg[0].tag = -2147483648", "!tagreg[0] is left out: it has no tag"), ("num_tagreg = 1; tagreg[0].tag = 2147483647; tagreg[0].type = 1", "where: ball("), ("num_tagreg = 1; tagreg[0].tag = 3; tagreg[0].type = 4", "!only spheres, blocks and cylinders"),
            ("prepacing_beats = 1; prepacing_bcl = 1", "initial: {pace: 1, period: 1 ms}"), ("prepacing_beats = 1", "~initial"), ("prepacing_bcl = 1", "~initial"), ("chkpt_intv = 0", "~checkpoint"), ("spacedt = 0.001", "every: 0.01 ms"), ("spacedt = 0", "every: 0 ms"),
            ("tend = 7.000000001", "end: 7.000000001 ms"), ("tend = 7.00001", "end: 7 ms"), ("tend = 0.004", "end: 0.01 ms"), (region + "imp_region[0].im_param = GNa=0.47", "ina.g_Na: 0.47"), (region + "imp_region[0].im_param = GNa=0.46", "!GNa=0.46 is left out: not of the order of ina.g_Na, 23"),
            (region + "imp_region[0].im_param = GNa=1149", "ina.g_Na: 1149"), (region + "imp_region[0].im_param = GNa=1150", "!is it in another unit?"), (region + "imp_region[0].im_param = GNa=0", "ina.g_Na: 0"), (region + "imp_region[0].im_param = GNa/4", "ina.g_Na: x0.25"),
            (region + "imp_region[0].im_param = GNa+25%", "ina.g_Na: x1.25"), (region + "imp_region[0].im_param = GNa+25", "!expected NAME=VALUE"), (region + "imp_region[0].im_param = GNa*25%", "!expected NAME=VALUE"), (region + "imp_region[0].im_param = GNa-25%", "ina.g_Na: x0.75"),
            ("imp_region[0].im = MitchellSchaeffer; imp_region[0].im_param = V_max=0", "V_max: 0"), ("stim[0].pulse.strength = 1; num_stim = 1; stim[0].elec.geomID = 1", "tags: [1]"), ("stim[0].pulse.strength = 1; num_stim = 1; stim[0].elec.geomID = 0", "!no element of the mesh has tag 0"),
            ("stim[0].name = a; num_stim = 1", "!stimulus 0 is left out: it has no strength"), ("num_stim = 1", "-is left out"), ("stim[0].pulse.strength = 1; num_stim = 1; stim[0].elec.geom_type = 0", "!its shape (0) is not supported"),
        ):
            Path("p.par").write_text("meshname = m\n" + lines.replace("; ", "\n"))
            with mock.patch("cardiac.convert.opencarp.check", return_value=[]):
                text, notes = convert("p.par")
            said = "\n".join(notes)  # "!" and "-": what is in it and what is not, "~": what is not in the config
            (self.assertNotIn if has[0] in "~-" else self.assertIn)(has.lstrip("!~-"), said if has[0] in "!-" else text, lines[:200])
        for dt, good in ((0.5, True), (1000, True), (0.499, False), (1000.1, False)):
            Path("p.par").write_text("meshname = m\ndt = %r\n" % dt)
            with mock.patch("cardiac.convert.opencarp.check", return_value=[]):
                if good:
                    self.assertIn("step: %s us" % ("%.15g" % dt), convert("p.par")[0])
                else:
                    self.assertRaisesRegex(InputError, "p.par:2: dt = %r us is not a plausible time step; openCARP's dt is in microseconds" % dt, convert, "p.par")
        for text, said in (("a b = 1", "p.par:1: expected NAME = VALUE"), ("\nnovalue", "p.par:2: expected NAME"), ('a = "x" y', "p.par:1: expected"), ("= 1", "p.par:1: expected"), ("a = 1", "p.par: no meshname")):
            Path("p.par").write_text(text)
            with self.assertRaisesRegex(InputError, said) as refused:
                convert("p.par")
            self.assertEqual(refused.exception.status, 2)
        entries = parameters.read_entries
        Path("p.par").write_text("# c\n -a = 1 # c\nb='x # y' # z\nc=\"it's\"\nd = \n  e   =  f g  \n")
        self.assertEqual([(e.name, e.value, e.line) for e in entries("p.par")], [("a", "1", 2), ("b", "x # y", 3), ("c", "it's", 4), ("d", "", 5), ("e", "f g", 6)])
        self.assertEqual([parameters.quoted(text) for text in ("a/b-c.d", "null", "True", "1a", "a b", "a:b", "é")], ["a/b-c.d", '"null"', '"True"', '"1a"', '"a b"', '"a:b"', '"é"'])
        self.assertEqual([parameters.with_ending(name, ".pts") for name in ("m", "m.pts", ".pts", "a b")], ["m.pts", "m.pts", '".pts.pts"', '"a b.pts"'])
        self.assertEqual([parameters.finite(text) for text in ("1e3", "nan", "inf", "1_0", "x", "-2")], [1000, None, None, None, None, -2])

    def test_checked(self):
        """Faults that the program finds, by their lines; what they were made from is refused, or what the smallest block around is; then the rest is written again"""
        for status, said, found in ((0, "", []), (2, "cardiac: config:3:5: a: x\ncardiac: warning: y\nconfig:1:1: z\nconfig:99:1: last\n", [(2, "a: x"), (0, "z"), (3, "last")])):
            with mock.patch.object(opencarp.subprocess, "run", return_value=SimpleNamespace(returncode=status, stderr=said)):
                self.assertEqual(opencarp.check("1\n2\n3\n4\n"), found)
        for status, said in ((3, "config:1:1: x"), (2, "no place"), (-9, "")):
            with mock.patch.object(opencarp.subprocess, "run", return_value=SimpleNamespace(returncode=status, stderr=said)):
                with self.assertRaisesRegex(InputError, "the config that was written cannot be checked: " + said) as refused:
                    opencarp.check("1\n")
            self.assertEqual(refused.exception.status, 2)
        Path("p.par").write_text("meshname = m\ntend = 5\nsimID = a\nspacedt = 2\nnum_stim = 1\nstim[0].pulse.strength = 7\nstim[0].ptcl.start = 3\n")

        def faults(*lines):
            answers = [[(text.index(line), "wrong") for line in lines], []]
            with mock.patch.object(opencarp, "check", lambda text: answers.pop(0)):
                return opencarp.convert("p.par")
        with mock.patch.object(opencarp, "check", return_value=[]):
            text = opencarp.convert("p.par")[0].split("\n")
        changed, notes = faults("  end: 5 ms", "  directory: a")
        self.assertEqual([line for line in text if line not in changed.split("\n")], ["  end: 5 ms", "  directory: a"])
        self.assertTrue({"p.par:2: tend = 5 (wrong)", "p.par:3: simID = a (wrong)"} <= set(notes))
        # nothing was given for `duration:`: the smallest block that something was given for is the stimulus
        changed, notes = faults("    duration: 1 ms")
        self.assertIn("stimuli: []", changed)
        self.assertTrue({"p.par:6: stim[0].pulse.strength = 7 (wrong)", "p.par:7: stim[0].ptcl.start = 3 (wrong)"} <= set(notes), notes)
        Path("p.par").write_text("meshname = m\n")
        with mock.patch.object(opencarp, "check", return_value=[]):
            text = opencarp.convert("p.par")[0].split("\n")
        with mock.patch.object(opencarp, "check", lambda text: [(text.split("\n").index("  end: 100 ms"), "odd")]):
            self.assertRaisesRegex(InputError, "p.par: no meshname", opencarp.convert, "p.par")  # all that was given is refused

    def test_whole(self):
        """Stimuli, regions, activation and output, whole, and what is listed; with a mesh whose tags are known"""
        os.mkdir("w")
        with open("w/m.elem", "w") as file:
            file.write("2\nTt 0 1 2 3 1\nTt 0 1 2 3 1500000000\n")
        with open("w/e.pts", "w") as file:
            file.write("2\n100 200 300\n400 500 600\n")
        cylinder = "(x - (0 um)) * (0) + (y - (100 um)) * (0) + (z - (0 um)) * (1)"
        square = "(x - (0 um))^2 + (y - (100 um))^2 + (z - (0 um))^2"
        left_out = "only transmembrane currents (type 0) are supported"
        kinds = ((1, "an extracellular current"), (2, "an extracellular voltage"), (3, "a ground electrode"), (4, "an intracellular current"), (5, "an extracellular voltage"), (9, "a voltage clamp"), (6, "unknown"))
        for lines, begin, end, expected, said in (
            ("num_stim = -1; num_LATs = 4; lats[0].measurand = 1; lats[1].threshold = -20; lats[2].mode = 1; lats[3].threshold = -30; phie_rec_ptf = e; spacedt = 2.003; dt = 20; tend = 50; "
             "chkpt_intv = 10; simID = out dir; num_gvecs = 2; gvec[0].ID[0] = Cai; gvec[1].ID = Nothing; imp_region[0].im = LuoRudy91", "stimuli:", "",
             '''stimuli: []|time:|  end: 50 ms|  step: 20 us|activation: {threshold: -20 mV, beats: 1}|output:|  directory: "out dir"|  every: 2 ms|  fields:|    - V|    - calcium.Ca_i|
  maps: [activation_time, repolarization_time]|checkpoint: {every: 10 ms}|ecg:|  electrodes:|    E0: [100 um, 200 um, 300 um]|    E1: [400 um, 500 um, 600 um]'''.replace("\n", ""),
             ["lats[2]: falling crossings become the times of 90 % repolarisation", "spacedt becomes 2 ms, a whole number of steps of 0.02 ms", "lats[0].measurand = 1", "lats[3].threshold = -30",
              "gvec[1].ID = Nothing"]),
            ("num_stim = 4; stim[0].pulse.strength = 60; stim[0].elec.p0 = 100 200 300; stim[0].elec.p1 = 400 500 600; stim[0].name = a; stim[0].ptcl.start = 3; stim[0].ptcl.duration = 2; "
             "stim[0].ptcl.npls = 3; stim[0].ptcl.bcl = 400; stim[1].pulse.strength = 50; stim[1].elec.geom_type = 1; stim[1].elec.p0 = 100 200 300; stim[1].elec.radius = 250; "
             "stim[2].pulse.strength = 40; stim[2].elec.geom_type = 3; stim[2].elec.p0 = 0 100 0; stim[2].elec.p1 = 0 100 500; stim[2].elec.radius = 250; stim[3].pulse.strength = 30; stim[3].elec.geomID = 1",
             "  - name: a", "time:",
             "  - name: a|    box: {min: [100 um, 200 um, 300 um], max: [400 um, 500 um, 600 um]}|    start: 3 ms|    duration: 2 ms|    count: 3|    period: 400 ms|    current: 60 uA/cm^2|"
             "  - name: S2|    sphere: {centre: [100 um, 200 um, 300 um], radius: 250 um}|    start: 0 ms|    duration: 1 ms|    current: 50 uA/cm^2|"
             "  - name: S3|    where: 0 um <= %s <= 500 um and %s - (%s)^2 <= (250 um)^2|    start: 0 ms|    duration: 1 ms|    current: 40 uA/cm^2|"
             "  - name: S4|    tags: [1]|    start: 0 ms|    duration: 1 ms|    current: 30 uA/cm^2" % (cylinder, square, cylinder), []),
            ("num_stim = 3; stim[0].pulse.strength = 60; stim[0].elec.p0 = 1 2 3 4; stim[1].pulse.strength = 50; stim[1].elec.vtx_file = .vtx; stimulus[2].strength = 30; stimulus[2].x0 = 100; "
             "stimulus[2].xd = 50; stimulus[2].yd = 60; stimulus[2].ctr_def = 1; stimulus[2].duration = 2", "  - name: S2", "time:",
             "  - name: S2|    nodes: \".vtx.vtx\"|    start: 0 ms|    duration: 1 ms|    current: 50 uA/cm^2|"
             "  - name: S3|    box: {min: [75 um, -30 um, 0 um], max: [125 um, 30 um, 0 um]}|    start: 0 ms|    duration: 2 ms|    current: 30 uA/cm^2",
             ["f.par:4: stimulus 0 is left out because this line is refused", "f.par:4: stim[0].elec.p0 = 1 2 3 4 (expected three numbers)"]),
            ("num_stim = 11; " + "; ".join("stim[%d].crct.type = %d" % (k, kind) for k, (kind, _) in enumerate(kinds))
             + "; stim[7].elec.p0 = 0 0 0; stim[8].pulse.strength = 1; stim[8].elec.geomID = 2; stim[9].pulse.strength = 1; stim[9].elec.geom_type = 4; stim[10].pulse.strength = 1; stim[10].odd = 1",
             "stimuli:", "time:", "stimuli: []",
             ["stimulus %d is left out: its type %d is %s; %s" % (k, kind, name, left_out) for k, (kind, name) in enumerate(kinds)]
             + ["stimulus 7 is left out: it has no strength", "stimulus 8 is left out: no element of the mesh has tag 2", "stimulus 9 is left out: its shape (4) is not supported",
                "f.par:16: stimulus 10 is left out because this line is unknown"]),
            ("imp_region[0].ID = 1500000000; imp_region[0].im = LuoRudy91; num_imp_regions = 2; imp_region[1].im = Courtemanche; imp_region[1].ID[0] = 1; gregion[0].ID = 1, 1500000000", "  regions:", "stimuli:",
             "  regions:|    - model: courtemanche-ra|      tags: [1]|CONDUCTIVITY|    - model: luo-rudy-1991|      tags: [1500000000]|CONDUCTIVITY", []),
            ("imp_region[0].im = LuoRudy91; num_tagreg = 4; tagreg[0].tag = 7; tagreg[0].type = 2; tagreg[0].p0 = 0 0 0; tagreg[0].p1 = 100 100 100; tagreg[1].tag = 8; tagreg[1].type = 1; tagreg[1].radius = 50; "
             "tagreg[2].type = 1; tagreg[3].tag = 5; tagreg[3].type = 4; num_phys_regions = 2; phys_region[0].ptype = 0; phys_region[0].ID = 1; phys_region[1].ptype = 1; phys_region[1].ID = 1500000000",
             "  regions:", "stimuli:", "  regions:|    - model: luo-rudy-1991|      where: ball([0 um, 0 um, 0 um], 50 um)|CONDUCTIVITY|    - model: luo-rudy-1991|"
             "      where: box([0 um, 0 um, 0 um], [100 um, 100 um, 100 um])|CONDUCTIVITY|    - model: luo-rudy-1991|      tags: [1]|CONDUCTIVITY",
             ["elements with tag 1500000000 are a bath", "cardiac mesh extract m.elem muscle.elem --regions 1, and", "tagreg[2] is left out: it has no tag", "tagreg[3] is left out: only spheres, blocks and cylinders"]),
        ):
            with open("w/f.par", "w") as file:
                file.write("\n".join(["meshname = m", *lines.split("; ")]) + "\n")
            with mock.patch("cardiac.convert.opencarp.check", return_value=[]):
                text, notes = convert("w/f.par")
            conductivity = "      conductivity:|        intra:|          longitudinal: 0.174 S/m|          transverse: 0.0193 S/m|        extra:|          longitudinal: 0.625 S/m|          transverse: 0.236 S/m"
            at = text.index(begin)
            self.assertEqual(text[at : text.index(end, at) if end else None].strip("\n").split("\n"), expected.replace("CONDUCTIVITY", conductivity).split("|"))
            for one in said:
                self.assertTrue(any(one in note for note in notes), (one, notes))

    def matters(self, lines, at, text):
        others = ["#"] + ["%s= %s" % (lines[at].partition("=")[0], value) for value in OTHERS]
        return any(self.convert(lines[:at] + [other] + lines[at + 1:])[0] != text for other in others)

    def test_import(self):
        dice, tried, listed = random.Random(1), 0, 0
        with open("leads.pts", "w") as file:
            file.write("2\n0 0 0\n1000 0 1e300\n")
        for _ in range(self.files):
            lines = ["meshname = m"] + [make_line(dice) for _ in range(dice.randint(1, 60))]
            text, notes = self.convert(lines)
            silent = notes[-1].partition(": ")[2].split(", ") if notes[-1].startswith("lines without effect") else []
            for at, line in enumerate(lines):
                named = str(at + 1) in silent or any("f.par:%d:" % (at + 1) in note for note in notes)
                listed += named
                idle = line.startswith(SILENT) or (line.startswith("lats[") and "threshold" not in line)
                if not named and not idle and dice.random() < 0.5:
                    tried += 1
                    self.assertTrue(self.matters(lines, at, text), "%s goes without a trace:\n%s" % (line, "\n".join(lines + notes + [text])))
        print("%d files, %d lines listed, %d lines changed" % (self.files, listed, tried))
        self.assertGreater(tried, self.files / 4)
        self.assertGreater(listed, self.files)


main()
