"""Random architectures, with and without figures of time, energy and area, that contradict themselves nowhere."""

from typing import Any

from hypothesis import strategies as st

from emu.arch.analog import PAIRED
from emu.arch.checks import FlagCheck, Functions, Limits, NamesCheck, NumberCheck, Real, Square, TextCheck, ValueCheck
from emu.arch.chip import FIGURES, MAX_CORES, Arch
from emu.arch.ranges import RangeRows
from emu.arch.read import arch_from_tables
from emu.arch.schema import schema

LARGEST_COUNT = 1 << 16


def values(check: ValueCheck) -> st.SearchStrategy[Any]:
    """Values that a key may have, as a file gives them."""
    if isinstance(check, NumberCheck):
        return st.integers(check.low, min(check.high, LARGEST_COUNT))
    if isinstance(check, Real):
        return st.one_of(st.floats(check.low, 1e9), st.integers(1, 10**9))
    if isinstance(check, TextCheck):
        return st.sampled_from(check.choices) if check.choices else st.text(st.characters(codec="utf-8"), max_size=8)
    if isinstance(check, NamesCheck):
        return st.sampled_from(check.choices)
    if isinstance(check, Functions):
        return st.lists(st.sampled_from(["vrelu", "vvadd", "*"]), max_size=3)
    if isinstance(check, Square):
        return st.integers(1, 3).flatmap(lambda size: st.lists(row(size), min_size=size, max_size=size))
    if isinstance(check, Limits):
        return limits()
    if isinstance(check, RangeRows):
        text, count = values(TextCheck()), st.integers(0, 1 << 16)
        rows = st.tuples(count, count, text, st.floats(0, 1e30), limits())
        return st.lists(rows, min_size=1, max_size=4, unique_by=lambda row: row[:2])
    assert isinstance(check, FlagCheck)
    return st.booleans()


def limits() -> st.SearchStrategy[list[list[float]]]:
    """Pairs of numbers, the second one above the first."""
    pairs = st.tuples(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9)).map(lambda pair: [pair[0], pair[0] + pair[1]])
    return st.lists(pairs, min_size=1, max_size=3)


def row(size: int) -> st.SearchStrategy[list[float]]:
    """A row of a table of times."""
    return st.lists(st.floats(0, 1e9), min_size=size, max_size=size)


@st.composite
def archs(draw: st.DrawFn) -> Arch:
    """Random architectures."""
    tables: dict[str, Any] = {}
    with_figures = draw(st.booleans())
    for table, keys in schema().items():
        if table.partition(".")[0] in FIGURES and not with_figures:
            continue
        names = draw(st.sets(st.sampled_from(sorted(keys)), max_size=3)) if keys else set()
        part = tables
        for name in table.split("."):
            part = part.setdefault(name, {})
        part.update({key: draw(values(keys[key].check)) for key in sorted(names)})
    return arch_from_tables(sensible(tables), lambda table, key: f"{table}.{key}: ")


def sensible(tables: dict[str, Any]) -> dict[str, Any]:
    """The tables with what would contradict itself set right."""
    chip, core, crossbar, network = (tables[name] for name in ("chip", "core", "crossbar", "network"))
    if "crossbars_per_mvmu" in core:
        core["crossbars"] = 2 * core["crossbars_per_mvmu"]
    if "cores_per_cluster" in chip:
        chip["cores"] = chip["cores_per_cluster"]
    for count, lines in (("dac_count", "rows"), ("parallel_rows", "rows"), ("adc_count", "cols")):
        if count in crossbar:
            crossbar[lines] = max(crossbar[count], crossbar.get(lines, 1))
    if "latency_table_ns" in network:
        chip["cores"] = max(1, len(network["latency_table_ns"]) - 1)
        chip.pop("cores_per_cluster", None)
        network["latency_table_ns"] = [[1.5] * (chip["cores"] + 1)] * (chip["cores"] + 1)
        for key in ("hop_ns", "base_ns", "contention"):
            network.pop(key, None)
    network["width"] = min(network.get("width", 0), chip.get("cores", 1024))
    system = tables["system"]
    system["chips"] = min(system.get("chips", 1), MAX_CORES // chip.get("cores", 1024))
    system["width"] = min(system.get("width", 0), system["chips"])
    if "adc_arrays" in crossbar:
        core["crossbars_per_mvmu"] = core["crossbars"] = crossbar["adc_arrays"]
    sensible_cells(tables)
    for kind in FIGURES:
        for part in tables.get(kind, {}).values():
            if isinstance(part, dict) and part.pop("scale", None) and kind != "timing":
                part["scale"], chip["node_nm"] = "node", 32  # the law of every component, though of no time
    for part in tables.get("energy", {}).values():
        if "static_mw" in part:
            part["power_mw"] = part["static_mw"]
    return tables


def sensible_cells(tables: dict[str, Any]) -> None:
    """Sets right what would contradict itself in the tables of cells, wires and converters."""
    parts = (tables[name] for name in ("crossbar", "mapping", "device", "faults", "wires"))
    crossbar, mapping, device, faults, wires = parts
    if "pairs" in mapping or "interleaved" in wires:
        crossbar["differential"] = True
        mapping.pop("slicing", None)
    if "slicing" in mapping:
        crossbar["differential"] = mapping["slicing"] in PAIRED
        if mapping["slicing"] == "two-sided":
            crossbar["cell_bits"] = 0
        if mapping["slicing"] == "twos-complement":
            crossbar["cell_bits"] = crossbar.get("cell_bits") or 2
    if crossbar.get("differential"):
        mapping.pop("zero", None)
    if wires.get("interleaved"):
        mapping.pop("pairs", None)
    if wires.get("gated"):
        crossbar["dac_bits"] = 1
    if "weight_percentile" in mapping:
        mapping["weight_percentile"] = min(mapping["weight_percentile"], 100)
    if mapping.get("adc_range") == "fixed":
        mapping.setdefault("adc_limits", [[-1, 1]])
    if mapping.get("input_range") == "fixed":
        mapping.setdefault("input_max", 1)
    if "g_min_us" in device:
        device["g_max_us"] = max(1e-6, min(device.get("g_max_us", 1), 1e8))
        device["g_min_us"] = min(device["g_min_us"], device["g_max_us"] / 2)
    for share in {"stuck_off", "stuck_on"} & {*faults}:
        faults[share] = min(faults[share], 0.5)
