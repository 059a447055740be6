"""The functions of recurrent cells as expressions, with the activations that a node names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from compiler.frontend.nodes.node import Node
from compiler.frontend.operators.pointwise import ROWS
from compiler.nests.expression import Value, call, largest, select, smallest

_OF_CELL = 2  # place, in a direction, of the activation that an LSTM applies to its cell; others have fewer
_MOST_DIRECTIONS = 2
Function = Callable[[Value], Value]
Write = Callable[..., Value]

DEFAULTS: Mapping[str, tuple[str, ...]] = {
    "RNN": ("Tanh",),
    "GRU": ("Sigmoid", "Tanh"),
    "LSTM": ("Sigmoid", "Tanh", "Tanh"),
}
# Activation -> its parameters, with the values that they have where a node gives none. None: evaluators take different
# ones, or the standard has none.
ACTIVATIONS: Mapping[str, Mapping[str, float | None]] = {
    "Relu": {},
    "Tanh": {},
    "Sigmoid": {},
    "Affine": {"alpha": None, "beta": None},
    "LeakyRelu": {"alpha": 0.01},
    "ThresholdedRelu": {"alpha": None},
    "ScaledTanh": {"alpha": None, "beta": None},
    "HardSigmoid": {"alpha": 0.2, "beta": 0.5},
    "Elu": {"alpha": 1.0},
    "Softsign": {},
    "Softplus": {},
}
_OWN: Mapping[str, Callable[..., Value]] = {  # those that are no operators
    "Affine": lambda x, alpha, beta: alpha * x + beta,
    "ScaledTanh": lambda x, alpha, beta: alpha * call("tanh", beta * x),
}


def bodies_of(node: Node, cell: str, directions: int, masked: bool) -> list[Write]:
    """The functions of a cell, for one direction after the other, and with `masked` what each tells of a step."""
    functions = _activations(node, directions)
    count, made = len(functions) // directions, list[Write]()
    for at in range(0, len(functions), count):
        writes = CELL_BODIES[cell](node, functions[at : at + count])
        made += [_held(write) if state and masked else write for write, state in writes]
        if masked:
            made.append(lambda mask, h: select(mask, h, 0.0))
    return made


def _held(write: Write) -> Write:
    """The function of a state that stays as it is behind the end of its sequence."""
    return lambda *values: select(values[-2], write(*values[:-2]), values[-1])


def _activations(node: Node, directions: int) -> list[Function]:
    """The functions that the node names, or the usual ones: their parameters are taken in order by those that have.

    What RNN names for a direction that it does not have says nothing: its default in ONNX is of two, and optimisers
    write defaults into files.
    """
    defaults = DEFAULTS[node.kind] * directions
    given = [_text(name) for name in node.attributes.get("activations", ())] or list(defaults)
    if node.kind == "RNN" and len(given) == _MOST_DIRECTIONS:
        given = given[:directions]
    if len(given) != len(defaults):
        node.refuse(f"names {len(given)} activations, but needs {len(defaults)}")
    values = {name: iter(node.attributes.get(f"activation_{name}", ())) for name in ("alpha", "beta")}
    functions = [_activation(node, name, values) for name in given]
    count = len(DEFAULTS[node.kind])
    # As in onnxruntime, `clip` bounds gates only.
    return [function if at % count == _OF_CELL else _clipped(node, function) for at, function in enumerate(functions)]


def _text(name: bytes | str) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else name


def _activation(node: Node, name: str, values: Mapping[str, Iterator[float]]) -> Function:
    known = {kind.lower(): kind for kind in ACTIVATIONS}
    if name.lower() not in known:
        node.refuse(f"names the activation '{name}', which is none of {', '.join(ACTIVATIONS)}")
    kind, numbers = known[name.lower()], dict[str, float]()
    for parameter, default in ACTIVATIONS[kind].items():
        number = next(values[parameter], default)
        if number is None:
            node.refuse(f"gives {kind} no {parameter}, for which evaluators differ: add it to activation_{parameter}")
        numbers[parameter] = float(number)
    return _own(kind, numbers) if kind in _OWN else ROWS[kind].write(replace(node, attributes=numbers))


def _clipped(node: Node, function: Function) -> Function:
    """The activation of a gate, whose input the attribute `clip` bounds."""
    clip = node.real("clip", 0.0)
    return (lambda x: function(largest(smallest(x, clip), -clip))) if clip > 0 else function


def _own(kind: str, numbers: Mapping[str, float]) -> Function:
    return lambda x: _OWN[kind](x, **numbers)


# cells: pairs of a function and whether it makes a state ------------------------------------------------------------


def _rnn(node: Node, functions: Sequence[Function]) -> list[tuple[Write, bool]]:
    return [(functions[0], True)]


def _gru(node: Node, functions: Sequence[Function]) -> list[tuple[Write, bool]]:
    f, g = functions

    def hidden(update: Value, gate: Value, h: Value) -> Value:
        z = f(update)
        return (1 - z) * g(gate) + z * h

    return [(lambda gate, h: f(gate) * h, False), (hidden, True)]


def _gru_linear(node: Node, functions: Sequence[Function]) -> list[tuple[Write, bool]]:
    f, g = functions

    def hidden(update: Value, reset: Value, gate: Value, linear: Value, h: Value) -> Value:
        z = f(update)
        return (1 - z) * g(gate + f(reset) * linear) + z * h

    return [(hidden, True)]


def _lstm(node: Node, functions: Sequence[Function]) -> list[tuple[Write, bool]]:
    f, g, h = functions
    coupled = node.integer("input_forget", 0)

    def cell(inputs: Value, forget: Value, gate: Value, c: Value, *peepholes: Value) -> Value:
        i = f(inputs + peepholes[0] * c if peepholes else inputs)
        kept = 1 - i if coupled else f(forget + peepholes[1] * c if peepholes else forget)
        return kept * c + i * g(gate)

    def hidden(output: Value, c: Value, *peepholes: Value) -> Value:
        return f(output + peepholes[0] * c if peepholes else output) * h(c)

    return [(cell, True), (hidden, True)]


CELL_BODIES: Mapping[str, Callable[[Node, Sequence[Function]], list[tuple[Write, bool]]]] = {
    "rnn": _rnn,
    "gru": _gru,
    "gru_linear": _gru_linear,
    "lstm": _lstm,
}
