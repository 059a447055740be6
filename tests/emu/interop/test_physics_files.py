"""Parameters of other simulators as tables of a chip, and what is refused of them."""

import json
from typing import Any

import pytest

from emu.arch.read import arch_from_tables, parse_arch
from emu.errors import ArchError
from emu.interop.physics import tables_of_json, with_physics
from emu.isa.dtypes import DType

CHIP = "[crossbar]\nrows = 64\ncols = 32\ncell_bits = 2\ndac_bits = 1\ndifferential = true\n"
# Two bits in a cell of a pair, inputs bit by bit, converters of 9 bits.
CROSSSIM: dict[str, Any] = {
    "core": {
        "style": "BITSLICED",
        "rows_max": 64,
        "cols_max": 32,
        "weight_bits": 8,
        "bit_sliced": {"style": "BALANCED", "num_slices": 4},
        "mapping": {"inputs": {"mvm": {"min": -2.0, "max": 2.0, "percentile": None}, "vmm": {"min": 0}}},
    },
    "xbar": {
        "device": {
            "Rmin": 2e4,
            "Rmax": 1e6,
            "time": 2,
            "programming_error": {"enable": True, "model": "NormalProportionalDevice", "magnitude": 0.1},
            "drift_error": {"enable": True, "model": "PCMJoshi", "magnitude": 3},
            "read_noise": {"enable": True, "model": "UniformInverseProportionalDevice", "magnitude": 0.02},
        },
        "array": {"Icol_max": 5, "parasitics": {"enable": True, "Rp_row": 1.5, "Rp_col": 2, "Rp_col_terminal": 10}},
        "adc": {"mvm": {"model": "SignMagnitudeADC", "bits": 9, "adc_per_ibit": True, "adc_range_option": 2}},
        "dac": {"mvm": {"model": "QuantizerDAC", "bits": 6, "input_bitslicing": True, "slice_size": 1}},
    },
    "simulation": {"useGPU": True},
}
AIHWKIT: dict[str, Any] = {
    "forward": {
        **{"inp_res": 254, "out_res": 1 / 510, "out_bound": 10, "out_noise": 0.04, "ir_drop": 1, "w_noise": 0.02},
        **{"w_noise_type": "AdditiveConstant", "noise_management": "Constant", "nm_thres": 3},
    },
    "mapping": {"weight_scaling_omega": 1, "weight_scaling_columnwise": True, "max_input_size": 64},
    "noise_model": {"class": "HermesNoiseModel", "num_devices": 1, "read_noise_scale": 0, "t_inference": 60},
    "drift_compensation": "GlobalDriftCompensation",
    "modifier": {"std_dev": 0.1},
}


def changed(tree: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """A tree with another value of a key."""
    first, _, rest = key.partition(".")
    return {**tree, first: changed(tree.get(first) or {}, rest, value) if rest else value}


def tables(tree: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The tables of a tree, which describe a chip."""
    found = tables_of_json(json.dumps(tree), "other.json")
    arch_from_tables(found, lambda table, key: f"{table}.{key}: ")
    return found


def test_parameters_of_crosssim_are_read_by_key() -> None:
    assert tables(CROSSSIM) == {
        "crossbar": {
            **{"kind": "analog", "rows": 64, "cols": 32, "cell_bits": 2, "differential": True},
            **{"dac_bits": 1, "adc_bits": 9},
        },
        "mapping": {
            **{
                "slicing": "differential",
                "weight_bits": 8,
                "weight_max": 1.0,
                "input_range": "fixed",
                "input_max": 2.0,
            },
            **{"input_bits": 6, "column_limit": 5, "input_slices": "apart", "adc_range": "span-sliced"},
        },
        "device": {
            **{"g_max_us": 50.0, "g_min_us": 1.0, "read_v": 0.1, "time_s": 2 * 86400.0},
            **{"drift": "crosssim-pcm-joshi", "read_noise": "crosssim-uniform-inverse", "read_sigma": 0.02},
        },
        "wires": {"row_ohm": 1.5, "row_end_ohm": 1.5, "col_ohm": 2, "col_end_ohm": 12},
    }


def test_errors_of_programming_count_without_time() -> None:
    device = tables(changed(CROSSSIM, "xbar.device.time", 0))["device"]
    assert (device["programming"], device["programming_sigma"]) == ("crosssim-normal-proportional", 0.1)
    assert "drift" not in device and "time_s" not in device


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        (
            "core.style",
            "BALANCE",
            "core.style 'BALANCE' is not modelled: it may be BALANCED, .*; did you mean 'BALANCED'",
        ),
        ("core.complex_matrix", True, "core.complex_matrix True is not modelled: numbers are real"),
        ("core.bit_sliced.num_slices", 9, "core.bit_sliced.num_slices must be from 1 to core.weight_bits 8, not 9"),
        ("xbar.device.cell_bits", 3, "xbar.device.cell_bits must be 0 or 2, the bits of one slice, not 3"),
        ("core.mapping.weights.percentile", 1.5, "percentile 1.5 is more than 1: ranges end at the largest weight"),
        ("core.mapping.weights.max", 2.0, "core.mapping.weights.min -1.0 is not the opposite of max 2.0"),
        ("core.mapping.inputs.mvm.percentile", 0.9, "inputs.mvm.percentile 0.9 is not modelled: give min and max"),
        ("core.mapping.inputs.mvm.min", -1, "inputs.mvm.min -1 must be -2, by max 2 and xbar.dac.mvm.signed"),
        ("xbar.device.Rmin", 2e6, "xbar.device.Rmin 2e[+]06 must be below xbar.device.Rmax 1e[+]06"),
        ("xbar.device.Rmin", "low", "xbar.device.Rmin must be a number from 1e-09 on, not 'low'"),
        ("xbar.device.Rmim", 5, "xbar.device.Rmim is not modelled: leave it out; did you mean 'xbar.device.Rmin'"),
        ("xbar.device.read_noise.model", "Mine", "xbar.device.read_noise.model 'Mine' is not modelled"),
        ("xbar.array.parasitics.Rp_row_terminal", 5, "Rp_row_terminal 5 means something else: CrossSim adds it to all"),
        ("xbar.adc.mvm.model", "RampADC", "xbar.adc.mvm.model 'RampADC' is not modelled"),
        ("xbar.adc.mvm.stochastic_rounding", True, "stochastic_rounding True is not modelled: codes are the nearest"),
        ("xbar.adc.mvm.adc_range_option", 1, "xbar.adc.mvm.calibrated_range is missing: give the range of CALIBRATED"),
        ("xbar.dac.mvm.bits", 6.5, "xbar.dac.mvm.bits must be a whole number, not 6.5"),
        ("xbar.dac.mvm.input_bitslicing", 1, "xbar.dac.mvm.input_bitslicing must be true or false, not 1"),
    ],
)
def test_what_crosssim_means_otherwise_is_refused_by_key(key: str, value: Any, sentence: str) -> None:
    with pytest.raises(ArchError, match=f"^other.json: .*{sentence}"):
        tables(changed(CROSSSIM, key, value))


def test_configurations_of_aihwkit_are_read_by_key() -> None:
    found = tables(AIHWKIT)
    assert found["crossbar"] == {"kind": "analog", "rows": 64, "cell_bits": 0, "differential": True, "adc_bits": 9}
    assert found["mapping"] == {
        **{"slicing": "differential", "weight_scope": "column", "compensation": "global", "input_bits": 8},
        **{
            "input_range": "fixed",
            "input_max": 3.0,
            "adc_range": "fixed",
            "adc_limits": [[-10, 10]],
            "adc_noise": 0.04,
        },
    }
    assert found["device"] == {
        **{"g_max_us": 10.35, "programming": "hermes-single", "drift": "hermes-single", "time_s": 60},
        **{"read_noise": "crosssim-normal", "read_sigma": pytest.approx(0.02 / 2**0.5)},
    }
    # The wire between two cells conducts 1 / (0.35 ohm x 5 uS) times as well as the best cell.
    assert found["wires"] == {"col_ohm": pytest.approx(1e6 / 10.35 * 0.35 * 5e-6)}


def test_the_preset_of_training_for_hardware_is_read_with_keys_over_it() -> None:
    found = tables({"preset": "StandardHWATrainingPreset", "forward": {"w_noise": 0}})
    assert (found["crossbar"]["adc_bits"], found["mapping"]["adc_limits"]) == (8, [[-10, 10]])
    assert (found["mapping"]["input_bits"], found["mapping"]["adc_noise"]) == (8, 0.04)
    assert {found["device"][key] for key in ("programming", "drift", "read_noise")} == {"aihwkit-pcm"}
    assert found["wires"] == {"col_ohm": pytest.approx(0.07)}


def test_a_perfect_forward_leaves_the_cells_alone() -> None:
    found = tables(changed(AIHWKIT, "forward.is_perfect", True))
    assert "adc_bits" not in found["crossbar"] and "wires" not in found and found["device"]["drift"] == "hermes-single"


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("forward.inp_res", 100, "forward.inp_res 100 is no number of steps 2.n - 2, such as 254, nor one over it"),
        ("forward.v_offset_std", 0.1, "forward.v_offset_std 0.1 is not modelled: give 0"),
        ("forward.bound_management", "Iterative", "forward.bound_management 'Iterative' is not modelled"),
        ("forward.ir_drop", 0.5, "forward.ir_drop 0.5 is no share of the resistance of wires: give 0 or 1"),
        ("forward.out_res", -1, "forward.out_bound 10 without steps of forward.out_res is not modelled"),
        ("forward.out_bound", 0, "forward.out_res needs forward.out_bound, the range of its steps"),
        (
            "noise_model.read_noise_scale",
            1,
            "forward.w_noise 0.02 is a second noise of readings beside that of noise_mo",
        ),
        ("noise_model", "MyModel", "noise_model 'MyModel' is not modelled"),
        ("noise_model.prog_coeff", [1.0], "noise_model.prog_coeff is not modelled: leave it out"),
        ("mapping.weight_scaling_omega", 0.6, "weight_scaling_omega 0.6 leaves a part of the range unused"),
        ("drift_compensation", "Mine", "drift_compensation 'Mine' is not modelled"),
    ],
)
def test_what_aihwkit_means_otherwise_is_refused_by_key(key: str, value: Any, sentence: str) -> None:
    with pytest.raises(ArchError, match=f"^other.json: .*{sentence}"):
        tables(changed(AIHWKIT, key, value))


def test_files_of_both_kinds_lie_over_a_chip() -> None:
    chip = with_physics(parse_arch(CHIP, "mine.toml"), json.dumps(CROSSSIM), "other.json", [DType.i8])
    assert (chip.crossbar.kind, chip.crossbar.adc_bits, chip.wires.col_ohm) == ("analog", 9, 2)
    more = with_physics(chip, "[draws]\nseed = 5\n", "seed.toml", [DType.i8])
    assert (more.draws.seed, more.title) == (5, "architecture mine.toml, other.json, seed.toml")


@pytest.mark.parametrize(
    ("chip", "text", "sentence"),
    [
        (
            CHIP.replace("cell_bits = 2", "cell_bits = 4"),
            json.dumps(CROSSSIM),
            "cell_bits is 2, but the programs are for",
        ),
        (
            CHIP,
            json.dumps(changed(CROSSSIM, "xbar.dac.mvm.input_bitslicing", False)),
            "says nothing that is crossbar.dac_",
        ),
        (CHIP, "{}", "neither parameters of CrossSim .* nor of aihwkit"),
        (CHIP, "{", "not valid JSON"),
        (CHIP, "[device]\ng_max = 5", "line 2: unknown key device.g_max"),
    ],
)
def test_files_that_do_not_fit_a_chip_are_refused(chip: str, text: str, sentence: str) -> None:
    with pytest.raises(ArchError, match=f"^other[.]json[:,] .*{sentence}"):
        with_physics(parse_arch(chip, "mine.toml"), text, "other.json", [DType.i8])
