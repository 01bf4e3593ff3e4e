"""Parameter files at random, most with values that a config cannot have: what import prints is always a config, and each line of the
file is in it or listed. A line that is not listed changes the config if it is removed or has another value."""
import csv
import os
import random
import re
import subprocess
from pathlib import Path
from unittest import mock

from support import Case, cardiac_program, main

from cardiac.convert.models import FACTORS, PARAMETERS
from cardiac.convert.opencarp import convert
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


def make_line(dice):
    name = "".join(str(dice.randrange(dice.randint(1, 3))) if c == "#" else c for c in dice.choice(NAMES))
    value = dice.choice(VALUES)
    for end, fitting in FITTING.items():
        if name.endswith(end) and (end in ("g_mult", "dt") or dice.random() < 0.7):
            value = dice.choice(fitting.split())
    return "%s = %s" % (name, value)


class Import(Case):
    files = int(os.environ.get("CARDIAC_IMPORT_FILES", "20"))

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
