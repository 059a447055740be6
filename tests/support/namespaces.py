"""Four hosts on this one, in namespaces of the kernel: each with an address, files of its own and its own processes.

The launcher stands on the switch between them, with the files and processes of the tests. Nothing outside changes, and
all is gone with the process that holds the other ends of the pipes.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).parents[2]
_OWN = ["--net", "--mount", "--pid", "--ipc", "--uts", "--time"]
# A host: temporary files and shared memory of its own, in which some folders of this one can be seen. It goes on until
# its input ends, and everything on it ends with it.
_HOST = """set -e
stage=$1 name=$2; shift 2
mount -t tmpfs tmpfs "$stage"
chmod 1777 "$stage"
for path; do mkdir -p "$stage/${path#/tmp/}"; mount --rbind "$path" "$stage/${path#/tmp/}"; done
mount --move "$stage" /tmp
mount -t tmpfs tmpfs /dev/shm
hostname "$name"
ip link set lo up
echo ready
exec cat
"""
_SWITCH = "set -e; ip link set lo up; ip link add br0 type bridge; ip link set br0 up; echo ready; exec cat"
_SSH = """#!/bin/sh
case " $* " in *" -G "*) for host; do :; done; echo "hostname $host"; exit;; esac
for word; do host=$last; last=$word; done
case $host in
{hosts}*) echo "ssh: Could not resolve hostname $host: Name or service not known" >&2; exit 255;;
esac
"""


class Room:
    """Namespaces that live as long as one process, which ends with its input."""

    def __init__(self, own: Sequence[str], script: str, arguments: Sequence[str] = ()) -> None:
        words = ["unshare", *own, "--fork", "--kill-child", "sh", "-c", script, "sh", *arguments]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.pid = 0
        self._outside = subprocess.Popen(words, **pipes)
        if self._outside.stdout.readline() != b"ready\n":
            why = self._outside.communicate()[1].decode().strip().partition("\n")[0]
            pytest.skip(f"hosts in namespaces cannot be had here ({why}): they take root and its right to make them")
        (self.pid,) = _children(self._outside.pid)

    def entered(self, which: Sequence[str], command: Sequence[str | Path]) -> list[str]:
        """The command that runs `command` inside."""
        return ["nsenter", "--target", str(self.pid), *which, "--", *map(str, command)]

    def close(self) -> None:
        """End it, and wait until all that runs inside is gone."""
        if self._outside.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid or self._outside.pid, signal.SIGKILL)
        self._outside.communicate()


class Host(Room):
    """A host with a name and an address, whose clock since power-on is some seconds `ahead`.

    Whoever logs in there has these `variables`, too.
    """

    def __init__(
        self,
        number: int,
        shared: Sequence[Path],
        stage: Path,
        switch: Switch,
        variables: Mapping[str, str],
        ahead: int,
    ) -> None:
        self.name, self.address, self._port = f"h{number}", f"10.77.0.{10 + number}", f"p{number}"
        self._variables = [f"{name}={value}" for name, value in variables.items()]
        self._switch = switch
        super().__init__(
            [*_OWN, "--mount-proc", "--monotonic", str(ahead)], _HOST, [str(stage), self.name, *map(str, shared)]
        )
        switch.ip(f"link add {self._port} type veth peer name eth0 netns {self.pid}")
        self.heal()
        for words in (f"addr add {self.address}/24 dev eth0", "link set eth0 up"):
            subprocess.run(self.entered(["--net"], ["ip", *words.split()]), check=True)

    def command(self, words: Sequence[str | Path]) -> list[str]:
        """What runs `words` there, in its temporary folder, with the environment of somebody who logs in."""
        start = 'cd /tmp && exec env -i HOME=/tmp PATH="$PATH" LANG=C.UTF-8 "$@"'
        return self.entered(_OWN, ["sh", "-c", start, "sh", *self._variables, *words])

    def popen(self, words: Sequence[str | Path], **settings: Any) -> subprocess.Popen[Any]:
        """A process there; what is returned is one that waits for it, and passes no signal on."""
        return subprocess.Popen(self.command(words), **settings)

    def run(self, words: Sequence[str | Path], **settings: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(words), **{"capture_output": True, "text": True, "timeout": 60, **settings})

    def processes(self) -> list[int]:
        """The numbers, outside, of all that runs there, but for the process that keeps the host."""
        found = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
        return [pid for pid in found if pid != self.pid and self._holds(pid)]

    def _holds(self, pid: int) -> bool:
        with contextlib.suppress(OSError):
            here = Path(f"/proc/{pid}/ns/pid").readlink() == Path(f"/proc/{self.pid}/ns/pid").readlink()
            return here and Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        return False

    def cut(self) -> None:
        """Take its cable out of the switch: nothing that is sent arrives, and nobody is told."""
        self._switch.ip(f"link set {self._port} nomaster")

    def heal(self) -> None:
        """Put the cable in."""
        self._switch.ip(f"link set {self._port} master br0 up")

    def kill(self) -> None:
        """Take its power away."""
        self.close()


class Switch(Room):
    """The network between hosts, and the host of the launcher, which has an address on it."""

    address = "10.77.0.1"

    def __init__(self) -> None:
        super().__init__(["--net"], _SWITCH)
        self.ip(f"addr add {self.address}/24 dev br0")

    def ip(self, words: str) -> None:
        subprocess.run(self.entered(["--net"], ["ip", *words.split()]), check=True)


class Lab:
    """A context manager over `hosts`, called h1 and so on, and the launcher's place; skips where there can be none.

    All hosts see the sources, the interpreter and the `shared` folders, which stand for a file system that is shared.
    The first ones have the `variables` of those who log in there. The clock of each is `apart` seconds ahead of that of
    the one before, the first one of the launcher's.
    """

    def __init__(
        self,
        folder: Path,
        count: int = 4,
        shared: Sequence[Path] = (),
        variables: Sequence[Mapping[str, str]] = (),
        apart: int = 0,
    ) -> None:
        if missing := [name for name in ("unshare", "nsenter", "ip", "mount") if not shutil.which(name)]:
            pytest.skip(f"hosts in namespaces need the command {missing[0]}, which is not installed here")
        self.hosts: list[Host] = []
        seen = {path.resolve() for path in (_ROOT, Path(sys.prefix), Path(sys.base_prefix), *shared)}
        below = sorted(path for path in seen if path.is_relative_to("/tmp"))
        outer = [path for path in below if not any(other in path.parents for other in below)]
        (folder / "stage").mkdir()
        self.switch = Switch()
        self.address = self.switch.address
        try:
            for number in range(1, count + 1):
                own = variables[number - 1] if number <= len(variables) else {}
                self.hosts.append(Host(number, outer, folder / "stage", self.switch, own, apart * number))
            self.commands = folder / "bin"
            self.commands.mkdir()
            self._write_ssh(self.commands / "ssh")
        except BaseException:
            self.close()
            raise

    def _write_ssh(self, path: Path) -> None:
        """A command `ssh` for the launcher, which reaches the hosts by their names."""
        start = ["sh", "-c", 'exec sh -c "$1"', "sh"]
        cases = [f'{host.name}) exec {shlex.join(host.command(start))} "$last";;\n' for host in self.hosts]
        ask = 'case $host in {}esac; echo "hostname $host"; exit'.format(
            "".join(f"{host.name}) host={host.address};; " for host in self.hosts)
        )
        path.write_text(_SSH.replace('echo "hostname $host"; exit', ask).replace("{hosts}", "".join(cases)))
        path.chmod(0o755)

    def launcher(self, words: Sequence[str | Path], **settings: Any) -> subprocess.Popen[Any]:
        """A process where the launcher stands, itself, with a command `ssh` that knows the hosts."""
        given = settings.pop("env", os.environ)
        variables = {**given, "PATH": f"{self.commands}{os.pathsep}{given.get('PATH', os.defpath)}"}
        return subprocess.Popen(self.switch.entered(["--net"], words), env=variables, **settings)

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for room in (*self.hosts, self.switch):
            room.close()


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
