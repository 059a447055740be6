"""Named operations of `linalg`, one row each: how operands are indexed, and what the body is.

`m k, k n -> m n`: the dimensions of each operand and of the result; those that the result lacks are summed up (or
whatever the body does). `h:y` is h * stride + y * dilation, of the next of the strides and dilations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class NamedRow:
    """`body` is a row of `bodies.BODIES`; `scalars` operands without dimensions stand behind the tensors."""

    name: str
    spec: str
    body: str
    scalars: int = 0

    @cached_property
    def operands(self) -> tuple[tuple[str, ...], ...]:
        """The indices of each operand, then of the result."""
        *inputs, result = self.spec.replace("->", ",").split(",")
        tensors = [tuple(part.split()) for part in (*inputs, result)]
        return (*tensors[:-1], *((),) * self.scalars, tensors[-1])

    @cached_property
    def dims(self) -> tuple[str, ...]:
        """The loops: those of the result in its order, then the others as they are met."""
        letters = [letter for indices in self.operands[:-1] for index in indices for letter in index.split(":")]
        return tuple(dict.fromkeys((*self.operands[-1], *letters)))

    @property
    def reductions(self) -> frozenset[int]:
        """The loops that the result is not indexed by."""
        return frozenset(range(len(self.operands[-1]), len(self.dims)))

    @cached_property
    def windows(self) -> tuple[str, ...]:
        """The indices of windows, in the order of strides and dilations."""
        return tuple(dict.fromkeys(index for indices in self.operands for index in indices if ":" in index))


def _rows(body: str, scalars: int, specs: Mapping[str, str]) -> list[NamedRow]:
    return [NamedRow(name, spec, body, scalars) for name, spec in specs.items()]


_PRODUCTS = {
    "matmul": "m k, k n -> m n",
    "batch_matmul": "b m k, b k n -> b m n",
}
_CONVOLUTIONS = {
    "conv_2d_nchw_fchw": "n c h:y w:x, f c y x -> n f h w",
    "conv_2d_nhwc_hwcf": "n h:y w:x c, y x c f -> n h w f",
    "conv_2d_nhwc_fhwc": "n h:y w:x c, f y x c -> n h w f",
    "conv_2d_ngchw_gfchw": "n g c h:y w:x, g f c y x -> n g f h w",
    "conv_2d_nhwgc_gfhwc": "n h:y w:x g c, g f y x c -> n h w g f",
    "conv_3d_ndhwc_dhwcf": "n d:z h:y w:x c, z y x c f -> n d h w f",
    "depthwise_conv_2d_nhwc_hwc": "n h:y w:x c, y x c -> n h w c",
    "depthwise_conv_2d_nhwc_hwcm": "n h:y w:x c, y x c m -> n h w c m",
}
_OTHERS = {
    "matmul_transpose_a": "k m, k n -> m n",
    "matmul_transpose_b": "m k, n k -> m n",
    "batch_matmul_transpose_a": "b k m, b k n -> b m n",
    "batch_matmul_transpose_b": "b m k, b n k -> b m n",
    "batch_reduce_matmul": "b m k, b k n -> m n",
    "matvec": "m n, n -> m",
    "vecmat": "m, m n -> n",
    "batch_matvec": "b m k, b k -> b m",
    "batch_vecmat": "b k, b k n -> b n",
    "dot": "m, m ->",
    "mmt4d": "m k i l, n k j l -> m n i j",
    "batch_mmt4d": "b m k i l, b n k j l -> b m n i j",
    "conv_1d": "w:x, x -> w",
    "conv_2d": "h:y w:x, y x -> h w",
    "conv_3d": "d:z h:y w:x, z y x -> d h w",
    "conv_1d_ncw_fcw": "n c w:x, f c x -> n f w",
    "conv_1d_nwc_wcf": "n w:x c, x c f -> n w f",
    "conv_2d_ngchw_fgchw": "n g c h:y w:x, f g c y x -> n g f h w",
    "conv_3d_ncdhw_fcdhw": "n c d:z h:y w:x, f c z y x -> n f d h w",
    "depthwise_conv_1d_ncw_cw": "n c w:x, c x -> n c w",
    "depthwise_conv_1d_nwc_wc": "n w:x c, x c -> n w c",
    "depthwise_conv_1d_nwc_wcm": "n w:x c, x c m -> n w c m",
    "depthwise_conv_2d_nchw_chw": "n c h:y w:x, c y x -> n c h w",
    "depthwise_conv_3d_ncdhw_cdhw": "n c d:z h:y w:x, c z y x -> n c d h w",
    "depthwise_conv_3d_ndhwc_dhwc": "n d:z h:y w:x c, z y x c -> n d h w c",
    "depthwise_conv_3d_ndhwc_dhwcm": "n d:z h:y w:x c, z y x c m -> n d h w c m",
}
_WINDOWS = {
    "ncw": "n c w:x, x -> n c w",
    "nwc": "n w:x c, x -> n w c",
    "nchw": "n c h:y w:x, y x -> n c h w",
    "nhwc": "n h:y w:x c, y x -> n h w c",
    "ndhwc": "n d:z h:y w:x c, z y x -> n d h w c",
}
_ANY = ("max", "min", "sum", "max_unsigned", "min_unsigned")
_POOLS = {"ncw": ("max", "sum"), "nchw": ("max", "sum"), "nwc": _ANY, "nhwc": _ANY, "ndhwc": ("max", "min", "sum")}

ROWS: tuple[NamedRow, ...] = (
    *_rows("multiply", 0, {**_PRODUCTS, **_CONVOLUTIONS}),
    *_rows("quantised", 2, {f"quantized_{name}": spec for name, spec in _PRODUCTS.items()}),
    *_rows("quantised", 2, {f"{name}_q": spec for name, spec in _CONVOLUTIONS.items()}),
    *_rows("multiply", 0, _OTHERS),
    *(NamedRow(f"pooling_{at}_{kind}", _WINDOWS[at], kind) for at, kinds in _POOLS.items() for kind in kinds),
)
NAMED: Mapping[str, NamedRow] = {row.name: row for row in ROWS}
