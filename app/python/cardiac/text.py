"""Escapes texts of the user for their medium, as app/util/text_media.h does."""

from __future__ import annotations

import html
import re
import sys

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\udc80-\udcff]")


def visible(text: str, keep: str = "") -> str:
    r"""The text with its control characters, and bytes that are no UTF-8, as \xNN.

    >>> visible("a\tb")
    'a\\x09b'
    """
    return _CONTROL.sub(
        lambda found: (
            found[0]
            if found[0] in keep
            else "".join("\\x%02x" % b for b in found[0].encode("utf-8", "surrogateescape"))
        ),
        text,
    )


def terminal(text: str) -> str:
    r"""The text as a terminal may show it: lines and tabs stay.

    >>> terminal("a\tb\x1b")
    'a\tb\\x1b'
    """
    return visible(text, "\n\t")


def say(text: str) -> None:
    """A line on standard error."""
    sys.stderr.write(terminal(text) + "\n")


def shown(text: str, keep: str = "") -> str:
    r"""The text with U+FFFD for characters that cannot be printed.

    >>> shown("a\x07b")
    'a\ufffdb'
    """
    return "".join(c if c.isprintable() or c in keep else "\ufffd" for c in text)


def time_text(ms: float) -> str:
    """A time in a sentence, to 0.01 ms, as app/util/progress.h prints it.

    >>> time_text(7.004), time_text(12.5)
    ('7', '12.5')
    """
    return ("%.2f" % ms).rstrip("0").rstrip(".")


def escape(text: str) -> str:
    """Text in HTML.

    >>> escape("a < b")
    'a &lt; b'
    """
    return html.escape(shown(text, "\n\t"))
