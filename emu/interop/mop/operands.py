"""How each kind of operand is written: one function that reads it, one that prints all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from emu.errors import shown
from emu.interop.mop.flow import (
    MAX_NUMBER,
    AxisSizes,
    CoreTag,
    Named,
    Operand,
    Param,
    Params,
    Range,
    Register,
    WrittenNumber,
)
from emu.interop.mop.operators import LAYERS, PARAMS
from emu.isa.dtypes import INTEGERS
from emu.wording import nearest

MAX_TEXT = 2000  # characters of one operand
_SUM = re.compile(r"[0-9]{1,15}(?:[*+][0-9]{1,15})*")
_REGISTER = re.compile(r"xb([0-9]{1,15})(?:\+(.*))?")
_CORE = re.compile(r"core([0-9]{1,15})")
_NAMED = re.compile(r"([A-Za-z_][\w./:-]*?)(?:\[([0-9:,]*)\])?", re.ASCII)
_RANGE = re.compile(r"([0-9]{1,15}):([0-9]{1,15})")
_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?|inf)")
_TYPES = tuple(dtype.name for dtype in sorted(INTEGERS))


@lru_cache(maxsize=1 << 14)
def parse_operand(kind: str, text: str) -> Operand:
    """The operand of a kind (see `operators.py`) that `text` is; raises ValueError with what was expected."""
    if len(text) > MAX_TEXT:
        raise ValueError(f"an operand of {len(text)} characters is longer than any can be ({MAX_TEXT})")
    text = text.strip()
    return _PARSE[kind](text if kind == "params" else re.sub(r"\s", "", text))


def integer(text: str, what: str, low: int = 0) -> int:
    """A number written as a sum of products; raises ValueError."""
    if not _SUM.fullmatch(text):
        raise ValueError(f"expected {what}, got {shown(text)}")
    number = WrittenNumber(text) if not text.isdecimal() else int(text)
    if not low <= number <= MAX_NUMBER:
        raise ValueError(f"expected {what} from {low} to {MAX_NUMBER}, got {shown(text)}")
    return number


def _place(text: str) -> int | Register:
    if text.startswith("xb"):
        return _register(text)
    return integer(text, "an address, such as 3072 or xb0+16")


def _source(text: str) -> Operand:
    if text[:1].isdigit() or _REGISTER.fullmatch(text):
        return _place(text)
    return _named(text)


def _register(text: str) -> Register:
    match = _REGISTER.fullmatch(text)
    if match is None:
        raise ValueError(f"expected a crossbar, such as xb0, or a row or register of it, such as xb0+16, got {text!r}")
    return Register(int(match[1]), integer(match[2], "an offset") if match[2] is not None else 0)


def _crossbar(text: str) -> Register:
    register = _register(text)
    if register.offset:
        raise ValueError(f"expected a whole crossbar, such as xb{register.crossbar}, got {shown(text)}")
    return register


def _core(text: str) -> CoreTag:
    match = _CORE.fullmatch(text)
    if match is None:
        raise ValueError(f"expected a core, such as core0, got {shown(text)}")
    return CoreTag(int(match[1]))


def _named(text: str) -> Named:
    match = _NAMED.fullmatch(text)
    if match is None or (match[2] is not None and not all(_RANGE.fullmatch(part) for part in match[2].split(","))):
        raise ValueError(f"expected a named array, such as conv1 or conv1[0:27,0:32], got {shown(text)}")
    parts = match[2].split(",") if match[2] is not None else ()
    box = tuple((int(low), int(high)) for low, high in (part.split(":") for part in parts))
    if any(low >= high for low, high in box):
        raise ValueError(f"{shown(text)} has a range without elements")
    return Named(match[1], box)


def _number(text: str) -> int | float:
    if not _NUMBER.fullmatch(text) or len(text) > 40:
        raise ValueError(f"expected a number, got {shown(text)}")
    if not text.lstrip("-").isdecimal():
        return float(text)
    if abs(int(text)) > MAX_NUMBER:
        raise ValueError(f"expected a number of at most {MAX_NUMBER}, got {text}")
    return int(text)


def _word(words: tuple[str, ...]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError(
                f"expected {', '.join(words[:-1])} or {words[-1]}, got {shown(text)}{nearest(text, words)}"
            )
        return text

    return parse


def _sizes(text: str) -> AxisSizes:
    parts = text.split("x")
    if len(parts) > 32 or not all(part.isdecimal() and len(part) <= 15 for part in parts):
        raise ValueError(f"expected sizes, such as 17x32x3, got {shown(text)}")
    return AxisSizes(tuple(map(int, parts)))


def _range(text: str) -> Range:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise ValueError(f"expected a range, such as 0:16, got {shown(text)}")
    return Range(int(match[1]), int(match[2]))


def _integer_param(text: str) -> int:
    number = _number(text)
    if not isinstance(number, int):
        raise ValueError(f"expected an integer, got {shown(text)}")
    return number


_PARAM: Mapping[str, Callable[[str], Param]] = {
    "matrix": _named,
    "sizes": _sizes,
    "range": _range,
    "integer": _integer_param,
}


def _params(text: str) -> Params:
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError(f"expected params, such as [in=8x8x3 out=8x8x4 kernel=3x3 pad=1x1], got {shown(text)}")
    found: dict[str, Param] = {}
    for entry in text[1:-1].split():
        name, equals, value = entry.partition("=")
        if name not in PARAMS or not equals:
            known = nearest(name, PARAMS) or f": they are {', '.join(PARAMS)}"
            raise ValueError(f"params have no {shown(name)}{known}")
        if name in found:
            raise ValueError(f"params give {name}= twice")
        found[name] = _PARAM[PARAMS[name]](value)
    return tuple(found.items())


_PARSE: Mapping[str, Callable[[str], Operand]] = {
    "source": _source,
    "destination": _place,
    "memory": lambda text: integer(text, "an address in memory, such as 3072"),
    "core": _core,
    "crossbar": _crossbar,
    "row": _register,
    "length": lambda text: integer(text, "a length", 1),
    "matrix": _named,
    "number": _number,
    "element": _word(_TYPES),
    "layer": _word(LAYERS),
    "params": _params,
}


def print_operand(operand: Operand) -> str:
    """The text of an operand."""
    if isinstance(operand, WrittenNumber):
        return operand.text
    if isinstance(operand, float):
        return repr(operand)
    if isinstance(operand, int | str):
        return str(operand)
    if isinstance(operand, Register):
        return f"xb{operand.crossbar}+{print_operand(operand.offset)}" if operand.offset else f"xb{operand.crossbar}"
    if isinstance(operand, CoreTag):
        return f"core{operand.number}"
    if isinstance(operand, Named):
        return _print_named(operand)
    return f"[{' '.join(f'{name}={_print_param(value)}' for name, value in operand)}]"


def _print_named(named: Named) -> str:
    box = ",".join(f"{low}:{high}" for low, high in named.box)
    return f"{named.name}[{box}]" if box else named.name


def _print_param(value: Param) -> str:
    if isinstance(value, Named):
        return _print_named(value)
    if isinstance(value, AxisSizes):
        return "x".join(map(str, value.numbers))
    return f"{value.low}:{value.high}" if isinstance(value, Range) else str(value)
