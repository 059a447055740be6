"""By which components of a chip the time of each instruction goes: the same formulas, as each component gets slower.

A component's part of a time is what the time grows by, for each share by which the component's own times grow. Of two
that take equally long beside each other, each one has half of it; what is hidden behind others has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from emu.arch.cost_models import Figures, Model
from emu.isa.codes import ON_GROUP, WRITES_GROUP
from emu.timing.basis.units import FIRST_GROUP, SCALAR, TRANSFER, VECTOR
from emu.timing.chip.product import model_of
from emu.timing.model.product import GroupProduct, product_of
from emu.timing.model.subject import ModelSubject
from emu.timing.model.widths import widths_of
from emu.timing.setup import Setup

MEMORY = "local_memory"
Parts = Mapping[str, float]  # by component, of a whole of 1
_STEP = 2.0**-20  # by how much a component gets slower


def parts_of(setup: Setup, core: int, on_unit: bool = False) -> list[Parts]:
    """For each instruction of `main` the parts of its time, or of the time that it keeps its unit.

    Of requests only what their own core does: their set-up, and the local memory.
    """
    section = setup.cores[core].sections["main"]
    costs, view = section.costs, section.view
    widths = widths_of(view.arch, (each.program for each in setup.cores.values()))
    subject, model = ModelSubject(view, widths, setup.network, len(setup.cores), {}), model_of(view.arch)
    groups = [product_of(subject, group) for group in view.program.groups]

    @cache
    def of_product(group: int, read: int, write: int) -> Parts:
        return _of_product(subject, model, groups[group], read, write, on_unit)

    names = {SCALAR: "scalar", VECTOR: "vector", TRANSFER: "transfer"}
    multiplies = ON_GROUP[subject.op] & ~WRITES_GROUP[subject.op]
    rows = zip(
        *(column.tolist() for column in (costs.unit, costs.read, costs.compute, costs.write)), multiplies, strict=True
    )
    return [
        of_product(unit - FIRST_GROUP, read, write)
        if product
        else _whole({MEMORY: read + write, names.get(unit, "crossbar"): compute})
        for unit, read, compute, write, product in rows
    ]


def _of_product(
    subject: ModelSubject, model: Model, product: GroupProduct, read: int, write: int, on_unit: bool
) -> Parts:
    """The parts of the time of a product."""
    asked: dict[str, None] = {}

    def lasts(slower: str) -> float:
        def figure(key: str) -> float:
            component = key.split(".")[1]
            asked[component] = None
            return subject.ps(key) * (1 + _STEP * (component == slower))

        memory = 1 + _STEP * (slower == MEMORY)
        pipelined = bool(subject.arch.timing and subject.arch.timing.pipelined)
        time = model.product(Figures(figure, pipelined), product, read * memory, write * memory)
        if on_unit and time.interval is not None:
            return float(read * memory + max(time.interval, 0))
        return float(read * memory + time.compute + write * memory)

    now = lasts("")
    growth = {component: (lasts(component) - now) / _STEP for component in [*asked, MEMORY]}
    most = dict.fromkeys(asked, now) | {MEMORY: float(read + write)}  # where whole cycles are full
    return _whole({component: min(max(each, 0.0), most[component]) for component, each in growth.items()})


def _whole(amounts: Mapping[str, float]) -> Parts:
    """The amounts as parts of their sum; none if that is 0."""
    total = sum(amounts.values())
    return {name: amount / total for name, amount in amounts.items() if amount} if total else {}
