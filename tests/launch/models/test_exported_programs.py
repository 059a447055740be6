"""Programs of `torch.export`: compiled from memory and from files, and modules of which none can be made."""

import subprocess
import sys

import numpy as np
import pytest
from in_process import compile_in_memory, run_in_process
from torch_extra import imported

import compiler
from compiler.front_ends import front_end_of
from emu.arch import Arch
from emu.errors import CompileError, EmuError, InputError

torch = imported()
imported("onnxscript")


class Branching(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x + 1
        return x - 1


class Counted(torch.nn.Module):
    def forward(self, x):
        return x, 4


class Decomposed(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.svd(x)[1]


class Own(torch.nn.Module):
    def forward(self, x):
        raise ValueError("says\nthe module")


class Drawn(torch.nn.Module):
    def forward(self, x):
        return x + torch.randn(3)


REFUSED = {
    r"Branching cannot be exported by torch.export: .*data-dependent.* \(line \d+ of .*_programs.py: if x.sum": (
        Branching,
        (3,),
    ),
    "Counted returns 4, which is no tensor: return tensors alone": (Counted, (3,)),
    "Decomposed uses aten._linalg_svd.default, which torch's exporter has no ONNX for": (Decomposed, (3, 3)),
    "Own cannot be exported by torch.export: says": (Own, (3,)),
    "node 'node_randn.*draws random numbers": (Drawn, (3,)),
    "BatchNorm1d changes 'running_mean' when it is called.*: export it after module.eval()": (
        lambda: torch.nn.BatchNorm1d(3),
        (2, 3),
    ),
    "Linear cannot be exported by torch.export: missing a required argument: 'input'": (
        lambda: torch.nn.Linear(3, 2),
        None,
    ),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_modules_are_refused_in_one_sentence(sentence, capfd):
    make, shape = REFUSED[sentence]
    with pytest.raises(CompileError, match=sentence) as refused:
        compiler.from_torch(make(), () if shape is None else (torch.ones(shape),))
    assert "\n" not in str(refused.value)
    assert capfd.readouterr() == ("", "")


def test_what_is_no_module_is_refused():
    with pytest.raises(InputError, match=r"from_torch takes a torch.nn.Module, or .*, not function"):
        compiler.from_torch(lambda x: x, (torch.ones(1),))
    for name in ("arch", "device"):
        with pytest.raises(InputError, match=f"{name} 5 is no chip: give a preset"):
            compiler.from_torch(torch.nn.ReLU(), (torch.ones(1),), **{name: 5})


@pytest.fixture(scope="module")
def program():
    """Of open first size."""
    module = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.ReLU()).eval()
    batch = torch.export.Dim("batch", min=2, max=64)
    return torch.export.export(module, (torch.ones(3, 6),), dynamic_shapes=({0: batch},))


@pytest.fixture(scope="module")
def file(program, tmp_path_factory):
    path = tmp_path_factory.mktemp("pt2") / "net.pt2"
    torch.export.save(program, path)
    return path


def test_a_program_in_memory_is_a_source(program):
    assert front_end_of(program).recognises(program)
    compiled = compile_in_memory(program, Arch(), 4, shapes={"input": (5, 6)})
    x = np.random.default_rng(0).standard_normal((5, 6)).astype(np.float32)
    (made,) = run_in_process(compiled, [{"input": x}])
    np.testing.assert_allclose(*made.values(), program.module()(torch.tensor(x)).detach(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("golden", ["none", pytest.param("onnxruntime", marks=pytest.mark.full)])
def test_the_command_line_takes_a_file(file, tmp_path, golden):
    command = [sys.executable, "-m", "emu", "compile", str(file), "-o", str(tmp_path / "out"), "--shape", "input=5,6"]
    command += ["--golden", golden]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert f"golden {golden}" in done.stdout
    with compiler.load(tmp_path / "out") as model:
        assert model(np.zeros((5, 6), np.float32)).shape == (5, 4)
    command = [sys.executable, "-m", "emu", "launch", str(tmp_path / "out"), "--sequential"]
    command += ["--golden", "none"] if golden == "none" else []
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_file_of_another_version_is_refused(file, tmp_path):
    data = file.read_bytes()
    (tmp_path / "net.pt2").write_bytes(data.replace(b'"as_tensor"', b'"as_tensot"'))
    with pytest.raises(EmuError, match=r"net.pt2 (cannot be read by torch|is no file)"):
        front_end_of(tmp_path / "net.pt2").tensors(tmp_path / "net.pt2")
