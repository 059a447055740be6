"""From specifications to faults: cores and moments that were left open are drawn from the seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

from emu.chaos.fault import ALWAYS, EVERY, ChaosFault
from emu.chaos.kinds import Counted
from emu.chaos.spec import ALL, RANDOM, Chaos, ChaosSpec
from emu.errors import InputError, option
from emu.isa.codes import asking
from emu.isa.instruction import RequestKind
from emu.program.nesting import executions
from emu.program.program import Program

_ASKS: dict[Counted, tuple[RequestKind, ...]] = {
    Counted.REQUESTS: tuple(RequestKind),
    Counted.SENT: (RequestKind.SEND,),
    Counted.TAKEN: (RequestKind.RECV,),
}


def plan(chaos: Chaos, programs: Mapping[int, Program]) -> list[ChaosFault]:
    """The faults of a run of `programs`; raises InputError for a core that has none of them.

    Programs are read only to draw a moment.
    """
    seen: Counter[str] = Counter()
    faults: list[ChaosFault] = []
    for spec in chaos.parsed():
        ordinal = seen[spec.kind.name]
        seen[spec.kind.name] += 1
        faults += _faults(spec, chaos.seed, ordinal, programs)
    return faults


def _faults(spec: ChaosSpec, seed: int, ordinal: int, programs: Mapping[int, Program]) -> list[ChaosFault]:
    name = spec.kind.name
    if spec.target is None:
        return [ChaosFault(name, EVERY, ALWAYS, spec.numbers, seed, ordinal)]
    rng = Random(f"{seed} {name} {ordinal} target")
    cores = _cores(spec, rng, programs)
    return [ChaosFault(name, core, _moment(spec, rng, programs, core), spec.numbers, seed, ordinal) for core in cores]


def _cores(spec: ChaosSpec, rng: Random, programs: Mapping[int, Program]) -> Sequence[int]:
    """The cores that a specification hits; one that is drawn has something to lose."""
    assert spec.target is not None
    name, counted = spec.target.core, spec.kind.counted
    if name not in (ALL, RANDOM):
        return [_known(spec, int(name), programs)]
    cores = sorted(programs)
    if counted is not None and spec.target.moments is None:
        cores = [core for core in cores if count(programs[core], counted)]
    if not cores:
        what = "program" if counted is None else f"program with {counted.value}"
        raise InputError(f"{option('chaos')} {spec.text}: no core has a {what}: leave it out")
    return cores if name == ALL else [rng.choice(cores)]


def _known(spec: ChaosSpec, core: int, programs: Mapping[int, Program]) -> int:
    if core not in programs:
        first, last = min(programs, default=0), max(programs, default=0)
        raise InputError(
            f"{option('chaos')} {spec.text}: core {core} has no program: the cores that have are {first} to {last}"
        )
    return core


def _moment(spec: ChaosSpec, rng: Random, programs: Mapping[int, Program], core: int) -> int:
    """A number from the range given, or else of a request or message of `init` and the first sample."""
    assert spec.target is not None
    if spec.kind.counted is None:
        return ALWAYS
    if spec.target.moments is not None:
        return rng.randint(*spec.target.moments)
    return rng.randrange(max(1, count(programs[core], spec.kind.counted)))


def count(program: Program, counted: Counted) -> int:
    """How many requests (messages sent, taken) `init` and one sample of a program have."""
    sections = (program.init, program.main)
    return sum(int(executions(part)[asking(part.columns["op"], *_ASKS[counted])].sum()) for part in sections)
