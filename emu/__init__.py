"""The machine: what a chip, a program and a core are, how a core executes, how cores talk."""

import os

# onnxruntime tells its maker that it is used, unless this is set before its import. All processes of ours import this
# package first, or are started by one that has: none of them speaks to anything but its run.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

DISTRIBUTION = "reram-emu"  # what pip calls the three packages together


def __getattr__(name: str) -> str:
    """`__version__`, looked up on first use: an import of the machine reads no metadata."""
    if name != "__version__":
        raise AttributeError(f"module 'emu' has no attribute {name!r}")
    from importlib import metadata

    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "0+unknown"  # a source tree that is not installed
