"""The page of a table: the study, or the cell, that wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Optional, Union

from .. import report
from ..own_file import writing
from ..program import InputError
from ..text import escape
from . import cell_page, study_page, table


def page(path: Path) -> str:
    """InputError where the table is of another study."""
    names, rows = table.read(str(path))
    name = path.resolve().parent.name
    if names[:2] == cell_page.TRACE or names[:3] == cell_page.S2:
        name, kind, parts = path.stem, "cell", cell_page.parts(path, names, rows)
    elif {"site", "intervals (ms)", "outcome", "lesion"} <= set(names):
        kind, parts = "induction", study_page.induction(path, names, rows)
    elif (
        names[:2] == ["run", "id"]
        and "status" in names
        and names[-1] == "message"
        and not path.with_name("converge.txt").exists()
    ):
        kind, parts = "sweep", study_page.sweep(path, names, rows)
    else:
        own = [name for name in ("fit.html", "converge.html") if path.with_name(name).exists()]
        said = (
            "%s shows this study" % path.with_name(own[0])
            if own
            else "there are pages of results, and of tables of sweep, induce and cell"
        )
        raise InputError("%s: this table has no page; %s" % (path, said), 2)
    head = "%s: %s" % (name, kind)
    return report.document(head, ["<h1>%s</h1>" % escape(head), *parts])


def write(path: Path, to: Optional[Union[str, Path]] = None) -> Path:
    """Writes the page of the table, beside it, or where `to` says."""
    target = Path(to) if to else path.with_suffix(".html")
    with writing(str(target), table.PAGE.encode()) as out:
        out.write(page(path).encode("utf-8", "surrogateescape"))
    return target
