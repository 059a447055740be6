"""What an agent must be told before it can join a launcher: where it listens, its key, and a secret of one use."""

from __future__ import annotations

import re
import secrets
import sys
from dataclasses import dataclass, field
from typing import BinaryIO

from emu.errors import InputError, option, shown

_ADDRESS = re.compile(r"tcp://(?:[A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.%a-z]{2,60}\]):([0-9]{1,5})", re.ASCII)
_LINE = re.compile(rb"([!-~]{40}) ([0-9a-f]{64})\r?\n?")  # a key in Z85 text, 32 bytes in hex
_LONGEST_LINE = 256  # bytes, more than any line that is right has


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """What a launcher hands to each of its agents: `address` by their arguments, which all may see, the rest by `line`.

    address: tcp://HOST:PORT at which the launcher listens, an address of version 6 in brackets
    server_key: the launcher's public CURVE key, Z85 text of 40 characters; who does not know it completes no handshake
    secret: 64 hexadecimal digits that an agent shows once, when it joins
    """

    address: str
    server_key: str = field(repr=False)
    secret: str = field(repr=False)

    @classmethod
    def fresh(cls, address: str, server_key: str) -> Bootstrap:
        """What agents of the launcher with this key that listens at `address` are told; the secret is new."""
        return cls(address, server_key, secrets.token_hex(32))

    @classmethod
    def read(cls, address: str, stream: BinaryIO) -> Bootstrap:
        """What the agent that is to join `address` reads from its standard input: one line, and nothing after it.

        Raises InputError if the address is none, and if the stream ends or holds anything but such a line.
        """
        check_join_address(address)
        found = _LINE.fullmatch(stream.readline(_LONGEST_LINE))
        if not found:
            raise InputError(
                "the first line of standard input is not what a launcher tells its agents (its key, a space and a "
                f"secret): an agent is started by the launcher, whose {option('hosts')} says where"
            )
        key, secret = found.groups()
        return cls(address, key.decode(), secret.decode())

    def line(self) -> bytes:
        """What goes to the standard input of an agent: `SERVER_KEY SECRET`, with a line end."""
        return f"{self.server_key} {self.secret}\n".encode()

    def command(self, rank: int | None = None, name: str = "", python: str = sys.executable) -> list[str]:
        """A command that runs an agent, see `arguments`."""
        return [python, "-P", "-m", "launch", *self.arguments(rank, name)]

    def arguments(self, rank: int | None = None, name: str = "") -> list[str]:
        """Arguments of `emu` that run an agent.

        Without `rank` it takes the one that who starts it sets in the environment, without `name` that of its host.
        """
        numbered = [] if rank is None else ["--rank", str(rank)]
        named = ["--name", name] if name else []
        return ["agent", "--join", self.address, *numbered, *named]


def check_join_address(text: str) -> None:
    """Raise InputError unless `text` is tcp://HOST:PORT with a port that a launcher can listen at."""
    found = _ADDRESS.fullmatch(text)
    if not found or not 0 < int(found[1]) < 65536:
        raise InputError(
            f"{option('join')} {shown(text)} is no address of a launcher: give tcp://HOST:PORT as the launcher says it"
        )
