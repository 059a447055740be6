"""What is needed to repeat a run: files with their digests, options, versions, machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np

from emu import __version__
from emu.image.digest import digest
from emu.image.manifest_json import MANIFEST_FILE
from launch.runs.measures import crossbars_of
from launch.samples.binding import digest_of_samples

if TYPE_CHECKING:
    from emu.image.reader import Image
    from launch.runs.job import Job
    from launch.runs.run import RunResult

PACKAGES = ("numpy", "onnx", "onnxruntime", "pyzmq", "msgpack")


def record(
    job: Job,
    image: Image,
    inputs: Mapping[str, np.ndarray],
    given: str,
    seed: int | None,
    result: RunResult,
) -> dict[str, Any]:
    """The record of a finished run, as plain values for JSON: the same for every run of the same."""
    manifest = image.manifest
    return {
        "command": list(job.command),
        "seed": seed,
        "model": {
            "name": manifest.model.name,
            "sha256": manifest.model.sha256,
            "path": str(job.compiled_from or job.model or "") or None,
        },
        "image": {
            "path": None if job.compiled_from else str(job.out),
            "manifest_sha256": digest(job.out / MANIFEST_FILE).sha256,
            "options": dict(manifest.options),
        },
        "arch": manifest.arch.to_dict(),
        "cores": result.cores,
        "cores_with_program": result.cores_with_program,
        "crossbars": crossbars_of(image),
        "flow": job.options.flow,
        "engine": job.options.engine,
        "transport": "none" if job.options.sequential else job.options.transport,
        "inputs": {"from": given, **_inputs_file(job), "sha256": digest_of_samples(inputs)},
        "outputs": {name: digest_of_samples({name: array}) for name, array in result.outputs.items()},
        "stateful": job.stateful,
        "golden": job.golden or None,
        "tolerance": job.tolerance,
        "versions": versions(),
        "host": host(),
        "warnings": list(job.warnings or manifest.warnings),
    }


def _inputs_file(job: Job) -> dict[str, str]:
    return {"file": str(job.input), "file_sha256": digest(job.input).sha256} if job.input else {}


def versions() -> dict[str, str]:
    """Of this package, Python, and the packages that a result may depend on."""
    return {"emu": __version__, "python": platform.python_version(), **{name: _version(name) for name in PACKAGES}}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def host() -> dict[str, Any]:
    """The machine, without its name."""
    return {
        "cpus": os.cpu_count(),
        "cpus_usable": len(os.sched_getaffinity(0)),
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
    }
