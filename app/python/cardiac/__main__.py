"""The commands of the program that are scripts: `cardiac COMMAND ...`, or python -m cardiac COMMAND ..."""

from __future__ import annotations

import argparse
import difflib
import functools
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, NoReturn, Tuple, Union

from .own_file import OF_PATHS
from .program import ONE_THREAD, Error
from .text import say, terminal


def convert(given: argparse.Namespace) -> str:
    """`cardiac import`: the config on standard output, notes on standard error."""
    from .convert.opencarp import convert

    text, notes = convert(given.parameters)
    for note in notes:
        say(note)
    return text


def report(given: argparse.Namespace) -> str:
    """`cardiac report`, of a result or of a study's table."""
    from .result import read

    path = Path(given.result)
    if path.is_dir() and not (path / "run.vtkhdf").exists() and (path / "table.csv").exists():
        path = path / "table.csv"
    if path.suffix == ".csv":
        from .studies.table_page import write

        return terminal(f"{write(path, given.file)}\n")
    found = read(path)
    from .report import report

    return terminal(f"{report(found, given.file)}\n")


def film(given: argparse.Namespace) -> str:
    """`cardiac film`"""
    from .result import read

    found = read(given.result)
    from .film import film

    return terminal(f"{film(found, given.file)}\n")


def tips(given: argparse.Namespace) -> str:
    """`cardiac tips`"""
    from .own_file import writing
    from .result import read
    from .studies.paced import read_time
    from .tips import HEAD, of_result, table

    found = read(given.result)
    delay = None if given.delay is None else read_time("--delay", given.delay)
    path = given.file or found.path.with_name("tips.csv")
    with writing(str(path), HEAD.encode()) as out:
        tips = of_result(found, delay)
        out.write(table(tips).encode())
    return terminal(
        f"{path}: {len(tips)} tips in {len({tip.time for tip in tips})} frames, {len({tip.number for tip in tips})} tracks\n"
    )


def converge(given: argparse.Namespace) -> str:
    """`cardiac converge`"""
    from .studies.converge import converge

    given.status, text = converge(given)
    return text


def restitution(given: argparse.Namespace) -> str:
    """`cardiac restitution`"""
    from .studies.restitution import run

    return run(given)


def induce(given: argparse.Namespace) -> str:
    """`cardiac induce`"""
    from .studies.paced import INDUCTION, Paced

    paced = Paced(given, INDUCTION)  # a config that is refused needs no numpy
    from .studies.induce import run

    return run(given, paced)


def fit(given: argparse.Namespace) -> str:
    """`cardiac fit`"""
    from .studies.paced import describe_given

    given.device, *given.others = (given.device or "").split(",")
    sets, facts = describe_given(given)  # a config that is refused needs no numpy
    os.environ.update(ONE_THREAD)
    from .studies.fit import run_fit

    return run_fit(given, sets, facts)


def fail(text: str) -> NoReturn:
    """An error of the command line, which ends the program."""
    say(f"cardiac: {text}")
    sys.exit(2)


class Parser(argparse.ArgumentParser):
    """Help and errors as the rest of the program prints them."""

    def format_help(self) -> str:
        words = [
            f"[{a.metavar}]" if a.nargs == "?" else a.metavar
            for a in self._get_positional_actions()
        ]
        options = self._get_optional_actions()
        words += ["[options]"] * (len(options) > 1)
        usage = self.usage or f"{self.prog} {' '.join(filter(None, map(str, words)))}"
        names = [f"{a.option_strings[-1]} {a.metavar or ''}".rstrip() for a in options]
        lines = [f"  {name:<24} {a.help}\n" for name, a in zip(names, options)]
        return f"Usage: {usage}\n\n{self.description}\n\n" + "".join(
            lines[1:] + lines[:1]  # --help comes last
        )

    def error(self, message: str) -> NoReturn:
        fail(f"{message}; see {self.prog} --help")


SET = "--set KEY=VALUE: override a key of the config (may be repeated)"
DEVICE = "--device NAME: auto, cpu, cuda or cuda:N (device)"
THREADS = "--threads N: most threads of the CPU, 0 = by cores and mesh (threads)"
STOP = "--stop-after TIME: stop with status 4 after this wall time, e.g. 3h50m or 600 (seconds)"
QUIET = "--quiet: print nothing but warnings and errors"

# Name: call, arguments, options ("--output DIR: where results go"; a flag has no value), description
COMMANDS: Dict[str, Tuple[Callable[[argparse.Namespace], str], str, str, str]] = {
    "import": (
        convert,
        "PARAMETERS.par",
        "",
        """\
Converts an openCARP parameter file to a config on standard output; save it in the same folder:
cardiac import a.par > a.yaml. `cardiac check` accepts its keys and values. Standard error lists each line
that was not converted, with the reason.""",
    ),
    "report": (
        report,
        "RESULT [FILE.html]",
        "",
        """\
Writes one HTML page that shows a result and needs no other file. RESULT may be a table: of a sweep, whose
results are drawn against each key; of an induction: outcomes by site and S2; of `cardiac cell --output`: its
beats, currents, gates and restitution.""",
    ),
    "film": (
        film,
        "RESULT FILE.mp4|.gif",
        "",
        """\
Writes V in time as a film of the surface. Needs pyvista, and imageio with ffmpeg for .mp4:
pip install pyvista imageio imageio-ffmpeg""",
    ),
    "tips": (
        tips,
        "RESULT [FILE.csv]",
        "--delay TIME: between the two V that give a phase, such as 20ms (a quarter of the period)",
        """\
Writes the phase singularities of the stored frames of V on the surface of the mesh: a row for each tip of a
spiral wave in each frame, with its place and the direction in which it turns. FILE.csv is tips.csv beside the result.""",
    ),
    "converge": (
        converge,
        "CONFIG",
        f"""\
--levels N: 2: half the edge and step; 3: also a quarter, and bars where they are justified (2)
--fixed-mesh: leave the mesh as it is: half the step and a tighter solver alone
--output DIR: directory of converge.txt, table.csv and the results (output.directory/converge)
--overwrite: make all runs anew; without it those that the table has are left out
--dry-run: check all runs, and forecast memory, disk and time
{SET}
{DEVICE}
{THREADS}
{STOP}
{QUIET}
--json: for programs: a line of JSON a run, then one of the comparison (docs/user/output.schema.json)""",
        """\
Estimates the numerical error of a config: repeats it with half the step, with half the edge and step, with a
tenth of the tolerance and in double precision, and reports how activation, APD90, velocities, the ECG and
the maps change. Half the edge and step is 16 times the work and 8 times the memory of one run in 3D.
The same command goes on where it was interrupted.""",
    ),
    "restitution": (
        restitution,
        "CONFIG",
        f"""\
--s2 FROM:TO:BY: intervals from the last S1 to S2, such as 500:250:10ms
{SET}
{DEVICE}
{THREADS}
--output FILE: file for the table (standard output)""",
        """\
Prints a CSV table of action potential duration and conduction velocity at the config's probes in response
to an S2 stimulus at each interval after a train of S1 (the config's first stimulus). S1 is simulated once.""",
    ),
    "induce": (
        induce,
        "CONFIG",
        f"""\
--output DIR: directory of table.csv and the maps (output.directory)
--results: also write maps of each tachycardia that was induced
--part K/N: test the K-th of N parts of the sites alone, to table-K-of-N.csv
--overwrite: start again; without it branches that the table has are left out
--dry-run: check the config, and forecast branches, memory and time
{SET}
{DEVICE}
{THREADS}
{STOP}
{QUIET}
--json: for programs: a line of JSON a branch and a site (docs/user/output.schema.json)""",
        """\
Tests whether re-entry can be induced: at each site of the config's `induction:`, extra stimuli follow the S1
train (the first stimulus). S1 is simulated once a site. Results: DIR/table.csv, a row a branch, and
DIR/vulnerability.vtkhdf. The same command goes on where it was interrupted.""",
    ),
    "fit": (
        fit,
        "CONFIG",
        f"""\
--output DIR: directory of table.csv, fitted.yaml and fit.html (output.directory)
--overwrite: start again; without it runs that the table has are left out
--dry-run: check the config, its bounds and its targets
{SET}
--device NAMES: auto (all GPUs, else the CPU), cpu, cuda or cuda:N (device), or several, as cuda:0,cuda:1
{THREADS}
{STOP}
{QUIET}""",
        """\
Finds values of the keys in the config's `fit.parameters:` with which it gives the leads or activation times
in its `ecg.target` or `activation.target`. Results: DIR/table.csv, a row a run; DIR/fitted.yaml, the config
with the best values; DIR/fit.html. The same command goes on where it was interrupted.""",
    ),
}


def add_arguments(command: Parser, words: str, options: str) -> None:
    """The arguments and options of a command, as COMMANDS lists them."""
    command.add_argument("-h", "--help", action="help", help="show this")
    for word in words.split():
        name = (
            word.lower()
            if word in ("CONFIG", "RESULT")
            else "parameters" if "par" in word else "file"
        )
        command.add_argument(name, metavar=word.strip("[]"), nargs="?" if word[0] == "[" else None)
    known = ["--help"]
    for line in options.splitlines():
        names, _, meaning = line.partition(": ")
        name, _, value = names.partition(" ")
        if value == "KEY=VALUE":
            command.add_argument(name, metavar=value, action="append", default=[], help=meaning)
        elif value:
            command.add_argument(name, metavar=value, help=meaning)
        else:
            command.add_argument(name, action="store_true", help=meaning)
        known.append(name)
    command.set_defaults(known=known, status=0)


def parse() -> argparse.Namespace:
    """The command line; mistakes end the program with what would be right."""
    parser = Parser(prog="cardiac", description="The commands of cardiac that are scripts.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (call, words, options, text) in COMMANDS.items():
        command = commands.add_parser(name, add_help=False, description=text, allow_abbrev=False)
        command.set_defaults(call=call)
        add_arguments(command, words, options)
        if name == "restitution":
            command.usage = "cardiac restitution CONFIG --s2 FROM:TO:BY [options]"
    given, rest = parser.parse_known_args()
    if rest and rest[0].startswith("-"):
        name = rest[0].split("=")[0]
        near = difflib.get_close_matches(name, given.known, 1)
        hint = f" (did you mean '{near[0]}'?)" if near else f"; see cardiac {given.command} --help"
        fail(f"unknown option '{name}'{hint}")
    if rest:
        fail(f"too many arguments; see cardiac {given.command} --help")
    return given


@functools.lru_cache(maxsize=None)  # once
def say_warning(text: str) -> None:
    """A warning of the user's input, once however often it is raised."""
    say("cardiac: warning: " + text)


def warn(message: Union[Warning, str], *_: Any, **__: Any) -> None:
    """As warnings.showwarning."""
    say_warning(str(message))


def report_fault(command: str, error: Exception) -> int:
    """Of an exception that no script means for the user: 2 if it came from reading a damaged file, else 3."""
    calls = traceback.extract_tb(error.__traceback__)
    if "h5py" in Path(calls[-1].filename).parts:
        say(f"cardiac: an HDF5 file is damaged, or not what cardiac {command} needs: {error}")
        return 2
    own = [call for call in calls if Path(call.filename).is_relative_to(Path(__file__).parent)]
    at = (own or calls)[-1]
    place = f"{Path(at.filename).name}:{at.lineno}"
    say(f"cardiac: a fault of cardiac {command}: {type(error).__name__}: {error} ({place})")
    return 3


def main() -> int:
    """The exit status: 2 for wrong input, 3 after a fault or if the output cannot be written, 130 if interrupted."""
    if sys.argv[1:2] == ["check"]:  # started by `cardiac check` (app/commands/measured.c)
        from .target import check

        return check(sys.argv[2:])
    given = parse()
    warnings.showwarning = warn
    warnings.simplefilter("always", UserWarning)
    try:
        rest = given.call(given).encode("utf-8", "surrogateescape")
    except KeyboardInterrupt:
        return 130
    except Error as error:
        for line in error.text.split("\n"):
            say("cardiac: %s" % line)
        return error.status
    except ModuleNotFoundError as error:
        say(
            f"cardiac: {given.command} needs {error.name}, which {sys.executable} lacks. Install it:"
        )
        apt = (
            ""
            if error.name == "pyvista"
            else f"sudo apt-get install python3-{error.name}     or     "
        )  # no package of Debian
        say(f"  {apt}{sys.executable} -m pip install {error.name}")
        return 2
    except OSError as error:
        say(
            "cardiac: %s%s"
            % ("%s: " % error.filename if error.filename else "", error.strerror or error)
        )
        return 3 if error.errno and error.errno not in OF_PATHS else 2
    except (ImportError, ValueError) as error:
        say("cardiac: %s" % error)
        return 2
    except Exception as error:
        return report_fault(given.command, error)
    try:
        while rest:
            rest = rest[os.write(1, rest) :]
    except BrokenPipeError:  # whoever read it has seen enough
        pass
    except OSError as error:
        say(f"cardiac: standard output cannot be written: {error.strerror}")
        return 3
    return int(given.status)


if __name__ == "__main__":
    sys.exit(main())
