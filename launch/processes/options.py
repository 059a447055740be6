"""The options of a run, which travel from the command line, or from Python, to each of its processes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, MutableMapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from emu.errors import InputError

if TYPE_CHECKING:
    from emu.chaos.spec import Chaos

TIMEOUT = 600.0  # seconds without a result, after which a run is given up
NO_LIMIT = 0  # what stands for no limit on the command line

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How to run: a new option is one field here and one option of the command line.

    `cores` processes in all (those without a program halt at once; None: only cores with a program), `sequential` all
    cores in turns in one process instead, `transport` "ipc" or "tcp" (encrypted, listening at the address `bind`,
    loopback if empty), `flow` "rendezvous" or "credits:K", `timeout` seconds without a result (None: wait for ever),
    `log_dir` for one log per process, `seed` of the run, noted in the logs, `chaos` are faults to inject.
    """

    cores: int | None = None
    sequential: bool = False
    transport: str = "ipc"
    bind: str = ""
    flow: str = "rendezvous"
    engine: str = "batch"
    timeout: float | None = TIMEOUT
    log_dir: Path | str | None = None
    seed: int = 0
    chaos: Chaos | None = None

    def __post_init__(self) -> None:
        if self.sequential and self.chaos is not None:
            raise InputError("chaos disturbs processes, and a sequential run has one: leave one of them out")

    @classmethod
    def take(cls, values: MutableMapping[str, Any]) -> RunOptions:
        """The options among `values` of the command line, which they leave; None is the default."""
        taken = {name: values.pop(name) for name in NAMES if name in values}
        given = {name: value for name, value in taken.items() if value is not None}
        if given.get("timeout") == NO_LIMIT:
            given["timeout"] = None
        return cls(**given)

    @property
    def ahead(self) -> bool:
        """Whether a zygote that was started ahead can serve the run."""
        return not self.sequential and self.chaos is None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {key: str(value) if isinstance(value, Path) else value for key, value in asdict(self).items()}


NAMES = tuple(field.name for field in fields(RunOptions))


def takes_run_options(*left_out: str, also: type | None = None) -> Callable[[Function], Function]:
    """Gives a function whose `**named` are run options, but those `left_out`, the signature that names them.

    `also`: a class whose fields it takes, too; of two with one name, that counts.
    """

    def wrap(function: Function) -> Function:
        signature = inspect.signature(function)
        known = {name: p for name, p in signature.parameters.items() if p.kind is not inspect.Parameter.VAR_KEYWORD}
        for taken in (also, RunOptions):
            fresh = inspect.signature(taken).parameters if taken else {}
            known = {**known, **{name: p for name, p in fresh.items() if name not in (*left_out, *known)}}
        function.__signature__ = signature.replace(parameters=list(known.values()))  # type: ignore[attr-defined]
        return function

    return wrap
