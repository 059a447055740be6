"""`emu launch` and `emu validate`: inputs, golden values, verdicts, kept tensors, exit codes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import DIGITS, SAMPLES, Emu
from leaks import descendants
from program_sets import ring
from stepper import program

from emu.arch import Arch
from emu.image.manifest import Manifest
from emu.image.npz import read_npz, write_npz
from emu.image.reader import open_image
from emu.image.writer import ImageWriter
from emu.isa.address import Address
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from launch.chips import power


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Five of the example's samples, with their labels."""
    arrays = {name: array[:5] for name, array in read_npz(SAMPLES).items()}
    write_npz(tmp_path / "few.npz", arrays)
    return tmp_path / "few.npz"


def image_of(out: Path, programs: dict[int, Program]) -> Path:
    """An image of hand-written programs without inputs and outputs."""
    with ImageWriter(out) as writer:
        for written in programs.values():
            writer.add_core(written, ())
        writer.finish(Manifest(Arch(), (), (), (), 64))
    return out


def test_stored_inputs_and_golden(emu: Emu, digits_image: Path) -> None:
    result = emu("launch", digits_image, "--sequential")
    lines = result.stdout.splitlines()
    assert (result.exit_code, result.stderr) == (0, "")
    assert lines[0].endswith("programs in one process, in turns, rendezvous, engine batch")
    assert lines[1].startswith("started in ")
    assert lines[2].startswith("golden onnxruntime ")
    assert lines[3].startswith("PASS  out0: max|diff| ")
    assert "argmax 2/2" in lines[3]


def test_processes_with_idle_cores(emu: Emu, digits_image: Path, few: Path) -> None:
    busy = len(open_image(digits_image).cores)
    result = emu(
        *("launch", digits_image, "--cores", busy + 3, "--input", few, "--labels", "labels", "--model", DIGITS),
        *("--flow", "credits:2", "--timeout", 60),
    )
    lines = result.stdout.splitlines()
    assert (result.exit_code, result.stderr) == (0, "")
    assert lines[0] == (f"{busy + 3} core processes ({busy} hold a program) over ZeroMQ ipc, credits:2, engine batch")
    assert "5 samples in" in lines[1]
    assert lines[2].startswith("accuracy 5/5")
    assert lines[-1].startswith("PASS")


def test_outputs_are_the_same_bits_everywhere(emu: Emu, digits_image: Path, few: Path, tmp_path: Path) -> None:
    def save(name: str, *options: object) -> bytes:
        path = tmp_path / name
        result = emu("launch", digits_image, "--input", few, "--golden", "none", "--save", path, *options)
        assert result.exit_code == 0, result.stderr
        return path.read_bytes()

    assert save("a.npz", "--sequential") == save("b.npz", "--transport", "ipc") == save("c.npz", "--transport", "tcp")
    assert {name: array.shape for name, array in read_npz(tmp_path / "a.npz").items()} == {"out0": (5, 1, 10)}


def test_json_is_all_there_is(emu: Emu, digits_image: Path) -> None:
    result = emu("launch", digits_image, "--sequential", "--json", "--repeat", 2, "--keep", "all", "--model", DIGITS)
    report = json.loads(result.stdout)
    assert (result.exit_code, result.stderr, result.stdout.count("\n")) == (0, "", 1)
    assert report["exit_code"] == 0
    assert report["options"]["log_dir"] is None
    assert report["repeats_equal"] is True
    assert report["verdict"]["tensors"][0]["argmax_agree"] == 2
    kept = {tensor["node"]: tensor for tensor in report["kept"]["tensors"]}
    assert kept["node_relu_1"]["name"] == "relu_1"
    assert all(tensor["passed"] for tensor in kept.values())


def test_wrong_golden_fails(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    golden = open_image(digits_image).golden()["out0"].copy()
    golden[1, 0, 7] += 1
    write_npz(tmp_path / "g.npz", {"out0": golden})
    for options, code in ([], 1), (["--tolerance", 0.5], 0), (["--golden", "none"], 0):
        result = emu("launch", digits_image, "--sequential", "--golden", tmp_path / "g.npz", *options)
        assert result.exit_code == code
    wrong = emu("launch", digits_image, "--sequential", "--golden", tmp_path / "g.npz")
    assert "FAIL  out0: max|diff| 1," in wrong.stdout
    assert "worst at sample 1 [0, 7]" in wrong.stdout
    assert "1 of 20 elements beyond, in 1 of 2 samples" in wrong.stdout


def test_wrong_weight_fails(emu: Emu, own_image: Path) -> None:
    victim = own_image / "core_0000.xbar"
    content = bytearray(victim.read_bytes())
    content[3] ^= 0x40  # an exponent bit of the first weight
    victim.write_bytes(content)
    assert emu("launch", own_image, "--sequential").exit_code == 2
    assert emu("import", "--seal", own_image).exit_code == 0
    assert emu("launch", own_image, "--sequential").exit_code == 1


def test_kept_tensors_are_saved_and_tabulated(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    result = emu("launch", digits_image, "--sequential", "--keep", "node_relu_1", "--model", DIGITS, "--save", path)
    assert result.exit_code == 0
    assert any(line.split()[:2] == ["node_relu_1", "relu_1"] for line in result.stdout.splitlines())
    assert {name: array.shape for name, array in read_npz(path).items()} == {
        "out0": (2, 1, 10),
        "relu_1": (2, 1, 32, 4, 4),
    }


def test_a_kept_output_is_stored_as_the_output(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    result = emu("launch", digits_image, "--sequential", "--keep", "out0", "--save", path)
    assert result.exit_code == 0
    assert read_npz(path)["out0"].shape == (2, 1, 10)


def test_seeded_inputs(emu: Emu, digits_image: Path) -> None:
    unknown = emu("launch", digits_image, "--sequential", "--seed", 5)
    assert unknown.exit_code == 2
    assert (
        "has no golden values for these inputs, so nothing can be verified: give --model FILE.onnx," in unknown.stderr
    )
    asked = emu("launch", digits_image, "--sequential", "--seed", 5, "--golden", "none")
    assert asked.exit_code == 0
    assert asked.stdout.splitlines()[-1] == "not compared (--golden none)"
    known = emu("launch", digits_image, "--sequential", "--seed", 5, "--model", DIGITS, "--golden", "numpy")
    assert known.exit_code == 0
    assert "golden onnx.reference" in known.stdout


def test_refusals(emu: Emu, digits_image: Path, few: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.onnx"
    other.write_bytes(b"x")
    write_npz(tmp_path / "y.npz", {"y": np.zeros((1, 1, 8, 8), np.float32)})
    strange = tmp_path / "strange.npz"
    arrays = read_npz(few)
    write_npz(strange, arrays | {"labels": np.full_like(arrays["labels"], 10)})
    for options, words in [
        (["--cores", 1], f"needs at least {len(open_image(digits_image).cores)} cores"),
        (["--cores", 5000], "at most 1024 cores"),
        (["--input", tmp_path / "y.npz"], "no array 'in0': it holds 'y', the network takes 'in0' float32 (1, 1, 8, 8)"),
        (["--labels", "labels"], "give --input"),
        (["--input", strange, "--labels", "labels"], "hold 10: output 'out0' has the classes 0 to 9"),
        (["--transport", "tcp"], "--transport has no effect with --sequential"),
        (["--log-dir", tmp_path], "--log-dir has no effect with --sequential"),
        (["--input", few, "--seed", 0], "--seed has no effect with --input"),
        (["--input", few, "--labels", "classes"], "no array 'classes'"),
        (["--model", other], "is not the model"),
        (["--input", few, "--golden", "onnxruntime"], "give --model"),
        (["--input", few, "--golden", few], "have no output 'out0'"),
        (["--golden", "tensorflow"], "neither onnxruntime"),
        (["--keep", "magic", "--model", DIGITS], "no node or tensor called magic; can be kept: node_relu, "),
        (["--keep", "all"], "give --model"),
        (["--engine", "slow"], "'slow' is not one of"),
        (["--repeat", 0], "'--repeat': 0 is too small: give 1 or more"),
        *[
            (["--tolerance", x], words)
            for x, words in (("nan", "finite"), ("inf", "finite"), (-1, "too small: give 0 or more"))
        ],
        *[
            (["--timeout", x], words)
            for x, words in (("nan", "finite"), ("inf", "finite"), (-1, "too small: give 0 or more"))
        ],
    ]:
        result = emu("launch", digits_image, "--sequential", *options)
        assert result.exit_code == 2, options
        assert words in result.stderr
        assert "Traceback" not in result.stderr


def test_damaged_images_are_refused(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    for name in ("manifest.json", "core_0000.prog", "core_0000.xbar", "inputs.npz", "golden.npz"):
        out = Path(shutil.copytree(digits_image, tmp_path / name))
        content = (out / name).read_bytes()
        (out / name).write_bytes(content[: len(content) // 2])
        for prepare in ([], ["import", "--seal", out]):
            if prepare:
                emu(*prepare)
            result = emu("launch", out, "--sequential")
            assert result.exit_code == 2, (name, prepare)
            assert result.stderr.startswith("error: ")


@pytest.mark.parametrize("how", [["--sequential"], []])
def test_traps_and_deadlocks_have_their_codes(emu: Emu, tmp_path: Path, how: list[str]) -> None:
    trapping = image_of(tmp_path / "trap", {0: program(0, ("lldi", 1 << 40, 0, 8))})
    result = emu("launch", trapping, "--no-check", "--golden", "none", *how)
    assert result.exit_code == 3
    assert "core 0 trapped at main[0] lldi" in result.stderr
    deadlocked = image_of(tmp_path / "ring", ring(3, send_first=True))
    result = emu("launch", deadlocked, "--no-check", "--golden", "none", *how)
    assert result.exit_code == 4
    assert result.stderr.count("\n") == 1
    told = result.stderr.removeprefix("error: ").strip()
    for out, words in ((trapping, "core 0 at main[0] lldi"), (deadlocked, told)):
        refused = emu("launch", out, *how)
        assert refused.exit_code == 2
        assert refused.stderr.count("\n") == 1
        assert words in refused.stderr and "--no-check" in refused.stderr


def chatter(core: int, name: str, operand: int) -> Program:
    """A program that sends to, or receives from, the other of two cores for ever."""
    build = SectionBuilder()
    build.emit("lldi", (), (Address(0),), byte=0, size=8)
    with build.loop((1 << 31) - 1), build.loop((1 << 31) - 1):
        build.emit(name, (), (Address(operand),), core=1 - core, size=8)
    return Program(core, main=build.finish())


def test_timeout_has_its_code(emu: Emu, tmp_path: Path) -> None:
    out = image_of(tmp_path / "endless", {0: chatter(0, "send", 0), 1: chatter(1, "recv", 8)})
    result = emu("launch", out, "--sequential", "--timeout", 0.2, "--golden", "none")
    assert result.exit_code == 6
    assert result.stderr.startswith("error: nothing came out within 0.2 s (raise --timeout if it only takes longer): ")


def test_timeout_ends_a_core_that_only_computes(emu: Emu, tmp_path: Path) -> None:
    build = SectionBuilder()
    with build.loop((1 << 31) - 1), build.loop((1 << 31) - 1):
        build.emit("lldi", (), (Address(0),), byte=0, size=8)
    out = image_of(tmp_path / "endless", {0: Program(0, main=build.finish())})
    result = emu("launch", out, "--sequential", "--timeout", 0.2, "--golden", "none")
    assert result.exit_code == 6
    assert "core 0 computed at main[" in result.stderr


@pytest.mark.few(2)
@pytest.mark.parametrize("closed", ["<&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_daemons_may_have_closed_streams(tmp_path: Path, closed: str) -> None:
    out = image_of(tmp_path / "one", {0: program(0, ("lldi", 0, 0, 8))})
    code = f"from launch.cli import main; main(['launch', {str(out)!r}, '--golden', 'none', '--timeout', '60'])"
    done = subprocess.run(["sh", "-c", f'"$0" -c "$1" {closed}', sys.executable, code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_interrupt_ends_everything_with_its_code(tmp_path: Path) -> None:
    out = image_of(tmp_path / "endless", {0: chatter(0, "send", 0), 1: chatter(1, "recv", 8)})
    code = f"from launch.cli import main; main(['launch', {str(out)!r}, '--golden', 'none'])"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 20
    while len(descendants()) < 5 and time.monotonic() < deadline:  # launcher, zygote, memory and two cores
        time.sleep(0.05)
    assert len(descendants()) == 5
    os.killpg(process.pid, signal.SIGINT)  # what a terminal does
    stdout, stderr = process.communicate(timeout=20)
    assert (process.returncode, stdout, stderr) == (130, "", "error: interrupted\n")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_terminated_validation_leaves_nothing(tmp_path: Path, number: signal.Signals, code: int) -> None:
    run = f"from launch.cli import main; main(['validate', {str(DIGITS)!r}])"
    process = subprocess.Popen(
        [sys.executable, "-c", run], stderr=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": str(tmp_path)}
    )
    deadline = time.monotonic() + 20
    while not list(tmp_path.glob("emu-validate-*")) and time.monotonic() < deadline:  # it compiles and runs for 0.4 s
        time.sleep(0.01)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=20)
    assert (process.returncode, stderr) == (code, "error: terminated\n")
    assert list(tmp_path.iterdir()) == []


def test_stopped_processes_are_told_on_stderr(emu: Emu, digits_image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = power.power_on

    def noticing(*arguments: Any, notice: Callable[[str], None], **options: Any) -> AbstractContextManager[Any]:
        notice("core 5 is stopped (SIGSTOP)")
        return whole(*arguments, notice=notice, **options)

    monkeypatch.setattr(power, "power_on", noticing)
    result = emu("launch", digits_image, "--json")
    assert result.stderr == "core 5 is stopped (SIGSTOP)\n" and json.loads(result.stdout)["exit_code"] == 0


def test_validate(emu: Emu) -> None:
    result = emu("validate", DIGITS, "--cores", 16, "--samples", 3, "--sequential")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("digits_cnn.onnx: 5 cores")
    assert "argmax 3/3" in lines[-1]
    report = json.loads(emu("validate", DIGITS, "--cores", 16, "--sequential", "--json").stdout)
    assert report["exit_code"] == 0
