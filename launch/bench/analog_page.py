"""Measures what converters, cells and drift do to answers, into a page: `python -m launch.bench.analog_page PAGE`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from emu.errors import EmuError, InputError
from emu.image.npz import write_npz
from emu.image.reader import open_image
from launch.bench.analog import ARRAYS, EXAMPLES
from launch.bench.command import run_emu
from launch.samples.inputs import seeded_inputs
from launch.text.markdown_page import check_page, marker, write_blocks

CHIP = f"""[chip]
name = "cells"
cores = 256
{ARRAYS}[device]
g_min_us = 0
g_max_us = 25
"""
LABELLED = ("digits_cnn", "digits_cnn_int8")  # of the examples, with 450 images and labels
SAMPLES = 4  # random ones, of networks without labels


@dataclass(frozen=True, slots=True)
class Study:
    """One sweep: what varies, with which tables of cells, and how many trials."""

    name: str
    title: str
    vary: tuple[str, ...]
    cells: str = ""
    trials: int = 1


STUDIES = (
    Study("adc", "Converters", ("crossbar.adc_bits=4..10", "crossbar.cell_bits=1,2,4")),
    Study(
        "errors",
        "Errors of programming",
        ("device.programming_sigma=0,0.01,0.02,0.05,0.1", "crossbar.cell_bits=1,2,4"),
        'programming = "gaussian"\n',
        3,
    ),
    Study("noise", "Noise of readings", ("device.read_sigma=0,0.01,0.02,0.05,0.1",), 'read_noise = "gaussian"\n', 3),
    Study(
        "drift",
        "Drift, from an hour to ten years",
        ("device.time_s=0,3600,86400,2592000,31536000,315360000", "mapping.compensation=none,global,column"),
        'programming = "aihwkit-pcm"\ndrift = "aihwkit-pcm"\n',
        3,
    ),
)
NETWORKS = (*LABELLED, "vgg7", "gpt_tiny")
OF_OTHERS = ("adc", "errors")  # studies of networks without labels


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, draw pictures beside the page, and write it; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, help="a page with a block for each network and study")
    parser.add_argument("--only", action="append", default=[], help="a block, such as digits_cnn-adc")
    given = parser.parse_args(arguments)
    blocks = [
        (network, study)
        for network in NETWORKS
        for study in STUDIES
        if network in LABELLED or study.name in OF_OTHERS
        if not given.only or f"{network}-{study.name}" in given.only
    ]
    try:
        check_page(given.page, [f"{network}-{study.name}" for network, study in blocks])
        with tempfile.TemporaryDirectory() as folder:
            for network, study in blocks:
                name = f"{network}-{study.name}"
                write_blocks(given.page, {name: _block(Path(folder), network, study, given.page)})
                print(f"{marker(name)} written", flush=True)
    except EmuError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _block(folder: Path, network: str, study: Study, page: Path) -> str:
    """The command, what it says, and its picture."""
    picture = Path("pictures") / f"analog-{network}-{study.name}.svg"
    (folder / "chip.toml").write_text(CHIP + study.cells, "utf-8")
    model, data = _model(folder, network)
    metrics = "accuracy,snr" if network in LABELLED else "agreement,snr"
    words = ["sweep", model.name, "--arch", "chip.toml"]
    for each in study.vary:
        words += ["--vary", each]
    words += ["--metric", metrics, "--input", data.name, *(["--labels", "labels"] if network in LABELLED else [])]
    words += [] if study.trials == 1 else ["--trials", str(study.trials)]
    words += ["-j", "2"]
    drawn = ["--plot", str((page.parent / picture).resolve())]
    done = subprocess.run(
        [sys.executable, "-m", "launch", *words, *drawn], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise InputError(f"emu {' '.join(words)}: {done.stderr.strip()[-300:]}")
    said = "\n".join(line.rstrip() for line in done.stdout.splitlines() if not line.startswith("written:"))
    return f"```text\n$ emu {' '.join(words)}\n{said}\n```\n\n![{study.title}, {network}]({picture})"


def _model(folder: Path, network: str) -> tuple[Path, Path]:
    """The ONNX file of a network, and inputs for it, in the folder."""
    model, data = folder / f"{network}.onnx", folder / f"{network}.npz"
    if network in LABELLED:
        model.write_bytes((EXAMPLES / model.name).read_bytes())
        data = folder / "digits_test.npz"
        data.write_bytes((EXAMPLES / data.name).read_bytes())
        return model, data
    if not model.exists():
        run_emu("export", network, "-o", model)
        run_emu("compile", model, "-o", folder / network, "--golden", "none")
        specs = open_image(folder / network, verify=False).manifest.inputs
        write_npz(data, seeded_inputs(specs, 0, SAMPLES))
    return model, data


if __name__ == "__main__":
    sys.exit(main())
