"""Networks as exporters write them, without their weights: core processes compute what onnxruntime does."""

import gzip

import onnx
import pytest
import skeletons

from emu.arch import Arch, Core, Crossbar

CHIP = Arch(name="sixteen", cores=64, core=Core(crossbars=4096), crossbar=Crossbar(16, 16))  # most channels: tiles
EXACT = 1e-30  # of what quantised networks of the form QOperator may differ: not at all
SMALL = {"swin-32": {}, "convnext-32": {}, "ghostnet-32-qoperator": {"tolerance": EXACT}}
LARGE = {"swin-t": {}, "swin-t-older": {}, "convnext-tiny": {}, "ghostnet-qoperator": {"tolerance": EXACT}}


def check(emu_validate, tmp_path, name, arch, **options):
    path = tmp_path / f"{name}.onnx"
    onnx.save(skeletons.load(name), path)
    report = emu_validate(str(path), arch, timeout=500, **options)
    assert report.verdict.passed, report.lines()


@pytest.mark.few(2)
@pytest.mark.parametrize("name", SMALL)
def test_small_networks(emu_validate, tmp_path, name):
    check(emu_validate, tmp_path, name, CHIP, cores=4, **SMALL[name])


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", LARGE)
def test_large_networks(emu_validate, tmp_path, name):
    check(emu_validate, tmp_path, name, "default", cores=64, **LARGE[name])


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_files_hold_the_structure_alone(name):
    path = skeletons.EXPORTED / f"{name}.onnx.gz"
    stored = onnx.load_model_from_string(gzip.decompress(path.read_bytes()))
    drawn = [tensor.name for tensor in stored.graph.initializer if tensor.doc_string]
    assert drawn and path.stat().st_size < 300_000


def test_the_same_seed_gives_the_same_weights():
    first, again, other = (skeletons.load("convnext-32", seed) for seed in (0, 0, 1))
    assert first == again != other
    assert first.graph.node == other.graph.node
