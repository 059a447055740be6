"""Without torch, what needs it says how it is installed, and nothing else imports it."""

import subprocess
import sys

HIDDEN = "import sys; sys.modules['torch'] = None; "


def run(code, *arguments):
    return subprocess.run([sys.executable, "-c", HIDDEN + code, *arguments], capture_output=True, text=True)


def test_a_file_of_torch_needs_it(tmp_path):
    (tmp_path / "net.pt2").write_bytes(b"")
    done = run("import reram_emu; reram_emu.main()", "compile", str(tmp_path / "net.pt2"), "-o", str(tmp_path / "out"))
    assert done.returncode == 2
    assert done.stderr == (
        f"error: {tmp_path}/net.pt2 needs torch, which is not installed here: pip install 'reram-emu[torch]'\n"
    )


def test_from_torch_needs_it():
    done = run("import compiler; compiler.from_torch(None)")
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
