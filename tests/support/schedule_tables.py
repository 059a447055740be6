"""The figures of docs/schedules.md: `make figures` runs the commands of the page and writes what they print."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from emu.output.whole_file import write_whole

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "schedules.md"
KEPT = ROOT / "build" / "schedules.json"
BLOCK = re.compile(r"^```\n\$ (emu schedules .*)\n((?:.*\n)*?)```$", re.MULTILINE)


def renewed(text: str, answer: Callable[[str], str]) -> str:
    """The page with what its commands answer now."""
    return BLOCK.sub(lambda found: f"```\n$ {found[1]}\n{answer(found[1])}```", text)


def answer_of(command: str) -> str:
    """What a command prints; what an interrupted run has measured is not measured again."""
    words = command.split()[1:]
    done = subprocess.run(
        [sys.executable, "-m", "launch", *words, "--measurements", str(KEPT)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    done.check_returncode()
    return done.stdout


def main() -> None:
    """Measure all and write the page anew; a whole run begins with nothing kept."""
    KEPT.parent.mkdir(exist_ok=True)
    write_whole(PAGE, renewed(PAGE.read_text("utf-8"), answer_of).encode())
    KEPT.unlink(missing_ok=True)
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
