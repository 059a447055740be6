"""The record of a run, from which it can be repeated: files with their digests, options, versions, machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from emu import __version__
from emu.image.digest import digest
from emu.image.manifest_json import MANIFEST_FILE
from emu.image.reader import on_chip
from launch.runs.measures import crossbars_of
from launch.runs.preparing import PreparedJob
from launch.runs.request import Job
from launch.runs.result import RunResult
from launch.samples.binding import digest_of_samples

PACKAGES = ("numpy", "onnx", "onnxruntime", "pyzmq", "msgpack")


def record(prepared: PreparedJob, result: RunResult) -> dict[str, Any]:
    """The record of a finished run, as plain values for JSON: the same for every run of the same."""
    job, image, manifest = prepared.job, prepared.image, prepared.image.manifest
    return {
        "command": list(job.command),
        "seed": prepared.seed,
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
        "arch": on_chip(image, job.options.analog).arch.to_dict(),
        "cores": result.cores,
        "cores_with_program": result.cores_with_program,
        "crossbars": crossbars_of(image),
        "flow": job.options.flow,
        "engine": job.options.engine,
        "transport": "none" if job.options.sequential else job.options.transport,
        "inputs": {"from": prepared.given, **_inputs_file(job), "sha256": digest_of_samples(prepared.inputs)},
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
    """The machine, without its host name."""
    return {
        "cpus": os.cpu_count(),
        "cpus_usable": len(os.sched_getaffinity(0)),
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
    }
