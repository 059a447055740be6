"""Which register holds which address: the one that was given up longest ago is taken for the next."""

from __future__ import annotations

from collections.abc import Collection

from emu.interop.pim_isa.exporting.template import RegisterTerms

HIGH, LOW = 30, 31  # the pair of an address of global memory
_RING = 30  # all others


class RegisterRing:
    """Registers by what is to be in them; equal contents share one."""

    def __init__(self) -> None:
        self._held: dict[RegisterTerms, int] = {}
        self._content: dict[int, RegisterTerms] = {}
        self._next = 0

    def place(self, value: RegisterTerms, busy: Collection[int]) -> int:
        """The register for `value`; none of `busy` is given up for it."""
        if value in self._held:
            return self._held[value]
        while self._next in busy:
            self._next = (self._next + 1) % _RING
        register = self._next
        self._next = (register + 1) % _RING
        if register in self._content:
            del self._held[self._content[register]]
        self._held[value], self._content[register] = register, value
        return register
