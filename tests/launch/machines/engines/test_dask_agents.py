"""Agents below the workers of a real scheduler, which stand on addresses of loopback as on hosts of their own."""

import json
import sys
import time
from importlib.util import find_spec

import numpy as np
import pytest
from dask_cluster import Cluster
from images import write_relay
from standing_agents import Failing, Launcher, until

from emu.errors import InputError
from launch import power_on
from launch.machines.engines.dask import Dask

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed", "ignore::ResourceWarning")

needs_dask = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed here")


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """An engine whose cluster has two workers on one host and one on another, the cluster, and the latter worker.

    And how it was refused as long as there was no worker.
    """
    with Cluster(tmp_path_factory.mktemp("dask")) as cluster:
        engine = Dask.parse(cluster.scheduler)
        with pytest.raises(InputError) as refused:
            engine.listen_address()
        _, worker, _ = cluster.join(["127.0.0.2", "127.0.0.3", "127.0.0.2"])
        yield engine, cluster, worker, str(refused.value)


@pytest.fixture
def engine(started):
    return started[0]


def test_every_host_gets_one_agent(engine):
    assert engine.count is None and engine.listen_address() == "127.0.0.1"
    with Launcher() as launcher, engine.place(launcher.bootstrap) as placed:
        agents = launcher.wait_for(2)
        assert placed.names == ["127.0.0.2", "127.0.0.3"] and placed.ended() == []
        for rank, agent in enumerate(agents):
            assert agent.said["words"]["--name"] == placed.names[rank] and agent.said["rank"] == rank
            assert agent.said["secret"] == launcher.bootstrap.secret and agent.said["python"] == sys.executable
        agents[1].told(code=2, says="error: no space left")
        words = "the agent of host 127.0.0.3 ended with exit code 2: no space left"
        assert until(placed.ended) == [("127.0.0.3", words)]
        agents[0].told(code=0)


def test_agents_that_do_not_end_are_ended_though_their_tasks_cannot_be(engine):
    with Launcher() as launcher:
        placed = engine.place(launcher.bootstrap)
        for agent in launcher.wait_for(2):
            agent.told(deaf=True)
        begin = time.monotonic()
        placed.close()
        assert time.monotonic() - begin < 10
        placed.close()
        with engine.place(launcher.bootstrap):  # the workers are free again
            for agent in launcher.wait_for(2):
                agent.told(code=0)


def test_cores_run_below_workers(engine, tmp_path, emu_zygotes):
    sample = np.arange(100, dtype=np.uint8)[None]
    with power_on(write_relay(tmp_path / "relay"), hosts=f"dask:{engine.address}", zygotes=emu_zygotes) as chip:
        assert {"core 0 on host 127.0.0.2", "core 1 on host 127.0.0.3"} <= set(chip.processes)
        assert np.array_equal(chip.run({"x": sample})["y"], sample)


def test_a_task_that_fails_is_told_of_and_neither_key_nor_secret_is_in_any_log(started):
    engine, cluster, *_ = started
    faulty = Failing.fresh("tcp://127.0.0.1:9", "k" * 40)
    with engine.place(faulty) as placed:
        until(lambda: len(placed.ended()) == 2)
        words = "the agent of host 127.0.0.2 is gone: its task of Dask failed (no command today)"
        assert ("127.0.0.2", words) in placed.ended()
    text = until(lambda: "Compute Failed" in cluster.text() and cluster.text())  # with what is shown of its arguments
    assert "run_agent" in text and faulty.secret not in text and faulty.server_key not in text


def test_a_scheduler_without_workers_is_refused(started):
    engine, _, _, refused = started
    assert refused == f"hosts dask:{engine.address} has no workers: start one on each host that is to have cores"


@needs_dask
def test_the_file_of_a_scheduler_names_it(engine, tmp_path):
    (tmp_path / "scheduler.json").write_text(json.dumps({"address": engine.address}))
    assert Dask(str(tmp_path / "scheduler.json")).listen_address() == "127.0.0.1"


@needs_dask
def test_nobody_at_the_address(monkeypatch):
    monkeypatch.setattr("launch.machines.engines.dask.ANSWER_SECONDS", 1)
    with pytest.raises(InputError, match=r"dask:tcp://127.0.0.1:9 has no scheduler that answers"):
        Dask("tcp://127.0.0.1:9").listen_address()
    with pytest.raises(InputError, match="dask:what:ever has no scheduler that answers"):
        Dask("what:ever").listen_address()


@needs_dask
@pytest.mark.parametrize("text", ["[]", "{", "{}", "[" * 100_000])
def test_a_file_that_no_scheduler_has_written(tmp_path, text):
    (tmp_path / "file.json").write_text(text)
    with pytest.raises(InputError, match=r"file.json is no file of a scheduler: it names no address"):
        Dask(str(tmp_path / "file.json")).listen_address()
    with pytest.raises(InputError, match=r"no/such/file.json does not exist"):
        Dask("no/such/file.json").listen_address()


def test_without_dask_it_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"needs distributed, .*: pip install 'reram-emu\[dask\]'"):
        Dask("tcp://127.0.0.1:1").listen_address()


def test_a_worker_and_then_a_scheduler_that_are_killed_are_told_of_and_agents_live_on(started):
    engine, cluster, worker, _ = started
    with Launcher() as launcher, engine.place(launcher.bootstrap) as placed:
        agents = launcher.wait_for(2)
        worker.kill()
        worker.wait()
        ((name, sentence),) = until(placed.ended)
        assert name == "127.0.0.3" and "may be gone: the scheduler has lost its worker tcp://127.0.0.3" in sentence
        cluster.kill_scheduler()
        *_, (name, sentence) = until(lambda: placed.ended()[1:])
        assert name == "127.0.0.2"
        assert f"may be gone: the scheduler {engine.address} does not answer any more" in sentence
        for agent in agents:
            agent.told(code=0)
        begin = time.monotonic()
    assert time.monotonic() - begin < 5
