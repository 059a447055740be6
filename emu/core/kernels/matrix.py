"""Matrix products on crossbars and on the digital unit, and what crossbars hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from emu.core.crossbars.blocks import blocks
from emu.core.crossbars.crossbar import F32, F64, HEIGHT, I64, Crossbar
from emu.core.crossbars.origin import Origin
from emu.core.kernels.spec import Call, Kernel, KernelSpec, Maker
from emu.core.products.probe import chosen
from emu.core.products.ways import PLAIN, ProductWay
from emu.isa.dtypes import DType
from emu.program.group import COLUMN_MULTIPLE

PRODUCTS = 128  # per partial sum of floats, as on crossbars of 128 rows
ROOM = 1 << 18  # elements of the matrices that are multiplied at once


@dataclass(frozen=True, slots=True)
class _CrossbarProduct:
    """The product of vectors from `origin`, or another one, and the weights of a group."""

    group: Crossbar
    accumulate: bool
    relu: bool
    origin: Origin

    def __call__(self, dst: np.ndarray, /, *sources: np.ndarray, origin: Origin | None = None) -> None:
        """Compute."""
        self.group.multiply(dst, sources[0], self.accumulate, self.relu, origin or self.origin)

    def bound(self, dst: np.ndarray, /, *sources: np.ndarray, origin: Origin | None = None) -> Call:
        """The call with these vectors, as the group settles it if it can."""
        multiply: Callable[..., Call] = getattr(self.group, "bound", partial(partial, self.group.multiply))
        return multiply(dst, sources[0], self.accumulate, self.relu, origin or self.origin)


def _crossbar_product(spec: KernelSpec) -> Kernel:
    group, here = spec.group, spec.origin
    assert group is not None and here is not None  # the core refuses an unknown group before it makes the kernel
    return _CrossbarProduct(group, "acc" in spec.flags, "relu" in spec.flags, here)


def _write(spec: KernelSpec) -> Kernel:
    group, here, row = spec.group, spec.origin, spec.arg1
    assert group is not None and here is not None
    shape = spec.n, group.spec.cols

    def kernel(dst: np.ndarray, /, *sources: np.ndarray, origin: Origin = here) -> None:
        group.write(row, dst.reshape(shape), origin)

    return kernel


def _multiplied(a: DType, b: DType) -> tuple[np.dtype, int]:
    """The type of the product of matrices of these types, and how many products it sums up exactly (floats: defined).

    Floats: f32, at most PRODUCTS, as on crossbars. Integers: the fastest type that is exact; int64 wraps as they do
    (`_narrowed` does without it where the numbers at hand are small).
    """
    if a.is_float:
        return F32, PRODUCTS
    largest = [max(-int(limit.min), int(limit.max)) for limit in (np.iinfo(a.numpy), np.iinfo(b.numpy))]
    for dtype, bits in ((F32, 24), (F64, 53)):
        exact = ((1 << bits) - 1) // (largest[0] * largest[1])
        if exact >= PRODUCTS // 2:
            return dtype, exact
    return I64, 1 << 62


def _padded(x: np.ndarray, dtype: np.dtype, rows: int, cols: int) -> np.ndarray:
    """`x` [..., r, c] as contiguous `dtype` [..., rows, cols]; zeros beyond r and c."""
    if x.shape[-2:] == (rows, cols):
        return np.array(x, dtype, order="C")
    whole = np.zeros((*x.shape[:-2], rows, cols), dtype)
    whole[..., : x.shape[-2], : x.shape[-1]] = x
    return whole


@dataclass(frozen=True, slots=True)
class _Product:
    """The product of [m, k] and [k, n] matrices: partial sums of few products each, added in their order."""

    k: int
    n: int
    dtype: np.dtype  # of the products
    inner: int  # products per partial sum
    sum_type: np.dtype
    accumulate: bool
    way: ProductWay

    @property
    def cols(self) -> int:
        """Columns with those that are added so that every row is rounded alike."""
        return -(-self.n // COLUMN_MULTIPLE) * COLUMN_MULTIPLE

    def matrix(self, b: np.ndarray) -> np.ndarray:
        """`b` [..., k, n] ready to be multiplied with."""
        return self.way.factor(_padded(b, self.dtype, self.k, self.cols))

    def put(self, target: np.ndarray, a: np.ndarray, matrix: np.ndarray) -> None:
        """`target` [..., m, n] = `a` [..., m, k] x the `matrix` of [k, n]."""
        m = a.shape[-2]
        x = _padded(a, self.dtype, max(2, m), self.k)
        total = target.astype(self.sum_type) if self.accumulate else None
        for low in range(0, self.k, self.inner):
            high = min(low + self.inner, self.k)
            if total is not None and self.dtype == self.sum_type:
                self.way.add(total, x[..., low:high], matrix[..., low:high, :], self.cols)
                continue
            kept = np.empty((*x.shape[:-1], self.cols), self.dtype) if total is None else None
            partial = self.way.multiply(x[..., low:high], matrix[..., low:high, :], self.cols, kept)[..., :m, : self.n]
            if partial.dtype != self.sum_type:
                partial = partial if self.sum_type == F32 else partial.astype(np.int64)
                partial = partial.astype(self.sum_type)
            total = partial if total is None else np.add(total, partial, out=total)
        target[...] = total


def _narrowed(product: _Product, a: np.ndarray, b: np.ndarray) -> _Product:
    """`product` in a type that a BLAS multiplies, if the sums of numbers as in `a` and `b` do not need int64."""
    if product.dtype != I64 or 0 in (a.size, b.size):
        return product
    bound = product.k
    for matrix in (a, b):
        bound *= max(-int(matrix.min()), int(matrix.max()))
    for dtype, bits in ((F32, 24), (F64, 53)):
        if bound < 1 << bits:
            return replace(product, dtype=dtype)
    return product


def _matrix_product(spec: KernelSpec) -> Kernel:
    m, k, n, (left, right, out) = spec.arg0, spec.arg1, spec.n, spec.types
    accumulate = "acc" in spec.flags
    sum_type = F32 if out.is_float else out.numpy  # f16 is rounded once, at the end
    widest = _Product(k, n, *_multiplied(left, right), sum_type, accumulate, chosen() if left.is_float else PLAIN)
    room = max(1, m) * (k + widest.cols) + k * widest.cols  # elements of one product

    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        if 0 in (m, k, n):
            if not accumulate:
                dst[...] = 0
            return
        a, b = sources
        product, box = _narrowed(widest, a, b), dst.shape[:-2]
        if any(step and count > 1 for step, count in zip(b.strides, box, strict=False)):
            for index in blocks(box, max(1, ROOM // room)):
                product.put(dst[index], a[index], product.matrix(b[index]))
            return
        matrix = product.matrix(b[(0,) * len(box)])  # the same for all rows of all iterations
        for index in blocks((*box, m), HEIGHT):
            rows, target = a[index].reshape(-1, k), dst[index]
            result = target.reshape(-1, n)
            product.put(result, rows, matrix)
            if not np.may_share_memory(result, target):  # a copy: what is strided is no matrix
                target[...] = result.reshape(target.shape)

    return kernel


MAKERS: dict[str, Maker] = {
    "crossbar product": _crossbar_product,
    "crossbar write": _write,
    "matrix product": _matrix_product,
}
