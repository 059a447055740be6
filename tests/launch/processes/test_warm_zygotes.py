"""Warm zygotes: runs give what runs of fresh interpreters give, die as they die, and leave nothing, however many."""

import os
import resource
import socket
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

import numpy as np
import pytest
from draws import examples
from event_sets import INPUT, random_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from images import write_image
from leaks import LeftoverCheck, descendants
from program_sets import DEADLOCKS
from run_processes import process_of, wait_for
from stepper import program
from warm_runs import SEVENS, assert_serves, write_sevens

from emu.asm.assembler import assemble
from emu.chaos.spec import Chaos
from emu.check import Outcome, check
from emu.errors import EmuError, ProgramError
from emu.image.reader import open_image
from emu.noc.ports.port import FlowControl
from launch import warm_zygotes
from launch.chips.power import power_on
from launch.processes.fork_server_process import ForkServerProcess
from launch.processes.zygote_process import FreshZygotes
from launch.stress import job as stress
from launch.stress.job import StressJob, run_stress

MANY = 1100  # files
OWN_FILES = 5  # of a fork server: standard streams, and a pipe for signals
FLOWS = st.sampled_from(["rendezvous", "credits:1", "credits:3"])


@pytest.fixture
def warm(emu_zygotes):
    return emu_zygotes


@pytest.fixture
def image(tmp_path):
    return write_sevens(tmp_path / "one")


def outcome(image, zygotes, samples, **options):
    """Outputs of the samples that came out, and how the run ended."""
    found = []
    try:
        with power_on(image, zygotes=zygotes, timeout=60, **options) as chip:
            for result in chip.stream(samples):
                found.append({name: array.tobytes() for name, array in result.outputs.items()})
    except EmuError as error:
        return found, type(error), str(error), error.exit_code
    return found, None, "", 0


def open_files():
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def server_of(process):
    """(open files, zygotes, threads) of a fork server."""
    status = Path(f"/proc/{process}/status").read_text()
    threads = int(status.partition("Threads:")[2].split()[0])
    zygotes = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return len(list(Path(f"/proc/{process}/fd").iterdir())), len(zygotes), threads


@settings(max_examples=examples(8, 25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), flow=FLOWS, transport=st.sampled_from(["ipc", "ipc", "tcp"]))
def test_random_sets_of_programs_come_out_the_same(warm, tmp_path, seed, flow, transport):
    """With a flow of their own, many of them trap or stand still."""
    text = tmp_path / "set.asm"
    text.write_text(random_text(seed))
    try:
        assemble(text, tmp_path / str(seed))
    except ProgramError:
        return
    if check(open_image(tmp_path / str(seed)), FlowControl.parse(flow)).of("races").outcome is not Outcome.PROVED:
        return  # its outcome depends on timing
    random = Random(seed)
    samples = [{"x": np.frombuffer(random.randbytes(INPUT), np.int32).reshape(1, 8)} for _ in range(3)]
    chaos = Chaos(("delay:0.3,3", "yield:0.3"), seed) if seed % 2 else None  # its tally is a descriptor that is shared
    options = {"flow": flow, "transport": transport, "chaos": chaos}
    found = [outcome(tmp_path / str(seed), zygotes, samples, **options) for zygotes in (warm, FreshZygotes())]
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["recv cycle of 2", "chain to a halted core"])
def test_deadlocks_are_told_the_same(warm, tmp_path, name):
    image = write_image(tmp_path / "image", DEADLOCKS[name][0])
    found = [outcome(image, zygotes, [{}]) for zygotes in (warm, FreshZygotes())]
    assert found[0] == found[1] and found[0][3] == 4


def test_traps_and_damaged_files_are_told_the_same(warm, tmp_path):
    trapping = write_image(tmp_path / "trapping", {0: program(0, ("ld", 0, 100, 4))})
    damaged = write_image(tmp_path / "damaged", {0: program(0, SEVENS)})
    (damaged / "core_0000.prog").write_bytes(b"\0")
    for image, code in ((trapping, 3), (damaged, 2)):
        found = [outcome(image, zygotes, [{}]) for zygotes in (warm, FreshZygotes())]
        assert found[0] == found[1] and found[0][3] == code


def test_observers_share_their_memory_and_scratch_is_removed(warm, monkeypatch):
    """The latencies that a stress run tells are in a descriptor that the zygote got, its image is in its scratch."""
    monkeypatch.setattr(stress, "power_on", lambda *args, **named: power_on(*args, zygotes=warm, **named))
    result = run_stress(StressJob(pattern="ring", count=20))
    assert result.errors == 0 and result.latency


def test_thirty_runs_leave_nothing_open(image):
    with warm_zygotes() as zygotes:
        assert_serves(image, zygotes)
        idle = (OWN_FILES, 0, 1)  # no zygote, one thread
        before, mine = LeftoverCheck.now(), open_files()
        for _ in range(30):
            assert_serves(image, zygotes)
        assert (LeftoverCheck.now().since(before), open_files()) == ([], mine)
        wait_for(lambda: server_of(zygotes.pid) == idle)
        assert descendants() == [zygotes.pid]
    assert not descendants()


def test_a_launcher_that_holds_many_files(image):
    """More than `select` could wait for; runs of warm and of fresh processes begin and end all the same."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2 * MANY:
        pytest.skip(f"only {hard} files may be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * MANY), hard))
    with ExitStack() as held, Path(os.devnull).open("rb") as null:
        held.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(MANY):
            held.callback(os.close, os.dup(null.fileno()))
        with warm_zygotes() as zygotes:
            assert_serves(image, zygotes)
        assert_serves(image, None)


def test_runs_of_several_threads_at_once(warm, image):
    errors = []

    def work():
        try:
            for _ in range(3):
                assert_serves(image, warm)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


@contextmanager
def raw_server():
    server = ForkServerProcess()
    try:
        yield server
    finally:
        server.close()


@pytest.mark.parametrize(
    "data",
    [b"\x80\x04.", b"[]", b"{}", b'{"directories": 1}', b'{"directories": []}', b'{"directories": "' + 70_000 * b"a"],
)
def test_strange_requests_are_not_answered_and_change_nothing(data):
    """No object is ever made of what is sent."""
    with raw_server() as server:
        zygote = server.fork([], [""])
        before = server_of(server.pid)
        with socket.socket(fileno=os.dup(server.descriptor)) as requests:
            requests.send(data)
        other = server.fork([], [""])
        for each in (zygote, other):
            each.stdin.close()
            assert each.wait(60) == 1  # it got no orders
            os.close(each.exit)
        wait_for(lambda: server_of(server.pid)[0] < before[0])
        assert server_of(server.pid)[1] == 0


def test_streams_and_place_are_those_of_the_run(tmp_path, monkeypatch):
    """As a fresh interpreter has them: of the time of the run, and not of the time when the server was started."""
    with warm_zygotes() as zygotes:
        monkeypatch.chdir(tmp_path)
        saved, output = os.dup(1), (tmp_path / "output").open("wb")
        os.dup2(output.fileno(), 1)
        try:
            warm, fresh = zygotes.start(), FreshZygotes().start()
        finally:
            os.dup2(saved, 1)
            os.close(saved)
            output.close()
        seen = []
        for zygote in (warm, fresh):
            proc = Path(f"/proc/{zygote.pid}")
            wait_for(lambda proc=proc: (proc / "fd" / "1").exists() and (proc / "cwd").readlink() == tmp_path)
            names = [Path(f"/proc/{zygote.pid}/fd/{k}").readlink() for k in (1, 2)]
            assert os.getsid(zygote.pid) == zygote.pid
            seen.append([*names, (proc / "fd" / "0").readlink().name.partition(":")[0]])
            zygote.close()
    assert seen[0] == seen[1] and seen[0][0] == tmp_path / "output" and seen[0][2] == "pipe"


def test_cores_of_a_warm_run_are_below_the_server(warm, image):
    with power_on(image, zygotes=warm, timeout=60) as chip:
        zygote = chip.processes["the zygote process"]
        assert os.getsid(zygote) == zygote != os.getsid(warm.pid) == warm.pid
        assert {os.getsid(process_of(chip, 0)), os.getsid(chip.processes["the memory node"])} == {zygote}
        chip.run({})
