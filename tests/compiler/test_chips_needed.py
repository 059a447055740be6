"""A network on several chips: as many as are asked for or as it needs, the same outputs, and little between chips."""

from dataclasses import replace

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import (
    assert_close,
    check_compiled,
    compile_in_memory,
    golden,
    random_sample,
    run_in_process,
)
from onnx_nets import Net, conv_nets

from compiler.basis.chips import most_chips, with_chips
from compiler.compiling import compile_model, lower
from compiler.dialects import pim
from compiler.passes import PIPELINE
from compiler.request import make_request
from compiler.session.context import make_context
from compiler.transforms.arrange import exchanged_of
from emu.arch import Arch, Core, Crossbar, Network
from emu.arch.chip import MAX_CORES
from emu.arch.figures import Timing
from emu.arch.system import CONNECTIONS, System
from emu.errors import CompileError, InputError
from emu.image.reader import read_manifest
from emu.noc.traffic.topology import Chips, topology_of
from emu.noc.traffic.traffic import MEMORY, with_memory

ARCH = Arch(cores=5, core=Core(crossbars=2), crossbar=Crossbar(8, 8), network=Network(width=2), timing=Timing())


def product(tiles):
    """A network of so many crossbars of `ARCH`, as one product."""
    net = Net((1, 8))
    return net.model(net.add("MatMul", "x", net.constant(np.ones((8, 8 * tiles), np.float32))))


def chain():
    """Convolutions of several crossbars each, one after the other."""
    net, x = Net([1, 8, 4, 4]), "x"
    for _ in range(4):
        x = net.conv(x, 8, 8, (3, 3), pads=[1, 1, 1, 1])
    return net.model(x)


def lowered(model, arch, **options):
    request = make_request(model, arch, **options)
    context = make_context(request.arch, request.options)
    return lower(request, context)[0], context


def crossing(programs, arch):
    """Bytes from chip to chip times the links between the two, and those alone, the global memory at the first one."""
    topology, found = topology_of(arch), np.zeros(2, np.int64)
    assert isinstance(topology, Chips)
    for pair, (_, nbytes) in with_memory(programs).items():
        chips = [0 if core == MEMORY else topology.chip(core) for core in pair]
        found += (nbytes * topology.between.hops(*chips), nbytes * (chips[0] != chips[1]))
    return found.tolist()


@st.composite
def systems(draw):
    """Few cores on each of several chips, and what connects them."""
    cores, chips = draw(st.integers(1, 9)), draw(st.integers(2, 6))
    return replace(
        ARCH,
        cores=cores,
        core=Core(crossbars=4096),
        network=Network(width=draw(st.integers(1, cores))),
        system=System(chips, draw(st.sampled_from(CONNECTIONS)), draw(st.integers(0, chips))),
    )


@settings(max_examples=examples(8, 100), suppress_health_check=list(HealthCheck))
@given(conv_nets(), systems(), st.sampled_from(["image", "rows:2"]), st.sampled_from(["frugal", "scatter"]))
def test_outputs_are_those_of_the_network_and_the_cut_is_never_worse(model, arch, granularity, placement):
    named = {"cores": None, "granularity": granularity, "placement": placement}
    whole = compile_in_memory(model, arch, **named)
    sample, found = random_sample(whole.inputs), {}
    for way in (None, "cut", "traffic"):
        compiled = compile_in_memory(model, arch, **named, arrange=way) if way else whole
        assert all(core < arch.all_cores for core in compiled.programs)
        assert check_compiled(compiled).proved
        (outputs,) = run_in_process(compiled, [sample])
        assert_close(outputs, golden(model, sample))
        found[way] = crossing(compiled.programs, arch)[0], {name: each.tobytes() for name, each in outputs.items()}
    assert found["cut"][0] <= found[None][0]
    assert found[None][1] == found["cut"][1] == found["traffic"][1]


@settings(max_examples=examples(3, 30), suppress_health_check=list(HealthCheck))
@given(conv_nets(), st.sampled_from(["image", "rows:2"]))
def test_what_is_exchanged_with_memory_is_known_before_there_are_programs(model, granularity):
    arch = replace(ARCH, core=Core(crossbars=4096))
    compiled = compile_in_memory(model, arch, cores=4, granularity=granularity)
    known = exchanged_of([op for op in compiled.module.ops if isinstance(op, pim.CoreOp)])
    wanted = with_memory(compiled.programs)
    assert {pair: nbytes for pair, (_, nbytes) in known.items()} == {pair: size for pair, (_, size) in wanted.items()}
    assert all(known[pair] == wanted[pair] for pair in known if MEMORY not in pair)


@pytest.mark.parametrize(("tiles", "chips"), [(1, 1), (10, 1), (11, 2), (20, 2), (41, 5)])
def test_a_network_takes_as_few_chips_as_it_needs(tiles, chips):
    module, context = lowered(product(tiles), replace(ARCH, system=System(chips=3)), chips="auto")
    used = {op.coreId.value.data for op in module.ops if isinstance(op, pim.CoreOp)}
    assert (context.arch.system.chips, context.cores) == (chips, chips * ARCH.cores)
    assert max(used) < chips * ARCH.cores
    assert context.settings["chips"] == str(chips) and context.settings["cores"] == str(context.cores)


def test_chips_are_connected_as_the_description_says():
    """However few of them there are meanwhile."""
    board = replace(ARCH, system=System(chips=8, topology="mesh", width=4))
    found = [lowered(product(tiles), board, chips="auto")[1].arch.system for tiles in (11, 55)]
    assert found == [System(2, "mesh", 2), System(6, "mesh", 4)]


def test_of_one_chip_without_times_it_takes_more_than_the_usual_cores_before_a_second_chip():
    untimed = replace(ARCH, cores=100, timing=None)
    found = [lowered(product(tiles), untimed, chips="auto")[1] for tiles in (60, 140, 240)]
    assert [(context.arch.system.chips, context.cores) for context in found] == [(1, 64), (1, 100), (2, 200)]


def test_cores_that_are_given_are_the_limit_of_all_chips():
    context = lowered(product(20), ARCH, chips="auto", cores=12)[1]
    assert (context.arch.system.chips, context.cores) == (2, 10)
    with pytest.raises(CompileError, match=r"takes? 16 cores .* but cores is 12: use cores=16"):
        lowered(product(32), ARCH, chips="auto", cores=12)
    context = lowered(product(24), ARCH, chips="auto", cores=12)[1]
    assert (context.arch.system.chips, context.cores) == (3, 12)


def test_a_layer_that_stays_whole_takes_its_chips():
    cell = Net([2, 1, 8])
    weights = [cell.weights(1, 32, 8), cell.weights(1, 32, 8)]
    outputs = cell.add("LSTM", "x", *weights, hidden_size=8)
    model = cell.model(outputs)
    context = lowered(model, replace(ARCH, cores=1, core=Core(crossbars=8)), chips="auto")[1]
    assert context.arch.system.chips == 1
    with pytest.raises(CompileError, match="on one core"):
        lowered(model, replace(ARCH, core=Core(crossbars=2)), chips="auto")


def test_so_many_chips_as_are_asked_for_whatever_the_description_says(tmp_path):
    wide = replace(ARCH, core=Core(crossbars=4), system=System(chips=4, width=4))
    result = compile_model(make_request(chain(), wide, chips="2", arrange="cut"), tmp_path / "out")
    manifest = read_manifest(result.out)
    assert (manifest.arch.system, manifest.options["cores"], manifest.options["chips"]) == (
        System(2, "mesh", 2),
        "10",
        "2",
    )
    assert result.arch.system == manifest.arch.system


@pytest.mark.parametrize("chips", ["0", "13108", "999999"])
def test_more_chips_than_there_may_be_are_refused(chips):
    with pytest.raises(InputError, match="chips"):
        make_request(chain(), ARCH, chips=chips)


def test_there_may_be_no_more_cores_than_programs_can_name():
    assert most_chips(ARCH) == 4096 and most_chips(Arch(cores=MAX_CORES)) == 1
    assert with_chips(ARCH, 4096).all_cores <= MAX_CORES


def test_a_network_that_needs_more_says_how_many_chips():
    with pytest.raises(CompileError, match=r"at most 10 cores.* it would take 5 such chips; use chips=5, another arch"):
        lowered(product(41), ARCH, chips="2")
    with pytest.raises(CompileError, match=r"\(at most 65536 cores\).* it would take 2 such chips; use another arch"):
        lowered(product(70_000), replace(ARCH, cores=MAX_CORES, core=Core(crossbars=1)))


def test_a_text_that_was_made_for_several_chips_goes_on_there(tmp_path):
    request = make_request(chain(), ARCH, chips="auto", until="spat", dump=tmp_path)
    context = make_context(request.arch, request.options)
    lower(request, context)
    chips = context.arch.system.chips
    (text,) = sorted(tmp_path.glob("*place.mlir"))
    assert chips > 1
    again = compile_model(make_request(None, ARCH, start=text, chips=str(chips)), tmp_path / "out")
    assert "from" not in again.context.settings and read_manifest(tmp_path / "out").arch.system.chips == chips
    again = compile_model(make_request(None, ARCH, start=text, chips="auto"), tmp_path / "out")
    assert again.arch.system.chips == chips
    with pytest.raises(CompileError, match=r"has cores 0 to 4: chips=\d would have it"):
        compile_model(make_request(None, ARCH, start=text), tmp_path / "no")


def test_a_cut_keeps_to_the_cores_that_may_be_used():
    for limit in (6, 8, 14):
        module, context = lowered(
            chain(), with_chips(replace(ARCH, core=Core(crossbars=64)), 3), cores=limit, arrange="cut"
        )
        used = [op.coreId.value.data for op in module.ops if isinstance(op, pim.CoreOp)]
        assert len(set(used)) == len(used) and max(used) < limit == context.cores


def test_of_programs_that_are_made_nobody_asks_how_many_chips_they_need(tmp_path):
    request = make_request(chain(), ARCH, chips="4", dump=tmp_path)
    lower(request, make_context(request.arch, request.options))
    (text,) = sorted(tmp_path.glob("*allocate-buffers.mlir"))
    with pytest.raises(InputError, match=r"chips='auto': .* is past the pass choose-chips, at stage pim"):
        compile_model(make_request(None, ARCH, start=text, chips="auto"), tmp_path / "no")


def test_a_way_to_arrange_that_there_is_not_is_refused():
    passes = ",".join((*PIPELINE[:-1], "arrange{by=cuts}", PIPELINE[-1]))
    with pytest.raises(CompileError, match=r"arrange: by=cuts is no way to arrange cores; did you mean 'cut'"):
        lowered(chain(), ARCH, chips="4", pipeline=passes)
