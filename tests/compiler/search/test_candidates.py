"""Candidates: made of what they share, their programs are those that a compilation with the same options writes."""

from dataclasses import replace

import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx_nets import Net, conv_nets

from compiler.api import compile_request
from compiler.basis.options import SCHEDULE
from compiler.request import make_request
from compiler.search.candidates import Candidates
from compiler.search.space import applied, changed, free_choices
from emu.arch import Arch, Core, Crossbar
from emu.errors import EmuError
from emu.image.groups import place_groups
from emu.image.reader import open_image
from emu.program.codec import encode_program

ARCH = Arch(name="chip", cores=64, core=Core(crossbars=64), crossbar=Crossbar(4, 4))


@settings(suppress_health_check=list(HealthCheck), max_examples=examples(3, 20))
@given(conv_nets(), st.data())
def test_a_candidate_is_what_is_written(tmp_path_factory, model, data):
    asked = make_request(model, ARCH, cores=12)
    candidates = Candidates(asked)
    for _ in range(3):
        chosen = {}
        for choice, values in free_choices(asked).items():
            chosen = changed(asked, chosen, choice.name, data.draw(st.sampled_from(list(values))))
        request, out = applied(asked, chosen), tmp_path_factory.mktemp("image") / "out"
        try:
            compile_request(request, out)
        except EmuError as error:
            with pytest.raises(EmuError) as raised:
                candidates.programs(request, lambda: None)
            assert str(raised.value) == str(error)
            continue
        programs, image = candidates.programs(request, lambda: None), open_image(out)
        assert sorted(programs) == image.cores
        for core, program in programs.items():
            assert encode_program(placed(program)) == encode_program(image.program(core))


def placed(program):
    return replace(program, groups=place_groups(program.groups))


BY_HAND = {
    "products": "all",
    "lowering": "pixel",
    "duplicate": "latency",
    "pipelined": True,
    "stagger": True,
    "remap_rows": True,
    "arrange": "traffic",
}


@pytest.mark.parametrize("name", SCHEDULE)
def test_candidates_of_a_schedule_that_is_partly_given_by_hand(name, tmp_path):
    net = Net([1, 2, 3, 3])
    model, chip = net.model(net.conv("x", 2, 4, (1, 1))), replace(ARCH, mode="wlm")
    asked = make_request(model, chip, cores=12, **{name: BY_HAND[name]})
    compile_request(asked, tmp_path / "out")
    programs, image = Candidates(asked).programs(asked, lambda: None), open_image(tmp_path / "out")
    assert {core: encode_program(placed(program)) for core, program in programs.items()} == {
        core: encode_program(image.program(core)) for core in image.cores
    }


def test_copies_are_those_of_the_schedule_or_as_given():
    net = Net([1, 4, 8, 8])
    model = net.model(net.conv(net.conv("x", 4, 4, (1, 1)), 4, 4, (1, 1)))
    asked = make_request(model, ARCH, cores=12)
    candidates = Candidates(asked)
    assert candidates.copies(asked) == [1, 1]
    assert candidates.copies(applied(asked, {"duplicate": "3,2"})) == [3, 2]
    assert sum(candidates.copies(applied(asked, {"duplicate": "latency"}))) > 2


def test_a_pause_may_end_it():
    net = Net([1, 2, 3, 3])
    asked = make_request(net.model(net.conv("x", 2, 2, (1, 1))), ARCH, cores=4)
    with pytest.raises(ZeroDivisionError):
        Candidates(asked).programs(asked, lambda: 1 // 0)
