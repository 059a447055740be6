"""onnxruntime tells nobody that it is used: no process of ours leaves its session's file, or opens a socket outside."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import host_nets
import onnx
import pytest

SESSION = ".ses"  # where its telemetry remembers a session, in the folder for temporary files
ROOT = Path(__file__).parents[3]
CHIP = ("--arch", "tiny", "--cores", "8")
_MODEL = "import onnx; model = onnx.load({model!r}); "
PROGRAMS = {
    "backend": "import numpy as np, launch.backend as b; rep = b.prepare(model, arch='tiny', cores=8, "
    "host_fallback=True); rep.run([np.zeros((1, 3, 6, 6), np.float32)])",
    "assertion": "import launch.testing as t; t.assert_valid(model, 'tiny', cores=8, host_fallback=True)",
    "folding": "import compiler; compiler.compile(model, 'tiny', cores=8, out='out', host_fallback=True)",
    "baseline": "from pathlib import Path; import numpy as np; import subprocess, sys; "
    "from launch.processes.interpreter import child_environment; import launch.bench.reference as r; "
    "np.savez('inputs.npz', x=np.zeros((1, 3, 6, 6), np.float32)); subprocess.run("
    "r.command_of(Path({model!r}), Path()), stdin=subprocess.DEVNULL, check=True, env=child_environment())",
}
COMMANDS = {
    "validate": ("validate", "{model}", *CHIP, "--host-fallback"),
    "conformance": ("conformance", "--case", "test_gridsample_nearest", "--all", "--host-fallback"),
    "quantiser": ("export", "lenet5", "-o", "out.onnx", "--quantize", "qdq"),
}


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "net.onnx"
    onnx.save(host_nets.sandwich(), path)
    return str(path)


def traced(arguments, folder, tmp_path):
    """Run with temporary files in a folder of its own; the files and sockets that were opened."""
    folder.mkdir()
    log, strace = tmp_path / "calls", shutil.which("strace")
    before = [strace, "-f", "--seccomp-bpf", "-qq", "-e", "trace=openat,socket", "-o", str(log)] if strace else []
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment |= {"TMPDIR": str(folder), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*before, *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    assert not list(folder.rglob(SESSION))
    return log.read_text("utf-8", "replace") if strace else ""


def check(log):
    assert not re.findall(rf"openat\([^)]*/{re.escape(SESSION)}\"", log)
    assert not re.findall(r"socket\(AF_INET6?, [^)]*\)", log)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_in_python(name, model, tmp_path):
    text = (_MODEL + PROGRAMS[name]).format(model=model)
    check(traced([sys.executable, "-c", text], tmp_path / "tmp", tmp_path))


@pytest.mark.parametrize("name", ["validate", "quantiser", pytest.param("conformance", marks=pytest.mark.full)])
def test_commands(name, model, tmp_path):
    words = [word.format(model=model) for word in COMMANDS[name]]
    check(traced([sys.executable, "-m", "emu", *words], tmp_path / "tmp", tmp_path))


def test_the_plugin_of_pytest(model, tmp_path):
    (tmp_path / "test_it.py").write_text(
        f"def test_it(emu_validate):\n    emu_validate({model!r}, 'tiny', cores=8, host_fallback=True)\n"
    )
    words = ["-p", "reram_emu_pytest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    check(traced([sys.executable, "-m", "pytest", *words], tmp_path / "tmp", tmp_path))


def test_without_this_it_would(model, tmp_path):
    """Or else these tests look for what is not there any more."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    text = f"import onnxruntime; onnxruntime.InferenceSession({model!r})"
    subprocess.run([sys.executable, "-c", text], env=environment | {"TMPDIR": str(folder)}, check=True)
    if not (folder / SESSION).exists():
        pytest.skip("this onnxruntime keeps no session")
