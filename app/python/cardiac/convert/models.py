"""openCARP's names of models and of their parameters, and those of this program."""

from __future__ import annotations

import functools
import re
from typing import Any, Dict, List, Tuple

from ..program import lines
from .parameters import finite, number_text, plain

CHECKED_INSTEAD = "tp06-epi"  # of a model that is not here, when the rest of its config is checked
UNIT_APART = 50  # times the default, or less than one of so many parts: a value in another unit

# Models of both: names in openCARP and older CARPs, without signs and capitals; names here of the layers of the wall, the default first.
MODELS: List[Tuple[Tuple[str, ...], Tuple[str, ...]]] = [
    (("tentusscherpanfilov", "tt2", "tt2cai"), ("tp06-epi", "tp06-endo", "tp06-m")),
    (("ohara", "ohararudy", "ord"), ("ohara-endo", "ohara-epi", "ohara-m")),
    (("tomek", "torord", "tororddyncl"), ("tor-ord-endo", "tor-ord-epi", "tor-ord-m")),
    (("grandi", "gpb"), ("grandi-epi", "grandi-endo")),
    (("mitchellschaeffer", "ms"), ("mitchell-schaeffer",)),
    (("mms",), ("modified-mitchell-schaeffer",)),
    (("alievpanfilov",), ("aliev-panfilov-1996",)),
    (("courtemanche", "courtemancheramireznattel", "crn"), ("courtemanche-ra",)),
    (("luorudy91", "lr91", "lr1"), ("luo-rudy-1991",)),
    (("maleckar",), ("maleckar",)),
    (("stewart",), ("stewart",)),
    (("fabbri",), ("fabbri",)),
]
# Parameters whose names differ in more than signs and capitals: of models by the first of their names here, or of all (""). Names there
# without signs and capitals; the current that is proportional to each is in tests/python/test_import.py.
PARAMETERS: Dict[str, Dict[str, str]] = {
    "courtemanche-ra": {
        "factorgkur": "ikur.g_Kur",
        "blfikur": "ikur.g_Kur",
        "maxinaca": "inaca.I_max",
        "maxinak": "inak.I_max",
        "maxipca": "ipca.I_max",
        "maxiup": "calcium.V_max",
    },
    "tp06-epi": {"knaca": "K_NaCa", "knak": "P_NaK", "n": "gamma"},
    "stewart": {"maxinaca": "inaca.K_NaCa", "maxinak": "inak.P_NaK", "knak": "inak.P_NaK"},
    "grandi-epi": {"ibarncx": "inaca.I_max", "ibarnak": "inak.I_max", "ibarslcap": "ipca.I_max"},
    "maleckar": {"inakmax": "inak.I_max", "icapmax": "icap.I_max"},
    "fabbri": {"inakmax": "inak.I_max", "knaca": "inaca.I_max"},
    "mitchell-schaeffer": {"vgate": "u_gate"},
}
FACTORS = ("factorgkur", "blfikur")  # their value multiplies a parameter of this program
LAYERS = {"EPI": "-epi", "ENDO": "-endo", "MCELL": "-m"}


@functools.lru_cache(maxsize=None)
def model(name: str) -> Dict[str, Any]:
    """States, currents and parameters of a model, as `cardiac models NAME --json` prints them."""
    return next(lines(["models", name, "--json"]))


def layers_of(there: str) -> Tuple[str, ...]:
    """The models here of the layers of a wall, of openCARP's name; () = none."""
    return next((here for names, here in MODELS if plain(there) in names), ())


def parameter_of(name: str, there: str, names: Dict[str, str]) -> str:
    """The parameter of a model that openCARP's model calls `there`; "" = none, or several."""
    known = [p["name"] for p in model(name)["parameters"]]
    found = [p for p in known if p == names.get(plain(there))] or [
        p for p in known if plain(p) == plain(there)
    ]
    return found[0] if len(found) == 1 else ""


def unit_fault(name: str, parameter: str, number: float) -> str:
    """Why a value of a parameter is not taken: far from the default; "" = it is taken."""
    known = next(p for p in model(name)["parameters"] if p["name"] == parameter)
    otherwise = float(known["value"])
    apart = abs(number / otherwise) if otherwise else 1.0
    if not apart or 1 / UNIT_APART < apart < UNIT_APART:
        return ""
    default = f"{number_text(otherwise)} {known['unit']}"
    return f"not of the order of {parameter}, {default}: is it in another unit?"


def translate(name: str, word: str, names: Dict[str, str]) -> Tuple[str, str]:
    """A word of im_param for a model: ("g_Na: x0.5", "") of "GNa*0.5"; or ("", reason)."""
    match = re.fullmatch(r"([^*/=+-]+)([*/=+-])([^%]+)(%?)", word)
    number = finite(match[3]) if match else None
    nothing = match and match[2] == "/" and number == 0
    if not match or number is None or (match[2] in "+-") != bool(match[4]) or nothing:
        return "", "expected NAME=VALUE, NAME*FACTOR, NAME/FACTOR, NAME+N% or NAME-N%"
    there, here = plain(match[1]), parameter_of(name, match[1], names)
    if not here:
        return "", f"no parameter of {name} is equivalent"
    if match[2] == "=" and there not in FACTORS:
        why = unit_fault(name, here, number)
        return ("", why) if why else (f"{here}: {number_text(number)}", "")
    percent = 1 + (number if match[2] == "+" else -number) / 100
    factor = number if match[2] in "*=" else 1 / number if match[2] == "/" else percent
    return f"{here}: x{number_text(factor)}", ""
