"""Modules of torch, compiled: called like them, close to them, on cores and with a device."""

import json
import subprocess
import sys

import numpy as np
import pytest
from torch_extra import OF_TORCHAO, imported

import compiler
import launch
from emu.errors import InputError

torch = imported()
imported("onnxscript")

from torch_modules import (  # noqa: E402
    CASES,
    SAMPLE,
    Quantisable,
    flat,
    quantised,
    session,
    shape_of,
)

NEED = ("cnn", "lstm", "transformer")
ORDINARY = (*NEED, "structures")


def check(made, wanted):
    assert shape_of(made) == shape_of(wanted)
    for one, other in zip(flat(made), flat(wanted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=2e-6 * max(1, np.abs(other).max(initial=0)))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in ORDINARY else pytest.mark.full) for name in CASES]
)
@torch.no_grad()
def test_a_module_on_cores(compiled, name):
    module, model = compiled(name)
    assert not model.warnings
    for seed in (1, 2):
        args, kwargs = CASES[name].inputs(seed)
        check(model(*args, **kwargs), module(*args, **kwargs))


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in NEED else pytest.mark.full) for name in CASES])
@torch.no_grad()
def test_a_module_with_a_device(name):
    case = CASES[name]
    module, (args, kwargs) = case.module(), case.inputs(1)
    with launch.device("default", cores=2, backend="sequential") as chip:
        with compiler.from_torch(module, args, kwargs, device=chip) as model:
            check(model(*args, **kwargs), module(*args, **kwargs))
            first = chip.counters
            args, kwargs = case.inputs(2)
            check(model(*args, **kwargs), module(*args, **kwargs))
            second = chip.counters
        assert second.products == 2 * first.products
        assert (second.products > 0) == (name != "structures")
        if name in ("cnn", "lstm"):
            assert second.writes == first.writes  # all weights are constant, and stay


LOADS = """
import json, sys
import numpy as np
import compiler, launch

arrays = np.load(sys.argv[1])
for name, (folder, offloaded) in json.loads(sys.argv[2]).items():
    x = arrays[f"{name}/x"]
    with compiler.load(folder, device="default" if offloaded else None) as model:
        made = model(x)
    while not isinstance(made, np.ndarray):
        made = made["y"] if isinstance(made, dict) else made[0]
    np.save(f"{folder}.npy", made)
assert "torch" not in sys.modules
"""


@pytest.fixture(scope="module")
def integers():
    """A quantised CNN, the module and what it was compiled to."""
    torch.manual_seed(3)
    samples = [torch.randn(SAMPLE) for _ in range(4)]
    module = quantised(Quantisable().eval(), samples, "xnnpack")
    with compiler.from_torch(module, (samples[0],)) as model:
        yield module, model


pytestmark = [pytest.mark.filterwarnings(text) for text in OF_TORCHAO]


def test_saved_models_are_loaded_in_a_new_process(compiled, integers, tmp_path):
    models = {name: compiled(name)[1] for name in NEED} | {"integers": integers[1]}
    arrays, wanted = {}, {}
    for name, model in models.items():
        x = torch.randn(SAMPLE, generator=torch.Generator().manual_seed(9)) if name == "integers" else None
        x = CASES[name].inputs(9)[0][0] if x is None else x
        arrays[f"{name}/x"] = x.numpy()
        wanted[name] = flat(model(x))[0]
        model.save(tmp_path / name)
    x = torch.ones(2, 4)
    with compiler.from_torch(torch.nn.Linear(4, 3), (x,), device="default") as model:
        model.save(tmp_path / "offloaded")
        arrays["offloaded/x"], wanted["offloaded"] = x.numpy(), model(x).numpy()
    np.savez(tmp_path / "arrays.npz", **arrays)
    folders = {name: (str(tmp_path / name), name == "offloaded") for name in wanted}
    command = [sys.executable, "-c", LOADS, str(tmp_path / "arrays.npz"), json.dumps(folders)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    for name, array in wanted.items():
        made = np.load(tmp_path / f"{name}.npy")
        np.testing.assert_array_equal(made, array, name)


def onnx_of(module):
    from compiler.frontend.torch.exporting import exported, to_onnx

    return to_onnx(exported(module, (torch.zeros(SAMPLE),), {}), "quantised")[0]


@torch.no_grad()
def test_a_quantised_module_is_one_of_integers(integers):
    module, model = integers
    evaluator = session(onnx_of(module))
    held = [group for program in programs(model) for group in program.groups]
    assert {group.weight.name for group in held} == {"i8"}
    (feed,) = evaluator.get_inputs()
    with (
        launch.device("default", cores=2, backend="sequential") as chip,
        compiler.from_torch(module, (torch.zeros(SAMPLE),), device=chip) as offloaded,
    ):
        for seed in range(20):
            x = torch.randn(SAMPLE, generator=torch.Generator().manual_seed(seed))
            (wanted,) = evaluator.run(None, {feed.name: x.numpy()})
            for made in (model(x), offloaded(x)):
                np.testing.assert_array_equal(made, wanted)
        assert {crossbar.spec.weight.name for crossbar in chip.crossbars} == {"i8"}


def programs(model):
    from emu.image.reader import open_image

    image = open_image(model.path)
    return [image.program(core) for core in image.cores]


@pytest.mark.full
@pytest.mark.parametrize(("kind", "columns"), [("xnnpack", False), ("x86", True)])
@torch.no_grad()
def test_other_quantisers(kind, columns):
    """That of x86 leaves the last product as floats: its sums are integers all the same."""
    torch.manual_seed(3)
    samples = [torch.randn(SAMPLE) for _ in range(4)]
    module = quantised(Quantisable().eval(), samples, kind, columns=columns)
    evaluator = session(onnx_of(module))
    (feed,) = evaluator.get_inputs()
    with compiler.from_torch(module, (samples[0],)) as model:
        assert {group.weight.name for program in programs(model) for group in program.groups} == {"i8"}
        for sample in samples:
            (wanted,) = evaluator.run(None, {feed.name: sample.numpy()})
            np.testing.assert_allclose(model(sample), wanted, rtol=1e-4 if kind == "x86" else 0, atol=1e-5)


def test_on_processes_and_with_arrays(compiled, tmp_path):
    _, model = compiled("cnn")
    (x,), _ = CASES["cnn"].inputs(4)
    model.save(tmp_path / "saved")
    with compiler.CompiledModel.load(tmp_path / "saved", runner="processes") as other:
        made = other(x=x.numpy())
    assert isinstance(made, np.ndarray)
    np.testing.assert_array_equal(made, model(x))


WRONG = {
    "argument 'x' is missing: the model takes x": ((), {}),
    "2 arguments given, and the model takes x": ((1, 2), {}),
    "there is no argument 'z': the model takes x": ((), {"z": 1}),
    "argument 'x' is given twice": ((1,), {"x": 1}),
    "tensor 'x' is float32\\[1, 3, 8, 9\\], expected float32\\[1, 3, 8, 8\\]": ((torch.zeros(1, 3, 8, 9),), {}),
    "tensor 'x' is float64": ((np.zeros((1, 3, 8, 8)),), {}),
    "input 'x' cannot be made an array: .*BFloat16": ((torch.zeros(1, 3, 8, 8, dtype=torch.bfloat16),), {}),
    "argument 'x' is a tensor or an array, not None": ((None,), {}),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_other_arguments_are_refused(compiled, sentence):
    args, kwargs = WRONG[sentence]
    with pytest.raises(InputError, match=sentence):
        compiled("cnn")[1](*args, **kwargs)


def test_structures_are_refused_by_what_is_wrong_with_them(compiled):
    model = compiled("structures")[1]
    (x, both), kwargs = CASES["structures"].inputs(0)
    for sentence, (args, named) in {
        "argument 'both' is a dictionary of 'a', 'b'": ((x, {"a": x}), kwargs),
        r"argument 'both'\['b'\] is a list of 1": ((x, both | {"b": []}), kwargs),
        "argument 'scale' was compiled as None: it cannot be 2.0 now": ((x, both), {**kwargs, "scale": 2.0}),
        "argument 'extra' is missing: the model takes x, both, scale=, extra=": ((x, both), {"scale": None}),
    }.items():
        with pytest.raises(InputError, match=sentence):
            model(*args, **named)
