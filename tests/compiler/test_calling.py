"""How compiled models are called: trees of arguments, and what stands in the file about them. Needs no torch."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import compiler
from compiler.calling.convention import Calling, read_calling
from compiler.calling.tree import Branch, FixedArgument, Leaf, built, names, taken_apart
from emu.errors import EmuError, InputError, ProgramError

NAMES = st.sampled_from(["a", "b", "c", "key", "other"])


def branches(inner):
    members = st.lists(inner, max_size=3).map(tuple)
    keyed = st.dictionaries(NAMES, inner, max_size=3)
    return st.one_of(
        st.builds(Branch, st.sampled_from(["tuple", "list"]), members),
        keyed.map(lambda found: Branch("dict", tuple(found.values()), tuple(found))),
        keyed.map(lambda found: Branch("named", tuple(found.values()), tuple(found), "Result")),
    )


FIXED = st.builds(FixedArgument, st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=3)))
TREES = st.recursive(st.one_of(st.just(Leaf("?")), FIXED), branches, max_leaves=6)


def numbered(tree, count):
    """The tree with a name of its own for each tensor."""
    if isinstance(tree, Leaf):
        return Leaf(f"t{next(count)}")
    if isinstance(tree, Branch):
        return Branch(tree.kind, tuple(numbered(member, count) for member in tree.members), tree.keys, tree.name)
    return tree


@given(st.lists(TREES, max_size=3), TREES)
def test_a_convention_is_read_as_it_was_written(tmp_path_factory, arguments, result):
    count = iter(range(100))
    trees = tuple((f"x{place}", numbered(tree, count)) for place, tree in enumerate(arguments))
    result = numbered(result, count)
    calling = Calling(trees[:1], trees[1:], result)
    path = tmp_path_factory.mktemp("calling") / "calling.json"
    path.write_text(calling.text())
    assert read_calling(path, calling.inputs, names(result)) == calling
    values = {name: np.array(place) for place, name in enumerate(calling.inputs)}
    given_values = {name: built(tree, values.__getitem__) for name, tree in trees}
    assert calling.bound([], given_values) == values
    outputs = {name: np.zeros(2) for name in names(result)}
    found = dict(taken_apart(result, calling.returned(outputs, as_torch=False), "the result"))
    assert found.keys() == outputs.keys()


PAIR = Calling((("x", Branch("tuple", (Leaf("a"), Leaf("b")))),), (), Leaf("y"))
DAMAGED = {
    "format: is not": {"format": "another"},
    "there is no tensor 'q'": {"result": {"tensor": "q"}},
    "'set' is no kind": {"result": {"kind": "set", "members": []}},
    "other keys than members": {"result": {"kind": "dict", "members": [], "keys": ["a"]}},
    "a name that is no name": {"result": {"kind": "named", "members": [], "keys": [], "name": "__import__"}},
    "has other arguments than": {"positional": []},
    "key 'members' is missing": {"result": {"kind": "tuple"}},
    "is no constant": {"result": {"fixed": [1]}},
    "is nested too deeply": {"result": None},
}


@pytest.mark.parametrize("sentence", DAMAGED)
def test_damaged_conventions_are_refused(tmp_path, sentence):
    document = json.loads(PAIR.text()) | DAMAGED[sentence]
    if document["result"] is None:
        document["result"] = {"tensor": "y"}
        for _ in range(99):
            document["result"] = {"kind": "list", "members": [document["result"]]}
    (tmp_path / "calling.json").write_text(json.dumps(document))
    with pytest.raises(ProgramError, match=sentence):
        read_calling(tmp_path / "calling.json", ["a", "b"], ["y"])


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """An image that no module was compiled to."""
    from onnx import TensorProto, helper

    nodes = [helper.make_node("Add", ["x", "y"], ["s"]), helper.make_node("Sub", ["x", "y"], ["d"])]
    kinds = [helper.make_tensor_value_info(name, TensorProto.FLOAT, (2, 3)) for name in "xysd"]
    model = helper.make_model(helper.make_graph(nodes, "sums", kinds[:2], kinds[2:]))
    model.opset_import[0].version, model.ir_version = 20, 10
    out = tmp_path_factory.mktemp("image") / "out"
    compiler.compile(model, out=out)
    return out


@pytest.mark.parametrize("runner", ["sequential", "processes"])
def test_any_image_is_called_with_its_inputs_in_order(image, runner):
    x, y = np.float32([[1, 2, 3], [4, 5, 6]]), np.ones((2, 3), np.float32)
    with compiler.load(image, runner=runner) as model:
        for made in (model(x, y), model(y=y, x=x)):
            assert isinstance(made, tuple)
            np.testing.assert_array_equal(made, (x + y, x - y))
        with pytest.raises(InputError, match=r"tensor 'y' is float32\[1\], expected float32\[2, 3\]"):
            model(x, y[0, :1])
        np.testing.assert_array_equal(model(x, y)[0], x + y)  # a refusal leaves it as it was


def test_models_are_saved_and_closed(image, tmp_path):
    x = np.ones((2, 3), np.float32)
    model = compiler.load(image)
    for _ in range(2):
        model.save(tmp_path / "again")
    (tmp_path / "again" / "calling.json").write_text("{}")
    with pytest.raises(ProgramError, match="key 'format' is missing"):
        compiler.load(tmp_path / "again")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine").write_text("")
    with pytest.raises(InputError, match="is not empty and holds no image: it is not overwritten"):
        model.save(tmp_path / "taken")
    with pytest.raises(InputError, match="is a file: name a directory"):
        model.save(tmp_path / "taken" / "mine")
    model.close()
    model.close()
    with pytest.raises(InputError, match="the compiled model is closed"):
        model(x, x)


def test_what_is_no_compiled_model_is_refused(image, tmp_path):
    with pytest.raises(InputError, match=r"is no compiled model: CompiledModel.save and emu compile write one"):
        compiler.load(tmp_path)
    with pytest.raises(InputError, match="holds programs: compile the model with device to offload it"):
        compiler.load(image, device="default")
    with pytest.raises(InputError, match=r"runner 'sequental' is unknown: .*did you mean 'sequential'"):
        compiler.load(image, runner="sequental")(np.zeros(1), np.zeros(1))


def test_a_damaged_image_is_noticed_when_it_is_called(image, tmp_path):
    compiler.load(image).save(tmp_path / "copy")
    file = tmp_path / "copy" / "core_0000.prog"
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with compiler.load(tmp_path / "copy") as model, pytest.raises(EmuError, match=r"core_0000\.prog"):
        model(np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32))
