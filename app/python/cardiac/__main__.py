"""python -m cardiac report out/heart [FILE.html]"""
import argparse
import sys


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m cardiac", description="A page that shows a result.")
    commands = parser.add_subparsers(dest="command", required=True)
    report = commands.add_parser("report", help="write one HTML page that needs no other file")
    report.add_argument("result", help="a run's directory, or a .vtkhdf")
    report.add_argument("file", nargs="?", help="where to (report.html beside the result)")
    given = parser.parse_args()
    try:
        from .report import report as write
        print(write(given.result, given.file))
    except (OSError, ImportError, ValueError, KeyError) as error:
        print("cardiac: %s" % error, file=sys.stderr)
        return 2
    return 0


sys.exit(main())
