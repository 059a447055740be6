"""What a run imports before it starts: time that every user waits."""

import subprocess
import sys
from pathlib import Path

RUN = """
import sys
from launch.cli import main
try:
    main(sys.argv[1:])
except SystemExit as done:
    assert not done.code
print(*sys.modules)
"""
KERNEL = Path(__file__).parents[3] / "examples" / "kernels" / "mm.mlir"


def loaded(*command: str) -> set[str]:
    """The modules that stand in memory when a command has done its work."""
    done = subprocess.run([sys.executable, "-c", RUN, *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return set(done.stdout.splitlines()[-1].split())


def test_a_run_of_compiled_programs_loads_no_compiler(digits_image: Path) -> None:
    found = loaded("launch", str(digits_image), "--sequential", "--quiet")
    assert "launch.cli" in found and not found & {"xdsl", "onnxruntime", "ortools", "altair"}


def test_offloading_loads_neither_the_compiler_of_networks_nor_chips_that_run_programs() -> None:
    found = loaded("offload", str(KERNEL), "--cores", "1")
    assert "compiler.offload.pipeline" in found
    assert not found & {"onnx", "onnxruntime", "zmq", "compiler.passes", "compiler.kernels", "emu.core.engines"}
