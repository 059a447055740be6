"""Networks compiled for chips and timed there by the commands that anybody would use."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emu.arch_file import load_arch

ROOT = Path(__file__).parents[2]
FLOW = "credits:2"


@dataclass(frozen=True, slots=True)
class Run:
    """A network on a chip: what `emu compile` and `emu time` told, or the sentence of the one that refused."""

    network: str
    chip: str
    compiled: Mapping[str, Any]
    timed: Mapping[str, Any]
    refusal: str = ""


def emu(*arguments: object) -> tuple[dict[str, Any], str]:
    """What a command told as JSON, or the sentence with which it refused (exit code 2)."""
    command = [sys.executable, "-m", "launch", *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode == 2:
        return {}, done.stderr.strip().removeprefix("error: ")
    done.check_returncode()
    return json.loads(done.stdout), ""


def network_file(name: str, directory: Path) -> Path:
    """The standard network as int8, written once."""
    path = directory / f"{name}.onnx"
    if not path.exists():
        _, refusal = emu("export", name, "--quantize", "qoperator", "-o", path)
        assert not refusal, refusal
    return path


def run(
    network: str,
    chip: str,
    directory: Path,
    *options: str,
    flow: str = FLOW,
    arch: Path | None = None,
    why: bool = True,
) -> Run:
    """Compile for all cores of the chip and time it; `arch` is a file in place of the preset `chip`."""
    model, target, out = network_file(network, directory), str(arch or chip), directory / "out"
    cores = load_arch(target).cores
    compiled, refusal = emu(
        "compile", model, "--arch", target, "--cores", cores, "--golden", "none", *options, "-o", out
    )
    if refusal:
        return Run(network, chip, {}, {}, refusal.removeprefix(f"{model}: "))
    timed, refusal = emu("time", out, "--flow", flow, *(["--bottlenecks"] if why else []))
    return Run(network, chip, compiled, timed, refusal)


def can_grow(chip: str) -> bool:
    """Whether a preset has the time of a product, and a network whose times do not stand in a table of its cores."""
    arch = load_arch(chip)
    return bool(arch.timing and arch.timing.crossbar.read_ns is not None and not arch.network.latency_table_ns)


def larger(chip: str, count: int, directory: Path) -> Path:
    """The file of a preset with so many times its cores."""
    text = (ROOT / "emu" / "presets" / f"{chip}.toml").read_text("utf-8")
    cores = load_arch(chip).cores
    path = directory / f"{count}-{chip}.toml"
    path.write_text(text.replace(f"\ncores = {cores} ", f"\ncores = {cores * count} "), "utf-8")
    assert load_arch(str(path)).cores == cores * count
    return path
