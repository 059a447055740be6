"""Text and weights stand for themselves: the same image as at once; what does not fit is refused."""

import mmap
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import helper
from onnx_models import make_model, random_array
from onnx_nets import Net
from recurrent_nets import full_lstm
from stage_text import dump_stage
from xdsl.dialects.builtin import ModuleOp, TensorType, f32

from compiler.basis.weights import WeightStore, digest_of
from compiler.compiling import compile_model, lower
from compiler.dialects.onnx import ConstantOp
from compiler.module_metadata import carry
from compiler.request import make_request
from compiler.session.context import NetworkIdentity, make_context
from compiler.session.provenance import Provenance
from compiler.text import attach_weights, parse_module, print_module, read_module
from compiler.weight_file import load_weights, write_weights
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError, EmuError, InputError
from emu.image.npz import write_npz

ARCH = Arch(name="small", core=Core(crossbars=1000, local_memory=1 << 16), crossbar=Crossbar(5, 5))

TIGHT = replace(  # segments are needed, or few rows at a time, of crossbars of which some are free
    ARCH,
    cores=8,
    mode="wlm",
    core=replace(ARCH.core, crossbars=12),
    crossbar=Crossbar(32, 8, parallel_rows=8),
)


def odd():
    """Names of any letters, weights that are not finite, nodes that fold, fuse, vanish and are unused."""
    weights = {
        '/w"ü\n': random_array(4, 3, 3, 3),
        "b\\": np.array([1, np.inf, 2, 3], np.float32),
        "unused": random_array(2),
    }
    nodes = [
        helper.make_node("Conv", ["x", '/w"ü\n', "b\\"], ["äh\t"], name="cönv/1", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["äh\t"], ["r"]),
        helper.make_node("Identity", ["r"], ["s"]),
        helper.make_node("Dropout", ["s"], ["t", ""]),
        helper.make_node("Relu", ["s"], ["nobody"]),
        helper.make_node("Flatten", ["t"], ["y"]),
    ]
    return make_model(nodes, {"x": ("N", 3, 6, 6)}, ["y"], weights=weights)


def branching():
    net = Net([1, 3, 8, 8])
    y = net.add("Relu", net.conv("x", 3, 6, (3, 3), pads=[1, 1, 1, 1]))
    z = net.add("Add", net.conv(y, 6, 6, (3, 3), pads=[1, 1, 1, 1]), y)
    z = net.add("Concat", net.add("MaxPool", z, kernel_shape=[2, 2], strides=[2, 2]), axis=1)
    return net.model(net.add("Gemm", net.add("Flatten", z), net.weights(10, 96), transB=1))


NETWORKS = {"odd": odd, "branching": branching, "recurrent": lambda: full_lstm().model(0)}


def request_of(model=None, granularity="image", arch=ARCH, segments=False, **options):
    cores = min(20, arch.cores)
    return make_request(model, arch, cores=cores, granularity=granularity, segments=segments, **options)


def content_of(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "granularity"),
    [
        ("odd", "image"),
        ("branching", "auto"),
        ("recurrent", "image"),
        pytest.param("odd", "auto", marks=pytest.mark.full),
        pytest.param("branching", "image", marks=pytest.mark.full),
        pytest.param("recurrent", "auto", marks=pytest.mark.full),
    ],
)
def test_every_text_of_a_dump_gives_the_image_that_a_compilation_at_once_gives(tmp_path, name, granularity):
    request = request_of(NETWORKS[name](), granularity)
    warnings = compile_model(replace(request, dump=tmp_path / "ir"), tmp_path / "whole").warnings
    texts = sorted((tmp_path / "ir").glob("*.mlir"))
    assert len(texts) > 3
    for text in texts:
        elsewhere = tmp_path / text.stem
        elsewhere.mkdir()
        for file in (text, tmp_path / "ir" / "weights.npz"):
            shutil.copy(file, elsewhere)
        again = compile_model(request_of(None, granularity, start=elsewhere / text.name), tmp_path / "again")
        assert content_of(tmp_path / "again") == content_of(tmp_path / "whole"), text.name
        assert again.warnings == warnings
    assert len(warnings) == (2 if name == "odd" else 0)


def short():
    net = Net([1, 3, 6, 3])
    return net.model(net.add("Relu", net.conv("x", 3, 6, (3, 3), pads=[1, 1, 1, 1])))


@pytest.mark.parametrize(
    "schedule",
    [
        {"duplicate": "latency", "pipelined": True},
        {"segments": True, "arch": replace(TIGHT, cores=1, core=replace(ARCH.core, crossbars=2))},
        {"stagger": True, "remap_rows": True, "arch": TIGHT},
        {"lowering": "pixel", "arch": TIGHT},
    ],
    ids=" ".join,
)
def test_what_a_text_says_of_a_schedule_stays_with_the_same_options(tmp_path, schedule):
    """Passes that have left their mark in the text do not do their work once more."""
    compile_model(request_of(short(), **schedule, dump=tmp_path / "ir"), tmp_path / "whole")
    texts = sorted((tmp_path / "ir").glob("*.mlir"))
    first = next(i for i, text in enumerate(texts) if "lower-onnx-to-spat" in text.name)
    for text in texts[first :: examples(2, 1)]:
        compile_model(request_of(**schedule, start=text), tmp_path / "again")
        assert content_of(tmp_path / "again") == content_of(tmp_path / "whole"), text.name


@pytest.mark.parametrize("change", ["edit", "cores", "granularity", "passes"])
def test_an_image_says_that_it_was_made_of_a_text(tmp_path, change):
    text = dump_stage(tmp_path / "ir", request_of(branching(), until="spat"))
    request = request_of(start=text)
    if change == "edit":
        text.write_text(text.read_text().replace("core = 1}", "core = 19}"))
    elif change == "cores":
        request = replace(request, options=replace(request.options, cores=21))
    elif change == "granularity":
        request = replace(request, options=replace(request.options, granularity="rows:2"))
    else:
        request = replace(request, pipeline="lower-onnx-to-spat,lower-spat-to-pim,allocate-buffers")
    made = []
    compile_model(request, tmp_path / "out", lambda _, manifest: made.append(manifest) or manifest)
    assert re.fullmatch("text of a stage, sha256 [0-9a-f]{64}", made[0].options["from"])


def test_weights_are_mapped_and_shared(tmp_path):
    dump_stage(tmp_path, request_of(branching()))
    texts, stores = sorted(tmp_path.glob("*.mlir")), []
    for path in texts:
        context = make_context(ARCH)
        attach_weights(read_module(path, context), context)
        stores.append(context.weights)
        for key in context.weights:
            base = context.weights.get(key)
            assert not base.flags.writeable
            while isinstance(base, np.ndarray):
                base = base.base
            assert isinstance(base.obj if isinstance(base, memoryview) else base, mmap.mmap)
    digests = {store.digest(key) for store in stores for key in store}
    assert set(np.load(tmp_path / "weights.npz")) == digests


@settings(max_examples=examples(20, 40), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_damaged_weights_are_refused_or_the_same(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damaged")
    text, path = dump_stage(folder, request_of(branching(), until="onnx")), folder / "weights.npz"
    content, context = bytearray(path.read_bytes()), make_context(ARCH)
    attach_weights(read_module(text, context), context)
    wanted = {key: context.weights.get(key).tobytes() for key in context.weights}
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    other = folder / "other.npz"
    other.write_bytes(content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content)
    damaged = make_context(ARCH)
    try:
        attach_weights(read_module(text, damaged), damaged, other)
    except EmuError as error:
        assert "\n" not in str(error) and getattr(error, "__notes__", []) == []
    else:
        assert {key: damaged.weights.get(key).tobytes() for key in damaged.weights} == wanted


def test_other_numbers_under_a_digest_are_refused(tmp_path):
    text = dump_stage(tmp_path, request_of(branching(), until="onnx"))
    arrays = {name: np.array(array) for name, array in np.load(tmp_path / "weights.npz").items()}
    next(iter(arrays.values()))[:] = 0
    write_npz(tmp_path / "weights.npz", arrays)
    context = make_context(ARCH)
    with pytest.raises(CompileError, match=r"the weights '.*' are damaged \(other SHA-256\)"):
        attach_weights(read_module(text, context), context)


def test_text_by_hand_finds_weights_by_their_keys(tmp_path):
    constant = '%w = "onnx.Constant"() <{node = "w", tensor = "w", key = "w"}> : () -> tensor<2xf32>'
    text = f"func.func @main() -> tensor<2xf32> {{\n  {constant}\n  func.return %w : tensor<2xf32>\n}}"
    (tmp_path / "hand.mlir").write_text(text)
    np.savez(tmp_path / "weights.npz", w=np.array([1, 2], np.float32), other=np.zeros(3))
    context = make_context(ARCH)
    attach_weights(read_module(tmp_path / "hand.mlir", context), context)
    assert {key: context.weights.get(key).tolist() for key in context.weights} == {"w": [1, 2]}
    np.savez(tmp_path / "weights.npz", v=np.zeros(1))
    with pytest.raises(
        CompileError, match=r'hand.mlir: line 2: onnx.Constant of node w key = "w" names no weights of this text'
    ):
        attach_weights(read_module(tmp_path / "hand.mlir", another := make_context(ARCH)), another)
    np.savez(tmp_path / "weights.npz", w=np.zeros(3, np.float32))
    with pytest.raises(
        CompileError, match=r"line 2: onnx.Constant of node w is a tensor<2xf32>, but the weights w are \[3\] of fl"
    ):
        attach_weights(read_module(tmp_path / "hand.mlir", another := make_context(ARCH)), another)


ROWS = st.dictionaries(st.text(), st.text(), max_size=4)


@given(
    ROWS, ROWS, ROWS, ROWS, st.lists(st.text(), max_size=3, unique=True),
    st.lists(st.tuples(st.text(), st.lists(st.text(), max_size=3).map(tuple)), max_size=3).map(tuple),
    st.text(),
)  # fmt: skip
def test_what_is_carried_comes_back(tmp_path_factory, fused, views, lost, options, warnings, nodes, name):
    context, again = make_context(ARCH), make_context(ARCH)
    context.network, context.provenance, context.settings = (
        NetworkIdentity(name, "0f", nodes),
        Provenance(fused, views, lost),
        options,
    )
    context.warnings += warnings
    module = ModuleOp([])
    carry(module, context)
    text = print_module(module)
    read = parse_module(text, tmp_path_factory.getbasetemp() / "x.mlir", again)
    for field in ("network", "provenance", "settings", "warnings"):
        assert getattr(again, field) == getattr(context, field)
    carry(read, again)
    assert print_module(read) == text


@pytest.mark.parametrize(
    ("attribute", "words"),
    [
        ("emu.network = 1 : i64", "emu.network of the module must be a list of lists of 2 texts"),
        ('emu.network = [["a"]]', "emu.network of the module must be a list of lists of 2 texts"),
        ("emu.nodes = [[]]", "emu.nodes of the module must be a list of lists of one or more texts"),
        ("emu.nodes = [[1 : i64]]", "emu.nodes of the module must be"),
        ('emu.weights = ["a", "b"]', "emu.weights of the module must be"),
        ('emu.fused = {a = "b"}', "emu.fused of the module must be"),
        ('emu.warnings = [["a", "b"]]', "emu.warnings of the module must be a list of lists of 1 texts"),
    ],
)
def test_attributes_that_are_wrong_are_named(tmp_path, attribute, words):
    (tmp_path / "x.mlir").write_text(f'"builtin.module"() ({{\n^bb0:\n}}) {{{attribute}}} : () -> ()')
    with pytest.raises(CompileError, match=re.escape(words)):
        read_module(tmp_path / "x.mlir", make_context(ARCH))


def test_a_promise_is_kept_or_told():
    array, store = random_array(2, 3), WeightStore()
    store.promise({"w": digest_of(array)})
    assert "w" not in store and store.is_known("w") and store.digest("w") == digest_of(array)
    with pytest.raises(CompileError, match="the weights 'w' are needed: name their file by weights"):
        store.get("w")
    assert store.put("w", array) == "w.1"
    store.fill("w", array)
    assert np.shares_memory(store.get("w"), array)


@pytest.mark.parametrize(
    "array", [np.zeros(()), np.zeros((0, 3)), np.arange(6).reshape(2, 3).T, np.float32([[1], [2]])]
)
def test_digests_are_of_type_shape_and_elements(tmp_path, array):
    copy = np.array(array, order="C")
    assert digest_of(array) == digest_of(copy)
    assert digest_of(array) not in {digest_of(array.reshape(1, *array.shape)), digest_of(array.astype("i2"))}
    write_weights(tmp_path / "w.npz", {digest_of(array): array})
    store, module = WeightStore(), ModuleOp([])
    context = make_context(ARCH)
    context.weights.put("w", array)
    module.body.block.add_op(ConstantOp.make([], TensorType(f32, array.shape), node="w", tensor="w", key="w"))
    carry(module, context)
    load_weights(tmp_path / "w.npz", module, store)
    np.testing.assert_array_equal(store.get("w"), array)


def test_nothing_to_compile_is_refused():
    for model in (None, 5):
        with pytest.raises(InputError, match="nothing that a front end reads"):
            lower(request_of(model), make_context(ARCH))
