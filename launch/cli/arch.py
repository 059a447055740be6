"""`emu arch`: list, show and check descriptions of chips."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from emu.wording import counted
from launch.cli.answering import answers
from launch.cli.arch_cells import all_cells, check_cells
from launch.cli.arch_laws import all_laws, law_parts, laws_of
from launch.cli.arch_sums import sum_parts, sums_of
from launch.cli.completion import presets
from launch.cli.given import listed_alone
from launch.text.answer import Answer, Part, Table, Verbatim
from launch.text.units import size_text

if TYPE_CHECKING:
    from emu.arch import Arch

_HEAD = "# in all "  # how the line above the keys begins: it is made, and no comment to be kept
COLUMNS = (
    "preset",
    "chips",
    "cores of a chip",
    "crossbars per core",
    "wordlines x bitlines",
    "cell bits",
    "local memory",
    "global memory",
    "figures",
)


@click.command(
    short_help="List, show and check descriptions of chips.",
    epilog="""\b
Examples:
  emu arch --list
  emu arch tiny > chip.toml
  emu arch chip.toml --check
  emu arch isaac --sum
  emu arch --laws
  emu arch --cells""",
)
@click.argument("name", metavar="NAME|FILE", required=False, shell_complete=presets)
@click.option("--list", "listing", is_flag=True, help="List the presets.")
@click.option("--check", is_flag=True, help="Only validate the description; exit code 2 if it is invalid.")
@click.option(
    "--sum",
    "summing",
    is_flag=True,
    help="Sum power and area of its components, level by level.",
)
@click.option(
    "--laws",
    "lawful",
    is_flag=True,
    help="List the laws by which figures follow a chip, or which of them this one has.",
)
@click.option("--cells", "cellular", is_flag=True, help="List the models of cells.")
@answers()
def command(name: str | None, listing: bool, check: bool, summing: bool, lawful: bool, cellular: bool) -> Answer:
    """Print the chip NAME (a preset) or FILE (TOML) with every key, also those that FILE leaves out, as TOML.

    The text can be edited and given to --arch. docs/architecture-file.md says what each key means. Comments are kept:
    those of the presets of published chips say where each figure comes from.

    With --sum print its components level by level instead, with their number, power and area and the totals, beside
    those that the authors of the chip have published.

    With --laws print which of its figures follow which keys of it when it is changed, and which keys none follows;
    without a chip, all laws that the key `scale` of a component may name.

    With --cells print the models that the keys `programming`, `read_noise` and `drift` of [device] may name.
    """
    if cellular:
        listed_alone("--cells", "all models of cells")
        return all_cells()
    if listing:
        listed_alone("--list", "all presets")
    if check and (summing or lawful):
        kind, flag = ("sums", "--sum") if summing else ("laws", "--laws")
        raise click.UsageError(f"--check prints no {kind}: leave --check or {flag} out")
    if summing and lawful:
        raise click.UsageError("--sum and --laws print a table each: leave one of them out")
    if name is None and lawful:
        return all_laws()
    if name is None and not listing:
        raise click.UsageError("name a preset or a file, or use --list, --laws or --cells")
    from emu.arch.read import arch_comments, load_arch, preset_names
    from emu.arch.write import arch_to_toml

    if name is None:
        return _list([load_arch(preset) for preset in preset_names()])
    arch = load_arch(name)
    check_cells(arch)
    text = arch_to_toml(arch, arch_comments(name, made=_HEAD))
    sums = sums_of(arch) if summing else None
    laws = laws_of(arch) if lawful else None
    parts: Iterable[Part] = [Verbatim(f"{_HEAD}{_sum(arch)}\n{text}")]
    if check:
        parts = [f"ok: {name}: in all {_sum(arch)}"]
    elif sums:
        parts = sum_parts(arch, sums)
    elif laws:
        parts = law_parts(arch, laws)
    notes = [f"note: {remark}" for remark in arch.remarks]
    values = {"ok": True, "arch": arch.to_dict(), "totals": totals(arch), "toml": text, "remarks": [*arch.remarks]}
    return Answer(values | ({"sums": sums} if sums else {}) | ({"laws": laws} if laws else {}), parts, notes)


def totals(arch: Arch) -> dict[str, int]:
    """What all have together: chips, cores, crossbars, cells (of a weight or `cell_bits` bits), bytes of memory."""
    crossbars = arch.all_cores * arch.core.crossbars
    return {
        "chips": arch.system.chips,
        "cores": arch.all_cores,
        "crossbars": crossbars,
        "cells": crossbars * arch.crossbar.rows * arch.crossbar.cols,
        "local_memory": arch.all_cores * arch.core.local_memory,
    }


def _sum(arch: Arch) -> str:
    total = totals(arch)
    cells = counted(total["cells"], "cell")
    chips = f"{counted(total['chips'], 'chip')}, " if total["chips"] > 1 else ""
    return (
        f"{chips}{counted(total['cores'], 'core')}, {counted(total['crossbars'], 'crossbar')}, {cells},"
        f" {size_text(total['local_memory'])} of local memory"
    )


def _list(arches: list[Arch]) -> Answer:
    rows = [
        (
            arch.name,
            arch.system.chips,
            arch.cores,
            arch.core.crossbars,
            f"{arch.crossbar.rows} x {arch.crossbar.cols}",
            arch.crossbar.cell_bits or "ideal",
            size_text(arch.core.local_memory),
            size_text(arch.global_memory.size),
            ", ".join(name for name in ("timing", "energy", "area") if getattr(arch, name)),
        )
        for arch in arches
    ]
    return Answer(
        {"presets": [{**arch.to_dict(), "totals": totals(arch)} for arch in arches]},
        [Table("", COLUMNS, rows, "lrrrrrrrl"), *(f"{arch.name}: {arch.note}" for arch in arches)],
    )
