"""Wires against a solve of all voltages and currents of the network, limits in closed form, and what networks obey."""

from itertools import pairwise

import draws
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.analog.wires import Resistances, effective, folded, gated_currents, has_wires, resistances
from emu.arch.analog import Wires


class Network:
    """Kirchhoff's laws of one array, an equation per node and per wire, so that wires of 0 ohm are like others."""

    def __init__(self):
        self.nodes, self.branches = 0, []

    def node(self):
        self.nodes += 1
        return self.nodes - 1

    def wire(self, a, b, ohm, source=0.0):
        """From `a` to `b` (None: ground), `source` volts above `b`'s end; the number of its current."""
        self.branches.append((a, b, 1.0, ohm, source))
        return len(self.branches) - 1

    def cell(self, a, b, conductance, source=0.0):
        """The same of a conductance, which may be 0."""
        self.branches.append((a, b, conductance, 1.0, conductance * source))

    def currents(self):
        """Of all branches: for each, scale (v_a - v_b) - ohm i = -source, and currents at each node add up to 0."""
        size = self.nodes + len(self.branches)
        laws, right = np.zeros((size, size)), np.zeros(size)
        for k, (a, b, scale, ohm, source) in enumerate(self.branches, self.nodes):
            for node, sign in ((a, 1), (b, -1)):
                if node is not None:
                    laws[k, node] += sign * scale
                    laws[node, k] += sign
            laws[k, k] -= ohm
            right[k] = -source
        return np.linalg.solve(laws, right)[self.nodes :]


def driven(g, minus, ohm, voltages):
    """Currents of columns where `voltages` drive word lines, of pairs one each, the second with the opposite."""
    net, (rows, cols) = Network(), g.shape
    bits = [[net.node() for _ in range(cols)] for _ in range(rows)]
    for sign, cells in ((1, g), (-1, minus)):
        for i in range(rows if cells is not None else 0):
            at, source, before = None, sign * voltages[i], ohm.row_end
            for o in range(cols):
                here = net.node()
                net.wire(at, here, before, source)
                net.cell(here, bits[i][o], cells[i][o])
                at, source, before = here, 0.0, ohm.row
    return sensed(net, bits, ohm)


def gated(g, minus, ohm, signs):
    """Currents of columns where inputs switch cells between a column and a supply beside it that enters at its far end.

    The sign of an input, and of a pair's second cell, is a source at the cell, so that supplies enter at 0.
    """
    net, (rows, cols) = Network(), g.shape
    bits = [[net.node() for _ in range(cols)] for _ in range(rows)]
    for sign, cells in ((1, g), (-1, minus)):
        for o in range(cols if cells is not None else 0):
            at, before = None, ohm.row_end
            for i in range(rows):
                here = net.node()
                net.wire(at, here, before)
                if signs[i]:
                    net.cell(here, bits[i][o], cells[i][o], sign * signs[i])
                at, before = here, ohm.row
    return sensed(net, bits, ohm)


def sensed(net, bits, ohm):
    """Currents at the ends of columns."""
    for above, below in pairwise(bits):
        for a, b in zip(above, below, strict=True):
            net.wire(a, b, ohm.col)
    ends = [net.wire(node, None, ohm.col_end) for node in bits[-1]]
    return net.currents()[ends]


OHM = st.sampled_from([0.0, 1e-6, 1e-4, 1e-2, 0.3, 1.0, 20.0]) | st.floats(1e-7, 50.0)
CONDUCTANCE = st.sampled_from([0.0, 0.0, 0.01, 0.5, 1.0]) | st.floats(0.0, 2.0)


def arrays(shape):
    """Conductances, zeros among them."""
    rows, cols = shape
    row = st.lists(CONDUCTANCE, min_size=cols, max_size=cols)
    return st.lists(row, min_size=rows, max_size=rows).map(np.array)


@st.composite
def circuits(draw):
    """Cells, perhaps pairs of them, wires of which each may have no resistance, and what drives rows."""
    shape = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    minus = draw(st.none() | arrays(shape))
    ohm = Resistances(*(draw(st.just(0.0) | OHM) for _ in range(4)))
    signs = draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=shape[0], max_size=shape[0]))
    return draw(arrays(shape)), minus, ohm, np.array(signs)


def described(ohm, cell_ohm=1.0, **more):
    """A description of these wires."""
    names = ("row_ohm", "col_ohm", "row_end_ohm", "col_end_ohm")
    return Wires(**{name: part * cell_ohm for name, part in zip(names, ohm, strict=True)}, **more)


def close(a, b, scale=1.0):
    """Equality to 1e-12 of the largest of what they are made of."""
    return np.allclose(a, b, rtol=1e-12, atol=1e-12 * scale)


@given(circuits())
@settings(max_examples=draws.examples(40, 1000))
def test_driven_rows_are_the_whole_network(circuit):
    g, minus, ohm, signs = circuit
    voltages = signs * np.linspace(0.3, 1, len(signs))
    assert close(voltages @ folded(g, ohm, minus), driven(g, minus, ohm, voltages), 2 * len(g))


@given(circuits())
@settings(max_examples=draws.examples(40, 1000))
def test_gated_rows_are_the_whole_network(circuit):
    g, minus, ohm, signs = circuit
    patterns = np.array([signs, 0 * signs, abs(signs), signs])
    expected = [gated(g, minus, ohm, pattern) for pattern in patterns]
    wires = described(ohm, gated=True)
    assert close(gated_currents(g, wires, 1.0, patterns, minus), expected, 2 * len(g))
    positive = patterns[2:3]
    assert np.array_equal(
        gated_currents(g, wires, 1.0, positive > 0, minus), gated_currents(g, wires, 1.0, positive, minus)
    )


@given(circuits())
def test_no_resistance(circuit):
    g, minus, _, signs = circuit
    ideal = g if minus is None else g - minus
    assert np.array_equal(effective(g, Wires(), 5e4, minus), ideal)
    assert close(gated_currents(g, Wires(gated=True), 5e4, signs[None], minus), signs @ ideal, len(g))


@given(circuits())
def test_description_in_ohm(circuit):
    g, minus, ohm, _ = circuit
    assert has_wires(described(ohm)) == any(ohm)
    assert close(effective(g, described(ohm, 4e4), 4e4, minus), folded(g, ohm, minus), 2)


@given(circuits())
def test_one_cell(circuit):
    g, _, ohm, _ = circuit
    g = g[:1, :1]
    alone = g / (1 + g * (ohm.row_end + ohm.col_end))
    assert close(folded(g, ohm), alone)
    assert close(gated_currents(g, described(ohm), 1.0, np.array([[1], [0], [-1]])), alone * [[1], [0], [-1]])


@given(circuits())
def test_one_shared_end(circuit):
    """Ends alone divide the current of a whole line by 1 + R sum g."""
    g, _, ohm, _ = circuit
    sums = g.sum(axis=1, keepdims=True), g.sum(axis=0, keepdims=True)
    assert close(folded(g, Resistances(0, 0, ohm.row_end, 0)), g / (1 + ohm.row_end * sums[0]))
    assert close(folded(g, Resistances(0, 0, 0, ohm.col_end)), g / (1 + ohm.col_end * sums[1]))


@given(circuits())
def test_lines_without_the_others_resistance_are_alone(circuit):
    g, _, ohm, _ = circuit
    rows, cols = ohm._replace(col=0, col_end=0), ohm._replace(row=0, row_end=0)
    for k, line in enumerate(g):
        assert close(folded(g, rows)[k], folded(line[None], rows)[0])
    for k, line in enumerate(g.T):
        assert close(folded(g, cols)[:, k], folded(line[:, None], cols)[:, 0])


@given(circuits())
def test_reciprocity(circuit):
    """What drives and what senses may change places."""
    g, _, ohm, _ = circuit
    turned = Resistances(ohm.col, ohm.row, ohm.col_end, ohm.row_end)
    assert close(folded(g, ohm), folded(g[::-1, ::-1].T, turned)[::-1, ::-1].T)


@given(circuits(), st.integers(0, 3))
def test_resistance_takes_current(circuit, which):
    """More of it anywhere never leaves more current in all, and none flows backwards."""
    g, _, ohm, _ = circuit
    more = ohm._replace(**{ohm._fields[which]: ohm[which] + 0.5})
    less, before = folded(g, more), folded(g, ohm)
    assert less.min() >= -1e-12
    assert less.sum() <= before.sum() + 1e-12 <= g.sum() + 2e-12


@given(circuits())
def test_pairs_in_one_column(circuit):
    """Cells that are alike cancel, and those that change places change the sign."""
    g, minus, ohm, _ = circuit
    minus = g[::-1] / 2 if minus is None else minus
    assert close(folded(g, ohm, g), 0, len(g))
    assert close(folded(g, ohm, minus), -folded(minus, ohm, g), len(g))


@given(circuits(), st.integers(1, 5), st.sampled_from([None, "top", "bottom"]), st.booleans())
def test_unused_rows(circuit, count, unused, switched):
    """They are as rows of no conductance, or of inputs that are off."""
    g, minus, ohm, signs = circuit
    where = (count, 0) if unused == "bottom" else (0, count)
    larger, larger_minus = (None if part is None else np.pad(part, (where, (0, 0))) for part in (g, minus))
    wires = described(ohm, unused=unused, gated=switched)
    height = len(g) + count
    if switched:
        some = gated_currents(g, wires, 1.0, signs[None], minus, height)
        whole = gated_currents(larger, wires, 1.0, np.pad(signs, where)[None], larger_minus)
    else:
        some = effective(g, wires, 1.0, minus, height)
        whole = effective(larger, wires, 1.0, larger_minus)[where[0] : where[0] + len(g)]
    assert close(some, whole, 2 * len(g))


def relaxed(g, ohm, voltages):
    """Currents of columns as a fixed point: cells' currents, what wires take of their voltages, and again."""
    cells = g * voltages[:, None]
    for _ in range(200):
        along = np.cumsum(cells[:, ::-1], axis=1)[:, ::-1]  # of word lines, before each cell
        down = np.cumsum(cells, axis=0)  # of columns, after each cell
        lost = along[:, :1] * ohm.row_end + np.cumsum(along * ohm.row, axis=1) - along[:, :1] * ohm.row
        lost += down[-1:] * ohm.col_end + np.cumsum(down[::-1] * ohm.col, axis=0)[::-1] - down[-1:] * ohm.col
        before, cells = cells, g * (voltages[:, None] - lost)
        if abs(cells - before).max() < 1e-15:
            break
    return cells.sum(axis=0)


@pytest.mark.parametrize("shape", [(128, 128), (100, 37), (9, 128)])
def test_arrays_of_full_size(shape):
    random = np.random.default_rng(shape)
    g, voltages = random.random(shape) * (random.random(shape) < 0.7), random.uniform(-1, 1, shape[0])
    ohm = resistances(Wires(row_ohm=1.3, col_ohm=0.7, row_end_ohm=20, col_end_ohm=11), 4e5, shape[0])
    assert close(voltages @ folded(g, ohm), relaxed(g, ohm, voltages), 10)
