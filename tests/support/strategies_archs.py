"""Random architectures, with and without figures of time, energy and area, that contradict themselves nowhere."""

from typing import Any

from hypothesis import strategies as st

from emu.arch.checks import FlagCheck, Functions, NamesCheck, NumberCheck, Real, Square, TextCheck, ValueCheck
from emu.arch.chip import FIGURES, MAX_CORES, Arch
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
    assert isinstance(check, FlagCheck)
    return st.booleans()


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
    for kind in FIGURES:
        for part in tables.get(kind, {}).values():
            if isinstance(part, dict) and part.pop("scale", None) and kind != "timing":
                part["scale"], chip["node_nm"] = "node", 32  # the law of every component, though of no time
    for part in tables.get("energy", {}).values():
        if "static_mw" in part:
            part["power_mw"] = part["static_mw"]
    return tables
