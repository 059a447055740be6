"""IR as text: every level round-trips, also in generic form, and compiling goes on from an edited dump."""

import contextlib
import re
from itertools import pairwise

import numpy as np
import onnx
import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import golden, random_sample
from onnx_nets import Net, conv_nets
from stage_text import dump_stage

from compiler.codegen.generate import generate, tensors
from compiler.compiling import compile_model, lower
from compiler.passes import PIPELINE, STAGES
from compiler.request import make_request
from compiler.session.context import make_context
from compiler.text import print_module, read_module, stage_of
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError, EmuError, InputError
from emu.program.codec import encode_program

ARCH = Arch(name="small", core=Core(crossbars=1000), crossbar=Crossbar(5, 5))


def request_of(model, **options):
    return make_request(model, ARCH, cores=20, **options)


def lowered(model, **options):
    request = request_of(model, **options)
    context = make_context(ARCH, request.options)
    module, _ = lower(request, context)
    return module, context


def example():
    net = Net([1, 3, 6, 6])
    y = net.add("Relu", net.conv("x", 3, 6, (3, 3), pads=[1, 1, 1, 1]))
    y = net.add("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    return net.model(net.add("Flatten", net.add("LeakyRelu", net.conv(y, 6, 4, (3, 3), group=2), alpha=0.1)))


@settings(max_examples=examples(6, 15), suppress_health_check=list(HealthCheck))
@given(conv_nets(), st.sampled_from(sorted(STAGES)), st.booleans())
def test_text_round_trips_at_every_stage(tmp_path_factory, model, stage, generic):
    module, context = lowered(model, until=stage)
    text = print_module(module)
    path = tmp_path_factory.mktemp("ir") / "dump.mlir"
    path.write_text(print_module(module, generic))
    again = read_module(path, context)
    assert print_module(again) == text
    assert stage_of(again, "text") == stage


@pytest.mark.parametrize("stage", STAGES)
def test_compiling_goes_on_from_a_dump(tmp_path, stage):
    model = example()
    path = dump_stage(tmp_path, request_of(model, until=stage))
    programs = [
        [encode_program(core.program) for core in generate(module, context.weights)]
        for module, context in (lowered(model), lowered(None, start=path))
    ]
    assert programs[0] == programs[1]


def test_every_dump_can_be_gone_on_from_and_gives_the_same_programs(tmp_path):
    model = example()
    module, context = lowered(model, dump=tmp_path)
    wanted = [encode_program(core.program) for core in generate(module, context.weights)]
    for path in sorted(tmp_path.glob("*.mlir")):
        module, context = lowered(None, start=path)
        assert [encode_program(core.program) for core in generate(module, context.weights)] == wanted, path.name


def test_a_stage_that_is_past_is_refused(tmp_path):
    path = dump_stage(tmp_path, request_of(example(), until="pim"))
    with pytest.raises(InputError, match=r"until spat: .*allocate-buffers.mlir is past it, at stage pim"):
        lowered(None, start=path, until="spat")


def test_passes_that_do_not_fit_are_named(tmp_path):
    net = Net([1, 4])
    model = net.model(net.add("Gemm", "x", net.weights(3, 4), transB=1))
    request = request_of(model, pipeline="lower-onnx-to-spat,lower-spat-to-pim,allocate-buffers")
    with pytest.raises(CompileError, match="run the pass normalize-gemm before"):
        compile_model(request, tmp_path / "out")


def test_an_edit_of_a_dump_reaches_the_program(tmp_path):
    path = dump_stage(tmp_path, request_of(example(), until="spat"))
    text = path.read_text()
    assert text.count("<leaky_relu(") > 0
    path.write_text(text.replace("<relu>", "<sigmoid>"))
    module, context = lowered(None, start=path)
    names = {
        core.program.main.instr(index).spec.name
        for core in generate(module, context.weights)
        for index in range(len(core.program.main))
    }
    assert "vsigm" in names
    assert "vrelu" not in names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '"builtin.module"() ({\n  "spat.nothing"() : () -> ()\n}) : () -> ()\n',
            r"dump.mlir: line 2, column 17: .*spat.nothing",
        ),
        ("this is not IR", r"dump.mlir: line 1, column 6: "),
        ('"builtin.module"() ({\n^0:\n}) : () -> ()\n', r"dump.mlir: is not IR that can be read"),
        ('"builtin.module"() ({\n^bb0:\n}) : () -> ()\n', r"no operation of the dialects onnx, spat, pim"),
        ('"builtin.module"() ({\n  "spat.compute"() ({}) : () -> ()\n}) : () -> ()\n', r"dump.mlir"),
    ],
)
def test_malformed_text_is_named(tmp_path, text, message):
    path = tmp_path / "dump.mlir"
    path.write_text(text)
    with pytest.raises(CompileError, match=message) as error:
        lowered(None, start=path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('weights = "', 'weights = "no_such_'),
        ("tiles = <0[", "tiles = <5["),
        ("kernel = [3, 3]", "kernel = [3]"),
    ],
)
def test_inconsistent_edits_are_one_sentence(tmp_path, old, new):
    path = dump_stage(tmp_path, request_of(example(), until="spat"))
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(CompileError, match=r"place.mlir: ") as error:
        compile_model(request_of(None, start=path), tmp_path / "out")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.few(6)
@pytest.mark.parametrize(
    ("stage", "old", "new", "words"),
    [
        ("spat", "<relu>", "<rellu>", "kernel.vadd activation = \"rellu\" does not exist; did you mean 'relu'?"),
        ("spat", "<relu>", "<q>", "use 'clip' or 'leaky_relu' or 'relu' or 'sigmoid' or 'tanh'"),
        ("spat", "<relu>", "<relu(1.0)>", "activation relu takes 0 numbers"),
        ("spat", "<relu>", "<relu[1.0]>", "'>' expected"),
        ("spat", 'kind = "max"', 'kind = "maxx"', "kernel.pool kind = \"maxx\" does not exist; did you mean 'max'?"),
        ("spat", "core = ", "cor = ", "spat.compute has no property 'cor'; did you mean 'core'?"),
        ("spat", "core = 0", 'core = "0"', "spat.compute property 'core': "),
        ("spat", "kernel.pool", "kernel.poool", "there is no operation kernel.poool; did you mean 'kernel.pool'?"),
        ("spat", "strides = [2, 2]", "strides = [0, 2]", "strides must hold 2 numbers from 1 on"),
        ("spat", "strides = [2, 2]", 'strides = "2"', "kernel.pool property 'strides': "),
        ("spat", 'tensors = ["', 'tensors = ["a", "', "tensors must hold 1 names"),
        (
            "spat",
            "[1, C, H, W] with H = 6, W = 6, C = 3",
            "[1, C] with C = 3",
            "extent [3] must hold 3 to 13",
        ),
        (
            "pim",
            'kind = "input"',
            'kind = "inputs"',
            "pim.tensor kind = \"inputs\" does not exist; did you mean 'input'?",
        ),
        ("pim", 'key = "constant', 'key = "konstant', 'pim.constant key = "konstant'),
        ("onnx", 'key = "', 'key = "zz', "names no weights of this text"),
        ("onnx", "onnx.MaxPool", "onnx.MaxPol", "there is no operation onnx.MaxPol; did you mean 'onnx.MaxPool'?"),
        (
            "onnx",
            "kernel_shape = [2, 2], ",
            "",
            "onnx.MaxPool of node maxpool3 lacks its property 'kernel_shape'",
        ),
    ],
)
def test_wrong_names_and_values_are_told_with_their_line(tmp_path, stage, old, new, words):
    path = dump_stage(tmp_path, request_of(example(), until=stage))
    text = path.read_text()
    line = text.count("\n", 0, text.index(old)) + 1
    path.write_text(text.replace(old, new))
    with pytest.raises(CompileError) as error:
        lowered(None, start=path)
    sentence = str(error.value)
    assert re.match(rf"{re.escape(str(path))}: line {line}(, column \d+)?: ", sentence)
    assert words in sentence
    assert "Error:" not in sentence and "\n" not in sentence


def test_what_does_not_fit_is_told_with_its_node(tmp_path):
    """The text is well-formed and its names are right: a shape does not follow from those before it."""
    path = dump_stage(tmp_path, request_of(example(), until="onnx"))
    text = path.read_text()
    old = "tensor<1x6x6x6xf32>"
    assert old in text
    path.write_text(text.replace(old, "tensor<1x7x6x6xf32>"))
    with pytest.raises(
        CompileError, match=r".mlir: line \d+: node 'conv1' \(Conv\) makes a tensor<1x6x6x6xf32>, not a"
    ):
        lowered(None, start=path)


def test_options_that_a_text_lists_are_values(tmp_path):
    path = dump_stage(tmp_path, request_of(example(), until="pim"))
    text = path.read_text()
    cores = re.search(r'"cores", "(\d+)"', text)
    path.write_text(text.replace(cores[0], '"cores", "many"'))
    with pytest.raises(EmuError, match=r"\.mlir: cores 'many', as it is listed there, is no value of that option"):
        compile_model(request_of(None, start=path), tmp_path / "out")


def damaged(text, data):
    """`text` with one to three words replaced by others of it."""
    for _ in range(data.draw(st.integers(1, 3))):
        words = list(re.finditer(r"[-\w.]+", text))
        one, other = (words[data.draw(st.integers(0, len(words) - 1))] for _ in range(2))
        text = text[: one.start()] + other[0] + text[one.end() :]
    return text


@settings(max_examples=examples(20, 40), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(STAGES)), st.data())
def test_any_damaged_text_compiles_or_is_one_sentence(tmp_path_factory, stage, data):
    folder = tmp_path_factory.mktemp("damaged")
    path = dump_stage(folder, request_of(example(), until=stage))
    path.write_text(damaged(path.read_text(), data))
    try:
        compile_model(request_of(None, start=path), folder / "out")
    except EmuError as error:
        assert "\n" not in str(error)
        assert getattr(error, "__notes__", []) == []


@settings(max_examples=examples(20, 40), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_damaged_networks_never_break_a_pass_over_networks(tmp_path_factory, data):
    """What verifies suits these passes: no exception of theirs is taken for an error of the text."""
    folder = tmp_path_factory.mktemp("damaged")
    path = dump_stage(folder, request_of(example(), until="onnx"))
    path.write_text(damaged(path.read_text(), data))
    with contextlib.suppress(EmuError):
        lowered(None, start=path, until="onnx")


def test_binary_as_text_is_named(tmp_path):
    path = tmp_path / "dump.mlir"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"dump.mlir, line 1: not UTF-8 text"):
        lowered(None, start=path)


def test_dumps_are_written_per_pass(tmp_path):
    lowered(example(), dump=tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names[0] == "00-import.mlir"
    assert names[-2].endswith("allocate-buffers.mlir") and names[-1] == "weights.npz"


def test_passes_that_change_nothing_have_no_dump(tmp_path):
    (tmp_path / "03-fold-batchnorm.mlir").write_text("of an earlier dump")
    unchanged = compile_model(request_of(example(), dump=tmp_path), None).unchanged
    written = {path.stem[3:] for path in tmp_path.glob("*.mlir")}
    assert "fold-batchnorm" in unchanged
    assert written.isdisjoint(unchanged) and written | set(unchanged) == {"import", *PIPELINE}
    texts = [path.read_text() for path in sorted(tmp_path.glob("*.mlir"))]
    assert all(before != after for before, after in pairwise(texts))


def test_dumps_that_cannot_be_written_are_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/dumps: cannot be written: Not a directory"):
        lowered(example(), dump=tmp_path / "file" / "dumps")


def test_a_pipeline_of_ones_own():
    module, _ = lowered(example(), pipeline="remove-identity,normalize-gemm,lower-onnx-to-spat")
    assert stage_of(module, "module") == "spat"
    with pytest.raises(InputError, match="there is no pass 'inline'"):
        lowered(example(), pipeline="inline")


@pytest.mark.parametrize(
    ("stage", "old", "new", "words"),
    [
        (
            "pim",
            r"memref<1x1x\d+xf32>",
            "memref<0x1x6xf32>",
            "a buffer of at least 3 sizes from 1 on, not [0, 1, 6]",
        ),
        ("pim", "memref<1x1x5xf32>", "memref<1x1x6xf32>", "is a memref<1x1x6xf32>, but the weights constant"),
        ("spat", r"(?<=origins = )\[0\]", "array<f64: 0.0>", "must be an array<i64>, not array<f64"),
    ],
)
def test_what_no_pass_could_take_is_told_with_its_line(tmp_path, stage, old, new, words):
    path = dump_stage(tmp_path, request_of(example(), until=stage))
    text = path.read_text()
    assert re.search(old, text)
    path.write_text(re.sub(old, new, text))
    with pytest.raises(CompileError, match=r".mlir: line \d+: ") as error:
        lowered(None, start=path)
    assert words in str(error.value)


def test_a_buffer_that_nobody_uses_takes_no_room(tmp_path):
    path = dump_stage(tmp_path, request_of(example(), pipeline=",".join(PIPELINE[:-1])))
    lines = path.read_text().split("\n")
    first = next(index for index, line in enumerate(lines) if "pim.alloc" in line)
    path.write_text("\n".join([*lines[:first], "%more = pim.alloc : memref<9999x9999x99xf32>", *lines[first:]]))
    module, context = lowered(None, start=path)
    assert len(list(generate(module, context.weights))) == len(list(core_ops(module)))


def core_ops(module):
    return (op for op in module.ops if op.name == "pim.core")


@pytest.mark.parametrize(
    ("pipeline", "words"),
    [
        ("normalize-gemm,fold-bias,lower-onnx-to-spat,lower-spat-to-pim", "is not cut: run the pass cut-layers before"),
        ("normalize-gemm,fold-bias,lower-onnx-to-spat,lower-onnx-to-spat", "needs a func.func of onnx operations"),
        (",".join(PIPELINE[:-1]), "buffers have no addresses: run the pass allocate-buffers before"),
    ],
)
def test_passes_in_an_order_that_cannot_be_are_refused(tmp_path, pipeline, words):
    with pytest.raises(CompileError, match=words):
        compile_model(request_of(example(), pipeline=pipeline), tmp_path / "out")


def test_weights_that_kernels_name_are_no_dead_constants(tmp_path):
    behind = PIPELINE.index("lower-onnx-to-spat") + 1
    pipeline = ",".join((*PIPELINE[:behind], "remove-dead-constants", *PIPELINE[behind:]))
    wanted, found = (
        [encode_program(core.program) for core in generate(module, context.weights)]
        for module, context in (lowered(example()), lowered(example(), pipeline=pipeline))
    )
    assert found == wanted


def test_outputs_keep_their_logical_shape():
    model = example()
    module, _ = lowered(model)
    (output,) = tensors(module, "output")
    (wanted,) = golden(model, random_sample(tensors(module, "input"))).values()
    assert output.shape == wanted.shape
    assert isinstance(model, onnx.ModelProto)
    assert np.prod(output.form.extent) == wanted.size


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            '"builtin.module"() ({}) {a = dense<0.0> : tensor<9000000000xf32>} : () -> ()',
            "dense constants are not part",
        ),
        ("".join(f"#a{k + 1} = [#a{k}, #a{k}]\n" for k in range(60)), "undefined symbol alias '#a0'"),
        ("#a0 = 1\n#a1 = [#a0, #a0]\n", "line 2, column 11: undefined symbol alias '#a0'"),
        ('"builtin.module"() ({ ' * 20000, "is not IR that can be read"),
        ('"builtin.module"() ({}) {a = 1 : i4294967295} : () -> ()', "i4294967295 is too wide"),
        ('"builtin.module"() ({}) {a = 1.0 : f128} : () -> ()', "f128 is too wide"),
        ('"builtin.module"() ({}) {a = "' + "x" * 100_000, "End of file reached before closing string literal"),
    ],
    ids=["splat", "aliases", "alias", "nested", "wide", "wide real", "quote"],
)
def test_short_text_for_huge_modules_is_refused(tmp_path, text, words):
    (tmp_path / "dump.mlir").write_text(text)
    with pytest.raises(CompileError, match=words):
        lowered(None, start=tmp_path / "dump.mlir")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"duplicate": "latency"}, r"duplicate='latency': .* is past the pass duplicate, at stage pim: leave it out"),
        ({"pipelined": True}, r"pipelined: .* is past the pass pipeline, at stage pim"),
        ({"lowering": "pixel"}, r"lowering='pixel': .* is past the pass unroll-pixels, at stage pim"),
    ],
)
def test_an_option_whose_pass_is_past_is_refused_unless_the_text_was_made_with_it(tmp_path, options, said):
    """It would be listed among the options of the programs, and would have done nothing."""
    model = Net([1, 3, 4, 4])
    model = model.model(model.conv("x", 3, 6, (3, 3)))
    path = dump_stage(tmp_path / "plain", request_of(model, until="pim"))
    with pytest.raises(InputError, match=said):
        lowered(None, start=path, **options)
    again = dump_stage(tmp_path / "made", request_of(model, until="pim", **options))
    lowered(None, start=again, **options)
    lowered(None, start=dump_stage(tmp_path / "early", request_of(model, until="onnx")), **options)
