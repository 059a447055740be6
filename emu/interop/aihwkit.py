"""Reads configurations of aihwkit (JSON of its `InferenceRPUConfig`): tables of a chip, where keys mean the same.

Its keys, usual values and formulas: aihwkit 1.1, simulator/parameters and simulator/presets; the key `preset` names one
of them, whose values count where the file has none. What is of training alone is not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

from emu.interop.key_tree import KeyTree

Tables = dict[str, dict[str, Any]]
KEYS = ("forward", "noise_model", "drift_compensation", "pre_post", "preset")
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "StandardHWATrainingPreset": {
        "mapping": {"weight_scaling_omega": 1.0, "weight_scaling_columnwise": True, "max_output_size": 0},
        "forward": {
            **{"inp_res": 254.0, "out_res": 254.0, "out_bound": 10.0, "out_noise": 0.04},
            **{"bound_management": "None", "noise_management": "Constant", "nm_thres": 1.0},
            **{"w_noise": 0.0175, "w_noise_type": "PCMRead", "ir_drop": 1.0},
        },
        "noise_model": "PCMLikeNoiseModel",
        "drift_compensation": "GlobalDriftCompensation",
        "pre_post": {"input_range": {"enable": True}},
    },
}
MODELS: Mapping[str, tuple[str, float, bool]] = {  # our name, g_max in uS, whether its readings have noise
    "PCMLikeNoiseModel": ("aihwkit-pcm", 25.0, True),
    "ReRamWan2022NoiseModel": ("aihwkit-reram-wan", 40.0, False),
    "HermesNoiseModel": ("hermes", 20.7, True),
}
SINGLE = ("hermes-single", 10.35, True)  # of HermesNoiseModel with one device
NO_MODEL = "None"
COMPENSATIONS = {"None": None, "GlobalDriftCompensation": "global", "PerColumnDriftCompensation": "column"}
WEIGHT_NOISES = {"AdditiveConstant": ("crosssim-normal", sqrt(2)), "PCMRead": ("aihwkit-pcm-read", 1.0)}
ZERO = (  # what is not modelled, and so may only be 0
    *("inp_noise", "inp_asymmetry", "out_asymmetry", "out_noise_std", "out_nonlinearity", "out_nonlinearity_std"),
    *("slope_calibration", "v_offset_std", "r_series", "w_read_asymmetry_dtod"),
)
IDLE = (  # of training, of the other direction, or of what is not enabled
    *("modifier.*", "clip.*", "remap.*", "backward.*", "update.*", "runtime.*", "pre_post.input_range.*"),
    *("mapping.digital_bias", "mapping.learn_out_scaling", "mapping.out_scaling_columnwise"),
    *("mapping.weight_scaling_lr_compensation", "forward.max_bm_*", "forward.bm_test_negative_bound"),
    *("forward.nm_thres", "forward.out_nonlinearity_std", "forward.v_offset_w_min", "forward.ir_drop_g_ratio"),
    *("forward.w_noise_type", "tile_class", "tile_array_class", "simulator_tile_class"),
)


def is_aihwkit(tree: Mapping[str, Any]) -> bool:
    """Whether a tree of JSON is of aihwkit."""
    return any(key in tree for key in KEYS)


def tables_of_aihwkit(tree: Mapping[str, Any], file_name: str) -> Tables:
    """What a configuration says, as tables of a chip; raises ArchError, by key, for what means something else here."""
    named = KeyTree(tree, file_name)
    preset = named.choice("preset", "", ("", *PRESETS))
    keys = KeyTree(_over(PRESETS.get(preset, {}), tree), file_name)
    keys.value("preset", None)
    tables: Tables = {
        "crossbar": {"kind": "analog", "cell_bits": 0, "differential": True},
        "mapping": {"slicing": "differential"},
        "device": {},
        "wires": {},
    }
    perfect = keys.flag("forward.is_perfect", False)
    _weights(keys, tables)
    _cells(keys, tables)
    if not perfect:
        for part in (_inputs, _outputs, _readings):
            part(keys, tables)
    keys.finish((*IDLE, "forward.*") if perfect else IDLE)
    return {name: table for name, table in tables.items() if table}


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Two trees as one, in which `above` counts."""
    found = dict(below)
    for key, value in above.items():
        own = below.get(key)
        found[key] = _over(own, value) if isinstance(own, dict) and isinstance(value, dict) else value
    return found


def _weights(keys: KeyTree, tables: Tables) -> None:
    """The range of weights, and the size of arrays."""
    for name, ours in (("max_input_size", "rows"), ("max_output_size", "cols")):
        if most := keys.count(f"mapping.{name}", 0):
            tables["crossbar"][ours] = most
    omega = keys.number("mapping.weight_scaling_omega", 0.0)
    if omega not in (0, 1):
        raise keys.refused("mapping.weight_scaling_omega", f"{omega:g} leaves a part of the range unused: give 0 or 1")
    if not omega:
        tables["mapping"]["weight_max"] = 1.0  # weights are conductances as they are
    if keys.flag("mapping.weight_scaling_columnwise", False) and omega:
        tables["mapping"]["weight_scope"] = "column"


def _cells(keys: KeyTree, tables: Tables) -> None:
    """Models of errors and drift, and what is done about drift."""
    device, path = tables["device"], "noise_model"
    name = keys.value(path, None)
    if not isinstance(name, str):  # an object with its parameters
        path = "noise_model.class"
        name = keys.value(path, NO_MODEL)
    name = keys.choice(path, NO_MODEL, (NO_MODEL, *MODELS))
    how = COMPENSATIONS[keys.choice("drift_compensation", "None", COMPENSATIONS)]
    if how:
        tables["mapping"]["compensation"] = how
    if name == NO_MODEL:
        return
    single = name == "HermesNoiseModel" and keys.count("noise_model.num_devices", 2) == 1
    ours, usual, reads = SINGLE if single else MODELS[name]
    device["g_max_us"] = keys.number("noise_model.g_max", usual, 1e-6)
    device["programming"] = ours
    if (time := keys.number("noise_model.t_inference", 0.0)) or reads:  # without time, what it is of ReRAM is unknown
        device |= {"drift": ours, "time_s": time}
    keys.only("noise_model.drift_scale", 1.0, "is not modelled: drift is as it was measured")
    scale = keys.number(f"noise_model.{'prog_noise_scale' if reads else 'noise_scale'}", 1.0)
    if scale != 1:
        device["programming_sigma"] = scale
    noise = keys.number("noise_model.read_noise_scale", 1.0) if reads else 0.0
    if noise:
        device["read_noise"] = ours
        if noise != 1:
            device["read_sigma"] = noise


def _bits(keys: KeyTree, path: str, usual: float) -> int | None:
    """Bits of a converter, of the number of its steps or the size of one; None: it has no steps."""
    found = keys.number(path, usual, -1.0)
    if found <= 0:
        return None
    steps = found if found > 1 else 1 / found
    bits = round(steps + 2).bit_length() - 1
    if abs(steps - ((1 << bits) - 2)) > 1e-6 * steps:
        raise keys.refused(path, f"{found:g} is no number of steps 2^n - 2, such as 254, nor one over it")
    return bits


def _inputs(keys: KeyTree, tables: Tables) -> None:
    """The range of inputs, and their steps."""
    mapping = tables["mapping"]
    bound = keys.number("forward.inp_bound", 1.0, 1e-6)
    how = keys.choice("forward.noise_management", "AbsMax", ("None", "AbsMax", "Constant"))
    most = keys.number("forward.nm_thres", 0.0)
    if keys.flag("pre_post.input_range.enable", False):
        mapping["input_range"] = "calibrated"  # each layer has learned its own
    elif how == "AbsMax":
        if most or bound != 1:
            key = "forward.nm_thres" if most else "forward.inp_bound"
            raise keys.refused(key, "is not modelled beside AbsMax: the range is that of each vector")
        mapping["input_range"] = "vector"
    else:
        mapping |= {"input_range": "fixed", "input_max": bound * (most if how == "Constant" and most else 1.0)}
    if bits := _bits(keys, "forward.inp_res", 1 / 126):
        mapping["input_bits"] = bits
    for name in ("inp_sto_round", "out_sto_round"):
        keys.only(f"forward.{name}", False, "is not modelled: codes are the nearest")
    for name in ZERO:
        keys.only(f"forward.{name}", 0.0, "is not modelled: give 0")
    keys.only("forward.mv_type", "OnePass", "is not modelled: inputs of both signs are one pulse")
    keys.only("forward.out_scale", 1.0, "is not modelled: outputs have the scale of weights and inputs")


def _outputs(keys: KeyTree, tables: Tables) -> None:
    """Converters: their steps and range."""
    keys.choice("forward.bound_management", "None", ("None",))
    bound, bits = keys.number("forward.out_bound", 12.0), _bits(keys, "forward.out_res", 1 / 510)
    if bits is None:
        if bound:
            raise keys.refused(
                "forward.out_bound", f"{bound:g} without steps of forward.out_res is not modelled: give 0"
            )
    elif not bound:
        raise keys.refused("forward.out_res", "needs forward.out_bound, the range of its steps")
    else:
        tables["crossbar"]["adc_bits"] = bits
        tables["mapping"] |= {"adc_range": "fixed", "adc_limits": [[-bound, bound]]}
    if noise := keys.number("forward.out_noise", 0.06):
        tables["mapping"]["adc_noise"] = noise


def _readings(keys: KeyTree, tables: Tables) -> None:
    """Noise of each reading, and resistances of wires."""
    device = tables["device"]
    if (noise := keys.number("forward.w_noise", 0.0)) and keys.value("forward.w_noise_type", "None") != "None":
        if "read_noise" in device:
            raise keys.refused(
                "forward.w_noise",
                f"{noise:g} is a second noise of readings beside that of noise_model: set it, or"
                " noise_model.read_noise_scale, to 0",
            )
        ours, share = WEIGHT_NOISES[keys.choice("forward.w_noise_type", "None", WEIGHT_NOISES)]
        device |= {"read_noise": ours, "read_sigma": noise / share}  # of a pair of cells, of one of which half
    drop, ratio = keys.number("forward.ir_drop", 0.0), keys.number("forward.ir_drop_g_ratio", 1 / 0.35 / 5e-6, 1.0)
    if drop not in (0, 1):
        raise keys.refused("forward.ir_drop", f"{drop:g} is no share of the resistance of wires: give 0 or 1")
    if drop:  # which is approximated there
        tables["wires"]["col_ohm"] = 1e6 / device.get("g_max_us", 25.0) / ratio
