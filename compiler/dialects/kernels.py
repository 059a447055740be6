"""Kernels: the properties that an operation has alike on tiles (`spat`) and on buffers (`pim`).

All tiles are [height][width][channel]; `epilogue` is a list of activations applied in place to the result.
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr
from xdsl.irdl import IRDLOperation, opt_prop_def, prop_def


class KernelBase(IRDLOperation, ABC):
    """Any kernel: an epilogue of activations may follow it."""

    epilogue = opt_prop_def(ArrayAttr[DictionaryAttr])


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


class ElementwiseBase(KernelBase, ABC):
    """`fn` of two tiles, sizes 1 broadcast; or of a tile and `constant` (key: [h][w][c]), on the side `constant_first`.

    `channels` is the range of the tensor's channels that the output holds (to slice the constant).
    """

    fn = prop_def(StringAttr)
    channels = prop_def(DenseArrayBase)
    constant = opt_prop_def(StringAttr)
    constant_first = opt_prop_def(IntegerAttr)


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
