"""The cells of recurrent layers: gates, states, and what is done in a step of time; a new cell is one row.

A recurrent layer is a product of the inputs of all steps with W, cut like any other, and `onnx.Recurrent`, one
`kernel.recurrent` per direction on one core whose crossbars hold R. Time is the axis of rows, so steps are iterations
of a loop; a reverse direction waits for all rows. The states h and c are scratch that a kernel keeps from one
instance to the next (`KernelOp.kept`); the instance that makes row 0 sets them. A step beyond the length of its
sample keeps the states and gives zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Range = tuple[int, int]  # of gates, half-open

PEEPHOLES = 3  # vectors of an LSTM: to the input, output and forget gate
LINEAR = "linear"  # what the hidden state adds to a gate before another gate scales it
LENGTHS = "lengths"  # steps of each sample, where sequences end early
MASK = "mask"  # then: whether a step lies within the sequence of a sample


@dataclass(frozen=True, slots=True)
class Multiply:
    """Multiply vector `source` by the recurrent weights of `gates`; added to those gates, or kept in `LINEAR`."""

    source: str
    gates: Range
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Apply:
    """Make vector `target` of the elements of `operands`, and of `peepholes` if there are any, by a body."""

    target: str
    operands: tuple[str, ...]
    peepholes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """A kind of recurrent layer: `states` live from step to step, `others` within one; all are as long as a gate.

    Vectors are called "gate0", "gate1", ... in the order of the rows of the weights, "peephole0", ..., and by name.
    """

    gates: int
    states: tuple[str, ...]
    steps: tuple[Multiply | Apply, ...]
    others: tuple[str, ...] = ()

    @property
    def applies(self) -> tuple[Apply, ...]:
        """The steps that have a body, in order."""
        return tuple(step for step in self.steps if isinstance(step, Apply))

    @property
    def products(self) -> tuple[Multiply, ...]:
        """The steps that multiply, in order: each has an array group."""
        return tuple(step for step in self.steps if isinstance(step, Multiply))

    @property
    def takes_peepholes(self) -> bool:
        """Whether a gate can look at a state by peepholes."""
        return any(step.peepholes for step in self.applies)

    def operands(self, step: Apply, peepholes: bool, masked: bool) -> tuple[str, ...]:
        """The vectors that the body of a step works on; `masked`: a state keeps its value behind a sequence's end."""
        vectors = step.operands + (step.peepholes if peepholes else ())
        return (*vectors, MASK, step.target) if masked and step.target in self.states else vectors


CELLS: Mapping[str, Cell] = {
    "rnn": Cell(1, ("h",), (Multiply("h", (0, 1)), Apply("h", ("gate0",)))),
    "gru": Cell(  # gates: update, reset, hidden
        3,
        ("h",),
        (
            Multiply("h", (0, 2)),
            Apply("reset", ("gate1", "h")),
            Multiply("reset", (2, 3)),
            Apply("h", ("gate0", "gate2", "h")),
        ),
        ("reset",),
    ),
    "gru_linear": Cell(  # the reset gate scales what is multiplied already
        3,
        ("h",),
        (
            Multiply("h", (0, 2)),
            Multiply("h", (2, 3), kept=True),
            Apply("h", ("gate0", "gate1", "gate2", LINEAR, "h")),
        ),
        (LINEAR,),
    ),
    "lstm": Cell(  # gates: input, output, forget, cell
        4,
        ("h", "c"),
        (
            Multiply("h", (0, 4)),
            Apply("c", ("gate0", "gate2", "gate3", "c"), ("peephole0", "peephole2")),
            Apply("h", ("gate1", "c"), ("peephole1",)),
        ),
    ),
}
