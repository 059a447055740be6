"""Makes the int8 form of a network, in a process of its own: onnxruntime's quantiser takes long to import."""

from __future__ import annotations

from pathlib import Path

from emu.output.whole_file import write_whole


def write_quantised(source: str, path: str, form: str) -> None:
    """Quantise the ONNX file `source` in `form`, "qoperator" or "qdq", to the file `path`."""
    import onnx

    from launch.zoo.quantised import quantised

    write_whole(Path(path), quantised(onnx.load(source), form, seed=0).SerializeToString())
