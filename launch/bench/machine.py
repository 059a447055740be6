"""The machine that a measurement was made on: processor, Python and the libraries that do the work."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "onnxruntime", "pyzmq")


def machine() -> dict[str, Any]:
    """Plain values for JSON; `load` is the load average of the last minute."""
    import zmq

    versions = {name: metadata.version(name) for name in PACKAGES}
    return {
        "cpu": cpu_model(),
        "cores": available_processors(),
        "python": platform.python_version(),
        **versions,
        "libzmq": zmq.zmq_version(),
        "blas": blas(),
        "kernel": platform.release(),
        "load": round(os.getloadavg()[0], 2),
    }


def available_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


def cpu_model() -> str:
    """The processor's name."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def blas() -> str:
    """The BLAS that NumPy was built with."""
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]  # type: ignore[call-overload, index]
    return f"{blas['name']} {blas['version']}"


def sentence(about: dict[str, Any]) -> str:
    """The machine in one line."""
    return (
        f"{about['cpu']}, {about['cores']} cores; Linux {about['kernel']}; Python {about['python']}, "
        f"NumPy {about['numpy']} ({about['blas']}), onnxruntime {about['onnxruntime']}, "
        f"pyzmq {about['pyzmq']} (libzmq {about['libzmq']}); load {about['load']} at the start"
    )
