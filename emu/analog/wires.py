"""Wires of an array: what their resistances make of its conductances, or of its currents where inputs switch cells.

Ohmic cells with driven rows are a linear network, so that currents are sums of voltages times effective conductances,
which are computed once per programmed array. Numbers of rows count from the far end of columns, those of columns from
the drivers of rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emu.arch.analog import Wires


class Resistances(NamedTuple):
    """Resistances of wires as multiples of that of a cell of the highest conductance, numbers or one per line."""

    row: float | np.ndarray  # from one cell to the next
    col: float | np.ndarray
    row_end: float | np.ndarray  # from the driver to the first cell
    col_end: float | np.ndarray  # from the last cell to what senses the column


def has_wires(wires: Wires) -> bool:
    """Whether there is any resistance at all."""
    return any((wires.row_ohm, wires.col_ohm, wires.row_end_ohm, wires.col_end_ohm))


def resistances(wires: Wires, cell_ohm: float, rows: int, array_rows: int | None = None) -> Resistances:
    """Those of `rows` rows in use of an array of `array_rows`: wires along columns pass unused rows, too.

    `cell_ohm` is the resistance of a cell of the highest conductance.
    """
    row, col, row_end, col_end = (
        (ohm or 0.0) / cell_ohm for ohm in (wires.row_ohm, wires.col_ohm, wires.row_end_ohm, wires.col_end_ohm)
    )
    unused = max(0, (array_rows or rows) - rows)
    if wires.unused == "bottom":
        row_end += unused * row if wires.gated else 0.0
    else:
        col_end += unused * col
    return Resistances(row, col, row_end, col_end)


def effective(
    g: np.ndarray, wires: Wires, cell_ohm: float, minus: np.ndarray | None = None, array_rows: int | None = None
) -> np.ndarray:
    """Conductances [rows, cols] of an array without wires that gives the same currents as `g` [rows, cols] with them.

    `minus`: the other cells of pairs that stand in the same columns, on word lines of their own to which the opposite
    voltages go; the result is of the pairs. `array_rows`: rows of the array, if not all are in use.
    """
    return folded(g, resistances(wires, cell_ohm, len(g), array_rows), minus)


def folded(g: np.ndarray, ohm: Resistances, minus: np.ndarray | None = None) -> np.ndarray:
    """The same of resistances; those of rows may be arrays, too.

    Row by row from the far end, what stands so far is a network with a terminal at each column: the current out of them
    is `transfer` [cols, rows] times the voltages of rows, less `admittance` [cols, cols] times those of the terminals.
    Nothing is divided by a resistance or a conductance, so any of them may be 0.
    """
    rows, cols = g.shape
    row, row_end = (np.broadcast_to(np.asarray(r, np.float64), rows) for r in (ohm.row, ohm.row_end))
    transfer, admittance = np.zeros((cols, rows)), np.zeros((cols, cols))
    for k in range(rows):
        if k:
            _pass(transfer[:, :k], admittance, ohm.col)
        for sign, cells in ((1, g), (-1, minus)):
            if cells is not None:
                line = _line(cells[k], row[k], row_end[k])
                transfer[:, k] += sign * line.sum(axis=1)
                admittance += line
    _pass(transfer, admittance, ohm.col_end)
    return transfer.T.copy()


def _line(g: np.ndarray, along: float, end: float) -> np.ndarray:
    """Currents [cols] into columns by their voltages' differences from the driver [cols], of one word line's cells."""
    if not along and not end:
        return np.diag(g)
    place = np.arange(len(g))
    shared = end + along * np.minimum.outer(place, place)  # resistance on the way to both of two cells
    return np.linalg.solve(np.eye(len(g)) + g[:, None] * shared, np.diag(g))


def _pass(transfer: np.ndarray, admittance: np.ndarray, ohm: float | np.ndarray) -> None:
    """Move the terminals to the other ends of resistors, one per column."""
    if not np.any(ohm):
        return
    sides = np.concatenate([transfer, admittance], axis=1)
    sides = np.linalg.solve(np.eye(len(admittance)) + admittance * ohm, sides)
    transfer[...], admittance[...] = np.split(sides, [transfer.shape[1]], axis=1)


def gated_currents(
    g: np.ndarray,
    wires: Wires,
    cell_ohm: float,
    on: np.ndarray,
    minus: np.ndarray | None = None,
    array_rows: int | None = None,
) -> np.ndarray:
    """Currents [V, cols] of cells `g` [rows, cols] between a supply along each column and the column.

    `on` [V, rows]: what rows are switched on, or with which sign of the supply: -1, 0, 1. Wires of rows are those of
    the supply, which enters where columns have their far end. `minus`: the other cells of pairs that stand in the same
    columns, of an opposite supply.
    """
    patterns, which = np.unique(np.asarray(on, np.int8), axis=0, return_inverse=True)
    ohm = resistances(wires, cell_ohm, len(g), array_rows)
    cells = [(1, g)] if minus is None else [(1, g), (-1, minus)]
    ladder = _Ladder(len(cells), (len(patterns), g.shape[1]))
    for k in range(len(g)):
        ladder.go_on(ohm.row if k else ohm.row_end, ohm.col if k else 0.0)
        voltage = patterns[:, k, None].astype(np.float64)
        for supply, (sign, conductances) in enumerate(cells):
            ladder.add(supply, conductances[k] * np.abs(voltage), sign * voltage)
    ladder.go_on(0.0, ohm.col_end)
    return ladder.current[which.reshape(-1)]


class _Ladder:
    """Supplies and a column beside them, with the cells between them so far, at the end that is still open.

    With currents `p` that leave by the supplies and the voltage `c` of the column, the voltages of the supplies are
    voltage - impedance p + (1 - own) c, and what leaves by the column is current - (1 - own) p - admittance c.
    """

    def __init__(self, supplies: int, shape: tuple[int, ...]) -> None:
        self.current, self.admittance = np.zeros(shape), np.zeros(shape)
        self.voltage, self.own = np.zeros((supplies, *shape)), np.ones((supplies, *shape))
        self.impedance = np.zeros((supplies, supplies, *shape))

    def add(self, supply: int, g: np.ndarray, voltage: np.ndarray) -> None:
        """A cell of conductance `g` in series with a source."""
        row, own = self.impedance[supply].copy(), self.own[supply].copy()
        share = g / (1 + row[supply] * g)
        drive = share * (self.voltage[supply] + voltage)
        self.current += own * drive
        self.admittance += share * own * own
        self.voltage -= row * drive
        self.own -= row * (share * own)
        self.impedance -= row[:, None] * (share * row)

    def go_on(self, supply_ohm: float | np.ndarray, col_ohm: float | np.ndarray) -> None:
        """Resistors at all open ends."""
        for supply, row in enumerate(self.impedance):
            row[supply] += supply_ohm
        if not np.any(col_ohm):
            return
        less = 1 / (1 + self.admittance * col_ohm)
        other = 1 - self.own
        self.current *= less
        self.admittance *= less
        self.voltage += other * (col_ohm * self.current)
        self.impedance += other[:, None] * (other * (col_ohm * less))
        self.own[...] = 1 - other * less
