"""Networks have the same bits on one machine, on agents beside it, and on hosts that are apart and of several kinds."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from host_kinds import alike
from namespaces import Lab
from stepped_nets import cell

import compiler
from emu.image.reader import open_image
from launch.processes.interpreter import child_environment
from launch.zoo import build
from launch.zoo.quantised import quantised

pytestmark = pytest.mark.full

PATIENCE = 300.0
# Kernels of OpenBLAS for other processors than this one may be; whose bits are equal by a way that all hosts find.
KINDS = alike()
BESIDE = ("local:2", "local:4")


@dataclass(frozen=True)
class Network:
    """How its model is made, and the options that it is compiled with."""

    make: object
    options: dict


NETWORKS = {
    "resnet18": Network(lambda: build("resnet18"), {"cores": 64}),
    "bert_mini": Network(lambda: build("bert_mini"), {"cores": 64}),
    "lstm_net": Network(lambda: build("lstm_net"), {"cores": 16}),
    "resnet18_int8": Network(lambda: quantised(build("resnet18"), "qoperator", 0), {"cores": 64}),
    "cell": Network(lambda: cell(8, 96, 160), {"cores": 16, "states": {"h0": "h", "c0": "c"}}),
}
# How networks run: so many samples, with these options, on hosts with further ones.
LATENCY = (1, (), ())
PIPELINED = (3, ("--keep", "all"), ("--host-cores", "cut"))
CREDITS = (3, ("--flow", "credits:2"), ("--shared-image",))
TRACE = "run.pftrace"  # in the folder of the test
TRACED = (2, ("--keep", "all", "--trace", TRACE), ("--host-cores", "cut"))
STEPS = (5, ("--stateful",), ("--host-cores", "cut"))
RUNS = {
    **{f"{name}, latency": (name, *LATENCY) for name in NETWORKS},
    **{f"{name}, pipelined, every tensor kept": (name, *PIPELINED) for name in NETWORKS},
    **{f"{name}, credits, shared image": (name, *CREDITS) for name in NETWORKS},
    **{f"{name}, traced": (name, *TRACED) for name in NETWORKS},
    "cell, stateful": ("cell", *STEPS),
    "cell, stateful, every tensor kept": ("cell", 5, ("--stateful", "--keep", "all"), ()),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("networks")


@pytest.fixture(scope="module")
def images(folder):
    """The image of a network, by name, compiled once."""
    made = {}

    def image(name):
        if name not in made:
            onnx.save(NETWORKS[name].make(), folder / f"{name}.onnx")
            made[name] = compiler.compile(folder / f"{name}.onnx", out=folder / name, **NETWORKS[name].options).out
        return made[name]

    return image


@pytest.fixture(scope="module")
def lab(folder, tmp_path_factory):
    """Four hosts, two of them of other kinds, which see the images."""
    variables = [{"OPENBLAS_CORETYPE": kind} for kind in KINDS]
    with Lab(tmp_path_factory.mktemp("lab"), shared=[folder], variables=variables) as made:
        yield made


def inputs(image: Path, count: int, path: Path, stateful: bool) -> Path:
    """A file of so many random samples; of integers they are 0 or 1, which are tokens and masks of any network."""
    chance, manifest, given = np.random.default_rng(11), open_image(image).manifest, {}
    kept = {state.input for state in manifest.states} if stateful else set()
    for spec in (spec for spec in manifest.inputs if spec.name not in kept):
        shape, dtype = (count, *spec.shape), spec.dtype.numpy
        given[spec.name] = (chance.random(shape) if spec.dtype.is_float else chance.integers(0, 2, shape)).astype(dtype)
    np.savez(path, **given)
    return path


def arrays(path: Path) -> dict[str, tuple[object, ...]]:
    with np.load(path) as file:
        return {name: (file[name].dtype, file[name].shape, file[name].tobytes()) for name in file.files}


@pytest.mark.parametrize("run", RUNS)
def test_bits_are_those_of_one_machine(run, images, lab, tmp_path):
    network, count, options, on_hosts = RUNS[run]
    image = images(network)
    given = inputs(image, count, tmp_path / "in.npz", "--stateful" in options)

    def bits(place, *more, start=subprocess.Popen):
        saved = tmp_path / f"{len(list(tmp_path.iterdir()))}.npz"
        given_options = [tmp_path / TRACE if word == TRACE else word for word in options]
        words = ["launch", image, "--input", given, "--golden", "none", *given_options, *more, "--save", saved]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        command = start([sys.executable, "-m", "launch", *map(str, words)], env=child_environment(), **pipes)
        said = command.communicate(timeout=PATIENCE)[0]
        assert command.returncode == 0, f"{place}: {said}"
        return arrays(saved)

    expected = bits("one machine")
    assert expected
    for hosts in BESIDE:
        assert bits(hosts, "--hosts", hosts, *on_hosts) == expected, hosts
    apart = ",".join(host.name for host in lab.hosts)
    assert bits("four hosts", "--hosts", apart, *on_hosts, start=lab.launcher) == expected, "four hosts"
