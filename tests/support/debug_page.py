"""The sessions of docs/debugger.md, as the debugger answers: `make docs` writes them anew."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "debugger.md"
SESSION = re.compile(r"(<!-- session -->\n```\n\$ emu ([^\n]*)\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
BY_HAND = re.compile(r"^```asm\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = "(emu) "
Run = Callable[[Path, str], str]  # what a line says in a folder


def run(folder: Path, line: str) -> str:
    """What `emu` says on stdout."""
    command = [sys.executable, "-m", "launch", *shlex.split(line)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)
    assert not done.stderr, done.stderr
    return done.stdout


def prepare(folder: Path, run: Run = run) -> None:
    """The images of the page."""
    (folder / "examples").symlink_to(ROOT / "examples")
    run(folder, "compile examples/digits_cnn.onnx --arch tiny --cores 64 -o out/digits")
    match = BY_HAND.search(PAGE.read_text("utf-8"))
    assert match is not None
    (folder / "exchange.asm").write_text(match[1])
    run(folder, "import exchange.asm -o out/exchange")


def renewed(text: str, folder: Path, run: Run = run) -> str:
    """The page with what its commands answer now."""

    def answered(found: re.Match[str]) -> str:
        name = shlex.split(found[2])[-1]
        script = "".join(f"{line}\n" for line in found[3].splitlines() if line.startswith(PROMPT))
        (folder / name).write_text(script.replace(PROMPT, ""))
        return f"{found[1]}{run(folder, found[2])}{found[4]}"

    return SESSION.sub(answered, text)


def main() -> None:
    """Write the page anew."""
    with TemporaryDirectory() as folder:
        prepare(Path(folder))
        PAGE.write_text(renewed(PAGE.read_text("utf-8"), Path(folder)), "utf-8")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
