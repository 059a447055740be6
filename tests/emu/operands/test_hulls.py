"""Bounds of addresses agree with walking every iteration."""

from itertools import product

import numpy as np
from draws import examples
from hypothesis import given, settings
from strategies_programs import programs

from emu.isa.table import LOOP
from emu.operands.terms import address_bounds
from emu.program.section import Section


def enclosing(section: Section, index: int) -> list[int]:
    """Trip counts of the loops around an instruction."""
    col = section.columns
    around = [i for i in range(index) if col["op"][i] == LOOP and index < col["end"][i]]
    return [int(col["n"][i]) for i in around]


@given(programs())
@settings(max_examples=examples(30, 100))
def test_bounds_are_the_extremes_over_all_iterations(program):
    bounds = address_bounds(program.main)
    row = 0
    for index in range(len(program.main)):
        trips = enclosing(program.main, index)
        for address in program.main.instr(index).operands:
            assert program.main.address(row) == address
            box = product(*(range(max(count, 1)) for count in trips))
            used = {term.loop for term in address.terms}
            independent = len(used) == len(address.terms)
            values = [address.value(counters, [0] * 8) for counters in box]
            if independent:  # bounds per term are exact unless two terms share a counter
                assert (bounds.low[row], bounds.high[row]) == (min(values), max(values))
            else:
                assert bounds.low[row] <= min(values) and max(values) <= bounds.high[row]
            row += 1
    assert row == len(bounds.low)
    assert bounds.low.dtype == np.int64
