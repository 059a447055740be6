"""Quantised models for tests, and the comparison of their bytes with onnxruntime's."""

import numpy as np
from in_process import compile_in_memory, golden, run_in_process
from onnx import TensorProto, helper
from onnx_models import Kind, make_model

from emu.arch import Arch, Core, Crossbar

SMALL = Arch(name="small", cores=1024, core=Core(crossbars=4096), crossbar=Crossbar(9, 9))
KINDS = {"int8": (np.int8, TensorProto.INT8), "uint8": (np.uint8, TensorProto.UINT8)}


def model_of(nodes, inputs, outputs, weights):
    """A model of the operator set 21; inputs and outputs are (type, shape) by name."""
    kinds = [{name: Kind(*kind) for name, kind in part.items()} for part in (inputs, outputs)]
    return make_model(nodes, *kinds, weights, 21, ir_version=10, **{"com.microsoft": 1})


def one(op, inputs, arrays, kind, shapes, **attributes):
    """A model of one node of com.microsoft: `shapes` are those of its bytes that are given at run time."""
    code = KINDS[kind][1]
    node = helper.make_node(op, inputs, ["y"], "the_node", domain="com.microsoft", **attributes)
    return model_of([node], {name: (code, shape) for name, shape in shapes.items()}, {"y": (code, None)}, arrays)


def check_exact(model, sample, granularities=("image", "rows:1"), arch=SMALL):
    """Every output has the type and every bit of onnxruntime's, whole and by rows; returns the programs."""
    wanted = golden(model, sample)
    for granularity in granularities:
        compiled = compile_in_memory(model, arch, 64, granularity=granularity)
        (found,) = run_in_process(compiled, [sample])
        for name, want in wanted.items():
            got = found[name]
            assert (got.dtype, got.shape) == (want.dtype, want.shape)
            np.testing.assert_array_equal(got, want)
    return compiled


def bytes_of(rng, name, *shape):
    limits = np.iinfo(KINDS[name][0])
    return rng.integers(limits.min, limits.max, shape, KINDS[name][0], endpoint=True)
