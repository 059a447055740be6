"""What there is to choose: a row per option of a compilation, with its values. A new choice is a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from compiler.basis.options import CUT, TRAFFIC
from compiler.mapping.schedules.duplication import CHOICES
from compiler.mapping.tiling.partition import STRATEGIES
from compiler.request import CompileRequest

Settings = Mapping[str, Any]  # values by option, of those that are not as the request has them
Key = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The option `name` and its values for a request; in a `ladder` only neighbours are near each other."""

    name: str
    values: Callable[[CompileRequest], Sequence[Any]]
    ladder: bool = False

    def near(self, values: Sequence[Any], value: Any) -> list[Any]:
        """Those of `values` that are one step from `value`, which may be none of them."""
        if not self.ladder or value not in values:
            return [other for other in values if other != value]
        place = values.index(value)
        return [values[step] for step in (place - 1, place + 1) if 0 <= step < len(values)]


def _fewer_cores(request: CompileRequest) -> Sequence[int]:
    """Those that may be used, and three, two and one quarter of them."""
    cores = request.cores
    return sorted({max(1, cores * quarters // 4) for quarters in (1, 2, 3, 4)}, reverse=True)


SPACE = (
    Choice("placement", lambda request: tuple(STRATEGIES)),
    Choice("duplicate", lambda request: (None, *CHOICES)),
    Choice("pipelined", lambda request: (False, True)),
    Choice("stagger", lambda request: (False, True)),
    Choice("remap_rows", lambda request: (False, True)),
    Choice("granularity", lambda request: ("image", "rows:16", "rows:4", "rows:1")),
    Choice("packing", lambda request: ("dense", "kernel")),
    Choice("cores", _fewer_cores, ladder=True),
    Choice("arrange", lambda request: (None, TRAFFIC, CUT) if request.arch.system.chips > 1 else (None, TRAFFIC)),
)


def free_choices(request: CompileRequest, fixed: Collection[str] = ()) -> dict[Choice, Sequence[Any]]:
    """The choices that are not `fixed`, with their values."""
    return {choice: choice.values(request) for choice in SPACE if choice.name not in fixed}


def applied(request: CompileRequest, settings: Settings) -> CompileRequest:
    """The request with these settings."""
    return replace(request, options=replace(request.options, **settings))


def changed(request: CompileRequest, settings: Settings, name: str, value: Any) -> dict[str, Any]:
    """The settings with one more value; one that the request has is no setting."""
    rest = {other: kept for other, kept in settings.items() if other != name}
    return rest if value == getattr(request.options, name) else {**rest, name: value}


def key_of(settings: Settings) -> Key:
    """What settings are known by."""
    return tuple(sorted(settings.items()))
