"""Text that says when weights are written: pieces are checked, and a segment must not need a later one."""

import pytest
from in_process import compile_in_memory
from onnx_nets import Net
from xdsl.utils.exceptions import VerifyException

from compiler.compiling import lower
from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.pieces import PiecesAttr
from compiler.mapping.weight_swaps.phases import phases_of
from compiler.mapping.weight_swaps.pieces import pieces_of
from compiler.passes import run_pipeline
from compiler.request import make_request
from compiler.session.context import make_context
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError

ARCH = Arch(name="little", cores=2, core=Core(crossbars=2), crossbar=Crossbar(8, 8))


def model():
    net = Net([1, 8])
    return net.model(net.add("Gemm", net.add("Gemm", "x", net.weights(8, 24)), net.weights(24, 8)))


def segmented(*more):
    """The context and the module after the pass `segment`, and some more passes."""
    names = "normalize-gemm", "lower-onnx-to-spat", "segment"
    request = make_request(model(), ARCH, cores=2, segments=True, pipeline=",".join(names))
    context = make_context(ARCH, request.options)
    module, _ = lower(request, context)
    run_pipeline(more, context, module)
    return context, module


def layers(module):
    return [op for op in module.ops if isinstance(op, spat.LayerOp) and op.pieces is not None]


def test_pieces_that_are_not_the_matrix_are_refused():
    context, module = segmented()
    layer = layers(module)[0]
    layer.properties["pieces"] = PiecesAttr(layer.pieces.data[1:])
    with pytest.raises(CompileError, match=r"the pieces of its weights are not the \d x \d tiles into which"):
        run_pipeline(["cut-layers"], context, module)
    assert all(pieces_of(each) == [] for each in module.ops if isinstance(each, spat.LayerOp) and each.pieces is None)


@pytest.mark.parametrize(
    "piece",
    [(-2, 0, (0, 1), (0, 1)), (0, -1, (0, 1), (0, 1)), (0, 0, (1, 1), (0, 1)), (0, 0, (0, 1), (-1, 1))],
)
def test_pieces_are_numbers_that_make_sense(piece):
    _, module = segmented()
    layer = layers(module)[0]
    layer.properties["pieces"] = PiecesAttr((piece,))
    with pytest.raises(VerifyException, match="which is no place for weights"):
        layer.verify()


def test_a_segment_that_needs_a_later_one_is_refused():
    _, module = segmented("cut-layers", "place")
    computes = [op for op in module.ops if isinstance(op, spat.ComputeOp)]
    assert max(phases_of(computes)) > 0
    first = next(op for op in computes if any(value.uses for value in op.outputs))
    first.properties["segment"] = attr.integer(9)
    with pytest.raises(CompileError, match=r"in segment \d, but needs what is made in segment 9: write them in"):
        phases_of(computes)


def test_units_that_are_no_kernels_are_refused():
    compiled = compile_in_memory(model(), ARCH, 2, segments=True)
    assert compiled.read_only
    from compiler.codegen.generate import generate
    from compiler.dialects import pim

    context, module = segmented("cut-layers", "place", "lower-spat-to-pim", "allocate-buffers")
    write = next(op for op in module.walk() if isinstance(op, pim.WriteOp))
    write.properties["units"] = attr.ints([99])
    with pytest.raises(CompileError, match=r"core \d writes the weights of unit 99, which is no kernel with weights"):
        list(generate(module, context.weights))
