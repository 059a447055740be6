"""What half and twice of each constant of the mapping does to small networks: `make mapping` writes it into a page.

`python -m mapping_constants` compiles and times the networks as they are, notes which constants each compilation reads,
and does it again with each of these changed. A constant that is not read changes nothing. All figures are simulated,
so that they are the same on every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import exp, log
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import onnx
import stamps
from onnx import ModelProto
from recurrent_zoo import two_layers

from compiler.compiling import checked_programs, lower
from compiler.mapping import tuned
from compiler.request import make_request
from compiler.session.context import make_context
from emu.arch.read import load_arch
from emu.errors import EmuError
from emu.image.manifest import Manifest
from emu.image.reader import Image
from emu.noc.ports.port import FlowControl
from emu.noc.traffic.traffic import traffic
from launch.text.answer import Table
from launch.text.markdown_page import check_page, markdown_table, write_blocks
from launch.timing.timed_image import time_programs
from launch.timing.work import busiest, unit_work
from launch.zoo import build
from launch.zoo.quantised import quantised

PAGE, TOOL, BLOCK = stamps.DOCS / "mapping-measured.md", "mapping", "constants"
CHIPS = ("puma", "isaac", "pimsim-latency")
FACTORS: Mapping[str, Fraction] = {"half": Fraction(1, 2), "twice": Fraction(2)}
FIGURES = ("bytes", "latency", "per sample", "busiest unit")
LEAST = (1 << 10, 1, 1, 1)  # of the figures to compare: less traffic is as good as none
NETWORKS: Mapping[str, Callable[[], ModelProto]] = {
    "digits": lambda: onnx.load(stamps.ROOT / "examples" / "digits_cnn.onnx"),
    "digits int8": lambda: onnx.load(stamps.ROOT / "examples" / "digits_cnn_int8.onnx"),
    "lenet5 int8": lambda: quantised(build("lenet5"), "qoperator", 0),
    "two GRUs": lambda: two_layers("GRU", steps=40, size=64),
    **{
        name.removeprefix("kernels/"): lambda name=name: build(name)
        for name in ("lenet5", "mlp3", "gpt_tiny", "squeezenet", "kernels/lstm", "kernels/wavenet")
    },
    "grouped": lambda: build("kernels/grouped-conv"),
}
PIPELINED = {"pipelined": True}
CASES: Sequence[tuple[str, Mapping[str, Any]]] = (  # a network, and options of its compilation
    *((name, {}) for name in NETWORKS),
    *((name, PIPELINED) for name in ("digits", "digits int8", "lenet5", "lenet5 int8")),
    ("squeezenet", {"cores": 32}),
    *((name, {"segments": True, "cores": 2}) for name in ("digits int8", "lenet5 int8")),
    *(("mlp3", {"segments": True, "cores": cores}) for cores in (6, 8, 12, 24)),
    ("squeezenet", {"segments": True, "cores": 16}),
)


class _Watched(ModuleType):
    """A module that notes which constants are read."""

    read = set[str]()

    def __getattribute__(self, name: str) -> Any:
        if name.isupper():
            _Watched.read.add(name)
        return super().__getattribute__(name)


@dataclass(frozen=True)
class Measured:
    """What a network comes to on a chip: the `FIGURES`, none if it is refused, and the constants that were read."""

    figures: tuple[int, ...] = ()
    read: frozenset[str] = frozenset()


@dataclass
class Effect:
    """What another value of a constant does, relative to the one of the table: ratios of the figures by case."""

    ratios: dict[str, tuple[float, ...]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)  # cases that no longer compile

    def add(self, case: str, base: Measured, now: Measured) -> None:
        """Compare a case with the same one of the table's value."""
        if not now.figures:
            self.refused.append(case)
            return
        pairs = zip(LEAST, base.figures, now.figures, strict=True)
        self.ratios[case] = tuple(max(least, mine) / max(least, its) for least, its, mine in pairs)

    @property
    def changed(self) -> int:
        """The cases in which any figure is another one."""
        return sum(any(ratio != 1 for ratio in each) for each in self.ratios.values())

    def mean(self, figure: int) -> float:
        """The geometric mean over the cases that read the constant."""
        return exp(sum(log(each[figure]) for each in self.ratios.values()) / max(1, len(self.ratios)))

    def worst(self, figure: int) -> tuple[float, str]:
        """The largest ratio, and its case."""
        return max(((each[figure], case) for case, each in self.ratios.items()), default=(1.0, ""))

    @property
    def better(self) -> bool:
        """Whether the other value is better on most cases that it changes, and worse in no figure of any."""
        gains = sum(min(each) < 1 for each in self.ratios.values())
        worse = any(max(each) > 1 for each in self.ratios.values())
        return not self.refused and not worse and 2 * gains > self.changed > 0


def constants() -> dict[str, int | tuple[int, int]]:
    """The table of constants: whole numbers, or fractions as numerator and denominator."""
    return {name: value for name, value in vars(tuned).items() if name.isupper()}


def other(name: str, factor: Fraction) -> int | tuple[int, int]:
    """A constant times `factor`, as it stands in the table."""
    value = constants()[name]
    if isinstance(value, tuple):
        changed = min(Fraction(*value) * factor, Fraction(1))
        return changed.numerator, changed.denominator
    return max(1, int(value * factor))


@cache
def network(name: str) -> ModelProto:
    """A network of the table, built once."""
    return NETWORKS[name]()


def measure(name: str, chip: str, options: Mapping[str, Any]) -> Measured:
    """Compile and time a network."""
    arch, table = load_arch(chip), cast(ModuleType, tuned)
    _Watched.read.clear()
    table.__class__ = _Watched
    try:
        request = make_request(network(name), arch, **options)
        context = make_context(arch, request.options)
        module, _ = lower(request, context)
        programs = {core.program.core: core.program for core in checked_programs(module, context)}
        read = frozenset(_Watched.read)
        timed = time_programs(
            Image(Path(), Manifest(arch, (), (), (), 0)), programs, arch, FlowControl.parse("rendezvous")
        )
    except EmuError:
        return Measured()
    finally:
        table.__class__ = ModuleType
    most, nbytes = busiest(unit_work(timed)), sum(traffic(programs).values())
    return Measured((nbytes, timed.timing.latency, timed.period, most.busy_ps if most else 0), read)


def effects(cases: Sequence[tuple[str, Mapping[str, Any]]] = CASES) -> dict[str, dict[str, Effect]]:
    """The effects of the factors, by constant and factor."""
    found = {name: {factor: Effect() for factor in FACTORS} for name in constants()}
    for name, options in cases:
        for chip in CHIPS:
            words = (key if value is True else f"{value} {key}" for key, value in options.items())
            case = ", ".join((name, *words, chip))
            base = measure(name, chip, options)
            for constant in sorted(base.read):
                for factor, effect in found[constant].items():
                    effect.add(case, base, _with(constant, FACTORS[factor], name, chip, options))
            sys.stdout.write(f"{case}: {', '.join(sorted(base.read)) if base.figures else 'refused'}\n")
    return found


def _with(constant: str, factor: Fraction, *case: Any) -> Measured:
    """The same case with a constant changed."""
    value = constants()[constant]
    try:
        setattr(tuned, constant, other(constant, factor))
        return measure(*case)
    finally:
        setattr(tuned, constant, value)


def page(found: Mapping[str, Mapping[str, Effect]]) -> str:
    """The stamp and the table."""
    rows = [
        [f"`{name}`", _shown(constants()[name]), f"{factor}: {_shown(other(name, FACTORS[factor]))}", *_cells(effect)]
        for name, each in found.items()
        for factor, effect in each.items()
    ]
    columns = ("constant", "value", "instead", "cases", "changed", *FIGURES)
    stamp = f"<!-- measured: {stamps.state()}; make mapping -->"
    return f"{stamp}\n\n{markdown_table(Table('', columns, rows, 'lrrrrllll'))}"


def _shown(value: int | tuple[int, int]) -> str:
    return f"{value[0]}/{value[1]}" if isinstance(value, tuple) else f"{value:,}"


def _cells(effect: Effect) -> Iterator[str]:
    yield str(len(effect.ratios) + len(effect.refused))
    yield f"{effect.changed}" + (f", {len(effect.refused)} refused" if effect.refused else "")
    for figure in range(len(FIGURES)):
        ratio, case = effect.worst(figure)
        worst = f"; {ratio:.3f} ({case})" if ratio > 1 else ""
        yield f"{effect.mean(figure):.3f}{worst}" if effect.changed else ""


def main() -> int:
    """Measure, and write the table into the page; values that are better are named."""
    check_page(PAGE, [BLOCK], TOOL)
    found = effects()
    write_blocks(PAGE, {BLOCK: page(found)}, TOOL)
    for name, each in found.items():
        for factor, effect in each.items():
            if effect.better:
                sys.stdout.write(f"{name}: {factor} is better, and worse nowhere\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
