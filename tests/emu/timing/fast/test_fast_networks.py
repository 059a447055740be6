"""Compiled networks on published chips: both executors say the same."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import onnx
import pytest
from in_process import compile_in_memory
from timed_results import everything

from emu.arch.read import load_arch
from emu.noc.ports.port import FlowControl
from emu.timing.executor.step import step
from emu.timing.fast.fast import fast
from emu.timing.prepare import prepare

EXAMPLES = Path(__file__).parents[4] / "examples"


@cache
def programs(name, granularity, made_for="isaac"):
    """An example network as programs for 24 cores of a chip."""
    return compile_in_memory(onnx.load(EXAMPLES / name), load_arch(made_for), 24, granularity=granularity).programs


def same(name, granularity, chip, flow, samples, arch=None, made_for="isaac", **changes):
    setup = replace(
        prepare(programs(name, granularity, made_for), arch or load_arch(chip), FlowControl.parse(flow)), **changes
    )
    assert everything(fast(setup, samples)) == everything(step(setup, samples))


@pytest.mark.parametrize("window", [1, 4])
@pytest.mark.parametrize("granularity", ["image", "rows:1"])
def test_an_example(granularity, window):
    same("digits_cnn_int8.onnx", granularity, "isaac", "rendezvous", 2, window=window, local_ports=1)


def test_an_example_on_contended_links():
    arch = load_arch("isaac")
    links = replace(arch.network, contention="links", hop_ns=1.0, base_ns=2.0, flit_ns=0.5, flit_bytes=4)
    same("digits_cnn.onnx", "rows:2", "isaac", "credits:2", 3, replace(arch, network=links), window=3)


@pytest.mark.parametrize("parallel", [8, 128])
def test_an_example_on_a_chip_with_buffers_and_lanes_that_all_cores_share(parallel):
    arch = load_arch("cim-mlc-isaac")
    arch = replace(
        arch,
        crossbar=replace(arch.crossbar, parallel_rows=parallel),
        network=replace(arch.network, contention="shared", hop_ns=1.0),
        timing=replace(arch.timing, vector=replace(arch.timing.vector, chip_lanes=100)),
    )
    same("digits_cnn_int8.onnx", "rows:2", "cim-mlc-isaac", "credits:2", 3, arch, "cim-mlc-isaac")


@pytest.mark.full
@pytest.mark.parametrize("chip", ["isaac", "puma", "pimsim-latency"])
@pytest.mark.parametrize("flow", ["rendezvous", "credits:1", "credits:4"])
@pytest.mark.parametrize("window", [1, 2, 4, 8, 16])
def test_examples_on_chips(chip, flow, window):
    for name in ("digits_cnn.onnx", "digits_cnn_int8.onnx"):
        for granularity in ("image", "rows:1", "rows:2"):
            for ports in (0, 1, 2):
                same(name, granularity, chip, flow, 5, window=window, local_ports=ports)
