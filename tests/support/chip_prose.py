"""Figures in the sentences of docs/published-chips.md that come from its tables: `python -m chip_prose` writes them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from emu.output.whole_file import write_whole
from launch.papers.frame.page import blocks_of

PAGE = Path(__file__).parents[2] / "docs" / "published-chips.md"
Cells = Callable[..., str]  # table, what the first cells of its row are, column -> text of the cell
ISAAC_PEAK_MS = 2 * 1814e6 / 41.3e12 * 1e3  # of resnet18's operations at the peak that ISCA 2016 prints
PLACES = 128 * 128  # of an array
ARRAYS = 16_128  # of the chip
ROWS = "`--granularity rows:4 --flow credits:2`"


def number(text: str) -> float:
    """The first number of a cell."""
    found = re.search(r"[\d.]+", text)
    assert found, text
    return float(found[0])


def busy(chip: str) -> Callable[[Cells], str]:
    """What the busiest unit of resnet18 takes."""
    return lambda cell: cell("networks", "resnet18", chip, column="busiest unit").split(", ")[1].split(" (")[0]


def period(chip: str) -> Callable[[Cells], str]:
    """The time per sample of resnet18."""
    return lambda cell: cell("networks", "resnet18", chip, column="per sample")


def static(chip: str) -> Callable[[Cells], str]:
    """Its static energy."""
    return lambda cell: cell("networks", "resnet18", chip, column="static energy")


def of_isaac(column: str) -> Callable[[Cells], str]:
    """A figure of resnet18's work on isaac."""
    return lambda cell: cell("shares", "resnet18", column=column)


def whole(column: str, cell: Cells) -> int:
    """The same as a whole number."""
    return int(of_isaac(column)(cell).replace(",", ""))


def at_work(cell: Cells) -> float:
    """How much of the time per sample the arrays in use are at work: 4 in each product, 8 cycles of 100 ns."""
    busy_ms = whole("tile products", cell) * 4 * 0.8e-3
    return busy_ms / whole("arrays", cell) / number(period("isaac")(cell))


def of_rows(column: str) -> Callable[[Cells], str]:
    """A figure of resnet18 on pimsim-latency, four rows at a time."""
    return lambda cell: cell("options", "resnet18", "pimsim-latency", ROWS, column=column)


def longer(pick: Callable[..., tuple[float, str]]) -> Callable[[Cells], str]:
    """Of the chips with `rows:4`, the least or most that a latency is of a time per sample, and that chip."""

    def text(cell: Cells) -> str:
        found = []
        for chip in ("isaac", "puma", "pimsim-latency"):
            row = ("options", "resnet18", chip, ROWS)
            found.append((number(cell(*row, column="latency")) / number(cell(*row, column="per sample")), chip))
        ratio, chip = pick(found)
        return f"{ratio:.1f} times ({chip})"

    return text


FIGURES: Sequence[tuple[str, Callable[[Cells], str]]] = (  # a sentence with one group, and what that is
    (r"resnet18 on isaac, crossbars of the first layer: ([\d.]+ ms)", busy("isaac")),
    (r"\| on puma: ([\d.]+ ms) \|", busy("puma")),
    (r"\| on pimsim-latency: ([\d.]+ ms) \|", busy("pimsim-latency")),
    (
        r"ISAAC's conversions for resnet18: ([\d.]+ million)",
        lambda cell: cell("shares", "resnet18", column="conversions"),
    ),
    (r"ISAAC's static energy for resnet18: ([\d.]+ mJ)", static("isaac")),
    (r"\| 10\.4 W x ([\d.]+ ms) \|", period("isaac")),
    (r"PUMA's static energy for resnet18: ([\d.]+ mJ)", static("puma")),
    (r"= 693\.6 mW, x ([\d.]+ ms)", period("puma")),
    (r"here a sample takes ([\d.]+ ms)", period("isaac")),
    (r"([\d.]+) % of the peak\.", lambda cell: f"{ISAAC_PEAK_MS / number(period('isaac')(cell)):.2%}"[:-1]),
    (r"crossbars that hold weights \| ([\d,]+) of 16,128", of_isaac("arrays")),
    (
        r"crossbars that hold weights \| [\d,]+ of 16,128: ([\d.]+) %",
        lambda cell: f"{whole('arrays', cell) / ARRAYS:.1%}"[:-1],
    ),
    (r"at work \| ([\d,]+) products of a tile", of_isaac("tile products")),
    (r"x 4 arrays x 0\.8 us of ([\d,]+) x [\d.]+ ms:", of_isaac("arrays")),
    (r"x 0\.8 us of [\d,]+ x ([\d.]+ ms):", period("isaac")),
    (r"x 0\.8 us of [\d,]+ x [\d.]+ ms: ([\d.]+) % \|", lambda cell: f"{at_work(cell):.2%}"[:-1]),
    (r"multiplications in ([\d,]+) x 16,384", of_isaac("tile products")),
    (
        r"multiplications in [\d,]+ x 16,384: ([\d.]+) %",
        lambda cell: f"{1.814e9 / PLACES / whole('tile products', cell):.1%}"[:-1],
    ),
    (r"half of the time on isaac: [\d.]+ of ([\d.]+ ms)", period("isaac")),
    (r"latency falls to ([\d.]+ times \([\w-]+\)) to", longer(min)),
    (r"latency falls to [\d.]+ times \([\w-]+\) to ([\d.]+ times \([\w-]+\))", longer(max)),
    (
        r"([\d.]+) % of the dynamic energy of resnet18",
        lambda cell: cell("networks", "resnet18", "isaac", column="ADCs")[:-1],
    ),
    (
        r"\| 0\.25 \| ([\d.]+) for resnet18",
        lambda cell: f"{number(cell('shares', 'resnet18', column='per multiplication')):.2f}",
    ),
    (r"preset `pimsim-latency`: ([\d.]+ ms), ", of_rows("latency")),
    (r"preset `pimsim-latency`: [\d.]+ ms, ([\d.]+ ms) per sample with `rows:4`", of_rows("per sample")),
    (
        r"with `rows:4` \(([\d.]+ ms) and",
        lambda cell: cell("networks", "resnet18", "pimsim-latency", column="latency"),
    ),
    (r"with `rows:4` \([\d.]+ ms and ([\d.]+ ms) with whole images", period("pimsim-latency")),
)


def agreeing(text: str, tables: Mapping[str, str]) -> str:
    """The page, with the figures of its sentences as its `tables` (Markdown by name) have them.

    Raises LookupError for a sentence that is not there any more, and a row that no table has.
    """

    def cell(table: str, *first: str, column: str) -> str:
        lines = [[part.strip() for part in line.strip("|").split("|")] for line in tables[table].strip().splitlines()]
        row = next(row for row in lines[2:] if tuple(row[: len(first)]) == first)
        return row[lines[0].index(column)]

    for pattern, figure in FIGURES:
        found = re.search(pattern, text)
        if found is None:
            raise LookupError(f"no sentence has {pattern}")
        text = text[: found.start(1)] + figure(cell) + text[found.end(1) :]
    return text


def tables_of(text: str) -> dict[str, str]:
    """The tables of the page, by the names of their figures."""
    return {command.partition("/")[2]: table for command, table in blocks_of(text).items()}


def main() -> None:
    """Write the sentences anew."""
    text = PAGE.read_text("utf-8")
    write_whole(PAGE, agreeing(text, tables_of(text)).encode())
    sys.stdout.write(f"docs/{PAGE.name}\n")


if __name__ == "__main__":
    main()
