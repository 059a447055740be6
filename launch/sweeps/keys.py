"""What a sweep can vary: keys of the architecture file, the chip itself, options of compiling and of timing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from compiler.basis.options import CompileOptions
from emu.arch.read import load_arch
from emu.arch.schema import schema
from emu.errors import InputError, option
from emu.options import Flag, Number, OptionSpec, Whole, default_of, specs
from emu.wording import nearest
from launch.sweeps.values import value_text
from launch.timing.options import TimeOptions

ARCH, CHIP, COMPILE, TIME = "arch", "chip", "compile", "time"  # what a key is of
NOT_GIVEN = "none"  # the value of an option that is left out, where nothing is its default
_FLAGS = {"yes": True, "no": False}
_TIMED = ("samples", "flow")


@dataclass(frozen=True, slots=True)
class SweptKey:
    """A key: its `name` as it is typed, what it is `of`, and its name among the options of that.

    `read` gives the checked value of a TOML value or a word; raises ValueError with the rest of a sentence, or
    InputError.
    """

    name: str
    of: str
    option: str
    read: Callable[[Any], Any]


def swept_key(name: str) -> SweptKey:
    """The key that is called so; raises InputError."""
    table, _, own = name.rpartition(".")
    known = schema().get(table, {}).get(own)
    if known is not None:
        return SweptKey(name, CHIP, own, known.check.read)
    found = _options().get(name.replace("_", "-"))
    if found is None:
        raise InputError(
            f"{option('vary')} {name}: an architecture file has no such key, and emu compile no such option"
            f"{_suggestion(name)}"
        )
    return found


@cache
def _options() -> Mapping[str, SweptKey]:
    """The keys without a table, by name."""
    return {key.name: key for key in _all_options()}


def _all_options() -> Iterator[SweptKey]:
    yield SweptKey(ARCH, ARCH, ARCH, _read_arch)
    for options, of in ((CompileOptions, COMPILE), (TimeOptions, TIME)):
        for name, spec in specs(options).items():
            if spec.listed != "never" and (of == COMPILE or name in _TIMED):
                typed = spec.spelled(name).removeprefix("--")
                yield SweptKey(typed, of, name, _reader(name, spec, default_of(options, name)))


def _read_arch(given: Any) -> str:
    load_arch(str(given))
    return str(given)


def _reader(name: str, spec: OptionSpec, default: Any) -> Callable[[Any], Any]:
    """Reads values of an option: as its kind checks them, a flag also as yes and no."""
    kind = spec.kind

    def read(given: Any) -> Any:
        if isinstance(kind, Flag):
            given = _FLAGS.get(given, given) if isinstance(given, str) else given
        elif given == NOT_GIVEN and not default:
            return None
        elif isinstance(given, int | float) and not isinstance(kind, Whole | Number):
            given = value_text(given)  # a text of digits
        return kind.checked(name, given)

    return read


def _suggestion(name: str) -> str:
    """The key most like this one; of keys without their table the first that there is."""
    known = [f"{table}.{own}" for table, names in schema().items() for own in names]
    homes = [each for each in known if each.endswith(f".{name}")]
    return f"; did you mean {homes[0]!r}?" if homes else nearest(name, [*known, *_options()])
