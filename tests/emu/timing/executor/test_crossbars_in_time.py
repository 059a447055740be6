"""No crossbar is written while a product runs on it, nor multiplies while it is written: same group, or rival."""

from dataclasses import replace

import numpy as np
import pytest
from core_programs import Seeded
from timed_results import everything
from timed_sets import Sets
from timed_writes import Writings

from emu.arch.read import load_arch
from emu.isa.address import Address
from emu.isa.codes import ON_GROUP, WRITES_GROUP
from emu.isa.dtypes import DType
from emu.noc.ports.port import FlowControl
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec, rivals
from emu.program.program import Program
from emu.timing.basis.log import OperationPhase
from emu.timing.executor.step import step
from emu.timing.fast.fast import fast
from emu.timing.prepare import prepare
from emu.timing.setup import SECTIONS

I8, I32 = DType.i8, DType.i32


def uses(setup, log):
    """Per core the uses of array groups in the order of the program: start, end, group, whether it writes."""
    found = {}
    starts, ends = (np.flatnonzero(log.phase == phase) for phase in (OperationPhase.START, OperationPhase.FINISHED))
    finished = {
        (int(log.core[k]), int(log.section[k]), int(log.sample[k]), int(log.operation[k])): int(log.time[k])
        for k in ends
    }
    for k in starts.tolist():
        key = int(log.core[k]), int(log.section[k]), int(log.sample[k]), int(log.operation[k])
        columns = setup.cores[key[0]].sections[SECTIONS[key[1]]].view.section.columns
        op, group, index = columns["op"], columns["arg0"], int(log.instruction[k])
        if ON_GROUP[op[index]]:
            use = key[1:], int(log.time[k]), finished[key], int(group[index]), bool(WRITES_GROUP[op[index]])
            found.setdefault(key[0], []).append(use)
    return {core: [use[1:] for use in sorted(each)] for core, each in found.items()}


def check(setup, samples):
    """No two uses of which one writes overlap on common crossbars; how many pairs have any in common."""
    log, pairs = step(setup, samples, log=True).log, 0
    for core, each in uses(setup, log).items():
        groups = setup.cores[core].program.groups
        common = np.eye(len(groups), dtype=np.bool_)  # what a write to the first touches of the second
        for number, others in enumerate(rivals(groups)):
            common[number, list(others)] = True
        start, end, group, writes = (np.array(column) for column in zip(*each, strict=True))
        for place in range(len(each)):
            own, later = group[place], slice(place + 1, None)
            touched = (writes[place] & common[own, group[later]]) | (writes[later] & common[group[later], own])
            assert (start[later][touched] >= end[place]).all(), (core, own)
            pairs += int(touched.sum())
    return pairs


@pytest.mark.parametrize("kind", [Sets, Writings])
def test_writes_and_products_of_common_crossbars_never_overlap(kind):
    pairs = 0
    for seed in range(20):
        setup = kind(Seeded(seed), cores=2, trips=(1, 2, 3)).setup()
        pairs += check(replace(setup, window=1 + 3 * (seed % 6)), 1 + seed % 2)
    assert pairs > 50


GROUPS = GroupSpec(I8, I8, I32, (4,), (4,), bank=0), GroupSpec(I8, I8, I32, (4,), (4,), bank=0)


@pytest.mark.parametrize("model", ["isaac", "cim-mlc", "pipeline", "puma"])
@pytest.mark.parametrize("second", [0, 1])
def test_a_write_waits_for_a_pipelined_product(model, second):
    """Behind a product the unit may take the next one early; a write, of it or of a rival, comes after its end."""
    build = SectionBuilder()
    build.emit("xbwrite", (I8,), (Address(0),), group=0, row=0, rows=4)
    for _ in range(3):
        build.emit("mvmul", (I8, I32), (Address(64), Address(32)), group=0)
        build.emit("xbwrite", (I8,), (Address(0),), group=second, row=0, rows=4)
        build.emit("mvmul", (I8, I32), (Address(96), Address(32)), group=second)
        build.emit("xbwrite", (I8,), (Address(0),), group=0, row=0, rows=4)
    isaac = load_arch("isaac")
    crossbar = replace(isaac.timing.crossbar, write_row_ns=7.0)
    chip = replace(isaac, timing=replace(isaac.timing, model=model, crossbar=crossbar, window=16))
    if model == "pipeline":
        zero = replace(isaac.timing.shift_add, latency_ns=1.0)
        chip = replace(chip, timing=replace(chip.timing, dac=zero, sample_hold=zero))
    setup = prepare({0: Program(0, GROUPS, main=build.finish())}, chip, FlowControl())
    assert check(setup, 2) > 10
    assert everything(fast(setup, 3)) == everything(step(setup, 3))
