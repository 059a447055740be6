"""Energy from data: cells by V^2 G t of what was applied, parts of converters as executed, beside what prices say."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import EXAMPLES, SAMPLES, Emu
from hypothesis import given
from hypothesis import strategies as st

from compiler import compile
from emu.analog.energy import reading_pj
from emu.analog.product import AnalogProduct
from emu.arch import Arch
from emu.arch.derived import derived
from emu.arch.overlay import analog_of
from emu.arch.read import load_arch
from emu.image.npz import read_npz
from emu.image.reader import open_image
from emu.isa.dtypes import DType
from emu.noc.ports.port import FlowControl
from launch.analog.energy import data_energy, energy_table
from launch.analog.trials import run_trials
from launch.timing.energy import energy_report
from launch.timing.timed_image import time_programs

CHIP = derived(load_arch("isaac"), {"device.g_max_us": 20.0, "device.g_min_us": 2.0, "device.read_v": 0.3})


def by_loops(arch: Arch, weights: np.ndarray, vectors: np.ndarray) -> float:
    """pJ of all reads of weights + 128 in cells of `cell_bits`, by magnitudes bit by bit, a cell at a time."""
    volt, least, most = arch.device.read_v, arch.device.g_min_us, arch.device.g_max_us
    assert volt and least and most and arch.timing and arch.timing.crossbar.read_ns
    width, joules = arch.crossbar.cell_bits, 0.0
    for vector in vectors.tolist():
        for bit in range(7):
            for row, number in enumerate(vector):
                if not abs(number) >> bit & 1:
                    continue
                for weight in weights[row].tolist():
                    for place in range(0, 8, width):
                        digit = (weight + 128) >> place & ((1 << width) - 1)
                        siemens = (least + (most - least) * digit / ((1 << width) - 1)) * 1e-6
                        joules += volt**2 * siemens * arch.timing.crossbar.read_ns * 1e-9
    return joules * 1e12


@given(st.integers(0, 1 << 32), st.integers(1, 6), st.integers(1, 4), st.sampled_from([1, 2, 4]))
def test_cells_take_what_loops_over_them_say(seed: int, rows: int, cols: int, cell_bits: int) -> None:
    rng = np.random.default_rng(seed)
    arch = analog_of(derived(CHIP, {"crossbar.cell_bits": cell_bits, "crossbar.dac_bits": 1}))
    assert not arch.crossbar.differential
    weights = rng.integers(-128, 128, (rows, cols)).astype(np.int8)
    vectors = rng.integers(-127, 128, (3, rows)).astype(np.int8)
    product = AnalogProduct(arch, weights, (rows,), DType.i8, DType.i8)
    product.counted = True
    product.multiply(vectors)
    assert reading_pj(arch, product.counts) == pytest.approx(by_loops(arch, weights, vectors.astype(int)), rel=1e-12)


def test_without_times_nothing_is_known() -> None:
    assert reading_pj(replace(CHIP, timing=None), np.ones(100)) is None
    twice = derived(CHIP, {"device.read_v": 0.6})
    one, four = reading_pj(CHIP, np.ones((2, 100))), reading_pj(twice, np.ones((2, 100)))
    assert one is not None and four is not None and np.allclose(four, 4 * one, rtol=1e-12) and one.shape == (2,)


@pytest.fixture(scope="module")
def integers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The digits in integers on isaac, which has a price for each part."""
    out = tmp_path_factory.mktemp("energy") / "out"
    compile(EXAMPLES / "digits_cnn_int8.onnx", "isaac", out=out)
    return out


def samples_of(count: int) -> dict[str, np.ndarray]:
    return {"in0": read_npz(SAMPLES)["in0"][:count, None]}


def test_beside_stands_what_the_chip_prices_of_the_same_products(integers: Path) -> None:
    image, inputs = open_image(integers), samples_of(12)
    arch, count = analog_of(image.arch), 12
    counts = run_trials(integers, arch, inputs).counts
    layers = data_energy(image, arch, counts, count)
    programs = {core: image.program(core) for core in image.cores}
    report = energy_report(time_programs(image, programs, arch, FlowControl()))
    assert report is not None
    for name, component in (("cells", "crossbar"), ("drivers", "dac"), ("converters", "adc")):
        priced = sum(layer.parts[name].priced or 0.0 for layer in layers)
        assert priced == pytest.approx(report.by_component[component], rel=1e-9)
    for layer in layers:
        assert 0.8 < (layer.parts["converters"].ratio or 0.0) <= 1.0  # but for the bit that few numbers need
        assert 0 < (layer.parts["drivers"].ratio or 0.0) < 1.0  # voltages of 0 take none
        data = sum(part.data or 0.0 for part in layer.parts.values())
        assert layer.ratio == pytest.approx(data / sum(part.priced or 0.0 for part in layer.parts.values()))
        assert layer.written == layer.pulses > 0 and layer.write_pj is None  # isaac has no price of writing
    half = data_energy(image, arch, counts, 2 * count)
    assert half[0].parts["cells"].data == pytest.approx((layers[0].parts["cells"].data or 0.0) / 2)
    rows = energy_table(layers).rows
    assert [row[0] for row in rows] == [layer.node for layer in layers]


def test_writing_takes_its_pulses(integers: Path) -> None:
    image, inputs = open_image(integers), samples_of(2)
    changes = {"energy.crossbar.write_cell_pj": 3.0, "device.programming": "gaussian", "device.programming_sigma": 0.05}
    verified = {"device.verify_pulses": 5, "device.verify_tolerance": 0.02}
    arch = analog_of(derived(image.arch, changes | verified))
    counts = run_trials(integers, arch, inputs).counts
    for layer in data_energy(image, arch, counts, 2):
        assert layer.written < layer.pulses < 5 * layer.written
        assert layer.write_pj == pytest.approx(3.0 * layer.pulses)


def test_a_chip_without_figures_has_no_energy(integers: Path) -> None:
    image, inputs = open_image(integers), samples_of(2)
    arch = analog_of(replace(image.arch, timing=None, energy=None, area=None, published=None))
    counts = run_trials(integers, arch, inputs).counts
    assert data_energy(image, arch, counts, 2) == []


def test_a_run_shows_its_energy(emu: Emu, integers: Path, given_file: Path) -> None:
    words = ("launch", integers, "--input", given_file, "--golden", "none", "--sequential", "--analog", "own")
    told = json.loads(emu(*words, "--json").stdout)["analog"]["energy"]
    image = open_image(integers)
    counts = run_trials(integers, analog_of(image.arch), samples_of(4), everything=True).counts
    assert told == [layer.to_dict() for layer in data_energy(image, analog_of(image.arch), counts, 4)]
    title = "energy of products per sample, from data and as priced without"
    assert title in emu(*words).stdout
    page = (Path(__file__).parents[3] / "docs" / "json.md").read_text("utf-8")
    for name in {*told[0], *told[0]["cells"]}:
        assert f"`{name}`" in page
