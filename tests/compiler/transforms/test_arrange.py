"""Arranged cores: the same programs under other numbers, so the same bits; bytes cross no more links."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import compile_in_memory, random_sample, run_in_process
from onnx_nets import Net, conv_nets

from compiler.passes import PIPELINE
from compiler.transforms.arrange import traffic_of
from emu.arch import Arch, Core, Crossbar, Network
from emu.errors import EmuError
from emu.isa.codes import asking
from emu.isa.instruction import RequestKind
from emu.noc.traffic.topology import topology_of
from emu.noc.traffic.traffic import traffic

ARCH = Arch(name="chip", cores=64, core=Core(crossbars=64), crossbar=Crossbar(4, 4), network=Network(width=8))
relaxed = settings(suppress_health_check=list(HealthCheck), max_examples=10)


def arranged(model, entry="arrange", granularity="image", cores=16):
    passes = ",".join(f"{entry},{name}" if name == "allocate-buffers" else name for name in PIPELINE)
    return compile_in_memory(model, ARCH, cores, granularity=granularity, pipeline=passes)


def hops(compiled):
    mesh = topology_of(ARCH)
    return sum(size * mesh.hops(*pair) for pair, size in traffic(compiled.programs).items())


def without_peers(program):
    """The instructions of a program, those with peers without them."""
    columns = program.main.columns
    peers = asking(columns["op"], RequestKind.SEND, RequestKind.RECV)
    return {name: np.where(peers, 0, column) if name == "arg0" else column for name, column in columns.items()}


@relaxed
@given(conv_nets(), st.sampled_from(["image", "rows:1", "rows:3"]))
def test_programs_stay_and_their_cores_come_closer(model, granularity):
    before = compile_in_memory(model, ARCH, 16, granularity=granularity)
    after = arranged(model, granularity=granularity)
    sample = random_sample(before.inputs)
    (wanted,), (found,) = (run_in_process(compiled, [sample]) for compiled in (before, after))
    assert {name: value.tobytes() for name, value in found.items()} == {
        name: value.tobytes() for name, value in wanted.items()
    }
    assert hops(after) <= hops(before)
    assert sum(traffic(after.programs).values()) == sum(traffic(before.programs).values())
    new = dict(zip(sorted(before.programs), _numbers(before, after), strict=True))
    for core, program in before.programs.items():
        mine, theirs = without_peers(program), without_peers(after.programs[new[core]])
        assert all(np.array_equal(mine[name], theirs[name]) for name in mine)


def _numbers(before, after):
    """The new number of each core, in the order in which the programs are made."""
    by_old = dict(zip(before.programs, after.programs, strict=True))
    return [by_old[core] for core in sorted(before.programs)]


@relaxed
@given(conv_nets(), st.sampled_from(["image", "rows:2"]))
def test_what_is_sent_is_known_before_there_are_programs(model, granularity):
    compiled = compile_in_memory(model, ARCH, 16, granularity=granularity)
    cores = [op for op in compiled.module.ops if op.name == "pim.core"]
    assert dict(traffic_of(cores)) == traffic(compiled.programs)


def network():
    net = Net([1, 4, 6, 6])
    x = net.conv(net.conv("x", 4, 8, (1, 1)), 8, 8, (1, 1))
    return net.model(x)


def test_cores_get_the_numbers_that_are_given():
    used = sorted(compile_in_memory(network(), ARCH, 16).programs)
    assert len(used) > 1
    wanted = [15 - core for core in used]
    given_ = arranged(network(), f"arrange{{cores={','.join(map(str, wanted))}}}")
    assert sorted(given_.programs) == sorted(wanted)


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ("3", "arrange: cores has 1 number, but {used} cores have programs: give one for each"),
        ("{first},{rest}16", "arrange: cores has 16, but cores=16 allows cores 0 to 15"),
        ("{first},{rest}0", "arrange: cores has 0 twice, but a core has one program"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(numbers, sentence):
    used = len(compile_in_memory(network(), ARCH, 16).programs)
    rest = "".join(f"{core}," for core in range(1, used - 1))
    with pytest.raises(EmuError) as raised:
        arranged(network(), f"arrange{{cores={numbers.format(first=0, rest=rest)}}}")
    assert str(raised.value).endswith(sentence.format(used=used))
