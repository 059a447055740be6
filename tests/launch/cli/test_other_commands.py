"""`emu info`, `import --seal`, networks of `export`, and `doctor`."""

import json
import sys
from pathlib import Path

import onnx
import pytest
from commands import Emu

from emu.errors import InputError
from launch.system import doctor
from launch.system.doctor import FAIL, OK, examine


def test_seal_accepts_edits(emu: Emu, own_image: Path) -> None:
    victim = own_image / "inputs.npz"
    victim.write_bytes((own_image / "golden.npz").read_bytes())
    refused = emu("info", own_image)
    assert refused.exit_code == 2
    assert "inputs.npz has changed" in refused.stderr
    sealed = emu("import", "--seal", own_image)
    assert (sealed.exit_code, sealed.stdout) == (0, f"{own_image}: sealed, 1 file had changed\n")
    assert emu("info", own_image).exit_code == 0


@pytest.mark.parametrize("command", [["info"], ["import", "--seal"], ["launch"], ["export", "--to", "asm"]])
def test_other_directories_are_no_images(emu: Emu, tmp_path: Path, command: list[str]) -> None:
    result = emu(*command, tmp_path)
    assert result.exit_code == 2
    assert "is no image" in result.stderr


def test_zoo(emu: Emu, tmp_path: Path) -> None:
    names = emu("export", "--list").stdout.split()
    assert "lenet5" in names
    path = tmp_path / "net.onnx"
    assert emu("export", "lenet5", "-o", path).exit_code == 0
    onnx.checker.check_model(str(path))
    first = path.read_bytes()
    emu("export", "lenet5", "-o", path, "--seed", 1)
    assert path.read_bytes() != first
    full = emu("export", "lenet5", "-o", "/dev/full")
    assert (full.exit_code, full.stderr.count("\n")) == (2, 1)
    assert full.stderr.startswith("error: /dev/full: cannot be written: No space left on device; free some")
    unknown = emu("export", "lenet6")
    assert unknown.exit_code == 2
    assert "lenet5" in unknown.stderr
    assert emu("export").exit_code == 2
    assert "kernels/mm" in names and {"vit_tiny", "5.72", "1254"} <= set(names)
    assert emu("export", "kernels/mm", "-o", path).exit_code == 0
    onnx.checker.check_model(str(path))
    assert "there is no kernel 'mmm'" in emu("export", "kernels/mmm").stderr


@pytest.mark.parametrize(("form", "kind"), [("qoperator", "QLinearConv"), ("qdq", "DequantizeLinear")])
def test_quantised_networks_of_the_zoo_are_exact(emu: Emu, tmp_path: Path, form: str, kind: str) -> None:
    path = tmp_path / "net.onnx"
    told = emu("export", "lenet5", "--quantize", form, "-o", path, "--json")
    assert json.loads(told.stdout)["quantize"] == form
    first = path.read_bytes()
    assert kind in {node.op_type for node in onnx.load(path).graph.node}
    emu("export", "lenet5", "--quantize", form, "-o", path)
    assert path.read_bytes() == first
    result = emu("validate", path, "--cores", 8)
    assert result.exit_code == 0, result.stderr
    assert "max|diff| 0," in result.stdout
    assert emu("export", "lenet5", "--quantize", "int4").exit_code == 2


def test_quantising_without_onnxruntime_is_refused(emu: Emu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime.quantization", None)
    result = emu("export", "mlp3", "--quantize", "qdq", "-o", tmp_path / "net.onnx")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith("error: quantising needs onnxruntime, which cannot be imported")
    assert not list(tmp_path.iterdir())


def test_doctor_of_this_machine(emu: Emu) -> None:
    result = emu("doctor", "--cores", 2, "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == (0 if report["ready"] else 2)
    assert {"python", "pyzmq", "open files", "memory", "ZeroMQ ipc", "BLAS"} <= {c["name"] for c in report["checks"]}


def refuse(_directory: Path) -> None:
    raise InputError("no directory for sockets")


def test_doctor_says_what_to_change(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.resource, "getrlimit", lambda _which: (100, 200))  # the same module everywhere
    monkeypatch.setattr(doctor, "available_memory", lambda: 1 << 20)
    monkeypatch.setattr(doctor, "make_run_directory", refuse)
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _path: type("Usage", (), {"free": 0}))
    found = {check.name: check for check in examine(500)}
    assert {found[name].status for name in ("open files", "memory", "ZeroMQ ipc")} == {FAIL}
    assert "ulimit -n 1524" in found["open files"].advice
    assert "TMPDIR" in found["ZeroMQ ipc"].advice
    result = emu("doctor", "--cores", 500)
    assert result.exit_code == 2
    assert result.stdout.endswith("not ready for 500 core processes\n")


def test_doctor_survives_limits_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.resource, "getrlimit", lambda _which: (doctor.resource.RLIM_INFINITY,) * 2)
    assert {check.status for check in examine(10**6) if check.name == "open files"} == {OK}
