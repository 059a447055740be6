"""Whole descriptions of analog chips, and products that they are asked for; some cannot be."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from emu.arch import Arch, arch_from_dict
from emu.isa.dtypes import DType

TYPES = (DType.i8, DType.u8, DType.i16, DType.u16, DType.f32, DType.f16)
DRIFTING = {"drift": "skewed", "time_s": 1.0}


@dataclass
class Case:
    """A product: the tables of a chip, weights [rows, cols] in tiles of rows, inputs [vectors, rows], and ranges."""

    tables: dict[str, dict[str, Any]]
    types: tuple[DType, DType]
    weights: np.ndarray
    row_tiles: tuple[int, ...]
    x: np.ndarray
    limits: tuple[tuple[float, float], ...] | None
    input_max: float | None

    def arch(self) -> Arch:
        """The chip; raises ArchError if it cannot be."""
        return arch_from_dict(self.tables, "drawn")


def matrices(dtype: DType, rows: int, cols: int) -> st.SearchStrategy[np.ndarray]:
    """Numbers of a type [rows, cols], the outermost ones among them."""
    if dtype.is_float:
        numbers = st.sampled_from([0.0, 1.0, -1.0]) | st.floats(-4, 4, width=16)
    else:
        info = np.iinfo(dtype.numpy)
        numbers = st.sampled_from([info.min, info.max, 0]) | st.integers(int(info.min), int(info.max))
    line = st.lists(numbers, min_size=cols, max_size=cols)
    return st.lists(line, min_size=rows, max_size=rows).map(lambda lines: np.array(lines, dtype.numpy))


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """None twice out of three times."""
    return st.one_of(st.none(), st.none(), strategy)


OHM = st.sampled_from([0.0, 1.0, 30.0]) | st.floats(0.01, 1e4)
LIMITS = st.tuples(st.floats(-4, 0.5), st.floats(1, 6))


def mappings() -> st.SearchStrategy[dict[str, Any]]:
    """Tables [mapping]."""
    return st.fixed_dictionaries(
        {
            "weight_bits": maybe(st.integers(2, 12)),
            "weight_percentile": maybe(st.floats(60, 100)),
            "weight_max": maybe(st.floats(0.1, 5)),
            "weight_scope": maybe(st.sampled_from(["group", "column"])),
            "input_bits": maybe(st.integers(1, 12)),
            "input_range": maybe(st.sampled_from(["vector", "fixed", "calibrated"])),
            "input_max": maybe(st.floats(0.5, 5)),
            "input_signed": maybe(st.booleans()),
            "input_coding": maybe(st.sampled_from(["sign-magnitude", "twos-complement", "levels"])),
            "input_slices": maybe(st.sampled_from(["apart", "together"])),
            "pairs": maybe(st.sampled_from(["apart", "together"])),
            "zero": maybe(st.sampled_from(["digital", "column"])),
            "adc_range": maybe(st.sampled_from(["full", "span", "unit", "fixed", "calibrated"])),
            "adc_limits": maybe(st.lists(LIMITS, min_size=1, max_size=4)),
            "adc_codes": maybe(st.sampled_from(["symmetric", "all"])),
            "column_limit": maybe(st.floats(0.2, 5)),
            "compensation": maybe(st.sampled_from(["none", "global", "column"])),
        }
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Products of small arrays."""
    heights = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    rows, cols = sum(heights), draw(st.integers(1, 3))
    types = draw(st.sampled_from(TYPES)), draw(st.sampled_from(TYPES))
    crossbar = {
        "rows": 8,
        "cell_bits": draw(st.sampled_from([0, 1, 2, 3, 4, 8])),
        "dac_bits": draw(st.sampled_from([None, 1, 1, 2, 3, 8])),
        "adc_bits": draw(st.sampled_from([None, 1, 2, 4, 6, 8, 10, 14])),
        "parallel_rows": draw(maybe(st.integers(1, 8))),
        "weight_binding": draw(st.sampled_from(["crossbars", "columns"])),
        "cols": draw(st.sampled_from([2, 128])),  # fewer than a weight may have slices
    }
    mapping = draw(mappings())
    slicing = draw(st.sampled_from([None, "differential", "two-sided", "offset", "twos-complement"]))
    paired = slicing in ("differential", "two-sided")
    crossbar["differential"] = draw(st.booleans()) if slicing is None or draw(st.integers(0, 9)) == 0 else paired
    mapping["slicing"] = slicing
    if draw(st.integers(0, 9)):  # mostly, what would contradict itself is set right
        for key, needed in (("adc_range", "adc_limits"), ("input_range", "input_max")):
            if mapping[key] == "fixed" and mapping[needed] is None:
                mapping[key] = None
        mapping["pairs" if not crossbar["differential"] else "zero"] = None
    device = {
        "g_min_us": draw(maybe(st.sampled_from([0.0, 1.0, 5.0, 5.0, 20.0, 30.0]))),
        "g_max_us": draw(maybe(st.sampled_from([20.0, 40.0]))),
        "iv": draw(maybe(st.sampled_from(["ohmic", "cubic"]))),
        **draw(st.sampled_from([{}, {}, DRIFTING])),
    }
    wires = {}
    if draw(st.integers(0, 2)) == 0:
        wires = {name: draw(maybe(OHM)) for name in ("row_ohm", "col_ohm", "row_end_ohm", "col_end_ohm")}
        wires["unused"] = draw(maybe(st.sampled_from(["top", "bottom"])))
        wires["interleaved"] = draw(st.booleans()) if paired or draw(st.integers(0, 9)) == 0 else None
        wires["gated"] = draw(st.booleans()) if crossbar["dac_bits"] == 1 or draw(st.integers(0, 9)) == 0 else None
    tables = {"crossbar": crossbar, "mapping": mapping, "device": device, "wires": wires}
    return Case(
        {name: {key: value for key, value in table.items() if value is not None} for name, table in tables.items()},
        types,
        draw(matrices(types[1], rows, cols)),
        heights,
        draw(matrices(types[0], draw(st.integers(1, 3)), rows)),
        draw(maybe(st.lists(LIMITS, min_size=1, max_size=4).map(tuple))),
        draw(maybe(st.floats(0.5, 5))),
    )
