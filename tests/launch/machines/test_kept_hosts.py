"""Hosts that several runs have, one after the other: the same agents, the bits of one process, whatever ran before."""

import os
import signal
import threading

import numpy as np
import onnx
import pytest
from commands import DIGITS, EXAMPLES
from images import write_endless
from stepped_nets import cell

import compiler
from emu.errors import InputError
from emu.image.reader import open_image
from launch import kept_hosts
from launch.chips.power import power_on
from launch.chips.sequential import power_on_sequential
from launch.machines.listening import AgentListener
from launch.supervision.errors import HostLost

OPTIONS = {
    "digits": {},
    "int8": {"cores": 12},
    "cell": {"cores": 8, "states": {"h0": "h", "c0": "c"}},
}


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    onnx.save(cell(3), folder / "cell.onnx")
    models = {"digits": DIGITS, "int8": EXAMPLES / "digits_cnn_int8.onnx", "cell": folder / "cell.onnx"}
    return {name: compiler.compile(path, out=folder / name, **OPTIONS[name]).out for name, path in models.items()}


@pytest.fixture
def joined(monkeypatch):
    """The agents that have joined, each time that some were started."""
    found, wait_for = [], AgentListener.wait_for

    def waited(listener, *how):
        found.append(wait_for(listener, *how))
        return found[-1]

    monkeypatch.setattr(AgentListener, "wait_for", waited)
    return found


def results(chip, image):
    """All bits of some samples, and of as many steps if the network has states."""
    chance, manifest = np.random.default_rng(5), open_image(image).manifest
    given = [{spec.name: chance.random(spec.shape, np.float32) for spec in manifest.inputs} for _ in range(4)]
    found = [*chip.stream(given)]
    if manifest.states:
        states = {state.input: given[0][state.input] for state in manifest.states}
        chip.reset(states)
        found += chip.steps({name: value for name, value in one.items() if name not in states} for one in given)
    return [({name: y.tobytes() for name, y in result.outputs.items()}, result.captures) for result in found]


def test_networks_follow_each_other_with_the_bits_of_one_process(images, joined, emu_zygotes):
    with kept_hosts("local:2"):
        for name, image in [*images.items(), ("digits", images["digits"])]:
            with power_on_sequential(image, keep=["all"]) as chip:
                expected = results(chip, image)
            how = {"keep": ["all"], "flow": "credits:2" if name == "int8" else "rendezvous", "host_cores": "cut"}
            with power_on(image, hosts="local:2", zygotes=emu_zygotes, **how) as chip:
                assert results(chip, image) == expected, name
                assert "core 0 on host local-0" in chip.processes
    assert len(joined) == 1


def test_one_run_at_a_time_has_the_hosts_and_the_next_one_whatever_ended_it(images, joined, tmp_path, emu_zygotes):
    digits, endless = images["digits"], write_endless(tmp_path / "endless")
    (tmp_path / "hosts.toml").write_text('nobody = "0"')

    def power(image, **named):
        return power_on(image, hosts="local:1", zygotes=emu_zygotes, **named)

    with kept_hosts("local:1"):
        with power(digits) as one, power(digits) as other:
            assert results(one, digits) == results(other, digits)
        assert len(joined) == 2  # of which the first stay
        refused = pytest.raises(InputError, match="there is no host 'nobody'")
        with refused, power(digits, host_cores=str(tmp_path / "hosts.toml")):
            pass
        with power(endless, engine="step") as chip:
            (agent,) = joined[0]
            killer = threading.Timer(0.3, os.kill, (agent.ask("pid", 10.0), signal.SIGKILL))
            killer.start()
            with pytest.raises(HostLost, match=r"^host local-0 is lost"):
                chip.run({})
            killer.join()
        assert len(joined) == 2
        with power(digits) as chip:
            assert results(chip, digits)
        assert len(joined) == 3


def test_a_text_that_names_no_hosts_is_refused_at_once():
    with pytest.raises(InputError, match="names no engine"), kept_hosts("locally:2"):
        pass
