"""The costs of a section under a model: units, front end, memory, products, vectors and requests together."""

from __future__ import annotations

import numpy as np

from emu.arch.cost_models import Model
from emu.isa.codes import ASK_OF, ON_GROUP
from emu.isa.table import LOOP
from emu.replay.core_view import SectionView
from emu.timing.basis.units import FIRST_GROUP, NO_UNIT, SCALAR, TRANSFER, VECTOR
from emu.timing.model.costs import Costs
from emu.timing.model.digital import IS_VECTOR, digital_times
from emu.timing.model.local_memory import port_times
from emu.timing.model.product import product_times
from emu.timing.model.requests import service_times, wire_times
from emu.timing.model.subject import ModelSubject
from emu.timing.model.widths import Widths
from emu.timing.network.network import NetworkTimes


def section_costs(view: SectionView, widths: Widths, network: NetworkTimes, cores: int, model: Model) -> Costs:
    """What the instructions of a section cost, if products take what `model` says; everything else is common.

    `cores` have programs, and share what belongs to the whole chip.
    """
    subject = ModelSubject(view, widths, network, cores, {})
    if not len(subject.section):
        none = subject.zeros()
        return Costs(none, none, none, none, none, none, none, none, {})
    executed, request = subject.op != LOOP, subject.ask > 0
    subject.count("control", "instruction", executed.astype(np.int64))
    read, write = port_times(subject)
    compute, interval = product_times(subject, model, read, write)
    compute += digital_times(subject) + request * subject.ps("timing.transfer.start_ns")
    wire, service = wire_times(subject), service_times(subject)
    issue = executed * subject.ps("timing.control.issue_ns")
    counts = {action: amounts for action, amounts in subject.counts.items() if amounts.any()}
    return Costs(unit_numbers(view), issue, read, compute, interval, write, wire, service, counts)


def unit_numbers(view: SectionView) -> np.ndarray:
    """The unit of each instruction, int64 [instructions]."""
    op, groups = view.section.columns["op"], view.section.columns["arg0"]
    kinds = [op == LOOP, ON_GROUP[op], ASK_OF[op] > 0, IS_VECTOR[op]]
    return np.select(kinds, [NO_UNIT, FIRST_GROUP + groups, TRANSFER, VECTOR], SCALAR).astype(np.int64)
