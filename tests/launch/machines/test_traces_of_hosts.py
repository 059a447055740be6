"""What observers record on several machines: the same as on one, at times of one clock, in one picture."""

import os
import random
import re
import signal
import threading
from pathlib import Path

import numpy as np
import pytest
from agents import PATIENCE, ended, joined_agents, power_on_agents, pump_until, start_agent
from images import byte_tensor, write_endless, write_image
from joined_hosts import power_on_hosts
from program_sets import SLOT, ordered_messages
from traces import Read, check_trace, read_trace

from launch.chips.power import power_on
from launch.machines.listening import AgentListener
from launch.machines.remote import RemoteMachine
from launch.stress.metering import Metering
from launch.supervision.errors import CoreDied, HostLost
from launch.tracing.recording import TraceRecording
from launch.tracing.run_tracks import REAL, is_real

CORES, SAMPLES = 5, 4


def random_image(folder: Path, seed: int) -> Path:
    """Messages of many sizes between cores, in an order that has no deadlock."""
    chance = random.Random(seed)
    pairs = [chance.sample(range(CORES), 2) for _ in range(30)]
    order = [(a, b, chance.randrange(1, SLOT + 1)) for a, b in pairs]
    messages = ordered_messages(CORES, order)
    return write_image(folder, messages, (), (byte_tensor("y", 4 * SLOT * CORES, 0),))


def recorded(power, image: Path, file: Path, **named) -> tuple[Read, dict]:
    with power(image, observers=[TraceRecording(file)], **named) as chip:
        results = [result.outputs["y"].tobytes() for result in chip.stream([{}] * SAMPLES)]
        observed = chip.observed["trace"]
    assert len(set(results)) == 1
    read = read_trace(file)
    check_trace(read, 2 * max((host["clock_ns"] for host in observed["hosts"]), default=0))
    return read, observed


def events_of(read: Read) -> dict[str, list[tuple]]:
    """By core what it did, in order, without times."""

    def plain(one):
        return one.name, tuple(sorted(one.notes.items())), len(one.ends), tuple(map(plain, one.inner))

    return {name: list(map(plain, slices)) for (group, name), slices in read.tracks.items() if is_real(group)}


def groups_of(read: Read) -> dict[str, str]:
    return {name: group for group, name in read.tracks}


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(3, 12))])
def test_the_same_events_as_on_one_machine(tmp_path: Path, emu_zygotes, seed: int) -> None:
    image, chance = random_image(tmp_path / "image", seed), random.Random(-seed)
    names = chance.choices(("launcher", "h1", "h2"), k=CORES)
    lines = [f'{host} = "{", ".join(str(c) for c in range(CORES) if names[c] == host)}"' for host in set(names)]
    (tmp_path / "hosts.toml").write_text("\n".join(lines))
    flow = chance.choice(("rendezvous", "credits:2"))
    one, told = recorded(power_on, image, tmp_path / "one.json", zygotes=emu_zygotes, flow=flow)
    several, observed = recorded(
        lambda image, **named: power_on_hosts(image, emu_zygotes, host_cores=str(tmp_path / "hosts.toml"), **named),
        image,
        tmp_path / "several.pftrace",
        flow=flow,
    )
    assert events_of(one) == events_of(several) and len(events_of(one)) == CORES
    assert observed["events"] == told["events"] and told["hosts"] == []
    assert [host["host"] for host in observed["hosts"]] == ["h1", "h2"]
    where = {"launcher": REAL, **{host: f"{REAL} on host {host} (clock +- 0 us)" for host in ("h1", "h2")}}
    assert groups_of(several) == {f"core {core}": where[name] for core, name in enumerate(names)}


def test_agents_send_what_was_recorded_there(tmp_path: Path, emu_zygotes) -> None:
    """All of this machine, so that their clocks are the launcher's, and it can be seen how right they are known."""
    image, metering = random_image(tmp_path / "image", 5), Metering(0.0)
    expected = events_of(recorded(power_on, image, tmp_path / "one.json", zygotes=emu_zygotes)[0])
    with joined_agents(2) as agents:
        for agent in agents:
            pump_until(agent, lambda agent=agent: agent.exchange.clock.uncertainty is not None)

        def power(image: Path, **named):
            return power_on(
                image, others=[RemoteMachine(agent) for agent in agents], zygotes=emu_zygotes, transport="tcp", **named
            )

        for end in ("json.gz", "pftrace"):  # one run after the other
            read, observed = recorded(power, image, tmp_path / f"run.{end}")
            assert events_of(read) == expected
        with power(image, observers=[metering]) as chip:
            list(chip.stream([{}] * SAMPLES))
        now = np.array([1 << 50], np.int64)
        for agent, host in zip(agents, observed["hosts"], strict=True):
            clock = agent.exchange.clock
            assert abs(int(clock.here(now)[0]) - (1 << 50)) <= clock.uncertainty < 50_000_000
            assert host["host"] == agent.name and host["whole"] and host["clock_ns"] > 0
    assert metering.latency().count == 30 * SAMPLES
    shown = [re.fullmatch(rf"{REAL} on host (h[01]) \(clock \+- \d+ us\)", group) for group in groups_of(read).values()]
    assert {found[1] for found in shown if found} == {"h0", "h1"} and all(shown)


def test_a_killed_core_leaves_what_it_had_recorded_on_its_host(tmp_path: Path) -> None:
    image, file = write_endless(tmp_path / "endless"), tmp_path / "run.json"
    run = power_on_agents(image, engine="step", observers=[TraceRecording(file)])
    with pytest.raises(CoreDied, match="core 0 on host h0") as caught, run as chip:
        killer = threading.Timer(0.5, os.kill, (chip.processes["core 0 on host h0"], signal.SIGKILL))
        killer.start()
        chip.run({})
    killer.join()
    assert caught.value.details["trace"]["hosts"][0]["whole"]
    read_trace(file)


def test_what_a_lost_host_recorded_is_missed_in_words(tmp_path: Path, emu_zygotes) -> None:
    image, file = write_endless(tmp_path / "endless"), tmp_path / "run.json"
    with AgentListener() as listener:
        processes = [start_agent(listener.bootstrap, rank, "--name", f"h{rank}") for rank in range(2)]
        others = [RemoteMachine(agent) for agent in listener.wait_for(2, PATIENCE)]
        named = {"others": others, "zygotes": emu_zygotes, "transport": "tcp", "engine": "step"}
        with (
            pytest.raises(HostLost) as caught,
            power_on(image, observers=[TraceRecording(file)], timeout=60, **named) as chip,
        ):
            assert chip.observed["trace"]["hosts"][1]["whole"]
            killer = threading.Timer(0.3, processes[1].kill)
            killer.start()
            chip.run({})
        killer.join()
    for process in processes:
        ended(process)
    hosts = caught.value.details["trace"]["hosts"]
    assert [(host["host"], host["whole"]) for host in hosts] == [("h0", True), ("h1", False)]
    warning = "warning: what cores on host h1 did last is not in the trace: it could not be asked"
    assert warning in caught.value.__notes__
