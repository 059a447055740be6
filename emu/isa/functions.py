"""Which instructions are functions of the digital unit, that an architecture may lack (`core.functions`)."""

from __future__ import annotations

from emu.isa.table import BY_NAME, Family

_EVERY_CORE_HAS = {"mvmul", "xbwrite", "lmv", "lldi"}
_NOT_DIGITAL = {Family.CONTROL, Family.SCALAR, Family.GLOBAL, Family.COMMUNICATION}

FUNCTION_NAMES = frozenset(
    name for name, spec in BY_NAME.items() if spec.family not in _NOT_DIGITAL and name not in _EVERY_CORE_HAS
)
