"""Without torch, what needs it says how it is installed, and nothing else imports it."""

import subprocess
import sys
from pathlib import Path

from emu_processes import EmuProcesses

HIDDEN = "import sys; sys.modules['torch'] = None"


def test_a_file_of_torch_needs_it(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    (tmp_path / "net.pt2").write_bytes(b"")
    done = emu_processes.run("compile", tmp_path / "net.pt2", "-o", tmp_path / "out", before=HIDDEN)
    assert done.returncode == 2
    assert done.stderr == (
        f"error: {tmp_path}/net.pt2 needs torch, which is not installed here: pip install 'reram-emu[torch]'\n"
    )


def test_from_torch_needs_it():
    code = f"{HIDDEN}; import compiler; compiler.from_torch(None)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        "emu.errors.InputError: from_torch needs torch, which is not installed here: pip install 'reram-emu[torch]'"
    )


def test_nothing_else_imports_it():
    code = (
        "import sys, compiler; compiler.load, compiler.compile; import compiler.front_ends as f; from pathlib import "
    )
    code += "Path; f.front_end_of(Path('x.pt2')); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
