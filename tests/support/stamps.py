"""Stamps of measured pages: which state of compiler and chips their figures are of, and a mark where that is old.

A page, or a section of one, has a line `<!-- measured: STAMP; COMMAND -->`, of which the command measures it again.
`python -m stamps` marks those of which the state is another one by now; `--measured PAGE` stamps a page that was
measured just now. The state is a digest of what a few small networks come to on a few chips: instructions, messages,
picoseconds and counts of actions, all of them whole numbers that are the same on every machine.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from emu.noc.ports.port import FlowControl
from emu.noc.traffic.traffic import messages_and_bytes
from emu.output.whole_file import write_whole
from launch.images.compilation import compile_image
from launch.timing.energy import energy_report
from launch.timing.timed_image import time_image

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PROBES: Sequence[tuple[str, str, Mapping[str, Any]]] = (  # network of examples/, chip, options
    ("digits_cnn.onnx", "isaac", {}),
    ("digits_cnn.onnx", "puma", {"duplicate": "throughput"}),
    ("digits_cnn_int8.onnx", "isaac", {"duplicate": "latency", "pipelined": True}),
    ("digits_cnn_int8.onnx", "pimsim-latency", {"granularity": "rows:2"}),
)
UNKNOWN = "unknown"
LINE = re.compile(
    r"^<!-- measured: (?P<stamp>\S+); (?P<again>[^\n]+) -->\n(?:\*Measured with an earlier state[^\n]*\*\n)?",
    re.MULTILINE,
)
SIZE = 12  # hex digits


@cache
def state() -> str:
    """The digest of the probes."""
    with TemporaryDirectory() as folder:
        found = [_probe(Path(folder) / str(number), *probe) for number, probe in enumerate(PROBES)]
    return sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:SIZE]


def _probe(out: Path, network: str, chip: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What a network comes to on a chip, in whole numbers."""
    compile_image(ROOT / "examples" / network, out, arch=chip, golden="none", no_check=True, quiet=True, **options)
    timed = time_image(out, None, FlowControl.parse("credits:2"), 4)
    energy = energy_report(timed)
    return {
        "instructions": {str(core): len(program.main) for core, program in timed.programs.items()},
        "messages": sorted((*pair, *sums) for pair, sums in messages_and_bytes(timed.programs).items()),
        "ps": [timed.timing.latency, timed.period],
        "counts": sorted((*action, count) for action, count in energy.counts.items()) if energy else [],
    }


def pages() -> Mapping[str, str]:
    """The pages with stamps, by their paths in docs/: the command that measures each, or its first stamped section."""
    found = ((page, LINE.search(page.read_text("utf-8"))) for page in sorted(DOCS.rglob("*.md")))
    return {str(page.relative_to(DOCS)): line["again"] for page, line in found if line}


def marked(text: str, now: str) -> str:
    """The page, with a line behind each stamp that is not `now`, which says so."""

    def line(found: re.Match[str]) -> str:
        stamp, again = found["stamp"], found["again"]
        here = f"<!-- measured: {stamp}; {again} -->\n"
        if stamp == now:
            return here
        return f"{here}*Measured with an earlier state of the compiler (stamp {stamp}): `{again}` measures again.*\n"

    return LINE.sub(line, text)


def stamped(text: str, now: str) -> str:
    """The page as one that was measured now."""
    return LINE.sub(lambda found: f"<!-- measured: {now}; {found['again']} -->\n", text)


def mark(page: Path, now: str) -> bool:
    """Write the marks into a page, or take them away; whether the page has changed."""
    before = page.read_text("utf-8")
    after = marked(before, now)
    if after != before:
        write_whole(page, after.encode())
    return after != before


def main(arguments: Sequence[str]) -> int:
    """Mark all pages, or stamp one."""
    parser = argparse.ArgumentParser(prog="python -m stamps", description=__doc__)
    parser.add_argument("--measured", choices=pages(), help="a page of docs/ that was measured just now")
    given = parser.parse_args(arguments)
    if given.measured:
        page = DOCS / given.measured
        write_whole(page, stamped(page.read_text("utf-8"), state()).encode())
    for name in pages():
        if mark(DOCS / name, state()):
            sys.stdout.write(f"docs/{name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
