"""LSTM, GRU and RNN: equal to onnxruntime, whole or by rows, without a trace of the sample before."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from recurrent_nets import recurrent_nets
from support.in_process import assert_close, compile_in_memory, run_in_process

from emu.arch import Arch, Core, Crossbar

relaxed = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
LARGE = 100  # states beyond which activations without a bound have run away, to infinity in a few steps
SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(4, 4))


def same_bits(one, other):
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.tobytes() == other[name].tobytes(), name


def check(net, layout, engine):
    """Three samples in a row: as onnxruntime says, the same bits at all granularities, each as if it were alone."""
    model = net.model(layout)
    samples = [net.sample(seed) for seed in range(3)]
    given = [{name: net.turned(name, array, layout) for name, array in sample.items()} for sample in samples]
    goldens = [net.golden(sample) for sample in samples]
    assume(all(np.abs(array).max() < LARGE for golden in goldens for array in golden.values()))
    first = None
    for granularity in ("image", "rows:1", "rows:2"):
        compiled = compile_in_memory(model, SMALL, 24, granularity=granularity)
        found = run_in_process(compiled, given, engine)
        for golden, made in zip(goldens, found, strict=True):
            assert_close(made, {name: net.turned(name, array, layout) for name, array in golden.items()})
        for one, other in zip(first or found, found, strict=True):
            same_bits(one, other)
        first = found
        (alone,) = run_in_process(compiled, given[2:], engine)
        same_bits(found[2], alone)


@settings(relaxed, max_examples=25, deadline=None)
@given(recurrent_nets(), st.sampled_from([0, 1]), st.sampled_from(["step", "batch"]))
def test_random_layers(net, layout, engine):
    check(net, layout, engine)


@pytest.mark.full
@pytest.mark.timeout(3600)
@settings(relaxed, max_examples=1000, deadline=None)
@given(recurrent_nets(), st.sampled_from([0, 1]), st.sampled_from(["step", "batch"]))
def test_many_random_layers(net, layout, engine):
    check(net, layout, engine)
