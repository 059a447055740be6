"""Which cases of the suite are run: by kind, operator, name, target set, and a seeded sample of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from random import Random

from emu.errors import InputError, option
from emu.wording import nearest
from launch.conformance.cases import OnnxCase
from launch.conformance.target import why_not


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """`op` an operator that a case has, `case` a pattern of its name, `all` whether the target set is no bound."""

    op: str = ""
    case: str = ""
    all: bool = False
    sample: int | None = None
    seed: int = 0

    def of(self, cases: Sequence[OnnxCase]) -> list[OnnxCase]:
        """The cases that are meant, in order; raises InputError if there is none."""
        meant = self._named(cases)
        if not self.all:
            meant = self._targets(meant)
        if self.sample is None or self.sample >= len(meant):
            return meant
        drawn = set(Random(self.seed).sample(range(len(meant)), self.sample))
        return [case for place, case in enumerate(meant) if place in drawn]

    def _named(self, cases: Sequence[OnnxCase]) -> list[OnnxCase]:
        meant = [case for case in cases if not self.op or self.op in case.operators]
        if not meant:
            known = {operator for case in cases for operator in case.operators}
            raise InputError(f"{option('op', self.op)}: no case has this operator{nearest(self.op, known)}")
        named = [case for case in meant if not self.case or fnmatchcase(case.name, self.case)]
        if not named:
            names = [case.name for case in meant]
            raise InputError(f"{option('case', self.case)}: no case has such a name{nearest(self.case, names)}")
        return named

    @staticmethod
    def _targets(cases: Sequence[OnnxCase]) -> list[OnnxCase]:
        reasons = {case.name: why_not(case.name, case.model, case.data) for case in cases}
        found = [case for case in cases if case.missing or not reasons[case.name]]
        if not found:
            name, reason = next(iter(reasons.items()))
            raise InputError(f"no such case is of the target set ({name}: {reason}): add {option('all', True)}")
        return found
