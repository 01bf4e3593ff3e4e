#!/usr/bin/env python3
"""advice.py CARDIAC SOURCE: the commands that messages advise, run on files of the kind that ends so.

A row of ROWS has the command as the source has it, what ends with a message that names it, the words that stand for its
capitals, and what must then succeed. Every command in backticks in the texts of the C sources must be in a row, or have
help where it is named without arguments. A tool that is not installed is left out and named, after its message was seen; foreign_meshes.py
--convert has more files of meshio, Gmsh and VTK."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

cardiac, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.chdir(tempfile.mkdtemp())

CONFIG = """version: 1
mesh: {cable: {length: 2 mm, spacing: 0.2 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: tp06-epi, conductivity: 0.1 S/m}]}
stimuli: [{where: x < 0.5 mm, duration: 1 ms, current: 50 uA/uF}]
time: {end: 1 ms, step: 0.05 ms}
output: {directory: result, every: 1 ms}
"""
TETRA = ["0 0 0", "1000 0 0", "0 1000 0", "0 0 1000"]


def write(name, text):
    with open(name, "w") as out:
        out.write(text)


def carp(name, points, elements):
    """An openCARP mesh, in um"""
    write(name + ".pts", "\n".join([str(len(points)), *points, ""]))
    write(name + ".elem", "\n".join([str(len(elements)), *elements, ""]))


def make():
    """The files of ROWS"""
    far = ["1000 1000 1000"]
    carp("twice", TETRA, ["Tt 0 1 2 3 1", "Tt 3 2 1 0 1"])
    carp("node_twice", TETRA, ["Tt 0 1 2 3 1", "Tt 0 1 2 2 1"])
    carp("loose", TETRA + far, ["Tt 0 1 2 3 1"])
    carp("flat", TETRA + ["500 0.0001 0", *far], ["Tt 0 1 2 3 1", "Tt 0 1 4 2 1", "Tt 1 2 3 5 1"])
    carp("doubles", TETRA + ["1000 0 0", "0 1000 0", "0 0 1000", *far], ["Tt 0 1 2 3 1", "Tt 4 5 6 7 1"])
    carp("needles", ["%d 0 0" % x for x in (0, 1000, 2000, 2001, 3000, 4000, 5000)], ["Ln %d %d 1" % (i, i + 1) for i in range(6)])
    carp("mixed", TETRA + far, ["Tt 0 1 2 3 1", "Ln 3 4 2"])
    carp("tissue", TETRA + far, ["Tt 0 1 2 3 1", "Tt 1 2 3 4 2"])
    write("stray.node", "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n")
    write("stray.ele", "2 4 0\n0 0 1 2 3\n1 1 2 3 4\n")
    write("stray.face", "2 1\n0 0 1 2 1\n1 0 1 4 2\n")
    write("torso.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 9 \"wire\"\n3 1 \"body\"\n$EndPhysicalNames\n$Nodes\n4\n"
                       "1 -9 -9 -9\n2 99 0 0\n3 0 99 0\n4 0 0 99\n$EndNodes\n$Elements\n2\n1 1 2 9 1 1 2\n2 4 2 1 1 1 2 3 4\n$EndElements\n")
    write("a.yaml", CONFIG)
    write("sweep.yaml", CONFIG + "sweep: {time.end: [1 ms, 2 ms]}\n")
    write("extract.yaml", CONFIG.replace("{cable: {length: 2 mm, spacing: 0.2 mm}}", "{file: tissue.elem}").replace("tags: all", "tags: [1]"))
    write("torso.yaml", CONFIG.replace("{cable: {length: 2 mm, spacing: 0.2 mm}}", "{slab: {size: [1 mm, 1 mm, 1 mm], spacing: 0.5 mm}}").replace("conductivity: 0.1 S/m", "conductivity: {intra: 0.2 S/m, extra: 0.2 S/m}")
          + "ecg: {conductor: {file: torso.msh, scale: 1 mm, regions: [{tags: [2], conductivity: 0.2 S/m}]}, electrodes: {RA: [9 mm, 9 mm, 9 mm], LA: [20 mm, 9 mm, 9 mm], LL: [9 mm, 30 mm, 9 mm]}}\n")
    write("a.par", "meshname = tissue\ntend = 1\nnum_stim = 0\nnum_imp_regions = 1\nimp_region[0].im = tenTusscherPanfilov\n")
    write("sheet.stl", "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n")
    write("first.msh", "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n1\n1 4 1 1 4 1 2 3 4\n$ENDELM\n")
    write("curved.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 2 0 0\n3 1 0 0\n$EndNodes\n$Elements\n1\n1 8 2 1 1 1 2 3\n$EndElements\n")
    write("image.vtk", "# vtk DataFile Version 3.0\nimage\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 2\nORIGIN 0 0 0\nSPACING 1 1 1\n")
    write("heart.mesh", "MFEM mesh v1.0\n\ndimension\n3\n\nelements\n1\n1 4 0 1 2 3\n\nboundary\n0\n\nvertices\n4\n3\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n")
    write("m.cellml", '<model xmlns="http://www.cellml.org/cellml/1.0#" xmlns:cellml="http://www.cellml.org/cellml/1.0#" name="m"><component name="c">'
          '<variable name="time" units="dimensionless"/><variable name="V" units="dimensionless" initial_value="1"/>'
          '<math xmlns="http://www.w3.org/1998/Math/MathML"><apply><eq/><apply><diff/><bvar><ci>time</ci></bvar><ci>V</ci></apply>'
          '<cn cellml:units="dimensionless">-1</cn></apply></math></component></model>')
    write("m.ode", "parameters(a=1)\nstates(x=1)\ndx_dt = -a * x\n")
    write("pointer.msh", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7324\n")
    with open("vm.igb", "wb") as out:
        out.write(b"x:11 y:1 z:1 t:2 type:float systeme:little_endian".ljust(1024) + bytes(4 * 22))


# command in the source, what names it, the words for its capitals, what then must succeed
ROWS = [
    ("cardiac mesh repair IN OUT --drop-duplicates", "mesh info twice.elem", {"IN": "twice.elem", "OUT": "o1.elem"}, "mesh info o1.elem"),
    ("cardiac mesh repair IN OUT --drop-duplicates", "mesh info node_twice.elem", {"IN": "node_twice.elem", "OUT": "o2.elem"}, "mesh info o2.elem"),
    ("cardiac mesh repair IN OUT --drop-loose", "mesh info loose.elem", {"IN": "loose.elem", "OUT": "o3.elem"}, "mesh info o3.elem"),
    ("cardiac mesh repair IN OUT --collapse LENGTH", "mesh info flat.elem", {"IN": "flat.elem", "OUT": "o4.elem", "LENGTH": "1um"}, "mesh info o4.elem"),
    ("cardiac mesh repair IN OUT --merge LENGTH", "mesh info doubles.elem", {"IN": "doubles.elem", "OUT": "o5.elem", "LENGTH": "1nm"}, "mesh info o5.elem"),
    ("cardiac mesh repair IN OUT --collapse %.2gmm", "mesh info needles.elem", {"IN": "needles.elem", "OUT": "o6.elem"}, "mesh info o6.elem"),
    ("cardiac mesh repair IN OUT --drop-stray", "mesh info stray.node --scale 1mm", {"IN": "stray.node --scale 1mm", "OUT": "o7.msh"}, "mesh info o7.msh --scale 1mm"),
    ("cardiac mesh extract IN OUT --regions TAGS", "check extract.yaml", {"IN": "tissue.elem", "OUT": "o8.elem", "TAGS": "1"}, "check extract.yaml --set mesh.file=o8.elem"),
    ("cardiac mesh extract IN OUT --regions TAGS", "check torso.yaml", {"IN": "torso.msh --scale 1mm", "OUT": "o9.msh", "TAGS": "1"}, "mesh info o9.msh --scale 1mm"),
    ("cardiac mesh extract IN OUT --regions TAGS", "mesh refine mixed.elem o10.elem", {"IN": "mixed.elem", "OUT": "o11.elem", "TAGS": "1"}, "mesh refine o11.elem o12.elem"),
    ("cardiac import", "check a.par", {"import": "import a.par > imported.yaml"}, "check --syntax imported.yaml"),
    ("cardiac info", "check result/run.vtkhdf", {"info": "info result/run.vtkhdf"}, "info result/run.vtkhdf"),
    ("cardiac info --config", "info result/run.vtkhdf", {"info": "info result/run.vtkhdf"}, "info result/run.vtkhdf"),
    ("cardiac sweep", "run sweep.yaml", {"sweep": "sweep sweep.yaml --output table.csv"}, "check sweep.yaml"),
    ("cardiac sweep --dry-run", "check sweep.yaml", {"sweep": "sweep sweep.yaml"}, "check sweep.yaml"),
    ("cardiac check --keys", "keys nosuchkeyatall", {}, "keys mesh"),
    ("cardiac keys maps", "check a.yaml --set output.maps=[nosuch]", {}, "keys maps"),
    ("cardiac models", "check a.yaml --set tissue.regions[0].model=nosuch", {}, "models"),
    ("cardiac models %s", "check a.yaml --set tissue.regions[0].parameters={g_nosuch:1}", {}, "models tp06-epi"),
    ("cardiac cell --save", "check a.yaml --set tissue.regions[0].initial.pace=100000 --set tissue.regions[0].initial.period=100000ms --set time.step=0.001", {"cell": "cell tp06-epi --beats 1", "--save": "--save states.json"}, "models"),
    ("meshio convert IN OUT.vtu", "mesh info sheet.stl --scale 1mm", {"IN": "sheet.stl", "OUT.vtu": "p1.vtu"}, "mesh info p1.vtu --scale 1mm"),
    ("gmsh IN -save -format msh22 -o OUT.msh", "mesh info first.msh --scale 1mm", {"IN": "first.msh", "OUT.msh": "p2.msh"}, "mesh info p2.msh --scale 1mm"),
    ("gmsh -string 'Merge \\\"IN\\\"; SetOrder 1; Save \\\"OUT.msh\\\";' -parse_and_exit", "mesh info curved.msh --scale 1mm",
     {"IN": os.path.abspath("curved.msh"), "OUT.msh": os.path.abspath("p3.msh")}, "mesh info p3.msh --scale 1mm"),
    ("python3 -c \\\"import pyvista; pyvista.read('IN').cast_to_unstructured_grid().triangulate().save('OUT.vtu')\\\"", "mesh info image.vtk --scale 1mm",
     {"IN": "image.vtk", "OUT.vtu": "p4.vtu"}, "mesh info p4.vtu --scale 1mm"),
    ("python3 -c \\\"import mfem.ser; mfem.ser.Mesh('IN').PrintVTU('OUT')\\\"", "mesh info heart.mesh --scale 1mm", {"IN": "heart.mesh", "OUT": "p5"}, "mesh info p5.vtu --scale 1mm"),
    ("myokit import cellml MODEL.cellml MODEL.mmt", "cell m.cellml", {"MODEL.cellml": "m.cellml", "MODEL.mmt": "m.mmt"}, "check a.yaml"),
    ("gotranx ode2cellml MODEL.ode -o MODEL.cellml && myokit import cellml MODEL.cellml MODEL.mmt", "cell m.ode",
     {"MODEL.ode": "m.ode", "MODEL.cellml": "o.cellml", "MODEL.mmt": "o.mmt"}, "check a.yaml"),
    ("git lfs pull", "mesh info pointer.msh --scale 1mm", None, None),
    ("python3 -c \\\"import numpy; numpy.savetxt('OUT', numpy.fromfile('IN', 'f4', offset=1024)[-COUNT:])\\\"", "check a.yaml --set mesh.arrays.vm=vm.igb",
     {"IN": "vm.igb", "OUT": "vm.dat", "COUNT": "11"}, "check a.yaml --set mesh.arrays.vm=vm.dat"),
]


def advised():
    """The commands in the C sources' texts"""
    for path in glob.glob(source + "/app/**/*.[ch]", recursive=True) + glob.glob(source + "/solver/**/*.[ch]", recursive=True):
        with open(path) as file:
            text = re.sub(r'"\s*\\?\n\s*"', "", re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S))
        for words in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
            for command in re.findall(r"`((?:cardiac|meshio|gmsh|git|myokit|gotranx|python3) [^`]*)`", words):
                yield command, os.path.relpath(path, source)


def run(command):
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def shell(words):
    return f"'{cardiac}' " + " ".join(f"'{word}'" for word in words.split(" "))


def missing(command):
    """What a command needs and this machine lacks, or None"""
    module = re.search(r"import ([\w.]+);", command)
    if module:
        return module[1] if run(f"python3 -c 'import {module[1]}'")[0] else None
    tool = command.split()[0]
    return "a repository" if tool == "git" else None if tool == "cardiac" or shutil.which(tool) else tool


def try_row(command, by, words, then):
    """What is wrong with a row, or None"""
    _, said = run(shell(by))
    shown = command.replace('\\"', '"')
    found = re.search(re.escape(shown).replace("%s", r"[\w-]+").replace(r"%\.2gmm", r"[\d.e-]+mm"), " ".join(said.split()))
    if not found:
        return f"cardiac {by}: does not name `{shown}`: {said}"
    if words is None:
        return None
    text = re.sub("|".join(rf"(?<!\w){re.escape(word)}(?![\w-])" for word in words) or "$^", lambda m: words[m[0]], found[0])
    status, said = run(text.replace("cardiac", f"'{cardiac}'", 1) if text.startswith("cardiac") else text)
    if status:
        return f"{text}: status {status}: {said}"
    status, said = run(shell(then))
    return f"after {text}: cardiac {then}: status {status}: {said}" if status else None


def main():
    failed = []
    make()
    assert run(shell("run a.yaml --quiet"))[0] == 0
    known = {row[0] for row in ROWS}
    for command, path in sorted(set(advised())):
        named = re.fullmatch(r"cardiac((?: [a-z]+)*)(?: %s| NAME| BUNDLE)?", command)
        if command not in known and "pyvista" not in command and not (named and run(shell((named[1] + " --help").strip()))[0] == 0):
            failed.append(f"{path}: `{command}` is advised, but is no command and runs in no row")
    for command, by, words, then in ROWS:
        absent = missing(command)
        wrong = try_row(command, by, None if absent else words, then)
        failed += [wrong] if wrong else []
        if absent:
            print(f"left out: {absent}: `{command}`")
    print("\n".join(failed))
    shutil.rmtree(os.getcwd())
    sys.exit(1 if failed else 0)


main()
