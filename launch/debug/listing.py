"""`info`: lists of cores, breakpoints, tensors, nodes and samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from emu.errors import InputError
from emu.wording import counted, nearest
from launch.debug.debugger import Debugger
from launch.debug.places import place_line
from launch.debug.words import Words, columns
from launch.text.units import ranges


def info(debugger: Debugger, words: Words) -> Iterator[str]:
    """`info cores|breakpoints|tensors|nodes|samples`."""
    what = words.take("the name of a list")
    words.end()
    if what not in LISTS:
        raise InputError(f"there is no list of {what!r}{nearest(what, LISTS)}: {words.usage}")
    return LISTS[what](debugger)


def _cores(debugger: Debugger) -> Iterator[str]:
    for core in debugger.chip.cores:
        yield f"{'*' if core == debugger.session.focus else ' '} {place_line(debugger.chip, core)}"


def _breakpoints(debugger: Debugger) -> Iterator[str]:
    points = debugger.session.breakpoints
    yield from (f"{number}: {point.text}" for number, point in points.items())
    if not points:
        yield "there are no breakpoints"


def _tensors(debugger: Debugger) -> Iterator[str]:
    tensors = debugger.tensors
    nodes = {origin.tensor: origin.node for origin in debugger.image.manifest.tensors}
    rows: list[tuple[object, ...]] = []
    for name in tensors.names:
        spec = tensors.stored.get(name) or tensors.read_only.get(name)
        kept = tensors.kept.get(name)
        shape = kept.form.shape if kept else spec.shape if spec else ()
        dtype = kept.dtype if kept else spec.dtype.numpy if spec else ""
        cores = _on(key[0] for key, _ in kept.tiles) if kept else "global memory"
        rows.append((name, f"{dtype}{list(shape)}", nodes.get(name, ""), cores, tensors.state(name)))
    yield from columns(rows)


def _nodes(debugger: Debugger) -> Iterator[str]:
    cores: dict[str, set[int]] = {}
    for core, program in debugger.chip.programs.items():
        for source in program.sources:
            cores.setdefault(source.node, set()).add(core)
    yield from columns([(node, _on(on)) for node, on in cores.items()])


def _on(cores: Iterable[int]) -> str:
    """The cores that hold a part of something."""
    found = set(cores)
    return f"core{'s' if len(found) > 1 else ''} {ranges([*found])}"


def _samples(debugger: Debugger) -> Iterator[str]:
    chip = debugger.chip
    done = len(chip.outputs)
    now = "none is under way" if chip.sample < 0 else f"sample {chip.sample} is under way"
    if chip.ending is not None:
        now = chip.ending.text
    yield f"{counted(chip.subject.samples, 'sample')}, {done} through; {now}; {counted(chip.turns, 'turn')} so far"


LISTS: Mapping[str, Callable[[Debugger], Iterator[str]]] = {
    "cores": _cores,
    "breakpoints": _breakpoints,
    "tensors": _tensors,
    "nodes": _nodes,
    "samples": _samples,
}
