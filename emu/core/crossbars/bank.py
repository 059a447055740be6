"""Array groups that share crossbars of a core's bank: writing one destroys the others, and products notice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from emu.core.crossbars.crossbar import Crossbar
from emu.core.crossbars.fault import Fault
from emu.core.crossbars.origin import Origin
from emu.program.group import NOT_WRITTEN, GroupSpec, rivals


class BankCrossbar:
    """A group in the bank. It holds nothing at power-on, and nothing of what it held once a rival is written.

    A product needs every row written since then. The group itself is made anew for each stay on its crossbars, so that
    only what is there takes memory.
    """

    def __init__(self, spec: GroupSpec, make: Callable[[], Crossbar]) -> None:
        self.spec = spec
        self.rivals: Sequence[BankCrossbar] = ()
        self._make = make
        self._place = (0, 0)  # core and number
        self._group: Crossbar | None = None
        self._ready: Callable[[Crossbar], None] = lambda group: None
        self._held = np.zeros(spec.rows, np.bool_)
        self._whole = False

    def program(self, weights: np.ndarray, core: int, number: int) -> None:
        """At power-on: be group `number` of core `core`. Nothing is held yet, whatever `weights` are."""
        self._place = (core, number)

    @property
    def whole(self) -> bool:
        """Whether every row has been written since its crossbars held something else."""
        return self._whole

    def held(self) -> np.ndarray:
        """Per row whether it is there, bool [rows]; not to be written to."""
        return self._held

    def content(self) -> np.ndarray:
        """The weights [rows, cols] that are there now, 0 in rows that are not."""
        group = self._group
        return np.zeros((self.spec.rows, self.spec.cols), self.spec.weight.numpy) if group is None else group.content()

    def write(self, row: int, values: np.ndarray, origin: Origin) -> None:
        """Replace the rows from `row` on by `values` [rows, cols]; rivals lose all that they hold."""
        if not len(values):
            return
        for rival in self.rivals:
            rival.destroy()
        if self._group is None:
            self._group = self._make()
            self._ready(self._group)
            empty = np.zeros((), self.spec.weight.numpy)
            self._group.program(np.broadcast_to(empty, (self.spec.rows, self.spec.padded_cols)), *self._place)
        self._group.write(row, values, origin)
        self._held[row : row + len(values)] = True
        self._whole = self._whole or bool(self._held.all())

    def each(self, ready: Callable[[Crossbar], None]) -> None:
        """Call `ready` with every group that is made from now on, before anything else is done with it."""
        self._ready = ready

    def put_back(self, weights: np.ndarray, held: np.ndarray, origin: Origin) -> None:
        """Hold the rows `held` (bool [rows]) of `weights` [rows, cols] again, as a debugger saw them."""
        self.write(0, weights, origin)
        self._held[:], self._whole = held, bool(held.all())

    def destroy(self) -> None:
        """Hold nothing."""
        if self._group is not None:
            self._group, self._whole = None, False
            self._held[:] = False

    def multiply(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool, origin: Origin) -> None:
        """The product; raises Fault, with nothing changed, unless every row is there."""
        if not self._whole or self._group is None:
            raise Fault(NOT_WRITTEN, "group", self._place[1])
        self._group.multiply(dst, src, accumulate, relu, origin)


def make_groups(specs: Sequence[GroupSpec], make: Callable[[GroupSpec], Crossbar]) -> list[Crossbar]:
    """The array groups of a core, each made by `make`; those of the bank know each other."""
    shared = {
        number: BankCrossbar(spec, lambda spec=spec: make(spec)) for number, spec in enumerate(specs) if spec.shares
    }
    if shared:
        for number, others in enumerate(rivals(specs)):
            if number in shared:
                shared[number].rivals = [shared[other] for other in others]
    return [shared.get(number) or make(spec) for number, spec in enumerate(specs)]
