"""Products of array groups: how often each part of the arrays acts, and what the chip's cost model says they take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.arch.cost_models import Figures, Model, Product, ProductTime
from emu.isa.codes import ON_GROUP, WRITES_GROUP
from emu.isa.instruction import FLAG_BITS
from emu.program.group import GroupSpec
from emu.replay.writes import written_cells
from emu.timing.model.costs import WHOLE
from emu.timing.model.subject import ModelSubject


@dataclass(frozen=True, slots=True)
class GroupProduct(Product):
    """On `arrays` physical crossbars, of `in_bytes` and `out_bytes` on the chip."""

    arrays: int
    in_bytes: int
    out_bytes: int


def product_times(
    subject: ModelSubject, model: Model, read: np.ndarray, write: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`compute` and `interval` (ps) of the instructions that use array groups; counts what their parts do."""
    compute, interval = subject.zeros(), subject.zeros() + WHOLE
    col, on_group, timing = subject.section.columns, ON_GROUP[subject.op], subject.arch.timing
    figures = Figures(subject.ps, timing is not None and bool(timing.pipelined))
    for number, group in enumerate(subject.view.program.groups):
        index = np.flatnonzero(on_group & (col["arg0"] == number))
        writes = index[WRITES_GROUP[subject.op[index]]]
        index = index[~WRITES_GROUP[subject.op[index]]]
        product = product_of(subject, group)
        subject.refuse(np.where(np.isin(np.arange(len(on_group)), index), _at_most(subject, product), 0.0))
        time = model.product(figures, product, read[index], write[index])
        compute[index] = time.compute
        interval[index] = WHOLE if time.interval is None else np.maximum(time.interval, 0)
        _count(subject, group, product, time, index)
        compute[writes] = subject.lasting(col["n"][writes], subject.ps("timing.crossbar.write_row_ns"))
    subject.count("crossbar", "write_cell", written_cells(subject.section, subject.view.program.groups, subject.arch))
    return compute, interval


def product_of(subject: ModelSubject, group: GroupSpec) -> GroupProduct:
    """The product of a group on the chip."""
    arch, widths, bus = subject.arch, subject.widths, subject.whole("timing.bus.width_bytes")
    crossbar, bits, slices = arch.crossbar, widths.of(group.input), arch.own_slices(group.weight)
    tall, wide = max(group.row_tiles, default=0), max(group.col_tiles, default=0) * arch.side_by_side(slices)
    in_bytes, out_bytes = -(-group.rows * bits // 8), -(-group.cols * widths.of(group.output) // 8)
    return GroupProduct(
        -(-bits // (crossbar.dac_bits or bits)),
        -(-tall // crossbar.driven_rows),
        crossbar.conversions(wide),
        -(-in_bytes // bus) + -(-out_bytes // bus),
        group.crossbars * arch.arrays(slices),
        in_bytes,
        out_bytes,
    )


def _at_most(subject: ModelSubject, product: GroupProduct) -> float:
    """No product takes longer (ps): all that its parts take at most, as often as any of them acts."""
    stages = ("dac", "sample_hold", "shift_add", "input_register", "output_register")
    keys = [*(f"timing.{stage}.latency_ns" for stage in stages), "timing.crossbar.read_ns", "timing.adc.convert_ns"]
    once = float(sum(map(subject.ps, [*keys, "timing.bus.word_ns"])) + subject.special)
    return once * (product.steps + 4) * (product.conversions + 4) + once * (product.in_bytes + product.out_bytes)


def _count(
    subject: ModelSubject, group: GroupSpec, product: GroupProduct, time: ProductTime, index: np.ndarray
) -> None:
    cells = subject.arch.own_slices(group.weight)
    conversions = group.cols * len(group.row_tiles) * cells * product.steps
    per_unit = subject.arch.core.crossbars_per_mvmu or 1
    amounts = {
        ("crossbar", "read"): product.arrays * product.steps,
        ("dac", "convert"): group.rows * len(group.col_tiles) * subject.arch.arrays(cells) * product.slices,
        ("sample_hold", "op"): conversions,
        ("adc", "convert"): conversions,
        ("shift_add", "op"): conversions,
        ("accumulator", "op"): group.cols * (len(group.row_tiles) - 1),
        ("input_register", "byte"): product.in_bytes * len(group.col_tiles),
        ("output_register", "byte"): product.out_bytes * len(group.row_tiles),
        ("bus", "word"): product.words,
        # Arrays of a unit that take no part cost nothing: the power of a unit is that of all its arrays at work.
        ("mvmu", "busy_ps"): -(-product.arrays * time.active // per_unit),
    }
    for (component, action), amount in amounts.items():
        subject.count(component, action, np.full(len(index), amount), index)
    relu = index[(subject.section.columns["flags"][index] & FLAG_BITS["relu"]) != 0]
    subject.count("vector", "op", np.full(len(relu), group.cols), relu)
