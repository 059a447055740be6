"""The table of kinds of faults: a new one is one row and its effect."""

from __future__ import annotations

import math
import signal
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from emu.chaos import effects, wire

LONGEST = 60_000.0  # milliseconds
LARGEST_FACTOR = 1000.0
SIGNALS = ("KILL", "SEGV", "ABRT", "BUS", "ILL", "FPE", "TERM")


class Unfit(ValueError):
    """A value of a specification that cannot be; says what it must be."""


class Counted(Enum):
    """What the N of CORE@N counts, per core, from 0 over the whole run."""

    REQUESTS = "requests to network and memory"
    SENT = "messages that it sends"
    TAKEN = "messages that it takes"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value after the core: its name, what makes a number of its text (raises Unfit), and what it is if left out."""

    name: str
    convert: Callable[[str], float]
    default: str = ""


@dataclass(frozen=True, slots=True)
class ChaosKind:
    """One row. `aimed`: it begins with a core; `counted`: there may be an @N."""

    name: str
    form: str
    summary: str
    effect: type[effects.Effect]
    parameters: tuple[Parameter, ...] = ()
    aimed: bool = False
    counted: Counted | None = None


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    return value


def _share(text: str) -> float:
    if not 0 <= _number(text) <= 1:
        raise Unfit(f"P is a probability from 0 to 1, not {text!r}")
    return _number(text)


def _milliseconds(text: str) -> float:
    if not 0 < _number(text) <= LONGEST:
        raise Unfit(f"MS is a time of more than 0 and at most {LONGEST:.0f} milliseconds, not {text!r}")
    return _number(text)


def _factor(text: str) -> float:
    if not 1 < _number(text) <= LARGEST_FACTOR:
        raise Unfit(f"FACTOR is a number greater than 1 and at most {LARGEST_FACTOR:.0f}, not {text!r}")
    return _number(text)


def _signal(text: str) -> float:
    name = text.upper().removeprefix("SIG")
    if name not in SIGNALS:
        raise Unfit(f"SIGNAL is one of {', '.join(SIGNALS)}, not {text!r}")
    return float(signal.Signals[f"SIG{name}"])


_P, _MS, _REQUESTS, _SENT = Parameter("P", _share), Parameter("MS", _milliseconds), Counted.REQUESTS, Counted.SENT
_LATE, _FACTOR = Parameter("MS", _milliseconds, "5"), Parameter("FACTOR", _factor)
_SIGNAL = Parameter("SIGNAL", _signal, "KILL")

_rows = (
    ChaosKind("delay", "delay:P,MS", "requests and acknowledgements wait up to MS ms", effects.Delay, (_P, _MS)),
    ChaosKind(
        "reorder-start", "reorder-start[:MS]", "forks shuffled, joins up to MS ms late", effects.ReorderStart, (_LATE,)
    ),
    ChaosKind("pause", "pause:CORE[@N],MS", "stopped for MS ms", effects.Pause, (_MS,), True, _REQUESTS),
    ChaosKind("slow", "slow:CORE,FACTOR", "computes FACTOR times as long", effects.Slow, (_FACTOR,), True),
    ChaosKind("yield", "yield:P", "gives the processor away before requests", effects.Yield, (_P,)),
    ChaosKind("nice", "nice", "random priorities", effects.Nice),
    ChaosKind("kill", "kill[:CORE[@N][,SIGNAL]]", "dies by a signal", effects.Kill, (_SIGNAL,), True, _REQUESTS),
    ChaosKind("drop", "drop[:CORE[@N]]", "a message is lost", wire.Drop, (), True, _SENT),
    ChaosKind(
        "drop-credit",
        "drop-credit[:CORE[@N]]",
        "an acknowledgement is lost",
        wire.DropCredit,
        (),
        True,
        Counted.TAKEN,
    ),
    ChaosKind("duplicate", "duplicate:P", "messages are sent twice", wire.Duplicate, (_P,)),
    ChaosKind("corrupt", "corrupt[:CORE[@N]]", "a header is damaged", wire.Corrupt, (), True, _SENT),
)
KINDS: dict[str, ChaosKind] = {kind.name: kind for kind in _rows}
