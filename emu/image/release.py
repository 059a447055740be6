"""The version of this package, as images and reports record it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

PACKAGE = "reram-emu"


def release() -> str:
    """Such as "0.1.0"; "unknown" for sources that were never installed."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "unknown"
