"""Cores given by hand in `spat` text: obeyed, whatever they are, or refused with line, node and core."""

import re

import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import compile_in_memory, random_sample, run_in_process
from onnx_nets import Net, conv_nets
from stage_text import dump_stage

from compiler.compiling import compile_model
from compiler.request import make_request
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError
from emu.image.reader import open_image
from emu.isa.dtypes import DType
from emu.program.codec import encode_program
from emu.program.group import physical_crossbars

CORE = re.compile(r"\bcore = (-?\d+)\b")
ARCH = Arch(name="small", cores=1024, core=Core(crossbars=4096), crossbar=Crossbar(8, 8))


def example():
    net = Net([1, 3, 6, 6])
    y = net.add("Relu", net.conv("x", 3, 6, (3, 3), pads=[1, 1, 1, 1]))
    y = net.add("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    return net.model(net.conv(y, 6, 12, (3, 3)))


def spat_text(folder, model, arch=ARCH, cores=40, stage="spat"):
    """The text; its weights stay in `folder`."""
    return dump_stage(folder, make_request(model, arch, cores=cores, until=stage)).read_text()


def compiled(tmp_path, text, arch=ARCH, cores=1024):
    path = tmp_path / "edited.mlir"
    path.write_text(text)
    return compile_model(make_request(None, arch, cores=cores, start=path), tmp_path / "out")


def refusal(tmp_path, text, arch=ARCH, cores=1024):
    with pytest.raises(CompileError) as caught:
        compiled(tmp_path, text, arch, cores)
    assert not (tmp_path / "out").exists()
    sentence = str(caught.value)
    assert sentence.startswith(f"{tmp_path / 'edited.mlir'}: ") and "\n" not in sentence
    assert getattr(caught.value, "__notes__", []) == []
    return sentence


@settings(max_examples=examples(5, 25), suppress_health_check=list(HealthCheck))
@given(conv_nets(), st.sampled_from(["image", "rows:1", "rows:2"]), st.data())
def test_any_cores_give_the_same_bits_on_those_cores(tmp_path_factory, model, granularity, data):
    plain = compile_in_memory(model, ARCH, 40, granularity=granularity)
    folder = tmp_path_factory.mktemp("cores")
    text, path = spat_text(folder, model), folder / "edited.mlir"
    used = sorted({int(core) for core in CORE.findall(text)})
    chosen = data.draw(st.lists(st.integers(0, 1023), min_size=len(used), max_size=len(used), unique=True))
    to = dict(zip(used, chosen, strict=True))
    path.write_text(CORE.sub(lambda found: f"core = {to[int(found[1])]}", text))
    moved = compile_in_memory(None, ARCH, 1024, granularity=granularity, start=path)
    if used:
        assert set(moved.programs) == set(chosen)
    sample = random_sample(plain.inputs)
    (wanted,), (found,) = run_in_process(plain, [sample]), run_in_process(moved, [sample])
    assert {name: array.tobytes() for name, array in found.items()} == {
        name: array.tobytes() for name, array in wanted.items()
    }


@settings(max_examples=examples(2, 15), suppress_health_check=list(HealthCheck))
@given(conv_nets(), st.sampled_from(["image", "rows:1"]), st.data())
def test_computes_may_share_cores(tmp_path_factory, model, granularity, data):
    """Each compute by itself on any of few cores: other messages, the same bits."""
    plain = compile_in_memory(model, ARCH, 40, granularity=granularity)
    path = tmp_path_factory.mktemp("cores") / "edited.mlir"
    choice = st.sampled_from([3, 7, 900])
    path.write_text(CORE.sub(lambda _: f"core = {data.draw(choice)}", spat_text(path.parent, model)))
    moved = compile_in_memory(None, ARCH, 1024, granularity=granularity, start=path)
    sample = random_sample(plain.inputs)
    (wanted,), (found,) = run_in_process(plain, [sample]), run_in_process(moved, [sample])
    for name, array in wanted.items():
        assert found[name].tobytes() == array.tobytes()


def test_unedited_text_gives_the_same_programs(tmp_path):
    model = example()
    plain = compile_in_memory(model, ARCH, 40)
    path = tmp_path / "text.mlir"
    path.write_text(spat_text(tmp_path, model))
    again = compile_in_memory(None, ARCH, 40, start=path)
    assert {core: encode_program(program) for core, program in again.programs.items()} == {
        core: encode_program(program) for core, program in plain.programs.items()
    }
    assert set(plain.programs) == set(range(len(plain.programs)))


def test_the_image_has_its_program_on_the_core_of_the_text(tmp_path):
    model = example()
    result = compiled(tmp_path, spat_text(tmp_path, model).replace("core = 0}", "core = 20}"), cores=64)
    assert result.cores == len(open_image(tmp_path / "out").cores)
    assert 20 in open_image(tmp_path / "out").cores and 0 not in open_image(tmp_path / "out").cores


@pytest.mark.parametrize(
    ("core", "words"),
    [
        ("-1 : i64", "is placed on core -1, but cores are numbered from 0"),
        ("1024 : i64", "is placed on core 1024, but architecture small has cores 0 to 1023"),
        ("64 : i64", "is placed on core 64, but cores=64 allows cores 0 to 63: use cores=65 or more"),
    ],
)
def test_cores_that_are_not_there(tmp_path, core, words):
    model = example()
    text = spat_text(tmp_path, model)
    sentence = refusal(tmp_path, text.replace("core = 1}", f"core = {core}}}"), cores=64)
    line = next(number for number, line in enumerate(text.splitlines(), start=1) if "core = 1}" in line)
    assert f"mlir: line {line}: node " in sentence and words in sentence


@pytest.mark.parametrize("core", ["1.5 : f64", '"a"', "1.5 : i64", "unit", "dense<1> : tensor<1xi64>"])
def test_what_is_no_number_of_a_core(tmp_path, core):
    model = example()
    sentence = refusal(tmp_path, spat_text(tmp_path, model).replace("core = 1}", f"core = {core}}}"))
    assert re.search(r"mlir: line \d+(, column \d+)?: ", sentence)
    assert "KeyError" not in sentence


def test_more_crossbars_than_a_core_has(tmp_path):
    arch, model = Arch(name="two", core=Core(crossbars=2), crossbar=Crossbar(32, 8)), example()
    text = spat_text(tmp_path, model, arch, 60)
    sentence = refusal(tmp_path, CORE.sub("core = 5", text), arch)
    assert re.search(r"line \d+: node \S+ is placed on core 5, but its \d+ crossbars", sentence)
    assert "a core of architecture two holds 2: place one" in sentence


def test_more_memory_than_a_core_has(tmp_path):
    arch, model = Arch(name="narrow", core=Core(crossbars=4096, local_memory=4096), crossbar=Crossbar(8, 8)), example()
    sentence = refusal(tmp_path, CORE.sub("core = 5", spat_text(tmp_path, model, arch)), arch)
    assert "core 5 needs " in sentence and "bytes of local memory at node " in sentence


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("pim.core 1 {", "pim.core -1 {", "coreId -1 is no core of architecture small"),
        ("pim.core 1 {", "pim.core 1024 {", "coreId 1024 is no core of architecture small"),
        ("pim.core 1 {", "pim.core 0 {", "core 0 has a program already"),
        ("pim.core 1 {", "pim.core 900 {", "core 1 has no program"),
    ],
)
def test_cores_of_programs(tmp_path, old, new, words):
    model = example()
    text = spat_text(tmp_path, model, stage="pim")
    assert old in text
    assert words in refusal(tmp_path, text.replace(old, new))


def test_crossbars_are_counted_with_their_bit_slices(tmp_path):
    arch = Arch(name="sliced", core=Core(crossbars=4096), crossbar=Crossbar(8, 8, cell_bits=2))
    model = example()
    result = compiled(tmp_path, spat_text(tmp_path, model, arch), arch)
    image = open_image(tmp_path / "out")
    programs = [image.program(core) for core in image.cores]
    assert arch.cells(DType.f32) == 16
    assert result.crossbars == 16 * sum(program.crossbars for program in programs)
    assert result.crossbars == sum(physical_crossbars(program.groups, arch) for program in programs)
    assert result.utilisation == result.crossbars / (result.cores * 4096)
