"""pages.py: generated parts of the documents, for the scripts beside it that make them."""
import pathlib
import re
import sys

LAB = pathlib.Path(__file__).resolve().parent


def replaced(page, marker, text):
    """The page with what stands between its two comments `begin MARKER` and `end MARKER` replaced"""
    pattern = re.compile(rf"(<!-- begin {marker} -->\n).*?(<!-- end {marker} -->)", re.S)
    if not pattern.search(page):
        sys.exit(f"no markers for {marker}")
    return pattern.sub(lambda found: found.group(1) + text + "\n" + found.group(2), page)
