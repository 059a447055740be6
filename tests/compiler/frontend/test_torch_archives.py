"""Files of `torch.export.save` are read before torch reads them: what it would execute is refused. Needs no torch."""

import io
import json
import zipfile

import pytest

from compiler.frontend.torch.archive import harmless_copy
from emu.errors import CompileError

TENSOR = {"as_tensor": {"name": "x"}}
NODE = {
    "target": "torch.ops.aten.relu.default",
    "inputs": [{"name": "self", "arg": TENSOR, "kind": 1}],
    "outputs": [TENSOR],
    "metadata": {"stack_trace": "forward", "source_fn_stack": "l,os.system", "from_node": "[]"},
}
SPEC = json.dumps([1, {"type": "builtins.tuple", "context": "null", "children_spec": [{"type": None}]}])
PLAIN = {"path_name": "weight_0", "use_pickle": False}


def archive(tmp_path, *, node=NODE, spec=SPEC, sizes=(), weights=PLAIN, add=(), leave=(), how=zipfile.ZIP_STORED):
    """A file with a graph of one node."""
    model = {
        "graph_module": {
            "graph": {"nodes": [node], "sizes": [{"as_expr": {"expr_str": text}} for text in sizes]},
            "signature": {"input_specs": [{"parameter": {"parameter_name": "w", "target": "any.name"}}]},
            "module_call_graph": [{"fqn": "", "signature": {"in_spec": spec, "out_spec": spec}}],
        }
    }
    records = {
        "models/model.json": json.dumps(model).encode(),
        "data/weights/model_weights_config.json": json.dumps({"config": {"w": weights}}).encode(),
        "data/constants/model_constants_config.json": b'{"config": {}}',
        "data/weights/weight_0": bytes(8),
        "data/sample_inputs/model.pt": b"pickled",
        "archive_version": b"0",
        ".data/version": b"3",
        **dict(add),
    }
    path = tmp_path / "net.pt2"
    with zipfile.ZipFile(path, "w", how) as made:
        for name, data in records.items():
            if name not in leave:
                made.writestr(f"net/{name}", data)
    return path


def read(path):
    with zipfile.ZipFile(harmless_copy(path)) as made:
        return {name.partition("/")[2]: made.read(name) for name in made.namelist()}


def test_what_is_pickled_and_what_nodes_remember_is_left_out(tmp_path):
    sizes = ("Symbol('s31', positive=True, integer=True)", "Add(Integer(2), Mul(Integer(-1), Symbol('s0')))", "s0")
    copy = read(archive(tmp_path, sizes=sizes))
    assert copy["data/sample_inputs/model.pt"] == b""
    assert copy["data/weights/weight_0"] == bytes(8)
    (node,) = json.loads(copy["models/model.json"])["graph_module"]["graph"]["nodes"]
    assert node == {**NODE, "metadata": {"stack_trace": "forward"}}


OPERATORS = (
    "torch.os.system",
    "torch.ops.load_library",
    "torch.ops.aten.__class__.default",
    "torch.ops._C.x.y",
    "torch.ops.aten.relu.default.__call__",
    "builtins.eval",
    "#registered:op",
    "torch.sym_not.__globals__",
    7,
)
SIZES = (
    "__import__('os').system('true')",
    "Symbol('s0').__class__",
    "exec('1')",
    "Integer('__import__(1)')",
    "[Symbol('s0')]",
    "(lambda: 1)()",
    "Symbol('s0'",
    "Pow(Integer(9), Integer(9)) if 1 else 2",
    3,
)


@pytest.mark.parametrize("target", OPERATORS)
def test_operators_of_others_are_refused(tmp_path, target):
    with pytest.raises(CompileError, match=r"net.pt2 calls .* which is no operator of torch's libraries: write"):
        read(archive(tmp_path, node={**NODE, "target": target}))
    given = {**NODE, "inputs": [{"name": "f", "arg": {"as_operator": target}, "kind": 1}]}
    with pytest.raises(CompileError, match="no operator of torch's libraries"):
        read(archive(tmp_path, node=given))


@pytest.mark.parametrize("text", SIZES)
def test_sizes_are_arithmetic(tmp_path, text):
    with pytest.raises(CompileError, match=r"has a size that is no (arithmetic|expression)"):
        read(archive(tmp_path, sizes=(text,)))


STRANGE = {
    "holds 'data/aotinductor/model/net.so', which torch would unpickle, or load as code": {
        "add": {"data/aotinductor/model/net.so": b""}
    },
    "holds 'data/constants/opaque_obj_0', which torch would": {"add": {"data/constants/opaque_obj_0": b""}},
    "holds 'data/constants/custom_obj_0', which torch would": {"add": {"data/constants/custom_obj_0": b""}},
    "holds 'data/weights/model.pt', which torch would": {"add": {"data/weights/model.pt": b""}},
    "holds weights or constants that are pickled": {"weights": {**PLAIN, "use_pickle": True}},
    "holds objects of classes": {"node": {**NODE, "inputs": [{"arg": {"as_custom_obj": {"name": "o"}}}]}},
    "is not as torch.export.save writes files": {"leave": ["data/weights/model_weights_config.json"]},
    "is compressed": {"how": zipfile.ZIP_DEFLATED},
    r"has a damaged models/model.json \(": {"add": {"models/model.json": b"{"}},
    "has inputs or outputs in 'os.environ': give and return tuples": {
        "spec": SPEC.replace("builtins.tuple", "os.environ")
    },
    "has a damaged structure": {"spec": "?"},
}


@pytest.mark.parametrize("sentence", STRANGE)
def test_what_torch_would_execute_is_refused(tmp_path, sentence):
    with pytest.raises(CompileError, match=f"net.pt2 {sentence}"):
        read(archive(tmp_path, **STRANGE[sentence]))


@pytest.mark.parametrize("data", [b"", b"PK\3\4", bytes(100)])
def test_other_files_are_refused(tmp_path, data):
    (tmp_path / "net.pt2").write_bytes(data)
    with pytest.raises(CompileError, match=r"net.pt2 is no file of torch.export.save, or is damaged"):
        read(tmp_path / "net.pt2")
    with pytest.raises(CompileError, match=r"none.pt2 does not exist"):
        read(tmp_path / "none.pt2")


def test_cut_and_turned_bytes_end_in_a_sentence(tmp_path):
    whole = archive(tmp_path).read_bytes()
    for place in range(0, len(whole), 37):
        for data in (whole[:place], whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :]):
            (tmp_path / "cut.pt2").write_bytes(data)
            try:
                assert isinstance(harmless_copy(tmp_path / "cut.pt2"), io.BytesIO)
            except CompileError as error:
                assert "cut.pt2" in str(error)
