"""Options as fields of frozen classes: each says what it takes, what is wrong with other values, and what help says.

Command lines, signatures, cache keys, manifests, suites, sweeps and commands that repeat something are made of such
fields: a new option is one of them. Names in tables are read as text, because help must not import what they name.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from emu.errors import InputError, option, shown

HOME = Path(__file__).resolve().parents[1]
YES = "yes"
_SPEC = "option"
UNSET: Any = object()  # no value at all
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Kind:
    """Values that an option takes, here any. `metavar` stands for one in help; empty: as the command line has it."""

    metavar: str = ""

    def fault(self, value: Any) -> str:
        """What is wrong with a value, as the rest of a sentence that it begins; empty if nothing is."""
        return ""

    def checked(self, name: str, value: Any) -> Any:
        """The value as programs take it; raises InputError."""
        if fault := self.fault(value):
            raise InputError(f"{option(name)} {value!r} {fault}")
        return value

    def listed(self, name: str, value: Any) -> dict[str, str]:
        """The value as text, as a manifest lists it: one entry of its name, for most."""
        return {name: str(value)}

    def found(self, name: str, listed: Mapping[str, str]) -> Any:
        """The value that `listed` gives it; UNSET if it is not there."""
        return self.parsed(listed[name]) if name in listed else UNSET

    def parsed(self, text: str) -> Any:
        """The value of a text of `listed`."""
        return text


@dataclass(frozen=True, slots=True)
class Flag(Kind):
    """True or False."""

    def fault(self, value: Any) -> str:
        """Anything else."""
        return "" if isinstance(value, bool) else "is neither True nor False"

    def listed(self, name: str, value: Any) -> dict[str, str]:
        """A word."""
        return {name: YES} if value else {}

    def parsed(self, text: str) -> bool:
        """Whether it is that word."""
        return text == YES


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    """A whole number from `least` on; a refusal calls it as `what` says."""

    metavar: str = "N"
    least: int = 1
    what: str = "whole number"

    def fault(self, value: Any) -> str:
        """No int, or too small a one."""
        fits = isinstance(value, int) and not isinstance(value, bool) and value >= self.least
        return "" if fits else f"is no {self.what}: give an int of {self.least} or more"

    def parsed(self, text: str) -> int:
        """The number."""
        return int(text)


@dataclass(frozen=True, slots=True)
class Number(Kind):
    """A finite number between `least` and `most`."""

    metavar: str = "X"
    least: float = 0.0
    most: float | None = None

    def fault(self, value: Any) -> str:
        """Nothing finite, or a number out of range."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if is_number and self.least <= value <= (math.inf if self.most is None else self.most):
            return ""
        upto = "on" if self.most is None else f"to {self.most:g}"
        return f"is impossible: give a number from {self.least:g} {upto}"

    def parsed(self, text: str) -> float:
        """The number."""
        return float(text)


@dataclass(frozen=True, slots=True)
class Word(Kind):
    """A name in `table` ("module:TABLE"), or one of `more`."""

    table: str = ""
    more: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """All of them, in order."""
        return (*(names_in(self.table) if self.table else ()), *self.more)

    def fault(self, value: Any) -> str:
        """Another word."""
        if value in self.words:
            return ""
        *names, last = map(repr, self.words)
        return f"is unknown: use {', '.join(names)} or {last}"


@dataclass(frozen=True, slots=True)
class WordOrNumbers(Word):
    """One of the words, or a list of whole numbers, kept as text."""

    def fault(self, value: Any) -> str:
        """Another word; how many numbers there have to be is seen later."""
        if value in self.words or (isinstance(value, str) and is_numbers(value)):
            return ""
        return f"is unknown: use one of {', '.join(map(repr, self.words))}, or numbers such as 3,1,2"


@dataclass(frozen=True, slots=True)
class Form(Kind):
    """A text of which all of `pattern` is one; `use` says what those are."""

    pattern: str = ".*"
    use: str = ""

    def fault(self, value: Any) -> str:
        """A text of another form."""
        fits = isinstance(value, str) and re.fullmatch(self.pattern, value, re.ASCII)
        return "" if fits else f"is unknown: use {self.use}"


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """Any text."""


@dataclass(frozen=True, slots=True)
class Texts(Kind):
    """Any texts, one after the other."""


@dataclass(frozen=True, slots=True)
class NewFolder(Kind):
    """A folder to write."""


@dataclass(frozen=True, slots=True)
class NewFile(Kind):
    """A file to write."""


@dataclass(frozen=True, slots=True)
class ExistingFile(Kind):
    """A file that is there."""


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """What a field says of its option beside name and default.

    `flag` is how it is typed if not as its name, `short` how with one letter; `listed` when manifests name it: always,
    if it is `given` (not as by default), or never. `typed` is the default of the command line where that differs.
    """

    kind: Kind
    help: str
    flag: str = ""
    short: str = ""
    listed: str = "given"
    shown: bool = True  # the default, in help
    typed: Any = UNSET
    group: str = ""  # of options that belong together
    needs: tuple[str, str] | None = None  # the option without which it means nothing, and what it does with that
    idle_with: str = ""  # the option with which it means nothing

    def spelled(self, name: str) -> str:
        """The option as it is typed."""
        return self.flag or f"--{name.replace('_', '-')}"


def opt(default: Any, kind: Kind, text: str, **spec: Any) -> Any:
    """A field of a frozen class that is an option: its default, its kind, its help, and what else `OptionSpec` has."""
    made = {_SPEC: OptionSpec(kind, text, **spec)}
    if callable(default):
        return field(default_factory=default, metadata=made)
    return field(default=default, metadata=made)


def specs(options: Any) -> dict[str, OptionSpec]:
    """The options among the fields of a class, by name, in order."""
    return {each.name: each.metadata[_SPEC] for each in fields(options) if _SPEC in each.metadata}


def default_of(options: Any, name: str) -> Any:
    """What the field `name` of a class is by default."""
    found: Field[Any] = next(each for each in fields(options) if each.name == name)
    return found.default if found.default_factory is MISSING else found.default_factory()


def group(options: Any, name: str) -> tuple[str, ...]:
    """The options of a class that are of a group."""
    return tuple(each for each, spec in specs(options).items() if spec.group == name)


def given(options: Any) -> dict[str, Any]:
    """The options of an instance that are not as by default, by name."""
    values = {name: getattr(options, name) for name in specs(options)}
    return {name: value for name, value in values.items() if value != default_of(options, name)}


def checked(options: Any) -> dict[str, Any]:
    """The options of an instance that are not as by default, as programs take them; raises InputError."""
    known = specs(options)
    return {name: known[name].kind.checked(name, value) for name, value in given(options).items()}


def refuse_together(options: Any, given: Collection[str]) -> None:
    """Raise InputError if an option of a class, of those `given`, means nothing beside the others, or without one."""
    for name, spec in specs(options).items():
        if name not in given:
            continue
        if spec.needs is not None and spec.needs[0] not in given:
            needed, does = spec.needs
            raise InputError(f"{option(name)} {does}: give {option(needed)}, too")
        if spec.idle_with in given:
            raise InputError(f"{option(name)} has no effect with {option(spec.idle_with)}: leave one of them out")


def listed(options: Any) -> dict[str, str]:
    """The options of an instance as a manifest lists them."""
    text: dict[str, str] = {}
    told = given(options)
    for name, spec in specs(options).items():
        value = getattr(options, name)
        if value is not None and (spec.listed == "always" or (spec.listed == "given" and name in told)):
            text |= spec.kind.listed(name, value)
    return text


def found(options: Any, text: Mapping[str, str]) -> dict[str, Any]:
    """The values that a list of `listed`, with other entries among them, gives the options of a class.

    Raises InputError for what cannot be a value of its option.
    """
    values: dict[str, Any] = {}
    for name, spec in specs(options).items():
        try:
            value = spec.kind.found(name, text)
        except ValueError:
            raise InputError(
                f"{name} {shown(text.get(name))}, as it is listed there, is no value of that option"
            ) from None
        if value is not UNSET:
            values[name] = value
    return values


def takes(*classes: type, without: tuple[str, ...] = ()) -> Callable[[Function], Function]:
    """Gives a function whose `**named` are fields of `classes` the signature that names them.

    Of two parameters with one name the first counts.
    """

    def wrap(function: Function) -> Function:
        signature = inspect.signature(function)
        known = {name: p for name, p in signature.parameters.items() if p.kind is not inspect.Parameter.VAR_KEYWORD}
        for taken in classes:
            fresh = inspect.signature(taken).parameters
            known |= {name: p for name, p in fresh.items() if name not in (*without, *known)}
        function.__signature__ = signature.replace(parameters=list(known.values()))  # type: ignore[attr-defined]
        return function

    return wrap


def is_numbers(text: str) -> bool:
    """Whether it is a list of whole numbers, as in 8,2,1."""
    return all(part.isdecimal() and part.isascii() for part in text.split(","))


@cache
def names_in(table: str) -> tuple[str, ...]:
    """The names in a table, given as "module:TABLE": a dictionary's keys or the texts of a `Literal`, in order."""
    module, _, name = table.partition(":")
    text = (HOME / f"{module.replace('.', '/')}.py").read_text("utf-8")
    start = re.search(rf"^{name}\b", text, re.MULTILINE)
    if start is None:
        raise LookupError(f"{module} has no table {name}")
    value = _value_of(text[start.start() :].splitlines())
    parts: list[Any] = value.keys if isinstance(value, ast.Dict) else value.slice.elts
    return tuple(part.value for part in parts)


def _value_of(lines: list[str]) -> Any:
    """What the statement that `lines` begin with sets a name to; all of a file would take long to parse."""
    for count in range(1, len(lines) + 1):
        with suppress(SyntaxError):
            statement: Any = ast.parse("\n".join(lines[:count])).body[0]
            return statement.value
    raise SyntaxError(lines[0])
