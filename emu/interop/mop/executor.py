"""Executes flows with NumPy: integers exactly (int8 products, int32 sums), or float32."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from emu.core.kernels.integers import truncating_divide
from emu.errors import ProgramError
from emu.interop.mop.arrays import Arrays
from emu.interop.mop.checker import Checker
from emu.interop.mop.chip import Chip
from emu.interop.mop.flow import Block, Core, Flow, Named, Operand, Operator, Params, Register, Tensor
from emu.interop.mop.operators import OPERATORS
from emu.interop.mop.window import PADDING, Window, window_of
from emu.isa.dtypes import DType

_AT_ONCE = 1 << 22  # elements that are gathered of windows at a time


@dataclass(slots=True)
class _Crossbar:
    """What a crossbar holds: weights [row][column] and its registers."""

    weights: np.ndarray
    input: np.ndarray
    output: np.ndarray


def run_flow(
    flow: Flow,
    chip: Chip,
    arrays: Mapping[str, np.ndarray],
    inputs: Mapping[str, np.ndarray],
    file_name: str,
    tell: Callable[[int], None] = lambda operators: None,
) -> dict[str, np.ndarray]:
    """The outputs of a flow, in logical shape, for `inputs` in logical shape; `tell` is called with operators so far.

    Every block is checked before it is executed; raises ProgramError with the place of the first fault.
    """
    checker, machine = Checker(flow, chip), _Machine(flow, chip, arrays)
    place = f"{file_name}:{{}}:{{}}: {{}}".format

    def refuse() -> None:
        if checker.faults:
            raise ProgramError(place(*checker.faults[0]))

    refuse()
    for tensor in flow.header.inputs:
        machine.put(tensor, inputs[tensor.name])
    done = 0
    for block in flow.blocks:
        checker.take(block)
        refuse()
        _run(machine, block, place)
        done += len(block.operators)
        tell(done)
    checker.finish()
    refuse()
    return {tensor.name: machine.get(tensor) for tensor in flow.header.outputs}


def _run(machine: _Machine, block: Block, place: Callable[..., str]) -> None:
    """One after the other: nothing in a parallel block depends on the order, or it were not right."""
    for operator in block.operators:
        try:
            machine.execute(operator)
        except ValueError as error:
            raise ProgramError(place(operator.line, operator.column, f"{operator.name}: {error}")) from None


class _Machine:
    """Memory, crossbars and cores; operators were checked before, but for the arrays that they name."""

    def __init__(self, flow: Flow, chip: Chip, arrays: Mapping[str, np.ndarray]) -> None:
        self._numbers, self._chip = flow.header.numbers, chip
        self._arrays = Arrays(arrays, self._numbers)
        self._element = self._numbers.element.numpy
        self._memory = np.zeros(1 << 12, self._element)
        self._crossbars: dict[int, _Crossbar] = {}
        self._cores: dict[Named, np.ndarray] = {}
        self._width = chip.columns(self._numbers.weight_bits)
        self._bound = chip.bound(self._numbers.weight_bits)
        self._special: Mapping[str, Callable[..., None]] = {
            "cim.read_core": self._read_core,
            "cim.read_xb": self._read_crossbars,
            "cim.write_xb": self._write_crossbar,
            "cim.read_row": self._read_rows,
            "cim.write_row": self._write_row,
            "MaxPool": self._max_pool,
            "AveragePool": self._average_pool,
        }

    def put(self, tensor: Tensor, array: np.ndarray) -> None:
        """Write an input to where it stands."""
        self._at(tensor.address, tensor.size)[...] = tensor.form.physical(array).reshape(-1)

    def get(self, tensor: Tensor) -> np.ndarray:
        """Read an output; raises ProgramError for a number that its type does not hold."""
        found = self._at(tensor.address, tensor.size)
        if not tensor.dtype.is_float and found.size:
            limits = np.iinfo(tensor.dtype.numpy)
            if found.min() < limits.min or found.max() > limits.max:
                raise ProgramError(f"output {tensor.name!r} holds numbers that are no {tensor.dtype.numpy}")
        return tensor.form.logical(found.reshape(tensor.form.sizes)).astype(tensor.dtype.numpy)

    def execute(self, operator: Operator) -> None:
        """Do what an operator says; raises ValueError with a sentence."""
        special = self._special.get(operator.name)
        if special is not None:
            special(*operator.args)
            return
        kinds = OPERATORS[operator.name].operands
        given = dict(zip(kinds, operator.args, strict=True))
        length = cast(int, given.pop("len"))
        target = self._place(given.pop("dst"), length, source=False)
        values = [
            self._place(value, length, source=True) if kinds[name] == "source" else value
            for name, value in given.items()
        ]
        target[...] = ELEMENTWISE[operator.name](*values)

    # places -----------------------------------------------------------------------------------------------------

    def _at(self, start: int, length: int) -> np.ndarray:
        """Elements of memory, to read or write."""
        if start + length > len(self._memory):
            grown = np.zeros(2 * (start + length), self._element)
            grown[: len(self._memory)] = self._memory
            self._memory = grown
        return self._memory[start : start + length]

    def _crossbar(self, number: int) -> _Crossbar:
        if number not in self._crossbars:
            registers = np.zeros(self._chip.rows, self._element), np.zeros(self._width, self._element)
            self._crossbars[number] = _Crossbar(np.zeros((0, 0)), *registers)
        return self._crossbars[number]

    def _place(self, place: Operand, length: int, *, source: bool) -> np.ndarray:
        if isinstance(place, Named):
            return self._arrays.repeated(place, length)
        if isinstance(place, Register):
            crossbar = self._crossbar(place.crossbar)
            return (crossbar.output if source else crossbar.input)[place.offset : place.offset + length]
        return self._at(cast(int, place), length)

    # products ---------------------------------------------------------------------------------------------------

    def _product(self, values: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """`values` [..][row] times `weights` [row][column], exact for integers, whose sums wrap at 32 bits."""
        limits = self._numbers.inputs
        if limits is None:
            return values @ weights
        if values.size and not (limits[0] <= values.min() and values.max() <= limits[1]):
            odd = values[(values < limits[0]) | (values > limits[1])].flat[0]
            raise ValueError(f"a word line is given {odd}, which is no number of 8 bits")
        return (values.astype(np.float64) @ weights).astype(np.int64).astype(np.int32)

    def _read_core(self, layer: str, params: Params, core: Core, source: int, target: int) -> None:
        window = window_of(params)
        assert window.weights is not None  # it was checked
        rows = slice(*window.weights.box[0])
        if window.weights not in self._cores:
            self._cores[window.weights] = self._arrays.matrix(window.weights)
        weights, out = self._cores[window.weights], self._results(window, target)
        memory = self._at(source, window.source_size)
        step = max(1, _AT_ONCE // window.rows)
        for first in range(0, window.count, step):
            last = min(first + step, window.count)
            offsets = window.offsets(first, last)[:, rows]
            values = np.where(offsets == PADDING, self._element.type(window.fill), memory[offsets])
            out[first:last] = self._product(values, weights)

    def _read_crossbars(self, at: Register, length: int) -> None:
        for number in range(at.crossbar, at.crossbar + length, self._bound):
            crossbar = self._crossbars[number]
            self._multiply(crossbar, 0, len(crossbar.weights))

    def _read_rows(self, at: Register, length: int) -> None:
        self._multiply(self._crossbars[at.crossbar], at.offset, at.offset + length)

    def _multiply(self, crossbar: _Crossbar, first: int, last: int) -> None:
        made = self._product(crossbar.input[first:last], crossbar.weights[first:last])
        crossbar.output[: len(made)] = made
        crossbar.output[len(made) :] = 0

    def _write_crossbar(self, at: Register, matrix: Named) -> None:
        self._crossbar(at.crossbar).weights = self._arrays.matrix(matrix)

    def _write_row(self, at: Register, value: Named) -> None:
        crossbar, row = self._crossbar(at.crossbar), self._arrays.matrix(value)
        if not crossbar.weights.size:
            crossbar.weights = np.zeros((self._chip.rows, self._width), row.dtype)
        crossbar.weights[at.offset, : row.shape[1]] = row
        crossbar.weights[at.offset, row.shape[1] :] = 0

    # poolings ---------------------------------------------------------------------------------------------------

    def _results(self, window: Window, target: int) -> np.ndarray:
        """The results of a window in memory: [place][channel]."""
        start, size = target + window.filters.low, self._element.itemsize
        run = self._at(start, (window.count - 1) * window.out_pitch + window.width)
        return np.lib.stride_tricks.as_strided(run, (window.count, window.width), (window.out_pitch * size, size))

    def _pool(self, params: Params, source: int, target: int, pool: Callable[..., np.ndarray]) -> None:
        """`pool` makes [window][channel] of values [window][kernel position][channel], and which of them are inside."""
        window = window_of(params)
        out, memory = self._results(window, target), self._at(source, window.source_size)
        step = max(1, _AT_ONCE // window.rows)
        for first in range(0, window.count, step):
            last = min(first + step, window.count)
            offsets = window.offsets(first, last).reshape(last - first, -1, window.depth)
            out[first:last] = pool(window, memory[offsets], offsets != PADDING)

    def _max_pool(self, params: Params, source: int, target: int) -> None:
        low = -np.inf if self._element.kind == "f" else np.iinfo(self._element).min
        self._pool(params, source, target, lambda _, values, inside: np.where(inside, values, low).max(1))

    def _average_pool(self, params: Params, source: int, target: int) -> None:
        def mean(window: Window, values: np.ndarray, inside: np.ndarray) -> np.ndarray:
            count = values.shape[1] if window.count_pads else np.maximum(1, inside.sum(1))
            return np.where(inside, values, np.float32(0)).sum(1) / count

        self._pool(params, source, target, mean)


def _clip(values: np.ndarray, low: float, high: float) -> np.ndarray:
    if values.dtype.kind == "i":  # a bound beyond all numbers bounds nothing
        limits = np.iinfo(values.dtype)
        low, high = int(max(low, limits.min)), int(min(high, limits.max))
    return np.minimum(np.maximum(values, low), high)


def _divide(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if left.dtype.kind == "f":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.divide(left, right)
    if not right.all():
        raise ValueError("divides an integer by 0")
    return truncating_divide(left.astype(np.int64), right.astype(np.int64))


def _cast(values: np.ndarray, name: str) -> np.ndarray:
    return values.astype(DType[name].numpy)


def _requantize(values: np.ndarray, scale: np.ndarray, zero: float, name: str) -> np.ndarray:
    """As onnxruntime's MlasRequantizeOutput: in float32, rounded half to even, saturated."""
    limits = np.iinfo(DType[name].numpy)
    scaled = np.rint(values.astype(np.float32) * scale) + np.float32(zero)
    return np.clip(scaled, limits.min, limits.max).astype(np.int32)


# The operators on elements: functions of their operands but for dst and len.
ELEMENTWISE: Mapping[str, Callable[..., np.ndarray | float]] = {
    "Relu": lambda values: np.maximum(values, 0),
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": _divide,
    "max": np.maximum,
    "min": np.minimum,
    "mov": lambda values: values,
    "fill": lambda value: value,
    "clip": _clip,
    "cast": _cast,
    "requantize": _requantize,
}
