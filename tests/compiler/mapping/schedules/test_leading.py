"""What comes before the first product is cut as that is: no core makes what all copies take rows or columns of."""

from collections import Counter

import numpy as np
import pytest
from in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from onnx import TensorProto, helper
from onnx_nets import Net

from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.kernels.nest import NestOp
from compiler.passes import PIPELINE
from emu.arch import Arch, Core, Crossbar

CHIP = Arch(name="chip", cores=64, core=Core(crossbars=4096), crossbar=Crossbar(4, 4))


def compiled(model, cores, text):
    pipeline = ",".join(f"duplicate{{{text}}},{name}" if name == "cut-layers" else name for name in PIPELINE)
    made = compile_in_memory(model, CHIP, cores, pipeline=pipeline)
    sample = random_sample(made.inputs)
    assert_close(run_in_process(made, [sample])[0], golden(model, sample))
    return made


def network():
    """A function of the input, which two convolutions share."""
    net = Net([1, 3, 16, 12])
    y = net.add("Exp", net.add("Abs", "x"))
    first, second = net.conv(y, 3, 4, (3, 3), pads=[1, 1, 1, 1]), net.conv(y, 3, 4, (1, 1))
    return net.model(net.add("Add", first, second))


def nests(made):
    """The cores of each node that is a nest."""
    found = Counter[tuple[str, int]]()
    for core in made.module.ops:
        if isinstance(core, pim.CoreOp):
            for op in core.walk():
                if isinstance(op, NestOp):
                    found[op.node.data, core.coreId.value.data] += 1
    return found


@pytest.mark.parametrize(("along", "boxes"), [("rows", 1), ("columns", 4)])
def test_each_copy_makes_its_part_of_what_it_multiplies(along, boxes):
    made = compiled(network(), 5, f"copies=4,1 along={along}")
    parts = {core: count for (node, core), count in nests(made).items() if node.startswith("exp")}
    assert sum(parts.values()) == 4 and max(parts.values()) <= 2
    (source,) = [op for op in made.module.ops if isinstance(op, pim.TensorOp) and op.kind.data == "input"]
    assert len(attr.values(source.addresses)) == boxes


def test_without_copies_nothing_leads():
    made = compiled(network(), 5, "copies=1,1")
    assert sum(nests(made).values()) == 2


def embedding(places):
    """Words looked up in a table of so many `places`, then multiplied."""
    net = Net([1, 6])
    net.input = helper.make_tensor_value_info("x", TensorProto.INT64, [1, 6])
    words = net.add("Gather", net.weights(places, 4), "x", axis=0)
    y = net.add("Add", words, net.weights(6, 4))
    return net.model(net.add("MatMul", y, net.weights(4, 5)))


def test_a_table_stays_whole():
    pipeline = ",".join("duplicate{copies=3}," + name if name == "cut-layers" else name for name in PIPELINE)
    made = compile_in_memory(embedding(50), CHIP, 6, pipeline=pipeline)
    sample = {"x": np.array([[0, 49, 7, 7, 31, 2]])}
    assert_close(run_in_process(made, [sample])[0], golden(embedding(50), sample))
    heights = Counter(
        attr.shape_of(op.outputs[0])[1] for op in made.module.walk() if isinstance(op, NestOp) and not op.inputs
    )
    assert heights == {50: 1}
