"""The answer of `emu offload`: the verdict on a host program, its calls, and their cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from emu.wording import counted
from launch.offload.offloading import Offloaded
from launch.text.answer import Answer, Part, Table

_ROWS = (
    ("crossbars", "array groups acquired"),
    ("writes", "writes"),
    ("rows", "rows written"),
    ("weights", "weights written"),
    ("products", "products"),
    ("vectors", "vectors multiplied"),
    ("bytes_in", "bytes to the device"),
    ("bytes_out", "bytes from it"),
)


def offload_answer(done: Offloaded) -> Answer:
    """The verdict, what was called, and what it takes on the chip."""
    simulation = done.simulation
    values: dict[str, Any] = {
        "arch": done.arch,
        "passes": list(done.passes),
        "call_sites": done.lowered.sites,
        "contractions": done.lowered.candidates,
        "counters": done.counters,
        "outputs": [each.to_dict() for each in done.compared],
        "simulation": simulation and simulation.to_dict(),
        "exit_code": int(not done.right),
    }
    wrong = [each.name for each in done.compared if not each.right]
    failure = f"with the device {', '.join(wrong)} differs from the interpretation" if wrong else ""
    return Answer(values, _parts(done), failure=failure, exit_code=int(not done.right), asides=done.asides)


def _parts(done: Offloaded) -> Iterator[Part]:
    lowered = done.lowered
    yield f"{counted(lowered.sites, 'call site')} of {counted(lowered.candidates, 'contraction')}, on {done.arch}"
    yield Table("device", ("counter", "value"), [(text, f"{done.counters[name]:,}") for name, text in _ROWS], "lr")
    if done.simulation is not None:
        yield from done.simulation.lines()
    for each in done.compared:
        yield each.line()
