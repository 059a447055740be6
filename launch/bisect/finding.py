"""The finding of a search for the first divergence: plain values, lines for people, JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from emu.wording import counted

SHOWN = 4  # of a kind, in the text
NOTHING = "run again in one process, no tensor that stood complete and no output differs from the golden values"


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the programs: an instruction (outermost first, the counters of its loops), or a cell of a crossbar."""

    core: int
    node: str  # the ONNX node, as far as the source map tells
    section: str = "main"
    index: int | None = None  # of the instruction
    instruction: str = ""
    counters: tuple[int, ...] = ()
    what: str = ""  # such as "crossbar 0:0 of group 0, row 3, column 5"

    def __str__(self) -> str:
        parts = [f"core {self.core}"]
        if self.index is not None:
            loops = f" loops {list(self.counters)}" if self.counters else ""
            parts.append(f"{self.section}[{self.index}]{loops}")
        where = " ".join(parts) + (f": {self.instruction}" if self.instruction else "")
        return f"{where} ({self.what})" if self.what else where


@dataclass(frozen=True, slots=True)
class Wrong:
    """The first tensor that differs, and where most: `index` in logical shape; `box` of the tile, as axes in memory."""

    tensor: str
    node: str
    core: int | None
    box: tuple[tuple[int, int], ...]
    index: tuple[int, ...]
    got: float | int
    expected: float | int
    elements: int  # that differ by more than the limit
    of: int
    limit: float
    tiles: tuple[tuple[int, tuple[tuple[int, int], ...]], ...] = ()  # all tiles of it that differ: core and box


@dataclass(frozen=True, slots=True)
class Change:
    """A difference from what the compiler makes of the model now."""

    site: Site
    got: str
    expected: str


@dataclass(frozen=True, slots=True)
class BisectResult:
    """The outcome; `note` says why there is none."""

    sample: int
    before: int = 0  # samples that were run before it, as it is right alone
    node: str = ""  # the first wrong ONNX node
    core: int | None = None
    site: Site | None = None
    by: str = ""  # "values", "recompilation", "levels", "trap" or "deadlock": what named node, core and site
    by_values: Site | None = None  # the site that values alone (or the trap or deadlock) name
    computed_with: tuple[str, ...] = ()  # nodes that are fused with it
    wrong: Wrong | None = None
    inputs_right: bool | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)  # what went into the site: tensor or message -> verdict
    suspects: tuple[Site, ...] = ()  # statements that values cannot distinguish from it
    message: str = ""
    changes: tuple[Change, ...] | None = None  # None: not compared with a recompilation
    levels: Mapping[str, Any] | None = None  # of the compiler, where the programs are what it makes; None: not executed
    tensors: int = 0  # that were compared
    right: tuple[str, ...] = ()  # tensors that are right
    error: str = ""  # how the run ended
    note: str = ""
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        values = asdict(self)
        values["inputs"] = dict(self.inputs)
        values["levels"] = None if self.levels is None else dict(self.levels)
        values["lines"] = self.lines()
        return _plain(values)

    def lines(self) -> list[str]:
        """The finding as lines."""
        if self.note:
            return [f"bisect: {self.note}", *(self._changes() if self.changes else ())]
        return [*self._head(), *self._wrong(), *self._place(), *self._inputs(), *self._changes()]

    def _head(self) -> list[str]:
        also = f", computed together with {', '.join(self.computed_with)}" if self.computed_with else ""
        where = f" on core {self.core}" if self.core is not None else ""
        head = f"bisect: first wrong node {self.node or '(unknown)'}{where} (sample {self.sample}){also}"
        ended = [f"  the run ended: {self.error}"] if self.error else []
        earlier = "the sample" if self.before == 1 else f"the {self.before} samples"
        stale = f"  alone the sample is right: {earlier} before it must leave something in the cores"
        compared = f"  {self.tensors} tensors compared, {len(self.right)} right before it"
        return [head, *ended, *([stale] if self.before else []), compared]

    def _wrong(self) -> list[str]:
        w = self.wrong
        if w is None:
            return []
        box = f" tile [{', '.join(f'{low}:{high}' for low, high in w.box)}]" if w.box else ""
        tile = f",{box} of core {w.core}" if w.core is not None else ""
        more = f", {len(w.tiles) - 1} more of its tiles" if len(w.tiles) > 1 else ""
        return [
            f"  tensor {w.tensor}{tile}{more}: {w.elements} of {w.of} elements differ by more than {w.limit:.3g}",
            f"  worst at {list(w.index)}: got {_number(w.got)}, expected {_number(w.expected)}",
        ]

    def _place(self) -> list[str]:
        lines = [f"  at {self.site}"] if self.site else []
        if self.message:
            lines.append(f"  {self.message}")
        others = [site for site in self.suspects if site != self.site]
        if others:
            more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
            listed = "; ".join(f"core {site.core} {site.section}[{site.index}]" for site in others[:SHOWN])
            lines.append(f"  by values alone as likely: {listed}{more}")
        return lines

    def _inputs(self) -> list[str]:
        if self.inputs_right is None:
            return []
        listed = "; ".join(f"{name} {verdict}" for name, verdict in list(self.inputs.items())[:SHOWN])
        said = "its inputs were right" if self.inputs_right else "not all of its inputs were right"
        return [f"  {said}{f': {listed}' if listed else ''}"]

    def _changes(self) -> list[str]:
        if self.changes is None:
            return []
        if not self.changes:
            same = "the programs are what the compiler makes of the model"
            if self.levels is None:
                return [f"  {same}: look for the fault in the compiler"]
            return [f"  {same}; {self.levels['sentence']}"]
        more = f", {len(self.changes) - SHOWN} more" if len(self.changes) > SHOWN else ""
        places = counted(len(self.changes), "place differs", "places differ")
        lines = [f"  {places} from what the compiler makes of the model{more}:"]
        for change in self.changes[:SHOWN]:
            lines += [f"    {change.site}", f"      is {change.got}, was compiled as {change.expected}"]
        return lines


def _number(value: float | int) -> str:
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    """Tuples as lists; floats that JSON lacks as text."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return str(value)
    return value
