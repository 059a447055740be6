"""Segments of a manifest are refused unless each is named once and finds what it takes made before."""

import pytest
from images import ARCH, byte_tensor

from emu.image.manifest import CoreFiles, FileDigest, Manifest, Segment
from emu.image.segment_json import segments_fault


def segment(file: str, inputs: str, outputs: str, evaluator: str = "onnxruntime") -> Segment:
    return Segment(file, "ab" * 32, tuple(inputs), tuple(outputs), ("n (Relu)",), evaluator=evaluator)


FIRST, SECOND = segment("0.onnx", "x", "a"), segment("1", "a", "y", "")
FILES = {"0.onnx": FileDigest("ab" * 32, 1)}


def fault(*segments: Segment, cores: tuple[CoreFiles, ...] = (), files: dict[str, FileDigest] = FILES) -> str:
    manifest = Manifest(
        ARCH, cores, (byte_tensor("x", 8, 0),), (byte_tensor("y", 8, 8),), 0, files=files, segments=segments
    )
    return segments_fault(manifest)


def test_what_can_be_run() -> None:
    assert not fault(FIRST, SECOND)


def test_no_cores_stand_beside_segments() -> None:
    assert fault(FIRST, SECOND, cores=(CoreFiles(0, "0.bin"),)).endswith("has no cores of its own")


@pytest.mark.parametrize(
    ("segments", "said"),
    [
        ((FIRST, segment("0.onnx", "a", "y")), "'0.onnx' is named twice"),
        ((FIRST, segment("0.onnx", "a", "y", "")), "'0.onnx' is named twice"),
        ((SECOND, FIRST), "'1' takes 'a', which no earlier segment makes"),
        ((FIRST, segment("1", "a", "xy", "")), "'1' makes 'x', which is there before"),
        ((FIRST, segment("1", "a", "b", "")), "no segment makes output 'y'"),
        ((), "no segment makes output 'y'"),
        ((segment("2.onnx", "x", "y"),), "file '2.onnx' has no digest under 'files'"),
    ],
)
def test_what_cannot_is_named(segments: tuple[Segment, ...], said: str) -> None:
    assert fault(*segments) == said
