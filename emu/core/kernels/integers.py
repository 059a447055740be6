"""Integer arithmetic that is not plain wrapping: saturating, trapping, dividing, shifting."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from emu.core.crossbars.fault import Fault

Wide = Callable[..., np.ndarray]  # add, subtract or multiply


def _first(mask: np.ndarray) -> int:
    return int(np.argmax(mask.reshape(-1)))


def _narrow_sum(operation: Wide, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    limits = np.iinfo(a.dtype)
    wide = operation(a.astype(np.int64), b.astype(np.int64))
    return wide, wide < limits.min, wide > limits.max


def _long_sum(operation: Wide, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    wrapped = operation(a, b)
    if operation is np.multiply:
        divisor = np.where((b == 0) | (b == -1), 1, b)
        lost = (wrapped // divisor != a) & (b != 0) & (b != -1)
        lost |= (b == -1) & (a == np.iinfo(np.int64).min)
        negative = (a < 0) != (b < 0)
    else:
        other = b if operation is np.add else ~b  # a - b overflows exactly where a + ~b + 1 does
        lost = ((a ^ wrapped) & (other ^ wrapped)) < 0
        negative = a < 0
    return wrapped, lost & negative, lost & ~negative


def exact(operation: Wide, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The result before wrapping (int64), where it is too low and where it is too high for the type of `a`."""
    a, b = np.broadcast_arrays(a, b)
    return (_long_sum if a.dtype == np.int64 else _narrow_sum)(operation, a, b)


def saturated(operation: Wide, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`operation(a, b)` clipped to the type of `a`."""
    result, low, high = exact(operation, a, b)
    limits = np.iinfo(a.dtype)
    return np.where(low, limits.min, np.where(high, limits.max, result)).astype(a.dtype)


def refuse_overflow(operation: Wide, a: np.ndarray, b: np.ndarray) -> None:
    """Fault at the first element of `operation(a, b)` that leaves the type of `a`."""
    _, low, high = exact(operation, a, b)
    wrong = low | high
    if wrong.any():
        at, limits = _first(wrong), np.iinfo(a.dtype)
        left, right = (int(x.reshape(-1)[at]) for x in np.broadcast_arrays(a, b))
        value = int(operation(np.array(left, object), np.array(right, object)))
        raise Fault("integer overflow", "dst", value, int(limits.max if value > limits.max else limits.min))


def refuse_zero(divisor: np.ndarray) -> None:
    """Fault if any element of `divisor` is zero."""
    if not divisor.all():
        raise Fault("division of an integer by zero", "divisor", 0)


def truncating_divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b towards zero, in the type of `a`; INT_MIN / -1 wraps to INT_MIN; `b` has no zero."""
    quotient = np.floor_divide(a, b)
    inexact = (quotient * b != a) & ((a < 0) != (b < 0))
    return quotient + inexact.astype(quotient.dtype)


def shift_left(a: np.ndarray, count: np.ndarray) -> np.ndarray:
    """a << count; a count outside 0 .. bits-1 gives 0."""
    bits = a.dtype.itemsize * 8
    legal = (count >= 0) & (count < bits)
    return np.where(legal, np.left_shift(a, np.where(legal, count, 0)), a.dtype.type(0))


def shift_right(a: np.ndarray, count: np.ndarray) -> np.ndarray:
    """a >> count, arithmetic for signed types; a count outside 0 .. bits-1 leaves only the sign (0 or -1)."""
    bits = a.dtype.itemsize * 8
    legal = (count >= 0) & (count < bits)
    sign = np.where(a < 0, a.dtype.type(-1) if a.dtype.kind == "i" else 0, 0).astype(a.dtype)
    return np.where(legal, np.right_shift(a, np.where(legal, count, 0)), sign)


def power(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """base ** exponent, which wraps; a negative exponent gives the quotient 1 / base ** -exponent without its fraction.

    Of base 0 that quotient is infinite: the result is the lowest number of the type.
    """
    positive = np.power(base, np.maximum(exponent, 0))
    if base.dtype.kind == "u":
        return positive
    one = base.dtype.type(1)
    odd = np.where(exponent & one, base, one)  # of base -1 and 1
    inverse = np.where(base == 0, np.iinfo(base.dtype).min, np.where(np.abs(base) == 1, odd, 0))
    return np.where(exponent < 0, inverse, positive).astype(base.dtype)
