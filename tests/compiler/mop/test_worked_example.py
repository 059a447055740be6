"""CIM-MLC's worked example (ASPLOS'24): a convolution on 2 cores x 2 crossbars of 32 x 128 in every mode, as printed.

Conv of (3, 32, 32) with 32 filters of 3 x 3, stride 1, pad 1, 8 bits, then Relu; cells of 2 bits, 16 rows at a time.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from integer_nets import IntegerNet, golden

from compiler.compiling import lower
from compiler.mop.emit import PIPELINE, flow_of
from compiler.request import make_request
from compiler.session.context import make_context
from emu.interop.mop.checker import check_flow
from emu.interop.mop.chip import MopChip
from emu.interop.mop.lowering import lower_flow
from emu.interop.mop.parser import parse_flow
from emu.interop.mop.printer import print_flow
from emu.interop.mop.running import FlowCore

CM = """parallel {
  cim.read_core(Conv, [weights=conv_weights[0:27,0:32] in=17x32x3 out=16x32x32 kernel=3x3 pad=1x1], core0, 0, 3072)
  cim.read_core(Conv, [weights=conv_weights[0:27,0:32] in=17x32x3 out=16x32x32 kernel=3x3 pad=0x1], core1, 1440, 19456)
}
Relu(3072, 3072+32*32*32, 32*32*32)
"""
XBM_WEIGHTS = """parallel {
  cim.write_xb(xb0, conv_weights[0:27,0:32])
  cim.write_xb(xb1, conv_weights[0:27,0:32])
  cim.write_xb(xb2, conv_weights[0:27,0:32])
  cim.write_xb(xb3, conv_weights[0:27,0:32])
}
"""
XBM = """parallel {
  cim.read_xb(xb0, 1)
  cim.read_xb(xb1, 1)
  cim.read_xb(xb2, 1)
  cim.read_xb(xb3, 1)
}
parallel {
  mov(xb0, 3072, 32)
  mov(xb1, 3104, 32)
  mov(xb2, 3136, 32)
  mov(xb3, 3168, 32)
}
Relu(3072, 35840, 32*4)
"""
WLM_WEIGHTS = """parallel {
  cim.write_row(xb0, conv_weights[0:1,0:32])
  cim.write_row(xb1, conv_weights[16:17,0:32])
  cim.write_row(xb2, conv_weights[0:1,0:32])
  cim.write_row(xb3, conv_weights[16:17,0:32])
}
"""
WLM = """parallel {
  cim.read_row(xb0, 16)
  cim.read_row(xb1, 11)
  cim.read_row(xb2, 16)
  cim.read_row(xb3, 11)
}
parallel {
  mov(xb0, 3072, 32)
  mov(xb2, 3104, 32)
}
parallel {
  add(xb1, 3072, 3072, 32)
  add(xb3, 3104, 3104, 32)
}
Relu(3072, 35840, 32*2)
"""


@pytest.fixture(scope="module")
def model():
    net = IntegerNet(np.random.default_rng(0), (1, 3, 32, 32))
    net.node("ConvInteger", "x", net.weights(32, 3, 3, 3), shape=(1, 32, 32, 32), pads=[1, 1, 1, 1])
    net.nodes[0].name = "conv"
    net.node("Relu", net.name)
    return net.model()


@pytest.fixture(scope="module")
def flows(model):
    """Text and arrays by mode."""
    found = {}
    for mode in ("cm", "xbm", "wlm"):
        context = make_context()
        request = make_request(model, context.arch, pipeline=",".join(PIPELINE))
        chip = MopChip("worked example", mode, 2, 2, 32, 128, 2, 16, "columns", 1 << 20)
        emitted = flow_of(lower(request, context)[0], context, chip)
        found[mode] = "".join(print_flow(emitted.flow)), dict(emitted.arrays)
    return found


def operators(text: str) -> str:
    """The text without declarations and comments."""
    return re.sub(r"^//.*\n", "", text, flags=re.MULTILINE)


def test_cores_are_read_at_once(flows):
    assert operators(flows["cm"][0]) == CM


def test_four_crossbars_are_read_in_256_segments(flows):
    text = operators(flows["xbm"][0])
    assert text.startswith(XBM_WEIGHTS)
    assert XBM in text
    assert (text.count("cim.read_xb"), text.count(XBM.partition("}\n")[0]), text.count("32*4)\n")) == (1024, 256, 256)
    assert "// conv: segment 256 of 256\n" in flows["xbm"][0]


def test_rows_are_spread_over_crossbars_in_512_blocks(flows):
    text = operators(flows["wlm"][0])
    assert text.startswith(WLM_WEIGHTS)
    assert "cim.write_row(xb0+15, conv_weights[15:16,0:32])" in text
    assert "cim.write_row(xb1+10, conv_weights[26:27,0:32])" in text
    assert WLM in text
    assert (text.count(WLM.partition("}\n")[0]), text.count("32*2)\n")) == (512, 512)


@pytest.mark.parametrize("mode", ["cm", "xbm", "wlm"])
def test_flows_are_right(flows, model, mode):
    text, arrays = flows[mode]
    flow = parse_flow(text, "flow.mop")
    assert check_flow(flow, flow.header.chip).passed
    inputs = {"x": np.random.default_rng(1).integers(-128, 128, (1, 3, 32, 32)).astype(np.int8)}
    flow = parse_flow(text, "flow.mop")
    made = FlowCore(lower_flow(flow, flow.header.chip, arrays, "flow.mop")).run(inputs)
    for name, array in golden(model, inputs).items():
        np.testing.assert_array_equal(made[name], array)
