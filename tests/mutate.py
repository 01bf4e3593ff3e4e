#!/usr/bin/env python3
"""mutate.py: do the tests bite? Changes one token at a time in C and Python and runs the tests.

    tests/mutate.py [--draw N] [--seed S] [--of REGEX] [--build FOLDER] [--list] [--only K] [--jobs N] [--exclude REGEX]

Sources are those of kernels, solver and app without the bench; --of draws from those alone whose path it matches. A mutant is one token of one source (comments, strings and preprocessor lines apart) replaced: an operator, a direction
or strictness of a comparison, a number, an index shifted by one. The seed fixes the draw. Mutants that by construction
change no bit of any output stand in tests/equivalent_mutants.txt with a one-line argument each; they are passed over
and others are drawn. A mutant that does not compile is drawn again too: the compiler is not a test.

The tree is copied to FOLDER/tree and built in FOLDER/build, both kept between calls, so that a mutant costs one file's
compilation, a link and the tests up to the first that fails. Ends with 1 when fewer than 19 of 20 were killed.
"""
import argparse
import io
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tests" / "equivalent_mutants.txt"

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
# Tests that run a source in Python, before all others.
PYTHON_TESTS = "^(python_.*|converge|import|induce|restitution|script)$"


def sources(pattern):
    paths = (path for folder in ("kernels", "solver", "app") for path in (ROOT / folder).rglob("*.*"))
    return sorted(path for path in paths if path.suffix in (".c", ".h", ".py") and "bench" not in path.parts
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


def candidates(text, python):
    """(place, token, replacement) of every mutant of a source."""
    code = blanked(text, python)
    for hit in TOKEN.finditer(code):
        token, place = hit.group(), hit.start()
        if hit.lastgroup == "number":
            yield from ((place, token, new) for new in changed_numbers(token))
        elif hit.lastgroup == "index":
            name = re.match(r"\[(\w+)", code[place:]).group()
            yield place, name, name + " + 1"
        elif token in SWAPS and is_binary(code, place, len(token)):
            yield from ((place, token, new) for new in SWAPS[token])


class Mutant:
    def __init__(self, path, text, place, token, new):
        self.path, self.text, self.place, self.token, self.new = path, text, place, token, new
        self.line = text.count("\n", 0, place) + 1
        start = text.rfind("\n", 0, place) + 1
        self.source = text[start:text.find("\n", place)].strip()
        self.name = f"{path.relative_to(ROOT)}: {self.source}: {token} -> {new}"
        before = text[start:place]
        if before.count(token):  # which of several equal tokens of the line
            self.name += f" (token {before.count(token) + 1})"

    def mutated(self):
        return self.text[:self.place] + self.new + self.text[self.place + len(self.token):]


def draw(seed, pattern):
    """Mutants without end: a source by its share of all candidates, each mutant at most once."""
    everything = []
    for path in sources(pattern):
        text = path.read_text()
        everything += [(path, text, *candidate) for candidate in candidates(text, path.suffix == ".py")]
    random.Random(seed).shuffle(everything)
    print(f"{len(everything)} mutants in {len(sources(pattern))} sources, seed {seed}", flush=True)
    return (Mutant(*item) for item in everything)


def equivalent():
    """name of a mutant -> why it changes no bit"""
    table = {}
    if EQUIVALENT.exists():
        for line in EQUIVALENT.read_text().splitlines():
            if line and not line.startswith("#"):
                name, _, argument = line.rpartition(" | ")
                if not name:
                    sys.exit(f"{EQUIVALENT.name}: no argument after ' | ' in: {line}")
                table[name] = argument
    return table


class Tree:
    """A copy of the sources, its build and its tests."""

    def __init__(self, folder, jobs, exclude):
        self.tree, self.build_folder, self.jobs, self.exclude = folder / "tree", folder / "build", jobs, exclude
        self.tree.mkdir(parents=True, exist_ok=True)
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, text=True,
                               stdout=subprocess.PIPE).stdout.split()
        for name in names:
            source, copy = ROOT / name, self.tree / name
            if source.is_file() and (not copy.exists() or copy.read_bytes() != source.read_bytes()):
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)
                shutil.copymode(source, copy)
        subprocess.run(["cmake", "-S", self.tree, "-B", self.build_folder, "-DCARDIAC_CUDA=OFF"], check=True, stdout=subprocess.DEVNULL)
        if not self.build():
            sys.exit("the unchanged tree does not build")
        verdict = self.first_failure(False)
        if verdict:
            sys.exit(f"the unchanged tree fails {verdict}")

    def build(self):
        done = subprocess.run(["cmake", "--build", self.build_folder, f"-j{self.jobs}"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
        return done.returncode == 0

    def first_failure(self, python):
        """Name of the first test that fails, or None. The quick ones go first: most mutants fall there."""
        return (python and self.failure_among("-R", PYTHON_TESTS)
                or self.failure_among("-L", "fast", "-E", self.exclude) or self.failure_among("-LE", "fast", "-E", self.exclude))

    def failure_among(self, *choice):
        done = subprocess.run(["ctest", "--test-dir", self.build_folder, "--stop-on-failure", f"-j{self.jobs}",
                               *choice, "--timeout", "300"], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode == 0:
            return None
        failed = re.findall(r"\s\d+/\d+ Test +#\d+: (\S+) \.*(?:\*\*\*(?!Skipped)|\s*Subprocess)(Timeout)?", done.stdout)
        return failed[0][0] + (", which did not end" if failed[0][1] else "") if failed else "(a test that did not run)"

    def test(self, mutant):
        """'does not compile', name of the test that fails, or None: it survives"""
        copy = self.tree / mutant.path.relative_to(ROOT)
        copy.write_text(mutant.mutated())
        try:
            python = mutant.path.suffix == ".py"
            return self.first_failure(python) if python or self.build() else "does not compile"
        finally:
            copy.write_text(mutant.text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", type=int, default=20, help="mutants that count (20)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--of", default="", metavar="REGEX", help="draw from sources whose path it matches")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-mutants", help="folder to work in")
    parser.add_argument("--list", action="store_true", help="print the draw and end")
    parser.add_argument("--only", type=int, help="test the K-th mutant of the draw alone")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--exclude", default="^(format|alone|layers|layers_bite|docs_.*|names|rooms|words|helpers)$",
                        help="tests that read sources instead of running them")
    arguments = parser.parse_args()

    mutants, known = draw(arguments.seed, arguments.of), equivalent()
    tree = None if arguments.list else Tree(arguments.build, arguments.jobs, arguments.exclude)
    counted = killed = 0
    for number, mutant in enumerate(mutants, 1):
        if counted == arguments.draw or (arguments.only and number > arguments.only):
            break
        if arguments.only and number != arguments.only:
            continue
        start = time.monotonic()
        if mutant.name in known:
            verdict = f"changes no bit: {known[mutant.name]}"
        elif arguments.list:
            verdict, counted = "drawn", counted + 1
        else:
            result = tree.test(mutant)
            if result == "does not compile":
                verdict = result
            else:
                counted, killed = counted + 1, killed + (result is not None)
                verdict = f"killed by {result}" if result else "SURVIVED"
        print(f"{number}: {mutant.path.relative_to(ROOT)}:{mutant.line} {verdict} ({time.monotonic() - start:.0f} s)\n"
              f"    {mutant.name}", flush=True)
    if arguments.list:
        return 0
    print(f"{killed} of {counted} killed, seed {arguments.seed}")
    return 0 if counted and killed * 20 >= counted * 19 else 1


if __name__ == "__main__":
    sys.exit(main())
