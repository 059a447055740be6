"""`onnx.Recurrent`, and the steps of time of any recurrent cell: products with the states, bodies on vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation

from compiler.basis.weights import Array
from compiler.dialects.cells import LENGTHS, LINEAR, MASK, Cell, Multiply
from compiler.dialects.nest_attributes import Steps
from compiler.dialects.recurrent import REVERSE, RecurrentOp
from compiler.interpreter.scalars import run_body
from compiler.interpreter.world import Meaning, World


def multiplied(state: Array, weights: Array, low: int, high: int) -> Array:
    """A state [batch, size] times rows [low, high) of weights."""
    return state @ weights[low:high].T


@dataclass(frozen=True, slots=True)
class Layer:
    """One direction of a recurrent layer: its cell, bodies and weights [gates * size, size]; None is absent."""

    cell: Cell
    bodies: Sequence[Steps]
    weights: Array
    bias: Array | None = None
    hidden_bias: Array | None = None
    peepholes: Array | None = None
    lengths: Array | None = None  # steps of each sample
    multiply: Callable[[Array, Array, int, int], Array] | None = None  # as `multiplied` does

    def run(
        self, x: Array, states: dict[str, Array], times: Iterable[int], first: int = 0
    ) -> Iterator[tuple[int, Array]]:
        """Each step of `times`, and what is told of it [batch, size]; `x` holds the gates from step `first` on.

        `states` [batch, size] are those before it, and then those behind it.
        """
        for time in times:
            yield time, self._step(x[time - first], states, time)

    def _step(self, x: Array, states: dict[str, Array], time: int) -> Array:
        size = self.weights.shape[1]
        gates = np.array(x) if self.bias is None else x + self.bias
        vectors = {f"gate{at}": gates[:, at * size : (at + 1) * size] for at in range(self.cell.gates)} | states
        if self.peepholes is not None:
            vectors |= {f"peephole{at}": part for at, part in enumerate(self.peepholes.reshape(-1, size))}
        if self.lengths is not None:
            vectors[MASK] = (time < self.lengths).reshape(-1, 1)
        bodies = iter(self.bodies)
        for step in self.cell.steps:
            if isinstance(step, Multiply):
                low, high = (gate * size for gate in step.gates)
                product = (self.multiply or multiplied)(vectors[step.source], self.weights, low, high)
                if step.kept:
                    vectors[LINEAR] = product if self.hidden_bias is None else product + self.hidden_bias
                else:
                    gates[:, low:high] += product
            else:
                names = self.cell.operands(step, self.peepholes is not None, self.lengths is not None)
                vectors[step.target] = _apply(next(bodies), vectors, names, states["h"].shape)
        states.update({name: vectors[name] for name in states})
        if self.lengths is None:
            return vectors["h"]
        return _apply(next(bodies), vectors, (MASK, "h"), states["h"].shape)


def _apply(body: Steps, vectors: Mapping[str, Array], names: Sequence[str], shape: tuple[int, ...]) -> Array:
    made = run_body(body, [vectors[name] for name in names], lambda dim: np.zeros(0))
    return np.broadcast_to(made, shape)


def _of_direction(
    multiply: Callable[[int, Array, Array, int, int], Array], way: int
) -> Callable[[Array, Array, int, int], Array]:
    return lambda state, weights, low, high: multiply(way, state, weights, low, high)


def layers(
    op: RecurrentOp, args: Sequence[Array], multiply: Callable[[int, Array, Array, int, int], Array] | None = None
) -> list[Array]:
    """`onnx.Recurrent`; `multiply` is told of the direction what `multiplied` is told of (None: that)."""
    given = dict(zip([name.data for name in op.roles], args, strict=True))
    inputs = [array for name, array in zip(op.roles, args, strict=True) if name.data == "x"]
    weights, each = given["r"], len(op.bodies) // len(op.directions)
    (time, batch, _), size = inputs[0].shape, weights.shape[2]
    told = np.zeros((time, len(inputs), batch, size), inputs[0].dtype)
    last = {name: np.zeros((len(inputs), batch, size), inputs[0].dtype) for name in op.row.states}
    for way, (x, direction) in enumerate(zip(inputs, op.directions, strict=True)):
        own = {name: given[name][way] if name in given else None for name in ("bias", "hidden_bias", "peepholes")}
        layer = Layer(
            op.row,
            op.bodies.data[way * each : (way + 1) * each],
            weights[way],
            lengths=given.get(LENGTHS),
            multiply=_of_direction(multiply, way) if multiply is not None else None,
            **own,
        )
        none = np.zeros((batch, size), x.dtype)
        states = {n: given[f"initial_{n}"][way] if f"initial_{n}" in given else none for n in op.row.states}
        times = range(time)
        for at, y in layer.run(x, states, reversed(times) if direction.data == REVERSE else times):
            told[at, way] = y
        for name, state in states.items():
            last[name][way] = state
    return [told, *last.values()][: len(op.parts)]


def _recurrent(op: RecurrentOp, args: Sequence[Array], world: World) -> list[Array]:
    return layers(op, args)


MEANINGS: Mapping[type[Operation], Meaning] = {RecurrentOp: _recurrent}
