"""Random networks of integers on random chips of every mode: the flow is right as it stands, and equals onnxruntime."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from draws import examples
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from integer_nets import golden, integer_nets

from compiler.compiling import lower
from compiler.mop.emit import PIPELINE, flow_of
from compiler.request import make_request
from compiler.session.context import make_context
from emu.arch.chip import BINDINGS
from emu.arch.mode import MODES
from emu.errors import CompileError
from emu.interop.mop.checker import check_flow, told
from emu.interop.mop.chip import MopChip
from emu.interop.mop.lowering import lower_flow
from emu.interop.mop.parser import parse_flow
from emu.interop.mop.printer import print_flow
from emu.interop.mop.running import FlowCore

NO_SHRINK = (Phase.explicit, Phase.generate)


@st.composite
def chips(draw) -> MopChip:
    rows = draw(st.integers(2, 32))
    return MopChip(
        "drawn",
        draw(st.sampled_from(list(MODES))),
        draw(st.integers(1, 40)),
        draw(st.integers(1, 9)),
        rows,
        draw(st.integers(4, 32)),
        draw(st.sampled_from([0, 1, 2, 4, 8])),
        draw(st.integers(1, rows)),
        draw(st.sampled_from(BINDINGS)),
        1 << 20,
    )


def emitted(model: onnx.ModelProto, chip: MopChip) -> tuple[str, dict[str, np.ndarray]]:
    """The text of the flow and its arrays."""
    context = make_context()
    request = make_request(model, context.arch, pipeline=",".join(PIPELINE))
    found = flow_of(lower(request, context)[0], context, chip)
    return "".join(print_flow(found.flow)), dict(found.arrays)


def equals_golden(model: onnx.ModelProto, chip: MopChip) -> None:
    try:
        text, arrays = emitted(model, chip)
    except CompileError as error:
        assume(not any(word in str(error) for word in ("cores", "core of", "1 core", "crossbar")))
        raise
    report = check_flow(parse_flow(text, "flow.mop"), chip)
    assert report.passed, told("flow.mop", report)
    shape = [size.dim_value for size in model.graph.input[0].type.tensor_type.shape.dim]
    inputs = {"x": np.random.default_rng(0).integers(-128, 128, shape).astype(np.int8)}
    made = FlowCore(lower_flow(parse_flow(text, "flow.mop"), chip, arrays, "flow.mop")).run(inputs)
    for name, array in golden(model, inputs).items():
        np.testing.assert_array_equal(made[name], array)


@settings(max_examples=examples(13, 100), phases=NO_SHRINK)
@given(integer_nets(), chips())
def test_flows_equal_golden(model, chip):
    equals_golden(model, chip)


@pytest.mark.full
@settings(max_examples=1000, phases=NO_SHRINK)
@given(integer_nets(), chips())
def test_many_flows_equal_golden(model, chip):
    equals_golden(model, chip)
