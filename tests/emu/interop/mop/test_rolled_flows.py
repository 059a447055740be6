"""Repeated operators become loops, which do what the operators do one by one, and whose traps have their lines."""

from __future__ import annotations

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.errors import ProgramError
from emu.interop.mop import lowering
from emu.interop.mop.chip import MopChip
from emu.interop.mop.lowering import lower_flow
from emu.interop.mop.parser import parse_flow
from emu.interop.mop.running import FlowCore

CHIP = MopChip("c", "xbm", 2, 2, 8, 16, 4, 4, "columns", 4000)
HEAD = '//@ input "x" i32[64] at 0\n//@ output "y" i32[200] at 100\n'
ARRAYS = {"w": np.arange(-32, 32, dtype=np.int8).reshape(8, 8), "b": np.array([3, -1], np.int32)}
BEGIN = "fill(64, 1, 400)\ncim.write_xb(xb0, w[0:8,0:8])\ncim.write_xb(xb2, w[0:8,0:5])\nmov(0, xb2, 8)\n"
KINDS = (
    "mov({a}, {b}, {n})",
    "add({a}, b, {b}, 4)",
    "max({a}, {b}, {b}, {n})",
    "parallel {{ clip({a}, xb0, 4, -128, 127) fill(xb0+4, {n}, 4) }}\ncim.read_xb(xb0, 1)\nmov(xb0, {b}, 8)",
    "clip({a}, xb2, 8, -128, 127)\nparallel {{ cim.read_xb(xb2, 1) mov({a}, {b}, 1) }}\nadd(xb2, {b}, {b}, 5)",
    "fill({b}, {n}, 2)",
)


@st.composite
def flows(draw) -> str:
    """Bodies of operators at addresses that move evenly, or nearly so."""
    text = BEGIN
    for _ in range(draw(st.integers(1, 3))):
        body = draw(st.lists(st.tuples(st.sampled_from(KINDS), *[st.integers(0, 80)] * 4), min_size=1, max_size=4))
        odd = draw(st.integers(0, 8))
        for turn in range(draw(st.integers(1, 8))):
            for kind, a, b, step, other in body:
                far = turn + (turn == odd)
                text += kind.format(a=a + far * (step % 9), b=100 + b + turn * (other % 9), n=1 + step % 5) + "\n"
    return text


def outputs(text, together, monkeypatch):
    monkeypatch.setattr(lowering, "TOGETHER", together)
    flow = lower_flow(parse_flow(HEAD + text, "f"), CHIP, ARRAYS, "f")
    core = FlowCore(flow)
    return flow, [core.run({"x": np.arange(64, dtype=np.int32) * sign})["y"] for sign in (1, -1)]


@settings(max_examples=examples(60, 1000), deadline=None)
@given(flows())
def test_rolled_flows_do_what_their_operators_do_one_by_one(text):
    with pytest.MonkeyPatch.context() as patch:
        rolled, made = outputs(text, 1 << 18, patch)
        straight, wanted = outputs(text, 1, patch)
    assert straight.steps.loops == 0
    assert straight.steps.instructions == rolled.steps.instructions
    assert len(rolled.program.main) <= len(straight.program.main)
    np.testing.assert_array_equal(made, wanted)


def test_repeated_operators_are_a_loop(monkeypatch):
    text = "".join(f"mov({at}, {100 + 2 * at}, 2)\nadd({at}, b, {200 + 2 * at}, 2)\n" for at in range(40))
    rolled, made = outputs(BEGIN + text, 1 << 18, monkeypatch)
    straight, wanted = outputs(BEGIN + text, 1, monkeypatch)
    assert (len(rolled.program.main), len(straight.program.main)) == (5, 82)
    np.testing.assert_array_equal(made, wanted)


def test_minus_zero_is_another_number_than_zero():
    head = '//@ numbers float32\n//@ output "y" f32[2] at 0\n'
    flow = lower_flow(parse_flow(head + "fill(0, 0.0, 1)\nfill(1, -0.0, 1)", "f"), CHIP, {}, "f")
    assert np.signbit(FlowCore(flow).run({})["y"]).tolist() == [False, True]


@pytest.mark.parametrize("given", [0, 3, 17, 39])
def test_a_trap_within_a_loop_has_the_line_of_its_operator(given):
    text = "".join(f"// round {at}\ndiv(0, {at + 8}, 100, 1)\n  mov(0, 100, 1)\n" for at in range(40))
    x = np.ones(64, np.int32)
    x[given + 8] = 0
    with pytest.raises(ProgramError) as caught:
        FlowCore(lower_flow(parse_flow(f"{HEAD}fill(100, 0, 200)\n{text}", "f"), CHIP, {}, "f")).run({"x": x})
    assert str(caught.value) == f"f:{5 + 3 * given}:1: div: divides an integer by 0"
