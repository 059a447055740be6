"""Random networks keep what they compute through every pass, and their programs compute what the last level does."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import golden
from levels import verified
from onnx import ModelProto
from onnx_nets import Net
from random_graphs import Case, random_graphs
from random_schedules import cases, schedules
from recurrent_nets import full_lstm, layer

from compiler.frontend.operators import OPERATORS
from emu.arch import Arch, Core, Crossbar
from launch.levels.finding import Levels

SMALL = Arch(name="small", cores=64, core=Core(crossbars=256), crossbar=Crossbar(4, 4))
relaxed = settings(suppress_health_check=list(HealthCheck))


def check(tally: Counter[str], found: Levels | str) -> None:
    """All levels agree, or the compiler refuses the network."""
    if isinstance(found, str):
        tally["refused"] += 1
    else:
        assert found.passed, found.sentence()
        tally["same"] += 1


def of_graphs(count: int) -> None:
    tally = Counter[str]()

    @settings(relaxed, max_examples=count)
    @given(random_graphs(tuple(OPERATORS)), st.sampled_from(["image", "rows:1", "rows:2"]))
    def one(case, granularity):
        check(tally, verified(case, SMALL, {"granularity": granularity}))

    one()
    assert tally["same"] > 0.5 * tally.total()


def of_schedules(count: int) -> None:
    tally = Counter[str]()

    @settings(relaxed, max_examples=count)
    @given(cases(), schedules())
    def one(case, schedule):
        check(tally, verified(case, schedule.chip, dict(schedule.options)))

    one()
    assert tally["same"] > 0.4 * tally.total()


def grouped() -> ModelProto:
    net = Net((1, 6, 5, 5))
    return net.model(net.conv("x", 6, 6, (1, 1), 3))


def reversed_gru() -> ModelProto:
    return layer("GRU", 4, direction="reverse", hidden_size=3).model(0, 14)


def lstm_with_states_as_inputs() -> ModelProto:
    net = full_lstm()
    net.runtime |= {"initial_h", "initial_c"}
    return net.model(0, 14)


def elements() -> ModelProto:
    net = Net((1, 3, 6, 6))
    low, high = (net.constant(np.float32(bound)) for bound in (-0.5, 0.75))
    pooled = net.add("AveragePool", "x", kernel_shape=[2, 2], strides=[2, 2], pads=[1, 1, 1, 1])
    padded = net.add("AveragePool", pooled, kernel_shape=[2, 2], pads=[1, 1, 0, 0], count_include_pad=1)
    mean = net.add("ReduceMean", net.add("LeakyRelu", padded, alpha=0.125), axes=[3], keepdims=0)
    return net.model(net.add("Clip", mean, low, high), net.add("Clip", mean, "", high))


def by_indices() -> ModelProto:
    net = Net((2, 5, 3))
    own = net.constant(np.array([[[0, -1, 2]], [[4, 3, -5]]]))  # [outer][n][inner]
    lines = net.constant(np.array([[1], [-1]]))
    gathered = net.add(
        "GatherElements", net.add("Gather", "x", net.constant(np.array([3, 0, -1, 1, 4])), axis=1), own, axis=1
    )
    put = net.add("ScatterElements", "x", own, net.weights(2, 1, 3), axis=1, reduction="add")
    return net.model(gathered, put, net.add("ScatterND", "x", lines, net.weights(2, 5, 3)))


@pytest.mark.parametrize("model", [grouped, reversed_gru, lstm_with_states_as_inputs, elements, by_indices])
def test_what_few_networks_have_through_every_pass(model: Callable[[], ModelProto]) -> None:
    """Products in groups and of layers with states, bounds, indices: a short run draws none of them at times."""
    proto = model()
    shapes = {each.name: [dim.dim_value for dim in each.type.tensor_type.shape.dim] for each in proto.graph.input}
    rng = np.random.default_rng(1)
    sample = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    found = verified(Case(proto, sample, golden(proto, sample)), SMALL, {})
    assert not isinstance(found, str), found
    assert found.passed, found.sentence()


def test_random_graphs_through_every_pass() -> None:
    of_graphs(examples(8, 24))


def test_random_schedules_through_every_pass() -> None:
    of_schedules(examples(2, 16))


@pytest.mark.full
@pytest.mark.timeout(7200)
def test_many_random_graphs_through_every_pass() -> None:
    of_graphs(1000)


@pytest.mark.full
@pytest.mark.timeout(7200)
def test_many_random_schedules_through_every_pass() -> None:
    of_schedules(500)
