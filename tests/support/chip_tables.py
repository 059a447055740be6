"""Networks as int8 on the chips that papers describe: `make chips` measures them and writes docs/published-chips.md."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from chip_prose import agreeing
from chip_runs import FLOW, ROOT, Run, can_grow, larger, run
from macs import macs_by_node

from compiler.zoo import build
from emu.output.whole_file import write_whole
from launch.text.answer import Table
from launch.text.markdown_page import markdown_table

PAGE = ROOT / "docs" / "published-chips.md"
BLOCK = re.compile(r"(<!-- made by `make chips`: (\S+) -->\n)((?:.*?\n)??)(<!-- end -->)", re.DOTALL)
NETWORKS = ("resnet18", "vgg16", "mobilenet_v2", "squeezenet")
CHIPS = ("isaac", "puma", "prime", "jia", "jain", "pimsim-latency")
OPTIONS = (
    ("isaac", (), FLOW),
    ("isaac", (), "rendezvous"),
    ("isaac", ("--granularity", "rows:4"), FLOW),
    ("isaac", ("--placement", "pack"), FLOW),
    ("puma", ("--granularity", "rows:4"), FLOW),
    ("pimsim-latency", ("--granularity", "rows:4"), FLOW),
)
COLUMNS = (
    "network",
    "chip",
    "cores",
    "latency",
    "time per sample",
    "energy per sample: dynamic + static",
    "average power",
    "area",
    "ADCs",
    "busiest unit",
    "least latency with one resource free",
    "least time per sample with one resource free",
)
SEVERAL = (*COLUMNS[:5], "dynamic energy", *COLUMNS[8:])
WAYS = ("network", "chip", "options", "cores", "latency", "time per sample", "dynamic energy", "busiest unit")
REFUSED = ("network", "chip", "cores", "crossbars", "chips", "why there is no time")
SHARES = (
    "network",
    "arrays in use",
    "products of a tile",
    "multiplications",
    "ADC conversions",
    "conversions per multiplication",
)
READS = 4 * 8  # of arrays in a product of a tile of 8-bit weights: slices of 2 bits, cycles of one bit
GROUPS: Mapping[str, tuple[str, ...]] = {
    "converters, sample-and-hold, shift-and-add": ("adc", "dac", "sample_hold", "shift_add"),
    "crossbars": ("crossbar",),
    "eDRAM, its bus, registers": ("local_memory", "bus", "input_register", "output_register"),
    "routers": ("router",),
}


def time_text(ps: float) -> str:
    """Four digits in ms, as all of the page is comparable so."""
    return f"{ps / 1e9:.4g} ms"


def figures_row(found: Run) -> list[str]:
    """A row of the table of figures."""
    timed = found.timed
    return [
        found.network,
        found.chip,
        str(len(timed["cores"])),
        time_text(timed["latency_ps"]),
        time_text(timed["period_ps"]),
        _energy(timed),
        _or_dash(timed["power_mw"], lambda mw: f"{mw / 1e3:.4g} W"),
        _or_dash(timed["area_mm2"], lambda mm2: f"{mm2:.4g} mm2"),
        _or_dash(timed["adc_share"], lambda part: f"{part:.1%}") if timed["dynamic_pj"] else "-",
        _busiest(timed),
        _least(timed, "latency_ps"),
        _least(timed, "period_ps"),
    ]


def _energy(timed: Mapping[str, Any]) -> str:
    if timed["energy_pj"] is None:
        return "-"
    return f"{timed['dynamic_pj'] / 1e9:.4g} + {timed['static_pj'] / 1e9:.4g} mJ"


def _or_dash(value: float | None, text: Callable[[float], str]) -> str:
    """What is not known, or 0 because the chip gives it no price, is a dash."""
    return text(value) if value else "-"


def _busiest(timed: Mapping[str, Any]) -> str:
    unit = timed["busiest"]
    kind = "crossbars" if unit["unit"].startswith("group") else unit["unit"]
    return f"{kind} of `{unit['nodes'][0].removesuffix('/sums')}`, {time_text(unit['busy_ps'])} ({unit['share']:.0%})"


def _least(timed: Mapping[str, Any], key: str) -> str:
    """The resource without which a sample would take the least, and how long."""
    best = min(timed["bottlenecks"], key=lambda entry: entry[key])
    (name,) = best["changes"]
    return f"`{name}`: {time_text(best[key])}"


def refusal_row(found: Run) -> list[str]:
    """A row of the table of what cannot be timed: what it takes of the chip, and why there is no time."""
    if found.compiled:
        missing = found.refusal.partition(" says nothing of ")[2].partition(", needed")[0].split(", ")
        cores, crossbars = found.compiled["cores"], found.compiled["crossbars"]
        why = f"nothing is published of `{missing[0]}` and {len(missing) - 1} more keys"
        return [found.network, found.chip, str(cores), str(crossbars), "1", why]
    told = re.search(r"needs (\d+) crossbars, which take (\d+) cores .*it would take (\d+) such chips", found.refusal)
    assert told, found.refusal
    crossbars, cores, chips = told.groups()
    return [found.network, found.chip, cores, crossbars, chips, "larger than the chip"]


REFUSED = ("network", "chip", "cores", "crossbars", "chips", "why there is no time")


def networks_and_refusals(directory: Path) -> tuple[list[Run], list[Run]]:
    """All networks on all chips: those that were timed, and the others."""
    found = [run(network, chip, directory) for network in NETWORKS for chip in CHIPS]
    return [each for each in found if each.timed], [each for each in found if not each.timed]


def options_row(options: Sequence[str], flow: str, found: Run) -> list[str]:
    """A network that is compiled and run in another way."""
    timed = found.timed
    return [
        found.network,
        found.chip,
        f"`{' '.join([*options, '--flow', flow])}`",
        str(len(timed["cores"])),
        time_text(timed["latency_ps"]),
        time_text(timed["period_ps"]),
        f"{timed['dynamic_pj'] / 1e9:.4g} mJ",
        _busiest(timed),
    ]


def shares_row(found: Run) -> list[str]:
    """What the dynamic energy of a sample is spent on, and conversions for each multiplication of the network."""
    parts = {part["component"]: part for part in found.timed["components"]}
    macs = sum(macs_by_node(build(found.network)).values())
    conversions = parts["adc"]["counts"]["convert"]
    spent = [sum(parts[name]["dynamic_pj"] or 0.0 for name in names) for names in GROUPS.values()]
    return [
        found.network,
        f"{found.compiled['crossbars']:,}",
        f"{parts['crossbar']['counts']['read'] // READS:,}",
        f"{macs / 1e6:.4g} million",
        f"{conversions / 1e6:.4g} million",
        f"{conversions / macs:.3f}",
        *(f"{pj / found.timed['dynamic_pj']:.1%}" for pj in spent),
    ]


def several(directory: Path, refused: Sequence[Run]) -> list[list[str]]:
    """Networks on so many chips as they take, as though these were one large chip."""
    rows: list[list[str]] = []
    for each in refused:
        if not each.compiled and can_grow(each.chip):
            count = int(refusal_row(each)[4])
            chip = larger(each.chip, count, directory)
            found = run(each.network, f"{count} x {each.chip}", directory, arch=chip)
            row = figures_row(found)
            rows.append([*row[:5], f"{found.timed['dynamic_pj'] / 1e9:.4g} mJ", *row[8:]])
    return rows


def measured(directory: Path) -> dict[str, str]:
    """All tables of the page by name."""
    timed, refused = networks_and_refusals(directory)
    timed.append(run("lenet5", "isaac", directory))
    ways = [
        options_row(options, flow, run("resnet18", chip, directory, *options, flow=flow, why=False))
        for chip, options, flow in OPTIONS
    ]
    shares = [shares_row(found) for found in timed if found.chip == "isaac"]
    return {
        "networks": markdown_table(Table("", COLUMNS, list(map(figures_row, timed)), "ll" + "r" * 7 + "lll")),
        "refused": markdown_table(Table("", REFUSED, list(map(refusal_row, refused)), "llrrrl")),
        "several": markdown_table(Table("", SEVERAL, several(directory, refused), "llrrrrrlll")),
        "options": markdown_table(Table("", WAYS, ways, "lllrrrrl")),
        "shares": markdown_table(Table("", (*SHARES, *GROUPS), shares, "l" + "r" * 9)),
    }


def renewed(text: str, tables: Mapping[str, str]) -> str:
    """The page with these tables."""
    return BLOCK.sub(lambda found: f"{found[1]}\n{tables[found[2]]}\n\n{found[4]}", text)


def main() -> None:
    """Measure everything and write the page anew."""
    with TemporaryDirectory() as directory:
        tables = measured(Path(directory))
    write_whole(PAGE, agreeing(renewed(PAGE.read_text("utf-8"), tables), tables).encode())
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
