"""The commands of the program that are scripts: `cardiac COMMAND ...`, or python -m cardiac COMMAND ..."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, Callable, NoReturn


def convert(given: argparse.Namespace) -> str:
    from .convert.opencarp import convert

    text, notes = convert(given.parameters)
    sys.stderr.writelines(note + "\n" for note in notes)
    return text


def report(given: argparse.Namespace) -> str:
    from .report import report

    return f"{report(given.result, given.file)}\n"


class Parser(argparse.ArgumentParser):
    """Help and errors as the rest of the program prints them."""

    def format_help(self) -> str:
        words = [
            f"[{a.metavar}]" if a.nargs == "?" else a.metavar
            for a in self._get_positional_actions()
        ]
        head = f"Usage: {self.prog} {' '.join(filter(None, map(str, words)))}\n\n{self.description}\n\n"
        options = self._get_optional_actions()
        return head + "".join(f"  {a.option_strings[-1]:<24} {a.help}\n" for a in options)

    def error(self, message: str) -> NoReturn:
        print(f"cardiac: {message}; see {self.prog} --help", file=sys.stderr)
        sys.exit(2)


def add(commands: Any, name: str, call: Callable[[argparse.Namespace], str], text: str) -> Parser:
    command: Parser = commands.add_parser(name, add_help=False, description=text)
    command.add_argument("--help", action="help", help="show this")
    command.set_defaults(call=call)
    return command


def parse() -> argparse.Namespace:
    parser = Parser(
        prog="cardiac", description="Scripts on inputs and results of cardiac: import, report."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = add(
        commands,
        "import",
        convert,
        "Converts an openCARP parameter file to a config on standard output; save it in the same folder:\n"
        "cardiac import a.par > a.yaml. `cardiac check` accepts its keys and values. Standard error lists each line\n"
        "that was not converted, with the reason.",
    )
    command.add_argument("parameters", metavar="PARAMETERS.par")
    command = add(
        commands,
        "report",
        report,
        "Writes one HTML page that shows a result and needs no other file.",
    )
    command.add_argument("result", metavar="RESULT")
    command.add_argument("file", metavar="FILE.html", nargs="?")
    return parser.parse_args()


def main() -> int:
    """The exit status: 2 for wrong input, 3 if the output cannot be written, 130 if interrupted."""
    given = parse()
    try:
        rest = given.call(given).encode("utf-8", "surrogateescape")
    except KeyboardInterrupt:
        return 130
    except (OSError, ImportError, ValueError, KeyError) as error:
        print("cardiac: %s" % error, file=sys.stderr)
        return 2
    try:
        while rest:
            rest = rest[os.write(1, rest) :]
    except OSError as error:
        print("cardiac: standard output: %s" % error.strerror, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
