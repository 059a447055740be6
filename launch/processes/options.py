"""The options of a run, which travel from the command line, or from Python, to each of its processes."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emu.errors import InputError
from emu.noc.wire.transports import TRANSPORTS, first_transport
from emu.options import Flag, Form, NewFolder, Number, Text, Whole, Word, opt

if TYPE_CHECKING:
    from emu.chaos.spec import Chaos

TIMEOUT = 600.0  # seconds without a result, after which a run is given up
NO_LIMIT = 0  # what stands for no limit on the command line
UNTIL = "Time limit in seconds without any output (default: {:g}; 0: no limit)."


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How to run: a new option is one field here, and what reads it.

    `cores` None are only those with a program; `bind` empty is loopback; `timeout` None is no limit; `seed` is noted
    in the logs; `chaos` are faults to inject.
    """

    cores: int | None = opt(
        None, Whole(), "Core processes to start; those without a program stay idle (default: as needed)."
    )
    sequential: bool = opt(False, Flag(), "Run all cores in turns in this process, without sockets.")
    timeout: float | None = opt(
        TIMEOUT,
        Number("S"),
        UNTIL.format(TIMEOUT),
        shown=False,
    )
    transport: str = opt(
        "ipc",
        Word(table="emu.noc.wire.transports:TRANSPORTS"),
        f"How messages travel: {' or '.join(row.help for row in TRANSPORTS.values())} on this host.",
        typed=None,
        idle_with="sequential",
    )
    bind: str = opt(
        "",
        Text("ADDRESS"),
        f"With --transport {first_transport(network=True)}: the IP address to listen at (default: loopback).",
        idle_with="sequential",
    )
    hosts: str | None = opt(
        None,
        Text("ENGINE"),
        "Run the cores on these hosts, over TCP: local:N, HOST,HOST... (by ssh), slurm, or dask:ADDRESS.",
        idle_with="sequential",
    )
    host_cores: str = opt(
        "block",
        Text("block|cut|FILE"),
        "Which cores stand on which host: neighbours in blocks, so that little crosses between hosts, or as a TOML"
        ' file says, by name: h1 = "0-15, 20".',
        typed=None,
        needs=("hosts", "says which cores stand on which"),
    )
    join_timeout: float = opt(
        60.0,
        Number("S"),
        "Time limit in seconds for all hosts to join.",
        typed=None,
        needs=("hosts", "says how long they may take to join"),
    )
    shared_image: bool = opt(
        False,
        Flag(),
        "All hosts see the image at the same path: none of it is sent.",
        needs=("hosts", "says how they get the image"),
    )
    flow: str = opt(
        "rendezvous",
        Form("rendezvous|credits:K", r"rendezvous|credits:0*[1-9]\d*", "rendezvous, or credits:K with K >= 1"),
        "A send returns when the receiver took the data, or K messages per pair may wait.",
    )
    engine: str = opt(
        "batch",
        Word(table="emu.core.engines.core:ENGINES"),
        "batch: loops as array operations; step: one instruction at a time (slow; the reference); fast: batch with one"
        " product over all crossbar rows (rounds differently).",
    )
    log_dir: Path | str | None = opt(
        None,
        NewFolder(),
        "Write one log file per process into this directory, and all as one in all.log.",
        idle_with="sequential",
    )
    analog: str = ""  # the chip with its physics, JSON of plain values, in place of that of the image; empty: that
    seed: int = 0
    chaos: Chaos | None = None

    def __post_init__(self) -> None:
        if self.hosts is not None and self.transport == first_transport(network=False):  # which does not reach them
            object.__setattr__(self, "transport", first_transport(network=True))
        if self.sequential and self.chaos is not None:
            raise InputError("chaos disturbs processes, and a sequential run has one: leave one of them out")

    @classmethod
    def take(cls, values: MutableMapping[str, Any]) -> RunOptions:
        """The options among `values` of the command line, which they leave; None is the default.

        What is called `analog` there are files, of which a chip is made once the image is known.
        """
        taken = {name: values.pop(name) for name in NAMES if name in values and name != "analog"}
        given = {name: value for name, value in taken.items() if value is not None}
        if given.get("timeout") == NO_LIMIT:
            given["timeout"] = None
        return cls(**given)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, without the chip, which is an object of its own."""
        values = {key: value for key, value in asdict(self).items() if key != "analog"}
        return {key: str(value) if isinstance(value, Path) else value for key, value in values.items()}


NAMES = tuple(field.name for field in fields(RunOptions))
