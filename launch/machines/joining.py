"""The agent's side of its link: connects to the launcher that has started it, and says who it is."""

from __future__ import annotations

import secrets
import time
from functools import partial

from emu.errors import EmuError, InputError
from emu.noc.wire.transports import TRANSPORTS, first_transport
from launch.machines.bootstrap import Bootstrap
from launch.machines.facts import machine_facts
from launch.machines.link.end import LinkEnd
from launch.machines.link.loop import FLUSH, LinkLoop

SILENT = 5.0  # seconds without a word of the launcher after which an agent ends, and all its processes
UNHEARD = 0.3  # seconds at the end for what was said to be heard by a launcher that has not said a word yet
NAME_BYTES = 16


class LauncherSilent(EmuError):
    """The launcher was silent for too long, or has ended without a word (exit code 5)."""

    exit_code = 5


class Joined:
    """The link of an agent to its launcher, a context manager: `end`, once `join` has come back."""

    def __init__(self, bootstrap: Bootstrap) -> None:
        self.bootstrap = bootstrap
        self.end = LinkEnd()
        self.address = ""  # of this machine, towards the launcher
        self._refused = ""
        self._welcome = False
        self.end.on("WELCOME", self._welcomed, {})
        self.end.on("UNWELCOME", self._refuse, {"sentence": str})
        library = TRANSPORTS[first_transport(network=True)].library
        made = library()
        keys = library.guest_keys(bootstrap.server_key.encode())
        try:
            connect = partial(made.connect, bootstrap.address, secrets.token_bytes(NAME_BYTES), keys)
            connected = connect()
        except OSError as error:
            raise InputError(f"the launcher's address {bootstrap.address} cannot be used: {error}") from None
        self._loop = LinkLoop(made, connected, SILENT, connect=connect)
        self._loop.add(b"", self.end)

    def __enter__(self) -> Joined:
        return self

    def __exit__(self, *_: object) -> None:
        unheard = UNHEARD if self.end.seen is None else FLUSH
        self._loop.close(0.0 if self._refused else unheard)
        self.end.close()

    def join(self, rank: int, name: str, seconds: float) -> None:
        """Say who this is, and wait until the launcher lets it in; raises InputError if it does not."""
        address = self.bootstrap.address
        facts = machine_facts(address)
        self.address = facts.address
        self.end.send("HELLO", secret=self.bootstrap.secret, rank=rank, name=name, facts=facts.to_dict())
        self._loop.start()
        until = time.monotonic() + seconds
        while not self._welcome and (left := until - time.monotonic()) > 0:
            self.end.wait(left)
            self.end.pump()
            self.check_refused()
        if not self._welcome:
            raise InputError(
                f"no launcher at {address} has answered within {seconds:g} s: check that it runs, that this host can "
                "reach it, and that what standard input says is its own"
            )

    def check_refused(self) -> None:
        """Raise InputError if the launcher refuses this agent."""
        if self._refused:
            raise InputError(f"the launcher refuses this agent: {self._refused}")

    def check_alive(self) -> None:
        """Raise LauncherSilent if the launcher has not been heard for too long."""
        if self.end.lost:
            raise LauncherSilent(
                f"the launcher at {self.bootstrap.address} is silent for {SILENT:g} s: its cores here are ended"
            )

    def _welcomed(self) -> None:
        self._welcome = True

    def _refuse(self, sentence: str) -> None:
        self._refused = sentence
