"""What `manifest.json` says: architecture, cores, inputs and outputs, model, digests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from emu.arch import Arch
from emu.image.cell_table import CellTable
from emu.isa.dtypes import DType
from emu.program.form import Box, Form, box_shape

IMPORTED = "imported"  # option of an image that was made of a foreign program: the format of that
EXPORTED_FROM = "exported_from"  # option of such an image: SHA-256 of the model that the program was compiled from


@dataclass(frozen=True, slots=True)
class TensorTile:
    """A box of a tensor, dense, at `address` of global memory."""

    box: Box
    address: int


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A network input or output: its `form`, element type, and where its bytes stand in global memory.

    `tiles` cover all of it once; a tensor without elements has none.
    """

    name: str
    form: Form
    dtype: DType
    tiles: tuple[TensorTile, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The logical (ONNX) dimensions."""
        return self.form.shape

    @property
    def nbytes(self) -> int:
        """Bytes of one sample."""
        return prod(self.form.extent) * self.dtype.size

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """Per tile the bytes [begin, end) of global memory that it takes."""
        return [(t.address, t.address + prod(box_shape(t.box)) * self.dtype.size) for t in self.tiles]


def end_of(specs: Iterable[TensorSpec]) -> int:
    """Bytes of global memory up to the end of the last tile of `specs`."""
    return max((end for spec in specs for _, end in spec.ranges), default=0)


@dataclass(frozen=True, slots=True)
class ReadOnlySpec:
    """A tensor that stands in global memory from power-on, the same for all samples, and that no core may write.

    Its elements in row-major order are the bytes from `address` on; `file` is the `.npy` file of the image with them.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    address: int
    file: str

    @property
    def nbytes(self) -> int:
        """Bytes of global memory."""
        return prod(self.shape) * self.dtype.size

    @property
    def end(self) -> int:
        """The address behind its last byte."""
        return self.address + self.nbytes


@dataclass(frozen=True, slots=True)
class StateSpec:
    """A value that a chip may keep between steps: what a step makes as `output`, the next one reads as `input`."""

    input: str
    output: str


@dataclass(frozen=True, slots=True)
class CoreFiles:
    """The files of one core; `xbar` is empty when it has no array group."""

    core: int
    program: str
    xbar: str = ""


@dataclass(frozen=True, slots=True)
class FileDigest:
    """SHA-256 (hex) and size of one file of the directory."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The network that was compiled; both empty for hand-written programs."""

    name: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class TensorOrigin:
    """A tensor of the network, the node that makes it, and why no buffer can hold it ("" if one may)."""

    tensor: str
    node: str
    absent: str = ""  # such as "fused into node 'relu1'"


@dataclass(frozen=True, slots=True)
class Work:
    """What a part of a network does for one sample.

    `operators` are its ONNX nodes, `macs` the multiplications of their products as ONNX defines them, `bytes` those of
    the values that they make, as far as their shapes are known.
    """

    operators: int = 0
    macs: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a network that is run as a whole, one after the other: programs of cores, or nodes on the host.

    `file` is the folder of an image, or an ONNX file that `evaluator` computes on the host; `sha256` (hex) is the
    digest of that image's manifest, or of the file. `inputs` and `outputs` are tensors by name.
    """

    file: str
    sha256: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[str, ...]  # "name (Operator)" each
    work: Work = Work()
    evaluator: str = ""  # such as "onnxruntime"; empty for cores

    @property
    def on_host(self) -> bool:
        """Whether no core has a part in it."""
        return bool(self.evaluator)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The whole description of an `out/` directory."""

    arch: Arch
    cores: tuple[CoreFiles, ...]
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    global_size: int  # bytes of global memory in use, read-only tensors among them
    model: ModelInfo = ModelInfo()
    default_input: str = ""  # file name, or empty
    golden: str = ""  # file name, or empty
    golden_source: str = ""  # such as "onnxruntime 1.31.1"
    options: dict[str, str] = field(default_factory=dict)  # how it was compiled, enough to do it again
    tensors: tuple[TensorOrigin, ...] = ()  # of the network's nodes, in their order
    warnings: tuple[str, ...] = ()  # of the compiler
    files: dict[str, FileDigest] = field(default_factory=dict)
    read_only: tuple[ReadOnlySpec, ...] = ()  # beside the tensors of a sample
    states: tuple[StateSpec, ...] = ()  # pairs of an input and an output
    segments: tuple[Segment, ...] = ()  # of a network with host nodes, which has no cores of its own, in order
    crossbars: CellTable | None = None  # what the cells of array groups hold, if a compiler has told it
    # Options that would use more of the chip, as "duplicate latency", and the cores it takes; None: nobody has looked.
    spare: Mapping[str, int] | None = None

    @property
    def compiled_from_model(self) -> bool:
        """Whether a model is known that golden values could be computed with: none is of programs that were written
        by hand, or imported."""
        return bool(self.model.sha256) and IMPORTED not in self.options

    @property
    def network_sha256(self) -> str:
        """Of the model whose nodes and tensors the programs tell of; empty if none is known."""
        return self.options.get(EXPORTED_FROM, "") if IMPORTED in self.options else self.model.sha256
