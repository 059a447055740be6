"""Products of array groups: how often each part of the arrays acts, and the sizes from which a model makes times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from emu.isa.codes import ON_GROUP, WRITES_GROUP
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec
from emu.timing.model.costs import WHOLE
from emu.timing.model.subject import Subject


@dataclass(frozen=True, slots=True)
class Product:
    """One product of a group. All its arrays work at once: tiles of rows and columns, and bit slices of the weights.

    `slices` of the input bits follow each other, in each `drives` groups of word lines, and for each of these every
    converter makes `conversions`. `arrays` physical crossbars; `in_bytes`, `out_bytes` on the chip.
    """

    slices: int
    drives: int
    conversions: int
    arrays: int
    in_bytes: int
    out_bytes: int

    @property
    def steps(self) -> int:
        """How often each array is read."""
        return self.slices * self.drives


Times = Callable[[Subject, Product], tuple[int, int]]  # ps from the end of reading: until writing, and until the next


def product_times(subject: Subject, times: Times) -> tuple[np.ndarray, np.ndarray]:
    """`compute` and `interval` (ps) of the instructions that use array groups; counts what their parts do."""
    compute, interval = subject.zeros(), subject.zeros() + WHOLE
    groups, col = subject.view.program.groups, subject.section.columns
    for number, group in enumerate(groups):
        index = np.flatnonzero(ON_GROUP[subject.op] & (col["arg0"] == number))
        writes = WRITES_GROUP[subject.op[index]]
        if not writes.all():
            product = product_of(subject, group)
            compute[index[~writes]], interval[index[~writes]] = times(subject, product)
            _count(subject, group, product, index[~writes])
            relu = index[~writes][(col["flags"][index[~writes]] & 1) != 0]
            subject.count("vector", "op", np.full(len(relu), group.cols), relu)
        rows = col["n"][index[writes]]
        compute[index[writes]] = rows * subject.ps("timing.crossbar.write_row_ns")
        subject.count("crossbar", "write_cell", rows * group.cols * subject.arch.cells(group.weight), index[writes])
    return compute, interval


def product_of(subject: Subject, group: GroupSpec) -> Product:
    """The product of a group on the chip."""
    arch, widths = subject.arch, subject.widths
    crossbar, bits = arch.crossbar, widths.of(group.input)
    tall, wide = max(group.row_tiles, default=0), max(group.col_tiles, default=0)
    return Product(
        -(-bits // (crossbar.dac_bits or bits)),
        -(-tall // (crossbar.dac_count or max(tall, 1))),
        -(-wide // (crossbar.adc_count or max(wide, 1))),
        group.crossbars * weight_slices(subject, group.weight),
        -(-group.rows * bits // 8),
        -(-group.cols * widths.of(group.output) // 8),
    )


def weight_slices(subject: Subject, weight: DType) -> int:
    """Physical crossbars for the bits of one weight."""
    float_bits = subject.widths.float_bits
    if weight.is_float and float_bits is not None:
        return subject.arch.slices(float_bits)
    return subject.arch.cells(weight)


def _count(subject: Subject, group: GroupSpec, product: Product, index: np.ndarray) -> None:
    cells = weight_slices(subject, group.weight)
    conversions = group.cols * len(group.row_tiles) * cells * product.steps
    accumulated = group.cols * (len(group.row_tiles) - 1)
    bus = subject.whole("timing.bus.width_bytes")
    amounts = {
        ("crossbar", "read"): product.arrays * product.steps,
        ("dac", "convert"): group.rows * len(group.col_tiles) * cells * product.slices,
        ("sample_hold", "op"): conversions,
        ("adc", "convert"): conversions,
        ("shift_add", "op"): conversions,
        ("accumulator", "op"): accumulated,
        ("input_register", "byte"): product.in_bytes * len(group.col_tiles),
        ("output_register", "byte"): product.out_bytes * len(group.row_tiles),
        ("bus", "word"): -(-product.in_bytes // bus) - (-product.out_bytes // bus),
    }
    for (component, action), amount in amounts.items():
        subject.count(component, action, np.full(len(index), amount), index)
