"""Gates that go through the same function side by side: one instruction per step of time, and the same bits."""

from unittest.mock import patch

import pytest
from draws import examples
from hypothesis import given, settings
from in_process import compile_in_memory, run_in_process
from recurrent_nets import full_lstm, layer, recurrent_nets

from compiler.dialects.cells import CELLS
from compiler.emission.gate_functions import GateFunction, gate_functions
from compiler.kernels import recurrent
from compiler.nests.body import BodyStep, NestBody
from emu.arch import Arch, Core, Crossbar
from emu.isa.dtypes import DType
from emu.isa.table import BY_CODE

SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(4, 4))
F = DType.f32


def body(*steps):
    """A body of functions, each with the numbers of its arguments."""
    return NestBody(tuple(BodyStep(fn, F, args) for fn, args in steps))


def compiled(net):
    return compile_in_memory(net.model(0), SMALL, 24)


def counts(net, name):
    """How many elements the instructions `name` of all cores work on, in the order of the text."""
    found = []
    for program in compiled(net).programs.values():
        columns = program.main.columns
        found += [int(n) for op, n in zip(columns["op"], columns["n"], strict=True) if BY_CODE[int(op)].name == name]
    return found


@pytest.mark.parametrize(
    "net, sigmoids",
    [
        (layer("LSTM", 5), [9]),  # input, output and forget gates
        (layer("GRU", 5), [6]),  # update and reset gates
        (layer("GRU", 5, linear_before_reset=1), [6]),
        (layer("LSTM", 5, input_forget=1), [6]),  # the forget gate is not looked at
        (layer("LSTM", 5, activations=["Tanh"] * 3), []),
        (layer("RNN", 5), []),
    ],
)
def test_neighbours_are_one_instruction(net, sigmoids):
    assert counts(net, "vsigm") == sigmoids


def test_all_gates_of_an_lstm_with_one_function_are_one_instruction():
    """The cell's own function stays alone: it is of no gate."""
    assert sorted(counts(layer("LSTM", 5, activations=["Tanh"] * 3), "vtanh")) == [3, 12]


def test_gates_that_peepholes_are_added_to_or_that_are_clipped_stay_apart():
    assert set(counts(full_lstm(), "vsigm")) == {3}


@settings(max_examples=examples(6, 40))
@given(recurrent_nets())
def test_the_bits_are_those_of_gates_one_by_one(net):
    samples = [net.sample(seed) for seed in range(2)]
    found = run_in_process(compiled(net), samples)
    with patch.object(recurrent, "gate_functions", lambda cell, bodies, vectors: ([], list(bodies))):
        apart = run_in_process(compiled(net), samples)
    for one, other in zip(found, apart, strict=True):
        assert {name: array.tobytes() for name, array in one.items()} == {
            name: array.tobytes() for name, array in other.items()
        }


LSTM = CELLS["lstm"]
VECTORS = [("gate0", "gate2", "gate3", "c"), ("gate1", "c")]


@pytest.mark.parametrize(
    "second",
    [
        [("sigmoid", (0,))],  # it is the result
        [("sigmoid", (0,)), ("mul", (2, 0))],  # the gate itself is looked at, too
        [("add", (0, 1)), ("sigmoid", (2,))],  # not of the gate alone
    ],
)
def test_what_is_more_than_a_function_of_the_gate_stays(second):
    first, other = body(("sigmoid", (0,)), ("mul", (4, 1)), ("add", (5, 2))), body(*second)
    assert gate_functions(LSTM, [first, other], VECTORS) == ([], [first, other])


def test_what_is_left_of_the_bodies_takes_the_gates_as_they_are():
    first = body(("sigmoid", (0,)), ("sigmoid", (1,)), ("mul", (5, 3)), ("mul", (4, 2)), ("add", (6, 7)))
    second = body(("sigmoid", (0,)), ("tanh", (1,)), ("mul", (2, 3)))
    functions, bodies = gate_functions(LSTM, [first, second], VECTORS)
    assert functions == [GateFunction("sigmoid", (0, 3))]
    assert [[(step.fn, step.args) for step in made.steps] for made in bodies] == [
        [("mul", (1, 3)), ("mul", (0, 2)), ("add", (4, 5))],
        [("tanh", (1,)), ("mul", (0, 2))],
    ]
