"""Where cores stand: in blocks, by the cheapest cut, or as a file says; shares follow processors."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from emu.errors import InputError
from emu.noc.domains.cut import cut_of
from emu.noc.traffic.traffic import MEMORY
from launch.machines.capacities import HostCapacity
from launch.machines.host_cores import BYTE, ROUND_TRIP, host_cores


@st.composite
def runs(draw):
    cores = sorted(draw(st.sets(st.integers(0, 60), min_size=1, max_size=24)))
    ends = st.sampled_from([MEMORY, *cores])
    pairs = draw(st.lists(st.tuples(ends, ends, st.integers(1, 50), st.integers(1, 1 << 20)), max_size=60))
    exchanged = {(one, other): (messages, nbytes) for one, other, messages, nbytes in pairs if one != other}
    count = draw(st.integers(1, 5))
    hosts = [HostCapacity(f"h{k}", draw(st.integers(1, 8)), draw(st.booleans())) for k in range(count)]
    return exchanged, cores, hosts


def cost(found):
    return ROUND_TRIP * found.cut.messages + BYTE * found.cut.bytes


# Where a host has room to spare, a first block may fill it, which is dearer than equal blocks.
@example(({(MEMORY, 1): (1, 1)}, [0, 1], [HostCapacity("h0", 1), HostCapacity("h1", 1, near=True)]))
@given(runs())
def test_every_core_has_one_host_and_a_cut_costs_no_more_than_blocks(run) -> None:
    exchanged, cores, hosts = run
    block, cut = (host_cores(how, exchanged, dict.fromkeys(cores, 1), hosts) for how in ("block", "cut"))
    for found in (block, cut):
        assert sorted(core for held in found.cores for core in held) == cores
        assert found.cut.messages <= found.messages and found.cut.bytes <= found.nbytes
    assert cost(cut) <= cost(block) + 1e-12
    # Blocks ascend, and are as large as processors say, to one core.
    assert [core for held in block.cores for core in held] == cores
    assert block.cores[0] == cut.cores[0] == ()
    for held, host in zip(block.cores[1:], hosts, strict=True):
        assert abs(len(held) - len(cores) * host.cpus / sum(each.cpus for each in hosts)) < 1


@given(runs(), st.data())
def test_cores_without_a_program_take_no_place_of_those_that_have_one(run, data) -> None:
    exchanged, cores, hosts = run
    needs, cpus = dict.fromkeys([*cores, *range(100, 100 + data.draw(st.integers(0, 40)))], 1), [h.cpus for h in hosts]
    idle = needs.keys() - set(cores)
    block, cut = (host_cores(how, exchanged, needs, hosts, idle=idle) for how in ("block", "cut"))
    for found in (block, cut):
        assert sorted(core for held in found.cores for core in held) == sorted(needs)
    assert cost(cut) <= cost(block) + 1e-12
    for held, own in zip(block.cores[1:], cpus, strict=True):
        for kind in (set(cores), idle):
            assert abs(len(kind & set(held)) - len(kind) * own / sum(cpus)) < 3


@given(runs(), st.randoms(use_true_random=False))
def test_a_file_is_followed(tmp_path_factory, run, random) -> None:
    exchanged, cores, hosts = run
    domains = {core: random.randrange(len(hosts) + 1) for core in cores}
    path = tmp_path_factory.mktemp("cores") / "hosts.toml"
    lines = []
    for number, name in enumerate(["launcher", *(host.name for host in hosts)]):
        if held := [str(core) for core in cores if domains[core] == number]:
            lines.append(f'{name} = "{", ".join(held)}"\n')
    path.write_text("".join(lines))
    found = host_cores(
        str(path), exchanged, dict.fromkeys(cores, 1), [HostCapacity(host.name, host.cpus) for host in hosts]
    )
    assert {core: number for number, held in enumerate(found.cores) for core in held} == domains
    assert found.cut.crossing == cut_of(exchanged, {**domains, MEMORY: 0}).crossing


TRAFFIC = {(0, 1): (10, 1000), (2, 3): (10, 1000), (1, 2): (1, 10), (MEMORY, 0): (1, 64), (3, MEMORY): (1, 64)}
TWO = [HostCapacity("h0", 2), HostCapacity("h1", 2)]
FOUR = dict.fromkeys(range(4), 1 << 20)


def test_what_is_said() -> None:
    found = host_cores("cut", TRAFFIC, FOUR, TWO)
    assert found.lines() == [
        "between hosts 3 messages with 138 B per sample, of 23 with 2.088 KiB in all",
        "h0: 2 cores (0-1)",
        "h1: 2 cores (2-3)",
    ]
    assert found.to_dict()["of_each"] == [
        {"host": "launcher", "cores": []},
        {"host": "h0", "cores": [0, 1]},
        {"host": "h1", "cores": [2, 3]},
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('h0 = "0-3"\nh9 = "1"', "line 2: there is no host 'h9'; did you mean 'h1'?: use launcher, h0, h1"),
        ('h0 = "0-2"\nh1 = "2, 3"', "line 2: core 2 is on host h0 already: name it once"),
        ('h0 = "0-9999999"', "line 1: the run has no core 4: it has cores 0-3"),
        ('h0 = "0, 2"', "no host has 2 cores 1, 3: name each core once"),
        ('h0 = "3-0"', "line 1: '3-0' is no list of cores: write them such as \"0-15, 20\""),
        ("h0 = [0, 1]", "line 1: [0, 1] is no list of cores"),
        ("h0 =", 'give the cores of each host, such as h0 = "0-15, 20"'),
    ],
)
def test_bad_files(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "hosts.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        host_cores(str(path), TRAFFIC, FOUR, TWO)
    assert str(path) in str(caught.value) and sentence in str(caught.value)


def test_a_way_that_is_misspelt_is_no_file():
    with pytest.raises(InputError, match="blocks does not exist; host_cores takes block or cut, or a file of TOML"):
        host_cores("blocks", TRAFFIC, range(4), TWO)


@pytest.mark.parametrize("how", ["block", "cut"])
def test_a_host_with_little_memory_takes_fewer_cores(how: str) -> None:
    hosts = [HostCapacity("h0", 8, memory=1 << 20), HostCapacity("h1", 1, memory=3 << 20)]
    assert host_cores(how, TRAFFIC, FOUR, hosts).cores == ((), (0,), (1, 2, 3))


@given(runs(), st.data())
def test_no_cut_takes_more_memory_than_blocks_or_than_there_is(run, data) -> None:
    exchanged, cores, hosts = run
    needs = {core: data.draw(st.integers(1, 9)) for core in cores}
    hosts = [replace(host, memory=data.draw(st.integers(0, 60))) for host in hosts]
    try:
        block = host_cores("block", exchanged, needs, hosts)
    except InputError:
        with pytest.raises(InputError):
            host_cores("cut", exchanged, needs, hosts)
        return
    cut = host_cores("cut", exchanged, needs, hosts)
    assert cost(cut) <= cost(block) + 1e-12
    for held, host in zip(cut.cores[1:], hosts, strict=True):
        assert sum(needs[core] for core in held) <= host.memory


def test_what_does_not_fit_is_told_by_name_whoever_says_where_cores_stand(tmp_path: Path) -> None:
    small = [HostCapacity("h0", 2, memory=3 << 20), HostCapacity("h1", 2, memory=2 << 20)]
    said = (
        "2 MiB of memory on host h1 are too little for 3 cores (1-3) with about 3 MiB: free some, use more "
        "hosts, or give others more cores by host_cores='FILE'"
    )
    (tmp_path / "hosts.toml").write_text('h0 = "0"\nh1 = "1-3"')
    with pytest.raises(InputError) as caught:
        host_cores(str(tmp_path / "hosts.toml"), TRAFFIC, FOUR, small)
    assert str(caught.value) == said
    for how in ("block", "cut"):
        with pytest.raises(
            InputError, match=r"^0 B of memory on host h1 are too little for 2 cores \(2-3\) with about 2 MiB:"
        ):
            host_cores(how, TRAFFIC, FOUR, [replace(small[0], memory=3 << 20), replace(small[1], memory=0)])


def test_agents_on_one_machine_share_its_memory() -> None:
    hosts = [HostCapacity(f"local-{k}", 2, memory=5 << 20, machine="127.0.0.1") for k in range(2)]
    assert host_cores("block", TRAFFIC, FOUR, hosts).cores == ((), (0, 1), (2, 3))
    with pytest.raises(InputError, match=r"^3 MiB of memory on host local-0 and local-1 are too little for 4 cores"):
        host_cores("cut", TRAFFIC, FOUR, [replace(host, memory=3 << 20) for host in hosts])
