# random_reopens.py CARDIAC SOURCE COUNT SEED: a simulation that is reopened with a random value of a random key is one that a fresh
# process opens with it, bit by bit, or both refuse it with the same words; what is refused changes nothing. Configs, keys and values are
# drawn as in tests/cli/random_configs.py.
import hashlib
import json
import os
import random
import sys
import warnings

program, source = (os.path.abspath(path) for path in sys.argv[1:3])
count, seed = int(sys.argv[3]), int(sys.argv[4])
library = os.path.join(os.path.dirname(program), "libcardiac.so")
if not os.path.exists(library):
    print("no libcardiac.so beside the program: skipped")
    sys.exit(77)
os.environ.update(CARDIAC=program, CARDIAC_LIBRARY=library)
sys.path[:0] = [os.path.join(source, "app/python"), os.path.join(source, "tests/cli")]
try:
    import numpy
except ImportError as missing:
    print(missing)
    sys.exit(77)
import cardiac

warnings.simplefilter("ignore")


def outcome(sim, end):
    """A digest of all that a simulation knows at its end, or how it failed"""
    try:
        sim.advance(end, progress=False)
    except cardiac.Error as error:
        return "%d %s" % (error.status, error)
    sha = hashlib.sha256()
    for name in sorted(sim.fields):
        sha.update(name.encode() + numpy.nan_to_num(sim[name], nan=-12345).tobytes())
    results = sim.results
    sha.update(json.dumps([results["activated"], results["stimuli"], results["regions"]]).encode())
    return sha.hexdigest()


def serve(questions, answers):
    """Each question in a process of its own, as new as this one"""
    for line in os.fdopen(questions):
        child = os.fork()
        if child == 0:
            path, overrides, end = json.loads(line)
            found = opened(lambda: cardiac.Simulation(path, overrides), end)[1]
            os.write(answers, (json.dumps(found) + "\n").encode())
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            os.write(answers, b'"the fresh process failed"\n')


def opened(call, end):
    try:
        sim = call()
    except cardiac.InputError as error:
        return None, str(error)
    return sim, outcome(sim, end)


# Before anything is opened here: processes with what was imported, which takes longer than a simulation
(questions, ask), (answer, answers) = os.pipe(), os.pipe()
if os.fork() == 0:
    os.close(ask)
    serve(questions, answers)
    os._exit(0)
os.close(questions)
ask, answer = os.fdopen(ask, "w", buffering=1), os.fdopen(answer)


def fresh(*question):
    print(json.dumps(question), file=ask)
    return json.loads(answer.readline())


sys.argv[1:] = [program, "", "", "", source, str(count), str(seed)]
import random_configs as draw  # noqa: E402

keys = draw.table()
choice = random.Random(seed)
changes = refused = number = 0
while changes < count:
    number += 1
    drawing = draw.Drawing(keys, number)
    config = drawing.config()
    end = drawing.step * drawing.steps
    path = os.path.join(drawing.folder, "config.yaml")
    with open(path, "w") as file:
        json.dump(config, file)
    sim, last = opened(lambda: cardiac.Simulation(path), end)
    if not sim:
        continue
    overrides = {}
    for _ in range(6):
        key = choice.choice([key for key in keys if "[]" not in key and key not in draw.LEFT_OUT and not key.startswith(("mesh.", "time."))] + ["mesh"])
        value = drawing.DRAW[key](drawing) if key in drawing.DRAW else drawing.draw_plain(key)
        if value is None:
            continue
        now = {**overrides, key: value}
        want = fresh(path, now, end)
        try:
            sim.reopen({key: value})
        except cardiac.InputError as error:
            refused += 1
            got = str(error)
            if not last.startswith("3 ") and outcome(sim, end) != last:  # after a failure no step is taken
                draw.fail("%s: %r was refused and has changed something\n%s" % (key, value, json.dumps(config)))
        else:
            overrides, last = now, outcome(sim, end)
            got = last
        changes += 1
        if got != want:
            draw.fail("config %d, %s: %r\n  %s\n  %s\n%s" % (number, json.dumps(overrides), value, got, want, json.dumps(config)))
    sim.close()
print("%d changes of %d configs, %d refused" % (changes, number, refused))
if 2 * refused > changes:
    draw.fail("more than half of the changes are refused")
