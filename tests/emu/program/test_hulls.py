"""Address hulls agree with walking every iteration."""

from itertools import product

import numpy as np
from draws import examples
from hypothesis import given, settings
from strategies_programs import programs

from emu.isa.table import LOOP
from emu.program.hulls import address_hulls
from emu.program.section import Section


def enclosing(section: Section, index: int) -> list[int]:
    """Trip counts of the loops around an instruction."""
    col = section.columns
    around = [i for i in range(index) if col["op"][i] == LOOP and index < col["end"][i]]
    return [int(col["n"][i]) for i in around]


@given(programs())
@settings(max_examples=examples(30, 100))
def test_hulls_are_the_extremes_over_all_iterations(program):
    hulls = address_hulls(program.main)
    row = 0
    for index in range(len(program.main)):
        trips = enclosing(program.main, index)
        for address in program.main.instr(index).operands:
            assert (hulls.instruction[row], hulls.register[row]) == (index, address.reg >= 0)
            box = product(*(range(max(count, 1)) for count in trips))
            used = {term.loop for term in address.terms}
            independent = len(used) == len(address.terms)
            values = [address.value(counters, [0] * 8) for counters in box]
            if independent:  # a hull per term is exact unless two terms share a counter
                assert (hulls.low[row], hulls.high[row]) == (min(values), max(values))
            else:
                assert hulls.low[row] <= min(values) and max(values) <= hulls.high[row]
            row += 1
    assert row == len(hulls.low)
    assert hulls.low.dtype == np.int64
