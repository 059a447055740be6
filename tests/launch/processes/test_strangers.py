"""Runs over TCP: a foreign process that attacks all their ports is not heard, and changes nothing."""

import json
import os
import re
import resource
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
import zmq
from images import write_image
from leaks import descendants
from stepper import program
from stranger import ports_of

from emu.errors import InputError
from emu.noc.wire.bind_address import check_bind_address
from emu.noc.wire.zeromq import library
from emu.noc.wire.zeromq.curve import Keys, fresh_keys
from launch.chips import power
from launch.chips.power import power_on
from launch.processes import zygote_process
from launch.processes.options import RunOptions
from launch.processes.orders import Orders
from launch.stress import job as stress
from launch.stress.job import StressJob, run_stress

STRANGER, HOARDER = (Path(__file__).parents[2] / "support" / f"{name}.py" for name in ("stranger", "hoarder"))
TOKEN = b"t" * power.TOKEN_BYTES
KINDS = {
    "plain", "random key", "garbage", "giant length", "plausible length", "old version", "other mechanism", "half open",
}  # fmt: skip


@pytest.fixture
def stranger(monkeypatch):
    """A foreign process that knows even the token, and attacks whatever this process starts."""
    monkeypatch.setattr(power.secrets, "token_bytes", lambda size: TOKEN[:size])
    arguments = [sys.executable, STRANGER, str(os.getpid()), TOKEN.hex()]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def resident(processes: list[int]) -> int:
    """Bytes of memory of `processes`."""
    pages = [int(Path(f"/proc/{process}/statm").read_text().split()[1]) for process in processes]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")


def test_strangers_are_not_heard(stranger):
    sizes = []

    def measure():
        while not (cores := [pid for pid in descendants() if pid != stranger.pid]) or len(cores) < 5:
            time.sleep(0.01)
        for _ in range(2):
            time.sleep(0.6)
            sizes.append(resident(cores))

    thread = threading.Thread(target=measure)
    thread.start()
    result = run_stress(
        StressJob(
            pattern="ring",
            count=100,
            duration=1.8,
            rate=200,
            options=RunOptions(cores=3, transport="tcp", timeout=30),
        )
    )
    thread.join()
    found = json.loads(stranger.communicate("\n", timeout=30)[0])
    assert result.errors == 0 and result.samples > 1
    assert set(found["tried"]) == KINDS and not any(found["heard"].values())
    assert sizes[1] - sizes[0] < 16 << 20


@pytest.fixture
def few_files(monkeypatch):
    """Processes of a run may have 128 open files."""
    start = zygote_process.start_fresh

    def start_limited(*arguments):
        process = start(*arguments)
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (128, 128))
        return process

    monkeypatch.setattr(zygote_process, "start_fresh", start_limited)


@contextmanager
def hoarder(*options):
    """A foreign process that holds 200 connections to each port of what this process starts."""
    with subprocess.Popen(
        [sys.executable, HOARDER, str(os.getpid()), "200", *options], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        try:
            yield
        finally:
            process.kill()


def test_held_connections_do_not_keep_a_run_from_starting(few_files):
    with hoarder():
        result = run_stress(
            StressJob(pattern="ring", count=50, options=RunOptions(cores=4, transport="tcp", timeout=100))
        )
    assert (result.errors, result.samples) == (0, 1)


@pytest.mark.full
def test_a_run_goes_on_or_names_connections_that_come_again_and_again(few_files):
    with hoarder("again"):
        began = time.monotonic()
        try:
            assert (
                run_stress(
                    StressJob(pattern="ring", count=50, options=RunOptions(cores=4, transport="tcp", timeout=100))
                ).errors
                == 0
            )
        except InputError as error:
            assert re.search(
                r"(core \d|the memory node) has no open file left while it connects \(the limit is 128\)", str(error)
            )
            assert "strangers" in str(error) and "raise ulimit -n" in str(error)
        assert time.monotonic() - began < 90


def test_once_a_run_has_started_nobody_else_can_connect():
    job = StressJob(pattern="ring", count=100, duration=0.3, options=RunOptions(cores=3, transport="tcp", timeout=60))
    closed, ports = set(), set()

    def knock():
        """Until nobody is let in: a core shuts its door when it is told that all are there, not before."""
        patience = time.monotonic() + 60
        while not ports or (closed != ports and time.monotonic() < patience):
            ports.update(ports_of(descendants()))
            for port in ports - closed:
                try:
                    socket.create_connection(("127.0.0.1", port), 0.2).close()
                except TimeoutError:
                    closed.add(port)

    def later(chip, result):
        knock()
        stream(chip, result)

    stream = stress.stream
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stress, "stream", later)
        result = run_stress(job)
    assert result.errors == 0 and len(ports) == 4 and closed == ports


def test_the_stranger_is_heard_where_there_are_no_keys(stranger):
    """The test above can fail: without CURVE a socket answers."""
    victim = (
        "import sys, zmq; s = zmq.Context().socket(zmq.ROUTER); s.bind('tcp://127.0.0.1:*'); "
        "s.recv(); print(flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", victim], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()  # the stranger has found it
        time.sleep(0.6)
        found = json.loads(stranger.communicate("\n", timeout=30)[0])
        process.stdin.close()
    assert found["heard"]["plain"] > 0 and found["heard"]["random key"] == 0


def test_a_client_needs_the_public_key_of_the_server():
    keys = fresh_keys()
    wrong = Keys(**asdict(keys) | {"server_public": fresh_keys().server_public})
    with zmq.Context() as context:
        context.linger = 0
        server, friend, foe = (context.socket(kind) for kind in (zmq.ROUTER, zmq.DEALER, zmq.DEALER))
        keys.serve(server)
        port = server.bind_to_random_port("tcp://127.0.0.1")
        for socket, own in ((foe, wrong), (friend, keys)):
            own.join(socket)
            socket.connect(f"tcp://127.0.0.1:{port}")
            socket.send(b"friend" if own is keys else b"foe")
        assert server.recv_multipart()[1] == b"friend"
        assert not server.poll(50)
        for socket in (server, friend, foe):
            socket.close()


def test_keys_are_never_shown():
    keys = fresh_keys()
    assert not any(str(value) in repr(keys) for value in asdict(keys).values())


def test_every_run_has_keys_of_its_own_in_its_orders_only(monkeypatch):
    seen = []
    encode = Orders.encode
    monkeypatch.setattr(Orders, "encode", lambda self: seen.append(self) or encode(self))
    for _ in range(2):
        assert run_stress(StressJob(pattern="ring", count=1, options=RunOptions(cores=2, transport="tcp"))).errors == 0
    run_stress(StressJob(pattern="ring", count=1, options=RunOptions(cores=2)))
    first, second, ipc = (orders.keys for orders in seen)
    assert len({*first, *second}) == 8 and ipc == ()


def test_keys_and_token_are_in_no_argument_no_environment_and_no_file(monkeypatch, tmp_path):
    keys = fresh_keys()
    monkeypatch.setattr(library, "fresh_keys", lambda: keys)
    monkeypatch.setattr(power.secrets, "token_bytes", lambda size: TOKEN[:size])
    image = write_image(tmp_path / "image", {core: program(core) for core in range(2)})
    with power_on(image, transport="tcp", timeout=30, log_dir=tmp_path / "logs") as chip:
        chip.run({})
        assert len(chip.processes) == 4
        seen = [Path(f"/proc/{pid}/{name}") for pid in chip.processes.values() for name in ("cmdline", "environ")]
        seen += [path for path in tmp_path.rglob("*") if path.is_file()]
        content = b"".join(path.read_bytes() for path in seen)
    assert b"launch.processes.zygote" in content
    assert not any(secret in content for secret in (*asdict(keys).values(), TOKEN, TOKEN.hex().encode()))


def test_tcp_without_curve_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(zmq, "has", lambda feature: False)
    with pytest.raises(InputError, match="needs ZeroMQ with CURVE"), power_on(tmp_path, transport="tcp"):
        pass


@pytest.mark.parametrize("address", ["127.0.0.2", "::1"])
def test_a_run_listens_where_it_is_told(address):
    if ":" in address and not Path("/proc/net/if_inet6").exists():
        pytest.skip("this machine has no IPv6")
    assert (
        run_stress(
            StressJob(pattern="ring", count=1, options=RunOptions(cores=2, transport="tcp", bind=address))
        ).errors
        == 0
    )


@pytest.mark.parametrize(
    ("address", "transport", "sentence"),
    [
        ("localhost", "tcp", "no IP address"),
        ("127.0.0.1:80", "tcp", "no IP address"),
        ("192.0.2.1", "tcp", "no address of this machine"),
        ("0.0.0.0", "tcp", "no address of this machine"),
        ("::", "tcp", "no address of this machine"),
        ("224.0.0.1", "tcp", "no address of this machine"),
        ("127.0.0.1", "ipc", "no effect with transport=.ipc"),
    ],
)
def test_other_addresses_are_refused(address, transport, sentence):
    with pytest.raises(InputError, match=sentence):
        check_bind_address(address, transport)


def test_addresses_have_one_form():
    assert (check_bind_address("", "ipc"), check_bind_address("0:0::1", "tcp")) == ("127.0.0.1", "::1")
