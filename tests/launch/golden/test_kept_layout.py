"""Kept tensors of compiled networks: the image tells how they lie, so they equal the golden ones as they are."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx_nets import Net, conv_nets

import compiler
from emu.image.reader import Image, open_image
from emu.image.seal import seal
from emu.program.codec import encode_program
from launch.chips.sequential import power_on_sequential
from launch.golden.intermediate import choose, kept_tensors, tensors_of
from launch.golden.values import compute_golden
from launch.golden.verdict import KEPT_SLACK, compare
from launch.processes.options import RunOptions
from launch.runs.job import run_job
from launch.runs.request import Job
from launch.samples.inputs import seeded_inputs

TOKENS = 8  # as many as channels: sizes do not tell which is which


def tokens() -> onnx.ModelProto:
    """Two products over the rows of a square [1, 8, 8], with a transposition between them."""
    net = Net([1, TOKENS, TOKENS])
    first = net.add("MatMul", "x", net.weights(TOKENS, TOKENS))
    second = net.add("Tanh", first)
    turned = net.add("Transpose", second, perm=[0, 2, 1])
    third = net.add("MatMul", turned, net.weights(TOKENS, TOKENS))
    return net.model(net.add("Sigmoid", third))


def compiled(model: onnx.ModelProto, folder: Path, **options: str) -> Image:
    onnx.save(model, folder / "net.onnx")
    compiler.compile(folder / "net.onnx", cores=32, out=folder / "out", **options)
    return open_image(folder / "out")


def check_kept(image: Image, model: Path) -> list[str]:
    """Compare all kept tensors of one sample with onnxruntime; returns the nodes that were compared."""
    inputs = seeded_inputs(image.manifest.inputs, 3)
    tensors = kept_tensors({core: image.program(core).buffers for core in image.cores})
    known = tensors_of(model)
    kept = [tensor for tensor in choose(["all"], tensors, image.manifest) if tensor.name in known]
    golden = compute_golden(model, "onnxruntime", inputs, [tensor.name for tensor in kept])
    with power_on_sequential(image.path, keep=[tensor.name for tensor in kept]) as chip:
        (result,) = chip.stream([{name: array[0] for name, array in inputs.items()}])
    for tensor in kept:
        verdict = compare(
            tensor.name, tensor.assemble(result.captures)[None], golden.tensors[tensor.name], slack=KEPT_SLACK
        )
        assert verdict.passed, verdict
    return [tensor.name for tensor in kept]


@settings(max_examples=examples(3, 12))
@given(conv_nets(), st.sampled_from(["image", "rows:1", "auto"]))
def test_random_networks(model: onnx.ModelProto, granularity: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        image = compiled(model, Path(name), granularity=granularity)
        kept = check_kept(image, Path(name, "net.onnx"))
        assert kept or granularity != "image"


@settings(max_examples=examples(3, 12))
@given(st.data())
def test_random_rearrangements(data: st.DataObject) -> None:
    """Reshapes, transpositions and activations of small tensors with equal sizes."""
    net = Net([1, 4, 4, 4])
    x = net.conv("x", 4, 4, (1, 1))
    shape = [1, 4, 4, 4]
    for _ in range(data.draw(st.integers(1, 4))):
        kind = data.draw(st.sampled_from(["Transpose", "Reshape", "Tanh", "Add"]))
        if kind == "Transpose":
            perm = [0, *data.draw(st.permutations(range(1, len(shape))))]
            x, shape = net.add("Transpose", x, perm=perm), [shape[axis] for axis in perm]
        elif kind == "Reshape":
            shape = data.draw(st.sampled_from([[1, 4, 4, 4], [1, 4, 16], [1, 16, 4], [1, 64]]))
            x = net.add("Reshape", x, net.constant(np.array(shape, np.int64)))
        elif kind == "Tanh":
            x = net.add("Tanh", x)
        else:
            x = net.add("Add", x, x)
    with tempfile.TemporaryDirectory() as name:
        image = compiled(net.model(net.add("Sigmoid", net.add("Add", x, x))), Path(name))
        assert check_kept(image, Path(name, "net.onnx"))


def test_square_tokens(tmp_path: Path) -> None:
    image = compiled(tokens(), tmp_path)
    assert check_kept(image, tmp_path / "net.onnx") == ["tanh2", "sigmoid5"]
    absent = {origin.node: origin.absent for origin in image.manifest.tensors}
    assert absent["matmul1"] == "fused into node 'tanh2'"
    assert absent["transpose3"] == "shows tensor 'tanh2', no data of its own"


def test_square_tokens_that_are_transposed_fail(tmp_path: Path) -> None:
    """The same buffers read the other way round, as if the programs had transposed them: no shape betrays that."""
    image = compiled(tokens(), tmp_path)
    turned = 0
    for entry in image.manifest.cores:
        program = image.program(entry.core)
        buffers = [
            replace(spec, form=replace(spec.form, layout=("", *spec.form.layout[:0:-1])))
            if spec.tensor == "tanh2"
            else spec
            for spec in program.buffers
        ]
        turned += buffers != list(program.buffers)
        (image.path / entry.program).write_bytes(encode_program(replace(program, buffers=tuple(buffers))))
    assert turned == 1 and seal(image.path) == 1
    job = Job(
        out=image.path,
        model=tmp_path / "net.onnx",
        keep=("tanh2",),
        seed=0,
        options=RunOptions(sequential=True),
        quiet=True,
    )
    report = run_job(job)
    assert report.verdict and report.verdict.passed
    assert report.kept and not report.kept.passed and report.exit_code == 1
    assert run_job(replace(job, keep_informs=True)).exit_code == 0


@pytest.mark.parametrize("node", ["matmul1", "transpose3"])
def test_what_has_no_tensor_is_told_without_the_model(tmp_path: Path, node: str) -> None:
    image = compiled(tokens(), tmp_path)
    told = {"matmul1": "fused into node 'tanh2'", "transpose3": "shows tensor 'tanh2'"}
    with pytest.raises(Exception, match=f"--keep '{node}': {told[node]}"):
        run_job(Job(out=image.path, keep=(node,), golden="none", save=tmp_path / "k.npz"))
