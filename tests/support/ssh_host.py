"""This host as one that `ssh` reaches: a daemon on loopback, with keys and configurations of its own."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from standing_agents import until

_SBIN = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
SSHD, SSH, KEYGEN = (shutil.which(name, path=_SBIN) for name in ("sshd", "ssh", "ssh-keygen"))


@contextlib.contextmanager
def ssh_host(folder: Path, names: str) -> Iterator[Path]:
    """A folder with a command `ssh` that reaches these names, one after the other by blanks; skips without a daemon."""
    if not (SSHD and SSH and KEYGEN):
        pytest.skip("sshd is not installed here (Debian: openssh-server)")
    for key in ("host", "user"):
        subprocess.run([KEYGEN, "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "sshd").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\n"
        "PidFile none\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
    )
    (folder / "config").write_text(
        f"Host {names}\nHostName 127.0.0.1\nPort {port}\nUser {getpass.getuser()}\nIdentityFile {folder}/user\n"
        f"IdentitiesOnly yes\nUserKnownHostsFile {folder}/known\nStrictHostKeyChecking accept-new\n"
    )
    (folder / "bin").mkdir()
    (folder / "bin" / "ssh").write_text(f'#!/bin/sh\nexec {SSH} -F {folder}/config "$@"\n')
    (folder / "bin" / "ssh").chmod(0o755)
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    with (folder / "log").open("wb") as log:
        daemon = subprocess.Popen([SSHD, "-D", "-e", "-f", folder / "sshd"], stderr=log)
    try:
        until(lambda: daemon.poll() is not None or _answers(port))
        if daemon.poll() is not None:
            pytest.skip(f"sshd does not run here: {(folder / 'log').read_text().strip()}")
        yield folder / "bin"
    finally:
        daemon.terminate()
        daemon.wait()


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
