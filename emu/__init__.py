"""The machine: what a chip, a program and a core are, how a core executes, how cores talk."""

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
