"""Products of CrossSim: its parameters by our reader, its matrices through our chain, compared with what it gave."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from emu.analog.product import AnalogProduct
from emu.arch.read import arch_from_tables
from emu.errors import ArchError
from emu.interop.crosssim import tables_of_crosssim
from emu.isa.dtypes import DType

with np.load(Path(__file__).with_name("crosssim_cases.npz")) as _archive:
    _FLAT = {name: _archive[name] for name in _archive.files}
CASES: list[dict[str, Any]] = json.loads(_FLAT["cases"].tobytes())
INDEX: dict[str, tuple[str, int, list[int]]] = json.loads(_FLAT["index"].tobytes())
REFUSED = {  # by tag or number: the key that means something else here
    "adc_circuit_models": "xbar.adc.mvm.model",
    "110": "xbar.array.parasitics.Rp_row_terminal",
    "113": "xbar.array.parasitics.Rp_row_terminal",
}
ROUGH = {"parasitics_first_iterations": 1e-2}  # its iteration stopped early, at errors of 1e-3
KNOWN = [case for case in CASES if not {case["tag"], case["id"]} & REFUSED.keys()]


def array(name: str) -> np.ndarray:
    """An array of the file."""
    kind, first, shape = INDEX[name]
    return _FLAT[kind][first : first + int(np.prod(shape))].reshape(shape)


def tiles(rows: int, core: dict[str, Any]) -> Sequence[int]:
    """How many inputs each array gets (`partition_strategy` of CrossSim)."""
    most, mapping = core["rows_max"], core["mapping"]["weights"]
    if not most or rows <= most:
        return [rows]
    count = -(-rows // most)
    fits = any(rows % (most / part) == 0 for part in mapping.get("col_partition_priority", []))
    if rows % count == 0:
        size = rows // count
    elif mapping.get("col_partition_strategy") == "MAX" or fits:
        size = most
    else:
        size = round(rows / count)
    return [*[size] * (count - 1), rows - size * (count - 1)]


def faults_of_crosssim(y: np.ndarray, x: np.ndarray, case: dict[str, Any]) -> np.ndarray:
    """Our product as CrossSim would give it, where it departs from the product of weights and inputs."""
    core, bits = case["params"]["core"], case["params"]["xbar"]["device"]["cell_bits"]
    if core["style"] == "OFFSET" and bits:  # the scale is that of one step more
        return y * (2**bits - 2) / (2**bits - 1)
    if core["style"] == "BITSLICED" and core.get("offset", {}).get("style") == "UNIT_COLUMN_SUBTRACTION":
        # Its column of zeros holds half of the range of the uppermost slice, which may be more than half of all bits.
        own, count = core["weight_bits"], core["bit_sliced"]["num_slices"]
        width = own // count if own % count == 0 else -(-own // count)
        zero, half = 2 ** (width * count - 1), 2 ** (own - 1)
        dac, largest = case["params"]["xbar"]["dac"]["mvm"], core["mapping"]["inputs"]["mvm"]["max"]
        if dac["bits"]:
            steps = (2 ** (dac["bits"] - dac["signed"]) - 1) / largest
            x = np.rint(x * steps) / steps
        return y - (zero - half) / (half - 1) * np.abs(array(case["W"])).max() * x.sum(axis=1, keepdims=True)
    return y


@pytest.mark.parametrize("case", KNOWN, ids=[f"{case['id']}-{case['tag']}" for case in KNOWN])
def test_products_are_those_of_crosssim(case: dict[str, Any]) -> None:
    tables = tables_of_crosssim(case["params"], "case.json")
    weights = array(case["W"]).astype(case["W_dtype"]).astype(np.float64)
    x, y = array(case["x"]).astype(np.float64), array(case["y"]).astype(np.float64)
    near = array(case["near"]).astype(bool) if "near" in case else np.zeros(y.shape, bool)
    if case["op"] in ("vecmat", "rmatmat"):
        weights = weights.T
        x, y, near = (np.atleast_2d(each) for each in (x, y, near))
    else:
        x, y, near = (np.atleast_2d(each.T) for each in (x, y, near))
    tables["crossbar"].setdefault("rows", weights.shape[1])
    arch = arch_from_tables(tables, lambda table, key: f"case.json: {table}.{key}: ")
    product = AnalogProduct(arch, weights.T, tiles(weights.shape[1], case["params"]["core"]), DType.f32, DType.f32)
    found = faults_of_crosssim(product.multiply(x), x, case)
    if (case["W_dtype"], case["x_dtype"]) == ("int8", "int8"):  # it makes results int8, which wrap
        found = np.rint(found).astype(np.int64).astype(np.int8).astype(np.float64)
    largest = np.abs(weights).max() * np.abs(x).max()
    assert near.mean() < 0.3
    assert np.abs(found - y)[~near].max() <= ROUGH.get(case["tag"], 1e-5) * largest


@pytest.mark.parametrize("case", [case for case in CASES if case not in KNOWN], ids=lambda case: case["id"])
def test_what_means_something_else_is_refused_by_key(case: dict[str, Any]) -> None:
    key = REFUSED.get(case["id"]) or REFUSED[case["tag"]]
    with pytest.raises(ArchError, match=f"^case.json: {key} .*"):
        tables_of_crosssim(case["params"], "case.json")
