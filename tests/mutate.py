#!/usr/bin/env python3
"""mutate.py: do the tests bite? Changes one token at a time in C and Python and runs the tests.

    tests/mutate.py [--per-room N] [--seed S] [--of REGEX] [--again FILE] [--most SECONDS] [--build FOLDER] [--list] [--jobs N]

A mutant is one token of a function in kernels, solver or app (without the bench) replaced: an operator, a direction or strictness of a
comparison, a number, an index shifted by one. Each room, a line of tests/mutants_tests.txt, has N of them (60), fixed by the seed, from
files whose path REGEX matches. Those in headers and in tables outside functions are passed over, since they cannot be switched; so are
those that do not compile, and those that by construction change no bit of any output, which stand in tests/equivalent_mutants.txt with an
argument each.

The tree is copied to FOLDER and built once: each mutant of C is a copy of its function, which the environment variable MUTANT=K puts in the
place of the original. A mutant costs the tests that its room names, in their order, up to the first that fails. The output is a line a
mutant, as they end, "killed by TEST | MUTANT" or "SURVIVED | MUTANT"; --again tests those that a file of such lines has as killed, by their
test first, and draws others up to --per-room, and where their line is gone. tests/mutants_killed.txt is such a file.
Ends with 1 when fewer than 19 of 20 were killed.
"""
import argparse
import concurrent.futures
import io
import itertools
import json
import os
import pathlib
import queue
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tests" / "equivalent_mutants.txt"
ROOMS = ROOT / "tests" / "mutants_tests.txt"

# What is not code: comments, strings, characters, preprocessor lines with their continuations.
NOT_CODE = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
TOKEN = re.compile(
    r"(?P<number>(?<![\w.])(?:0[xX][0-9a-fA-F.]+(?:[pP][+-]?\d+)?|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)[uUlLfF]*(?![\w.]))"
    r"|(?P<operator><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|%=|[-+*/%<>&|^]|\band\b|\bor\b)"
    r"|(?P<index>\[(?=[A-Za-z_]\w*\]))")
SWAPS = {
    "<": ["<=", ">"], ">": [">=", "<"], "<=": ["<", ">="], ">=": [">", "<="], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"], "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"],
    "and": ["or"], "or": ["and"],
}


def sources(pattern):
    paths = (path for folder in ("kernels", "solver", "app") for path in (ROOT / folder).rglob("*.*"))
    return sorted(path for path in paths if path.suffix in (".c", ".py") and "bench" not in path.parts
                  and re.search(pattern, str(path.relative_to(ROOT))))


def blanked(text, python):
    """The text with everything that is not code turned to blanks, so that places stay."""
    def blank(words):
        return re.sub(r"[^\n]", " ", words)
    if not python:
        return NOT_CODE.sub(lambda hit: blank(hit.group()), text)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            begin, end = (starts[line - 1] + column for line, column in (token.start, token.end))
            text = text[:begin] + blank(text[begin:end]) + text[end:]
    return text


def is_binary(code, place, length):
    """Whether * & + - < > at this place have an operand on their left: a*b, not *p, nor a type's star."""
    left = code[:place].rstrip()
    if not left or not (left[-1].isalnum() or left[-1] in "_)]"):
        return False
    if re.search(r"\b(return|case|sizeof|const|double|float|int|void|char|bool|\w+_t|REAL|struct\s+\w+)$", left):
        return False
    return code[place + length:place + length + 1] == " "  # our format sets blanks around binary operators


def changed_numbers(token):
    suffix = re.search(r"[uUlLfF]*$", token).group() if not token.lower().startswith("0x") else ""
    body = token[:len(token) - len(suffix)]
    if body.lower().startswith("0x"):
        if "p" in body.lower():  # a hexadecimal float: one digit, the second after the point, moved
            hit = re.search(r"\.[0-9a-f]([0-9a-f])", body)
            digit = hit and "0123456789abcdef"[(int(hit.group(1), 16) + 1) % 16]
            return [body[:hit.start(1)] + digit + body[hit.end(1):]] if hit else []
        return [hex(int(body.rstrip("uUlL"), 16) + 1) + "u"]
    if re.fullmatch(r"\d+", body):
        value = int(body)
        return [str(value + 1) + suffix] + ([str(value - 1) + suffix] if value > 0 else [])
    return [(repr(float(body) * 1.01) if float(body) else "1.0") + suffix]


ARRAY = re.compile(  # a declaration up to the length of an array. Group: its name
    r" *(?:static )?(?:const )?(?:(?:struct|enum|unsigned) )?(?!return|else|case|goto)\w+ "
    r"(?:\*?\w+(?:\[\w+\])?(?: = (?:\{[^{}]*\}|[\w.-]+))?, )*\*?(\w+)\[$")


def is_slack(code, place, token, new):
    """Whether another token changes nothing by construction: the length of a local text of 30 or more, which nothing fills to its last
    character (what is written to it is cut at its size, and nothing is cut); a longer array whose size nothing asks; a bound on the error of
    rounding, or a solver's tolerance, moved by a hundredth; the bytes that error_memory() says were missing; the status of an error that
    only a call that fails sets; an identifier of HDF5 compared with 0, which is none; how large or thick what a figure shows is, as long as it
    is seen."""
    line, after = code[code.rfind("\n", 0, place) + 1:place], code[place + len(token):]
    before = code[max(0, place - 300):place]
    declared, longer = ARRAY.match(line), new.endswith(" + 1") or token.isdecimal() and new.isdecimal() and int(new) > int(token)
    if re.match(r" *char \w[\w ,=[\]]*\[$", line) and after.startswith("]") and not after.startswith("]["):
        return not token.isdecimal() or int(token) >= 30
    if declared and re.match(r"\](?:[;,]| =)", after):
        return longer and not re.search(rf"\bsizeof \*?{declared[1]}\b", code)
    if longer and re.search(r"\barray_(?:new|zeroed)\([^,;]*$", before):
        return not re.search(r"(?:[-/%<>=]|\[) ?$", before)
    if error := token == "0" and re.search(r"\bstruct error (\w+) = \{$", line):
        return new == "1" and not re.search(rf"\b{error[1]}\.status\b", code)
    if token in ("<", ">", "<=", ">=") and new[0] == token[0]:
        lesser = re.match(r"\s(.+?)\s\?\s(.+?)\s:\s(.+?)(?=[;,)\]}])", after[:200], re.S)
        other = lesser and (lesser[3] if lesser[2] == lesser[1] else lesser[2] if lesser[3] == lesser[1] else None)
        if other and re.search(rf"(?:[=(\[?:,]|&&|\|\||\breturn)\s*{re.escape(other)} $", before):  # all of the left side
            return True
    compared = re.search(r"\b(\w+) (>=|<) $", line + (f"{token} " if token in (">=", "<") else ""))
    if compared and (token == "0" or after.startswith(" 0")) and new in ("1", ">", "<="):
        if any(re.search(rf"(?:^|,\s){compared[1]}(?: =|$|[,\[])", names) and (token == "0" or (compared[2], new) in ((">=", ">"), ("<", "<=")))
               for names in re.findall(r"\bhid_t \*?([^;()]*)", code)):
            return True
    if re.search(r"\b(?:fontsize|labelsize|linewidths?|markersize|markeredgewidth|capsize|rotation|alpha|pad|aspect|shrink|fraction)=$", line):
        return not token.isdecimal() or int(token) > 0 and int(new) > 0
    return bool(re.search(r"\berror_memory\(.*, $", line)
                or "e-" in token and float(token.rstrip("fF")) < 1e-5 and re.search(r"(?:[<>]=?|tolerance =) $", line))


def candidates(code):
    """(place, token, replacement) of every mutant of a source, blanked."""
    for hit in TOKEN.finditer(code):
        token, place = hit.group(), hit.start()
        if hit.lastgroup == "number":
            yield from ((place, token, new) for new in changed_numbers(token) if not is_slack(code, place, token, new))
        elif hit.lastgroup == "index":
            name = re.match(r"\[(\w+)", code[place:]).group()
            if not is_slack(code, place + 1, name[1:], name[1:] + " + 1"):
                yield place, name, name + " + 1"
        elif token in SWAPS and is_binary(code, place, len(token)):
            yield from ((place, token, new) for new in SWAPS[token] if not is_slack(code, place, token, new))


# Our format sets the braces of a function in column 0. Groups: head, name, parameters, body
FUNCTION = re.compile(r"^(\w[\w *]*?\b(\w+)\(([^;{}]*)\))\n\{\n(.*?)^\}\n", re.S | re.M)
# No warnings, of later stages of the compiler neither
QUIET = "#pragma GCC system_header\n" + "".join(f'#pragma GCC diagnostic ignored "-W{name}"\n' for name in (
    "array-bounds", "stringop-overflow", "stringop-overread", "maybe-uninitialized", "uninitialized", "aggressive-loop-optimizations",
    "format-truncation", "format-overflow", "nonnull", "free-nonheap-object", "alloc-size-larger-than=", "use-after-free", "restrict"))
# Before a source with mutants: MUTANT=K has the K-th take the place of its function.
PRELUDE = """#include <stdlib.h>
static int mutant__;
__attribute__((constructor)) static void read_mutant__(void)
{
    mutant__ = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0;
}
"""


class Mutant:
    """One token of a source changed, in a function: what FUNCTION matched, in Python None."""

    def __init__(self, path, text, place, token, new, hit):
        self.path, self.text, self.place, self.token, self.new, self.hit = path, text, place, token, new, hit
        self.source = str(path.relative_to(ROOT))
        start = text.rfind("\n", 0, place) + 1
        self.name = f"{self.source}: {text[start:text.find(chr(10), place)].strip()}: {token} -> {new}"
        before = text[start:place]
        if before.count(token):  # which of several equal tokens of the line
            self.name += f" (token {before.count(token) + 1})"

    def mutated(self, start=0, end=None):
        return self.text[start:self.place] + self.new + self.text[self.place + len(self.token):end]


def mutants_of(path):
    """name -> mutant of one source; of equal lines the first"""
    text, python = path.read_text(), path.suffix == ".py"
    code, found = blanked(text, python), {}
    bodies = [] if python else [(hit.span(4), hit) for hit in FUNCTION.finditer(code) if "..." not in hit[3]]
    for candidate in candidates(code):
        inside = [None] if python else [hit for (begin, end), hit in bodies if begin <= candidate[0] < end]
        annotates = python and re.match(r"\[([A-Z]\w*|bool|bytes|float|int|list|object|str|tuple)$", candidate[1])
        if inside and not annotates:
            mutant = Mutant(path, text, *candidate, inside[0])
            found.setdefault(mutant.name, mutant)
    return found


def parameter_names(parameters):
    parameters = re.sub(r"\(\*+(?:const )?(\w+)\)(\([^()]*\))?", r"\1", re.sub(r"\[[^]]*\]", "", parameters))  # arrays, pointers to functions
    return [re.search(r"(\w+)\s*$", parameter)[1] for parameter in parameters.split(",") if parameter != "void"]


def switched(mutants):
    """The text of a source of C with a copy of the function for each of its (K, mutant)"""
    text, out, at = mutants[0][1].text, PRELUDE, 0
    for hit in sorted({mutant.hit for _, mutant in mutants}, key=lambda hit: hit.start()):
        head, name, arguments = text[hit.start(1):hit.end(1)], hit[2], ", ".join(parameter_names(hit[3]))
        own = [(number, mutant) for number, mutant in mutants if mutant.hit == hit]
        out += text[at:hit.start()] + head + ";\n"
        calls = ""
        for number, mutant in own:
            copy = head.removeprefix("static ").replace(f"{name}(", f"{name}__{number}(", 1)
            out += f"static {copy}\n{{\n{mutant.mutated(hit.start(4), hit.end())}"
            call = f"{name}__{number}({arguments});"
            calls += f"if (mutant__ == {number})\n    " + (
                f"{{ {call} return; }}\n" if re.search(rf"\bvoid {name}\(", head) else f"return {call}\n")
        out += f"{head}\n{{\n{calls}"
        at = hit.start(4)
    return out + text[at:]


def equivalent():
    """name of a mutant -> why it changes no bit"""
    table = {}
    for line in EQUIVALENT.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, argument = line.rpartition(" | ")
            if not name:
                sys.exit(f"{EQUIVALENT.name}: no argument after ' | ' in: {line}")
            table[name] = argument
    return table


def rooms_tests():
    """[(pattern of the paths, names of tests)] of each room"""
    lines = (line for line in ROOMS.read_text().splitlines() if line and not line.startswith("#"))
    return [(pattern, tests.split()) for pattern, _, tests in (line.partition(" | ") for line in lines)]


def room_of(path):
    """The first line of the table that matches"""
    source = str(path.relative_to(ROOT))
    return next((pattern for pattern, _ in rooms_tests() if re.match(pattern, source)), None)


class Tree:
    """A copy of the sources, its build and its tests."""

    def __init__(self, folder, jobs):
        self.tree, self.build_folder, self.jobs = folder, folder / "build", jobs
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, text=True,
                               stdout=subprocess.PIPE).stdout.split()
        for name in names:
            if (ROOT / name).is_file():
                self.write(name, (ROOT / name).read_bytes())
                shutil.copymode(ROOT / name, folder / name)
        subprocess.run(["cmake", "-S", folder, "-B", self.build_folder, "-DCARDIAC_CUDA=OFF"], check=True, stdout=subprocess.DEVNULL)
        commands = json.loads((self.build_folder / "compile_commands.json").read_text())
        self.commands = {command["file"]: command["command"] for command in commands}

    def write(self, name, data):
        path = self.tree / name
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def compiles(self, mutant):
        if not mutant.hit:
            return True
        command = re.sub(r" -o \S+ -c \S+$", " -w -fsyntax-only -x c -", self.commands[str(self.tree / mutant.source)])
        return not subprocess.run(shlex.split(command), input=switched([(1, mutant)]), text=True, cwd=self.build_folder,
                                  stderr=subprocess.DEVNULL).returncode

    def build(self, mutants):
        """With all mutants of C: numbers are places in the list, from 1."""
        sources = {}
        for number, mutant in enumerate(mutants, 1):
            if mutant.hit:
                sources.setdefault(mutant.source, []).append((number, mutant))
        for name, own in sources.items():
            self.write(f"{name}.inl", (QUIET + switched(own)).encode())
            self.write(name, f'#include "{name}.inl"\n'.encode())
        if subprocess.run(["cmake", "--build", self.build_folder, f"-j{self.jobs}"], stdout=sys.stderr).returncode:
            sys.exit("the tree with its mutants does not build")

    def list_tests(self, killers):
        """Each test that a room names and the killers: of ctest, or FILE:CLASS.TEST,... of a file of Python"""
        listed = json.loads(subprocess.run(["ctest", "--test-dir", self.build_folder, "--show-only=json-v1"], check=True, text=True,
                                           stdout=subprocess.PIPE).stdout)["tests"]
        listed, self.tests = {test["name"]: test for test in listed}, {}
        for name in itertools.chain(killers, *(tests for _, tests in rooms_tests())):
            file, _, parts = name.partition(":")
            if file not in listed:
                print(f"# no such test here: {file}", flush=True)
                continue
            more = ["-f", *filter(None, parts.split(","))] * file.startswith("python_")
            self.tests[name] = {**listed[file], "name": name, "command": listed[file]["command"] + more}


class Place:
    """Where one test runs at a time, on two cores: a folder that looks like the tree, with a package of its own for mutants of Python"""

    def __init__(self, tree, folder, cores):
        self.tree, self.folder, self.work, self.cores = tree, folder, folder / "build", cores
        self.process = None  # of the test
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "app").mkdir(parents=True)
        self.work.mkdir()
        for here, there, apart in ((tree.tree, folder, ("app", "build")), (tree.tree / "app", folder / "app", ("python",)),
                                   (tree.build_folder, self.work, ("cardiac", "python", "cache", "out"))):
            for path in here.iterdir():
                if path.name not in apart and path != folder.parent:
                    (there / path.name).symlink_to(path)
        shutil.copytree(tree.tree / "app" / "python", folder / "app" / "python", ignore=shutil.ignore_patterns("__pycache__"))
        (self.work / "python").symlink_to(folder / "app" / "python")
        os.link(tree.build_folder / "cardiac", self.work / "cardiac")

    def failure(self, test, number, seconds):
        """None: it passes, or is skipped; else its name, in a file of Python that of the first test that fails. A cache would pass the
        numbers of one mutant to the next."""
        properties = {one["name"]: one["value"] for one in test["properties"]}
        environment = dict(one.split("=", 1) for one in properties.get("ENVIRONMENT", ()))
        environment.update(MUTANT=str(number), XDG_CACHE_HOME=str(self.folder / "cache"), PYTHONDONTWRITEBYTECODE="1", OMP_WAIT_POLICY="passive")
        own = {str(self.tree.tree): str(self.folder), str(self.tree.build_folder / "cardiac"): str(self.work / "cardiac")}
        self.process = process = subprocess.Popen(
            [own.get(word, word) for word in test["command"]], cwd=self.work, env={**os.environ, **environment}, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=self.confine)
        try:
            said = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            return f"{test['name']}, which did not end"
        finally:
            self.end()
        if process.returncode in (0, 77):
            return None
        first = re.search(r"^(?:FAIL|ERROR): (\w+) \(__main__\.(\w+)", said, re.M)
        return test["name"].partition(":")[0] + (f":{first[2]}.{first[1]}" if first else "")

    def end(self):
        """Ends a test that takes too long, or all of them when this program is interrupted."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def confine(self):
        os.sched_setaffinity(0, self.cores)
        resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))

    def first_failure(self, number, mutant, tests):
        """Name of the first test that fails, or None: it survives."""
        copy = self.folder / mutant.source
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        try:
            if not mutant.hit:
                copy.write_text(mutant.mutated())
            return next(filter(None, (self.failure(test, number, 20 + 10 * test["seconds"]) for test in tests)), None)
        finally:
            if not mutant.hit:
                copy.write_text(mutant.text)


class Places:
    """As many as jobs, each used by one thread at a time"""

    def __init__(self, tree, jobs):
        self.jobs, self.free = jobs, queue.SimpleQueue()
        cores = sorted(os.sched_getaffinity(0))
        self.all = [Place(tree, tree.tree / "places" / str(k), {cores[k % len(cores)], cores[(k + 1) % len(cores)]}) for k in range(jobs)]
        for place in self.all:
            self.free.put(place)

    def each(self, call, items):
        """(item, call(place, item)) of all items, as they end"""
        def one(item):
            place = self.free.get()
            try:
                return item, call(place, item)
            finally:
                self.free.put(place)
        pool = concurrent.futures.ThreadPoolExecutor(self.jobs)
        try:
            for done in concurrent.futures.as_completed([pool.submit(one, item) for item in items]):
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for place in self.all:
                place.end()

    def measure(self, tests, most):
        """Runs each once without a mutant, for its seconds; those that fail so, or take more than `most`, are left out."""
        def took(place, test):
            start = time.monotonic()
            failed = place.failure(test, 0, most)
            test["seconds"] = None if failed else time.monotonic() - start
            return failed
        for test, failed in self.each(took, tests):
            if failed:
                print(f"# left out, since it fails unchanged or takes too long: {failed}", flush=True)


def draw(per_room, seed, pattern, again, usable):
    """Mutants of each room: those of the list `again` that are still there, then others up to per_room, or for those that are gone. Rooms
    take turns, so that a run that is stopped early has some of each"""
    rooms, drawn = {}, []
    for path in sources(pattern):
        if room_of(path):
            rooms.setdefault(room_of(path), {}).update(mutants_of(path))
    for name, mutants in rooms.items():
        listed = [line for line in again if room_of(ROOT / line.partition(": ")[0]) == name]
        kept = [mutants[line] for line in listed if line in mutants]
        others = sorted(mutants.keys() - set(listed))
        random.Random(f"{seed} {name}").shuffle(others)
        wanted = max(per_room, len(listed))
        print(f"# {name}: {wanted} of {len(mutants)} mutants, {len(kept)} of them listed", flush=True)
        while others and len(kept) < wanted:
            some = [mutants[others.pop()] for _ in range(min(len(others), wanted - len(kept)))]
            kept += [mutant for mutant, good in zip(some, usable(some)) if good]
        drawn.append(kept)
    return [mutant for turn in itertools.zip_longest(*drawn) for mutant in turn if mutant]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-room", type=int, help="mutants that count (60, with --again 0)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--of", default="", metavar="REGEX", help="draw from sources whose path it matches")
    parser.add_argument("--again", type=pathlib.Path, metavar="FILE", help="test those that were killed before")
    parser.add_argument("--most", type=float, default=600, metavar="SECONDS", help="leave out tests that take longer")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-mutants", help="folder to work in")
    parser.add_argument("--list", action="store_true", help="print the draw and end")
    parser.add_argument("--jobs", type=int, default=2, help="compilers, then tests, at a time")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))

    listed = (line.partition(" | ") for line in arguments.again.read_text().splitlines()) if arguments.again else ()
    again = {name: test.removeprefix("killed by ").partition(",")[0] for test, _, name in listed if test.startswith("killed")}
    per_room = (0 if again else 60) if arguments.per_room is None else arguments.per_room
    known, tree = equivalent(), Tree(arguments.build.resolve(), arguments.jobs)
    print(f"# seed {arguments.seed}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        mutants = draw(per_room, arguments.seed, arguments.of, again,
                       lambda some: pool.map(lambda mutant: mutant.name not in known and tree.compiles(mutant), some))
    if arguments.list:
        print(*(mutant.name for mutant in mutants), sep="\n")
        return 0
    tree.build(mutants)
    killers = [again.get(mutant.name) for mutant in mutants]
    tree.list_tests(filter(None, killers))
    rooms, places, killed = dict(rooms_tests()), Places(tree, arguments.jobs), 0
    names = [dict.fromkeys([killer] * bool(killer) + rooms[room_of(mutant.path)]) for mutant, killer in zip(mutants, killers)]
    places.measure([tree.tests[name] for name in dict.fromkeys(itertools.chain(*names)) if name in tree.tests], arguments.most)

    def first_failure(place, number):
        tests = [tree.tests[name] for name in names[number - 1] if name in tree.tests]
        return place.first_failure(number, mutants[number - 1], [test for test in tests if test["seconds"] is not None])
    for number, failed in places.each(first_failure, range(1, len(mutants) + 1)):
        killed += failed is not None
        print(f"killed by {failed}" if failed else "SURVIVED", mutants[number - 1].name, sep=" | ", flush=True)
    print(f"# {killed} of {len(mutants)} killed")
    return 0 if mutants and killed * 20 >= len(mutants) * 19 else 1


if __name__ == "__main__":
    sys.exit(main())
