"""Parameter files at random, most with values that a config cannot have: what import prints is always a config, and each line of the
file is in it or listed. A line that is not listed changes the config if it is removed or has another value."""
import os
import random
import subprocess

from support import Case, cardiac_program, main

from cardiac.convert.opencarp import convert
from cardiac.text import terminal

NAMES = """simID tend dt spacedt timedt parab_solve mass_lumping num_imp_regions num_gregions num_stim num_LATs num_gvecs bidm_eqv_mono
prepacing_beats prepacing_bcl imp_region[#].im imp_region[#].im_param imp_region[#].ID imp_region[#].ID[#] imp_region[#].num_IDs
imp_region[#].cellSurfVolRatio gregion[#].ID gregion[#].ID[#] gregion[#].num_IDs gregion[#].g_il gregion[#].g_it gregion[#].g_in
gregion[#].g_el gregion[#].g_et gregion[#].g_mult stim[#].name stim[#].crct.type stim[#].pulse.strength stim[#].pulse.strength
stim[#].ptcl.start stim[#].ptcl.duration stim[#].ptcl.npls stim[#].ptcl.bcl stim[#].elec.p0 stim[#].elec.p1[#] stim[#].elec.geom_type
stim[#].elec.radius stim[#].elec.geomID stim[#].elec.vtx_file stim[#].nonsense stimulus[#].strength stimulus[#].x0 stimulus[#].xd
stimulus[#].ctr_def stimulus[#].duration lats[#].measurand lats[#].mode lats[#].method lats[#].threshold lats[#].all gvec[#].ID
gvec[#].ID[0] phie_rec_ptf chkpt_intv cg_tol_parab adjustment[#].file phys_region[#].ptype""".split()
VALUES = """0|1|2|3|-1|0.5|0.1|7|12|25|100|400|1e-9|1e9|1e300|-1e300|1e400|nan|inf||x|-0|0x10|1_0|1 2|1, 2, 3|21, 23, 25, 27|1,,2|1 2 x|2.5
100 200 300|100 200 300 400|1e20|slab|"two words"|'it'|"with # sign"|a: b|- x|{|[1|&a|*a|!tag|~|null|\udcff\udcfe|\x01|café|all|S1|S2|leads
corner|Cai|Ca_i|V|INa|Nothing|tenTusscherPanfilov|LuoRudy91|OHara|LRDII_F|"flags=ENDO,GNa*0.9,Gks-50%,GK1=5.0"|"flags=NONE,GNa*-1"
GNa*2,GNa*3,GKr=nan,GKs/0,GKr+x,GNa*1e400|GK1=-5,flags=EPI,flags=MCELL|%s%n|../../etc/passwd|/""".replace("\n", "|").split("|")
# What suits the end of a name, so that not all is refused; never a factor of 0, which hides others
FITTING = {"g_mult": "0.5 2 x", "strength": "50 60.5 20", ".im": "OHara LuoRudy91 MitchellSchaeffer", "duration": "1 2 0.5", "dt": "10 20 25",
           "tend": "10 20 33", "num_stim": "1 3 4", "npls": "2 3 4", "bcl": "300 400 500", "im_param": "GNa*0.5 GKr*2 GNa=3"}
OTHERS = ["0", "1", "2", "3.5", "corner", "LuoRudy91", "1 2 3"]
SILENT = ("meshname", "dt", "num_", "gregion[0].ID", "imp_region[0].ID")  # errors; a count of items; a first region also has the elements of no list


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
            file.write(text)
        done = subprocess.run([cardiac_program, "check", "--syntax", "f.yaml"], capture_output=True, text=True, errors="replace")
        self.assertEqual(done.returncode, 0, "\n".join([done.stderr, text] + notes))
        for note in notes:
            self.assertTrue(terminal(note).isprintable(), repr(note))
        return text, notes

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
