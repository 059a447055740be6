"""Tiles that are copied in parts for several cores: the core that makes a wrong part is named, not one that copies."""

from pathlib import Path

import onnx
import pytest
from bisect_faults import Subject, edited, make
from bisect_table import changes_output
from onnx_nets import Net

from emu.arch import Arch, Core, Crossbar
from launch.bisect.finding import BisectResult
from launch.bisect.search import Question, bisect
from launch.images.compilation import compile_image

CHIP = Arch(name="chip", cores=64, core=Core(crossbars=64), crossbar=Crossbar(32, 32))


def network() -> onnx.ModelProto:
    net = Net([1, 3, 12, 12])
    y = net.conv("x", 3, 16, (3, 3), pads=[1, 1, 1, 1])
    y = net.add("Relu", net.conv(y, 16, 16, (3, 3), strides=[2, 2], pads=[1, 1, 1, 1]))
    return net.model(net.conv(y, 16, 16, (3, 3), pads=[1, 1, 1, 1]))


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> tuple[Subject, Path]:
    folder = tmp_path_factory.mktemp("cut")
    onnx.save(network(), folder / "net.onnx")
    compile_image(folder / "net.onnx", folder / "out", arch=CHIP, cores=5, quiet=True)
    return Subject(folder / "out"), folder / "net.onnx"


def copies(subject: Subject) -> list[tuple[int, int]]:
    """Core and index of the instructions that copy tiles in parts."""

    def is_copy(program, index):
        source = int(program.main.columns["source"][index])
        return source >= 0 and program.sources[source].part.endswith("in parts")

    return [
        (core, index)
        for core, index in subject.instructions(is_copy)
        if subject.programs[core].main.decode(index).operands
    ]


def search(bad: Path, model: Path, subject: Subject) -> BisectResult:
    inputs = subject.image.default_inputs()
    assert inputs is not None
    return bisect(Question(image=bad, model=model, inputs=inputs, recompile=False))


@pytest.mark.parametrize("shift", [4, 64, -4])
def test_a_part_that_is_copied_from_elsewhere_names_the_core_that_copies(
    cut: tuple[Subject, Path], tmp_path: Path, shift: int
) -> None:
    """Other channels are as right by themselves: that they are not the ones of the part tells."""
    subject, model = cut
    found = copies(subject)
    assert found
    for number, (core, index) in enumerate(found):
        bad = tmp_path / f"bad{number}"
        subject.copy(bad)

        def edit(columns, core=core, index=index):
            operands = subject.programs[core].main.decode(index).operands
            columns["base"][columns["operand"][index] + len(operands) - 1] += shift

        fault = edited(subject, bad, "address", core, index, edit)
        finding = search(bad, model, subject)
        if not finding.note:
            assert (finding.core, finding.node) == (core, fault.node)
            assert finding.wrong is not None and finding.wrong.core == core


@pytest.mark.parametrize("kind", ["weight", "missing accumulation", "wrong bias", "wrong stride"])
def test_products_behind_parts_are_named(cut: tuple[Subject, Path], tmp_path: Path, kind: str) -> None:
    subject, model = cut
    tried = 0
    for seed in range(30):
        bad = tmp_path / f"bad{seed}"
        fault = make(subject, kind, bad, f"parts {seed}")
        assert fault is not None
        if changes_output(subject, bad):
            finding = search(bad, model, subject)
            assert (finding.core, finding.node) == (fault.core, fault.node), fault
            tried += 1
        if tried == 2:
            break
    assert tried
