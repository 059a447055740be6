"""Kernels: the properties that an operation has alike on tiles (`spat`) and on buffers (`pim`).

All tiles are [height][width][channel]; `epilogue` is a list of activations applied in place to the result.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.names import ACTIVATIONS, FUNCTIONS, POOLS
from compiler.suggest import suggestion

ARRAYS = {"kernel": (2, 1), "strides": (2, 1), "dilations": (2, 1), "pads": (4, 0)}  # -> numbers, and the least


class KernelBase(IRDLOperation, ABC):
    """Any kernel: an epilogue of activations may follow it."""

    epilogue = opt_prop_def(ArrayAttr[DictionaryAttr])

    def verify_(self) -> None:
        """Activations that exist, with as many numbers as they take; arrays that can be."""
        for entry in self.epilogue or ():
            _verify_activation(entry)
        for name, (length, least) in ARRAYS.items():
            values = self.properties.get(name)
            if isinstance(values, DenseArrayBase):
                numbers = attr.values(values)
                if len(numbers) != length or min(numbers) < least:
                    raise VerifyException(f"{name} must hold {length} numbers from {least} on, not {list(numbers)}")


def verify_channels(channels: DenseArrayBase, tiles: Sequence[SSAValue]) -> None:
    """Raise VerifyException unless `channels` has a half-open range per tile that is as wide as the tile."""
    bounds = attr.values(channels)
    widths = [high - low for low, high in zip(bounds[::2], bounds[1::2], strict=False)]
    wanted = [attr.shape_of(tile)[-1] for tile in tiles]
    if len(bounds) != 2 * len(wanted) or widths != wanted:
        raise VerifyException(f"channels must hold one range per tile, of {wanted} channels, not {list(bounds)}")


def _verify_activation(entry: DictionaryAttr) -> None:
    name, args = entry.data.get("fn"), entry.data.get("args")
    if not isinstance(name, StringAttr) or not isinstance(args, ArrayAttr):
        raise VerifyException('an activation of epilogue is written as {fn = "relu", args = []}')
    verify_name("fn", name, ACTIVATIONS)
    if len(args) != ACTIVATIONS[name.data] or not all(isinstance(arg, FloatAttr) for arg in args):
        raise VerifyException(f'fn = "{name.data}" takes {ACTIVATIONS[name.data]} floating-point numbers as args')


def verify_name(what: str, name: StringAttr, known: Iterable[str]) -> None:
    """Raise VerifyException, with advice, for a name that is not known."""
    if name.data not in known:
        raise VerifyException(f'{what} = "{name.data}" does not exist{suggestion(name.data, known)}')


class ApplyFiltersBase(KernelBase, ABC):
    """Filters slid over whole padded channel tiles: the heart; one op whatever the image size.

    Input i is the padded channel tile that begins at channel `origins[i]` of the convolution's input. `tiles` are
    triples (input, start, stop): row tiles, as ranges of that input's rows in (kernel y, kernel x, channel)
    order. `channels` holds one half-open range of filters per output. `weights` is a key of the weight store:
    [filter][channel][kernel y][kernel x].
    """

    weights = prop_def(StringAttr)
    kernel = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase)
    dilations = prop_def(DenseArrayBase)
    origins = prop_def(DenseArrayBase)
    tiles = prop_def(DenseArrayBase)
    channels = prop_def(DenseArrayBase)
    bias = opt_prop_def(StringAttr)

    def verify_filters(self, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> None:
        """An origin per input, ranges of filters that fill the outputs, row tiles of inputs that there are."""
        if len(self.origins) != len(inputs):
            raise VerifyException(f"origins must hold {len(inputs)} numbers, one per input, not {len(self.origins)}")
        verify_channels(self.channels, outputs)
        tiles = attr.values(self.tiles)
        if len(tiles) % 3 or any(not 0 <= index < len(inputs) for index in tiles[::3]):
            raise VerifyException(f"tiles must hold triples (input, start, stop) with input below {len(inputs)}")
        if any(start >= stop for start, stop in zip(tiles[1::3], tiles[2::3], strict=True)):
            raise VerifyException("tiles must hold triples (input, start, stop) with start below stop")


class ApplyBlocksBase(KernelBase, ABC):
    """Grouped or depthwise filters: ranges of groups packed block-diagonally, one crossbar each.

    The input is a padded tile that begins at channel `origin`; `blocks` are half-open ranges of groups; the one
    output holds the filters of all blocks in order. `weights` as in `apply_filters`, channels within the group.
    """

    weights = prop_def(StringAttr)
    kernel = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase)
    dilations = prop_def(DenseArrayBase)
    origin = prop_def(IntegerAttr)
    groups = prop_def(IntegerAttr)
    blocks = prop_def(DenseArrayBase)
    bias = opt_prop_def(StringAttr)


class VAddBase(KernelBase, ABC):
    """Sum of two partial sums, plus the bias of the filters in `channels`."""

    channels = prop_def(DenseArrayBase)
    bias = opt_prop_def(StringAttr)


class ActivationBase(KernelBase, ABC):
    """A copy of the input with the epilogue applied."""


class PoolBase(KernelBase, ABC):
    """Maximum or mean over windows; `kind` is "max" or "average"; pads are (top, left, bottom, right)."""

    kind = prop_def(StringAttr)
    kernel = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase)
    dilations = prop_def(DenseArrayBase)
    pads = prop_def(DenseArrayBase)
    count_include_pad = prop_def(IntegerAttr)

    def verify_(self) -> None:
        """A kind that exists."""
        super().verify_()
        verify_name("kind", self.kind, POOLS)


class ElementwiseBase(KernelBase, ABC):
    """`fn` of two tiles, sizes 1 broadcast; or of a tile and `constant` (key: [h][w][c]), on the side `constant_first`.

    `channels` is the range of the tensor's channels that the output holds (to slice the constant).
    """

    fn = prop_def(StringAttr)
    channels = prop_def(DenseArrayBase)
    constant = opt_prop_def(StringAttr)
    constant_first = opt_prop_def(IntegerAttr)

    def verify_(self) -> None:
        """A function that exists."""
        super().verify_()
        verify_name("fn", self.fn, FUNCTIONS)


class SoftmaxBase(KernelBase, ABC):
    """Softmax over the channels of every pixel."""


class LRNBase(KernelBase, ABC):
    """Local response normalisation across channels; the output begins `halo` channels into the input."""

    size = prop_def(IntegerAttr)
    alpha = prop_def(FloatAttr)
    beta = prop_def(FloatAttr)
    bias = prop_def(FloatAttr)
    halo = prop_def(IntegerAttr)


class RelayoutBase(KernelBase, ABC):
    """A strided copy: factors `sizes` with element strides `source` and `target`."""

    sizes = prop_def(DenseArrayBase)
    source = prop_def(DenseArrayBase)
    target = prop_def(DenseArrayBase)


class ConcatBase(KernelBase, ABC):
    """Places channel slices of the inputs into one tile; what nothing covers is zero.

    Input i gives channels [starts[i], starts[i] + sizes[i]); `origins` are triples (y, x, channel) in the output.
    """

    origins = prop_def(DenseArrayBase)
    starts = prop_def(DenseArrayBase)
    sizes = prop_def(DenseArrayBase)
