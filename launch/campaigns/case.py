"""A case, which is a function or a command line of `emu` called in a process of its own, and its result."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from emu.errors import shown

EMU = "launch.campaigns.child:emu"  # the function that runs a command line


@dataclass(frozen=True, slots=True)
class CaseOrigin:
    """Where a case is written: a file, and the line of a key of it ("": of the case itself; 0: not there)."""

    file: str = ""
    line: Callable[[str], int] = lambda key: 0

    def place(self, key: str = "") -> str:
        """The prefix of an error about the key."""
        line = (self.line(key) or self.line("")) if self.file else 0
        return f"{self.file}, line {line}: " if line else f"{self.file}: " if self.file else ""


@dataclass(frozen=True, slots=True)
class Case:
    """What runs: `function`, as module:function, is called with the arguments `given`, plain values or arrays.

    A large argument is given as a function that makes it. The function returns the values of the case in --json,
    among them `exit_code` (else 0) and the `reason` why that is not 0; or it raises an EmuError. `repeat` are the
    arguments of `emu` that run the case alone, `facts` further values of --json, `file` the subject of the case. With
    `expect`, a word of `outcomes.py`, the case passes if that is its outcome. `known` is the result of an earlier run,
    if there is one: the case does not run again.
    """

    name: str
    function: str
    given: Mapping[str, Any] | Callable[[], Mapping[str, Any]] = field(default_factory=dict, compare=False, repr=False)
    repeat: tuple[str, ...] = ()
    expect: str = ""
    file: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any], compare=False, repr=False)
    origin: CaseOrigin = field(default_factory=CaseOrigin, compare=False, repr=False)
    known: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    def place(self, key: str = "") -> str:
        """The prefix of an error about the case or one of its keys."""
        return f"{self.origin.place(key)}case {shown(self.name)}: "

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of the function."""
        return self.given() if callable(self.given) else self.given

    @property
    def command(self) -> str:
        """The command of `emu` that runs it; empty if none does."""
        return self.repeat[0] if self.repeat else ""

    @property
    def command_line(self) -> str:
        """The shell command that runs the case alone, in the same directory."""
        return shlex.join(("emu", *self.repeat)) if self.repeat else ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        return {"name": self.name, **self.facts, "command": list(self.repeat), "expect": self.expect or None}


def command_case(name: str, *arguments: str, **more: Any) -> Case:
    """A case that runs `emu` with these arguments and --json; `more` are further fields."""
    return Case(name, EMU, {"arguments": [*arguments, "--json"]}, arguments, **more)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of a case: its exit code (None: it did not run to its end), why that is not 0, and its output.

    `report` is the object of its --json, `seconds` the time of its process, `output` and `errors` its text; `given_up`
    is whether it has no result because the deadline of all cases came first.
    """

    case: Case
    exit_code: int | None
    reason: str = ""
    seconds: float = 0.0
    report: Mapping[str, Any] = field(default_factory=dict[str, Any])
    output: str = ""
    errors: str = ""
    given_up: bool = False

    @property
    def passed(self) -> bool:
        """Whether it ran and passed."""
        return self.exit_code == 0

    @property
    def lines(self) -> list[str]:
        """Its output as lines, the verdict last; empty without a verdict."""
        lines = self.report.get("lines")
        return list(map(str, lines)) if isinstance(lines, list) else []

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        return {
            **self.case.to_dict(),
            "exit_code": self.exit_code,
            "seconds": round(self.seconds, 3),
            "reason": self.reason,
            "report": dict(self.report) or None,
        }
