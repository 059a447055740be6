"""States that a chip keeps between steps: a sequence in steps is the sequence at once, on processes and in turns."""

import numpy as np
import onnx
import pytest
from decoders import decoder, empty_caches
from in_process import assert_close, golden
from onnx import TensorProto
from stepped_nets import INPUTS, accumulator, cell, counter

import compiler
from emu.errors import InputError
from launch.chips.power import power_on
from launch.chips.sequential import power_on_sequential

WAYS = [(power_on, "rendezvous"), (power_on, "credits:2"), (power_on_sequential, "rendezvous")]
IDS = np.array([[3, 1, 4, 10, 5, 9]])


@pytest.fixture
def image(tmp_path):
    """Compiles a model with states into an image."""

    def make(model, **options):
        path = tmp_path / "model.onnx"
        onnx.save(model, path)
        compiler.compile(path, out=tmp_path / "out", cores=24, **options)
        return tmp_path / "out"

    return make


@pytest.mark.parametrize(("on", "flow"), WAYS)
def test_an_accumulator_keeps_its_sum(image, on, flow):
    x = np.arange(4, dtype=np.float32).reshape(1, 4)
    with on(image(accumulator(), states={"s": "y"}), flow=flow, timeout=60) as chip:
        for count in (1, 2, 3):
            assert np.array_equal(chip.step({"x": x})["y"], count * x)
        alone = chip.run({"x": x, "s": -x})  # a sample by itself neither reads nor changes the states
        assert not alone["y"].any()
        results = list(chip.steps([{"x": x}] * 5))
        assert [result.sample for result in results] == [0, 1, 2, 3, 4]
        assert np.array_equal(results[-1].outputs["y"], 8 * x)
        chip.reset()
        assert np.array_equal(chip.step({"x": x})["y"], x)
        first = x + 5
        chip.reset({"s": first})
        first[:] = 0  # the caller's own
        assert np.array_equal(chip.step({"x": x})["y"], 2 * x + 5)


@pytest.mark.parametrize(("on", "flow"), WAYS)
@pytest.mark.parametrize("granularity", ["image", "rows:1"])
def test_a_cell_step_by_step_is_the_whole_sequence(image, on, flow, granularity):
    steps = 6
    x = np.random.default_rng(0).standard_normal((steps, 1, INPUTS)).astype(np.float32)
    zero = np.zeros((1, 1, 5), np.float32)
    whole = golden(cell(steps), {"x": x, "h0": zero, "c0": zero})
    out = image(cell(1), states={"h0": "h", "c0": "c"}, granularity=granularity)
    with on(out, flow=flow, timeout=60) as chip:
        found = [result.outputs for result in chip.steps({"x": x[k : k + 1]} for k in range(steps))]
    assert_close({"y": np.concatenate([outputs["y"] for outputs in found])}, {"y": whole["y"]})
    assert_close(found[-1], {name: whole[name] for name in ("h", "c")})


@pytest.mark.parametrize(("on", "flow"), WAYS)
def test_a_decoder_step_by_step_is_the_whole_sequence(image, on, flow):
    whole = golden(decoder(), {"ids": IDS} | empty_caches())
    capacity, count = IDS.shape[1] + 1, IDS.shape[1]
    out = image(decoder(), max_length=capacity, shapes={"ids": (1, 1)})
    with on(out, flow=flow, timeout=60) as chip:
        for _ in range(2):
            found = [result.outputs for result in chip.steps({"ids": IDS[:, k : k + 1]} for k in range(count))]
            chip.reset()
    scores = np.concatenate([outputs["scores"] for outputs in found], 1)
    assert_close({"scores": scores}, {"scores": whole["scores"]})
    assert [outputs["next_position"].tolist() for outputs in found] == [[k + 1] for k in range(count)]
    for name in ("present.0.key", "present.1.value"):
        assert_close({name: found[-1][name][:, :, :count]}, {name: whole[name]})
        assert not found[-1][name][:, :, count:].any()


@pytest.mark.parametrize("kind", [TensorProto.INT8, TensorProto.FLOAT16, TensorProto.INT64])
def test_states_have_any_type(image, kind):
    with power_on_sequential(image(counter(kind), states={"n": "following"})) as chip:
        assert [chip.step({"x": np.array([10])})["y"][0] for _ in range(3)] == [10, 11, 12]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (
            {"x": np.zeros((1, 4), np.float32), "s": np.zeros((1, 4), np.float32)},
            "'s' is a state",
        ),
        ({}, "input 'x' is missing"),
        ({"x": np.zeros((1, 4))}, "float64"),
        (3, "inputs are a dictionary"),
    ],
)
def test_wrong_inputs_change_no_state(image, inputs, message):
    x = np.ones((1, 4), np.float32)
    with power_on_sequential(image(accumulator(), states={"s": "y"})) as chip:
        chip.step({"x": x})
        with pytest.raises(InputError, match=message):
            chip.step(inputs)
        assert np.array_equal(chip.step({"x": x})["y"], 2 * x)


@pytest.mark.parametrize(
    ("initial", "message"),
    [
        ({"t": np.zeros((1, 4), np.float32)}, "'t' is no state: the states are 's'"),
        ({"s": np.zeros((4,), np.float32)}, r"state 's' is float32\[1, 4\], and its first value float32\[4\]"),
        ({"s": np.zeros((1, 4))}, r"and its first value float64\[1, 4\]"),
    ],
)
def test_wrong_first_values_are_refused(image, initial, message):
    out = image(accumulator(), states={"s": "y"})
    with power_on_sequential(out) as chip, pytest.raises(InputError, match=message):
        chip.reset(initial)


def test_a_chip_without_states_takes_no_steps(image):
    with (
        power_on_sequential(image(accumulator())) as chip,
        pytest.raises(InputError, match="has no states"),
    ):
        chip.step({"x": np.zeros((1, 4), np.float32)})


def test_a_chip_in_use_is_not_reset(image):
    x = np.ones((1, 4), np.float32)
    with power_on_sequential(image(accumulator(), states={"s": "y"})) as chip:
        steps = chip.steps([{"x": x}] * 2)
        next(steps)
        with pytest.raises(InputError, match="this chip is in use"):
            chip.reset()
        steps.close()
        chip.reset()
        assert np.array_equal(chip.step({"x": x})["y"], x)
