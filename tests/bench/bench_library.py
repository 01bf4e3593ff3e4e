# bench_library.py CARDIAC SOURCE [ROWS]: what libcardiac costs: a look at V after every ms of a sheet of 100,000 nodes beside no look, and
# a study of ROWS (1000) rows by Simulation.reopen beside `cardiac sweep`: wall and CPU seconds, and memory.
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings

program, source = (os.path.abspath(path) for path in sys.argv[1:3])
rows = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
os.environ.update(CARDIAC=program, CARDIAC_LIBRARY=os.path.join(os.path.dirname(program), "libcardiac.so"))
sys.path.insert(0, os.path.join(source, "app/python"))
import cardiac

warnings.simplefilter("ignore")
SHEET = {"mesh": {"sheet": {"size": [63, 63], "spacing": 0.2}}, "tissue": {"surface_to_volume": "140 /mm", "regions": [
    {"model": "tp06-epi", "conductivity": "0.2 S/m"}]}, "time": {"step": 0.05},
    "stimuli": [{"name": "S1", "where": "x < 1 mm", "duration": 2, "current": "50 uA/uF"}]}
CABLE = """version: 1
mesh: {cable: {length: 20 mm, spacing: 0.2 mm}}
tissue: {surface_to_volume: 140 /mm, regions: [{model: tp06-epi, conductivity: 0.14 S/m}]}
stimuli: [{name: S1, where: x < 1 mm, duration: 2 ms, current: 52 uA/uF}]
time: {end: 20 ms, step: 0.05 ms}
threads: 1
"""


def spent(who=resource.RUSAGE_SELF):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def look():
    """Seconds of 10 ms, with and without a look at V each ms: the least of three"""
    least = {}
    with cardiac.Simulation(SHEET) as sim:
        state = sim.copy()
        for _ in range(3):
            for every in (10, 1):
                sim.restore(state)
                began = spent()
                for ms in range(every, 11, every):
                    sim.advance(ms, progress=False)
                    if every == 1:
                        sim["V"].max()
                least[every] = min(least.get(every, 1e9), spent() - began)
    cost = 100 * (least[1] / least[10] - 1)
    print("10 ms of %d nodes: %.3f s of CPU; with a look each ms %.3f s: %+.2f %%" % (sim.nodes, least[10], least[1], cost))
    return cost


def study(folder):
    config = os.path.join(folder, "cable.yaml")
    with open(config, "w") as file:
        file.write(CABLE)
    values = [0.1 + 0.1 * k / rows for k in range(rows)]
    with open(os.path.join(folder, "rows.csv"), "w") as file:
        file.write("stimuli[0].current\n" + "".join("%.6g uA/uF\n" % (500 * value) for value in values))
    wall, cpu = time.perf_counter(), spent(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "sweep", config, "--table", os.path.join(folder, "rows.csv"), "--output", os.path.join(folder, "s"), "--quiet"],
                   check=True, stderr=subprocess.DEVNULL)
    print("%d rows by cardiac sweep: %.2f s of wall time, %.2f s of CPU, %.0f MB" % (
        rows, time.perf_counter() - wall, spent(resource.RUSAGE_CHILDREN) - cpu, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), spent()
    with cardiac.Simulation(config) as sim:
        for value in values:
            sim.reopen({"stimuli[0].current": "%.6g uA/uF" % (500 * value)})
            sim.advance(20, progress=False)
            sim.results
    print("%d rows by Simulation.reopen: %.2f s of wall time, %.2f s of CPU, %.0f MB of which %.0f MB are new" % (
        rows, time.perf_counter() - wall, spent() - cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3))


with tempfile.TemporaryDirectory() as scratch:
    study(scratch)
sys.exit(look() > 5)
