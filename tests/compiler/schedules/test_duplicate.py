"""Duplicated weights: any network with any number of copies per layer = the network without = golden, bit for bit."""

import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from support.onnx_nets import conv_nets

from compiler.api import CompileRequest, compile_options, lower
from compiler.cutting.product import find_product
from compiler.dialects import spat
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.passes import PIPELINE
from compiler.session.context import make_context
from emu.arch import Arch, Core, Crossbar
from emu.core.blas_check import blas_rows_stable

relaxed = settings(suppress_health_check=list(HealthCheck))
MAPPINGS = st.tuples(
    st.sampled_from([17, 1024]), st.sampled_from(["dense", "kernel"]), st.sampled_from(["spread", "scatter", "pack"])
)
GRANULARITIES = st.sampled_from(["image", "image", "rows:1", "rows:3", "auto"])


def chip(size=4):
    core = Core(crossbars=4096, local_memory=64 << 20)
    return Arch(name="chip", cores=1024, core=core, crossbar=Crossbar(size, size))


def with_duplicate(setting):
    """The default passes with `duplicate` where it belongs."""
    return ",".join(f"duplicate{{{setting}}},{name}" if name == "cut-layers" else name for name in PIPELINE)


def products(model, arch):
    """How many layers of a network multiply."""
    request = CompileRequest(
        model=model,
        arch=arch,
        options=compile_options(64, "dense", "spread", arch),
        pipeline=",".join(PIPELINE[: PIPELINE.index("cut-layers")]),
    )
    module, _ = lower(request, make_context(arch, request.options))
    return sum(find_product(op) is not None for op in module.ops if isinstance(op, spat.LayerOp))


def check(model, arch, mapping, granularity, setting, *, close=True):
    """One sample without and with copies; the first against onnxruntime, too."""
    alone = compile_in_memory(model, arch, *mapping)
    copied = compile_in_memory(model, arch, *mapping, granularity, pipeline=with_duplicate(setting))
    sample = random_sample(alone.inputs)
    (wanted,), (found,) = (run_in_process(compiled, [sample]) for compiled in (alone, copied))
    if close:
        assert_close(found, golden(model, sample))
    if blas_rows_stable() and row_cuts(alone) == row_cuts(copied):
        assert {name: value.tobytes() for name, value in found.items()} == {
            name: value.tobytes() for name, value in wanted.items()
        }
    else:
        assert_close(found, wanted, 1e-5)
    return copied


def row_cuts(compiled):
    """Which row tiles of each node the cores add up before they are sent: it decides how sums are rounded."""
    kernels = [op for op in compiled.module.walk() if isinstance(op, ApplyFiltersOp)]
    return {(op.node.data, op.part.data if op.part is not None else "") for op in kernels}


def check_drawn(model, size, mapping, granularity, data):
    arch = chip(size)
    count = products(model, arch)
    copies = data.draw(st.lists(st.integers(1, 5), min_size=count, max_size=count))
    check(model, arch, mapping, granularity, f"copies={','.join(map(str, copies))}" if copies else "")


@settings(relaxed, max_examples=examples(20, 60))
@given(conv_nets(), st.integers(2, 40), MAPPINGS, GRANULARITIES, st.data())
def test_random_networks(model, size, mapping, granularity, data):
    check_drawn(model, size, mapping, granularity, data)


@pytest.mark.full
@settings(relaxed, max_examples=2000)
@given(conv_nets(), st.integers(2, 40), MAPPINGS, GRANULARITIES, st.data())
@pytest.mark.timeout(3600)
def test_many_random_networks(model, size, mapping, granularity, data):
    check_drawn(model, size, mapping, granularity, data)
