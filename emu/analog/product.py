"""The product of vectors and the weights of one array group, as cells, wires and converters give it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from emu.analog.array import AnalogArray
from emu.analog.converters import Limits
from emu.analog.counts import PLACE, new_counts
from emu.analog.inputs import InputDriver, Pulses
from emu.analog.loads import Loads
from emu.analog.part import F64, Part, histogram
from emu.analog.programming import Written
from emu.arch import Arch
from emu.draws import normals
from emu.isa.dtypes import DType

ROWS = 1 << 10  # vectors of products in which nothing is converted, and of those that are counted
ROOM = 1 << 18  # currents that are converted at once: they stay in a cache
DRAWN = 1 << 16  # random numbers at once, for the same reason

# Called with the currents [vectors, columns] of a slice of weights, before conversion, in currents of one cell.
Observer = Callable[[int, np.ndarray], None]


class AnalogProduct:
    """What an array group of a chip gives: the product y = x W, through all that its description says of cells.

    `weights` [rows, cols] stand in arrays of `row_tiles` rows and `col_tiles` columns (usually one). Random numbers
    depend on `place` (core, group), `trial` and the seed of the chip; those of a reading on the key of its vector. What
    is not described is ideal. Raises ArchError for what a chip cannot be.
    """

    def __init__(
        self,
        arch: Arch,
        weights: np.ndarray,
        row_tiles: Sequence[int],
        input_type: DType,
        weight_type: DType,
        place: tuple[int, int] = (0, 0),
        trial: int = 0,
        limits: Sequence[Limits] | None = None,
        input_max: float | None = None,
        col_tiles: Sequence[int] = (),
        written: Written = (),
    ) -> None:
        self.driver = InputDriver(arch, input_type, input_max)
        self.counts = new_counts()
        self.counted = False  # whether pulses and what they load are counted
        self.watched = False  # whether everything is counted, also what takes time
        self._loads = Loads(self.driver)
        self.observer: Observer | None = None
        self.array = AnalogArray(
            arch,
            weights,
            weight_type,
            self.driver,
            tuple(row_tiles),
            tuple(col_tiles) or (weights.shape[1],),
            (*place, trial),
            limits,
            written,
        )
        self.counts[PLACE["clipped_weights"]] += self.array.weights.clipped

    @property
    def exact(self) -> bool:
        """Whether no input makes it give anything but the product of what the slices of weights hold together."""
        return self.array.exact

    @property
    def ideal(self) -> bool:
        """Whether it gives what the ideal crossbar gives: nothing is rounded, clipped, or in error."""
        return self.array.ideal and not self.driver.rounds

    @property
    def noisy(self) -> bool:
        """Whether readings are random: then vectors need keys."""
        return self.array.noisy

    def multiply(self, x: np.ndarray, keys: np.ndarray | None = None) -> np.ndarray:
        """y [vectors, cols], float64, of x [vectors, rows]; `keys` uint64 [vectors] where readings are random."""
        y = np.empty((len(x), self.array.cols))
        self.counts[PLACE["vectors"]] += len(x)
        step = max(1, ROOM // (self.array.layout.width * (1 if self.array.layout.at_once else self.driver.most)))
        if self.exact and not self.watched:
            step = max(step, ROWS)
        for low in range(0, len(x), step):
            high = low + step
            y[low:high] = self._block(x[low:high], None if keys is None else keys[low:high])
        return y

    def _block(self, x: np.ndarray, keys: np.ndarray | None) -> np.ndarray:
        array = self.array
        codes = self.driver.codes(x)
        self.counts[PLACE["clipped_inputs"]] += codes.clipped
        if self.counted:
            self._count(codes.values)
        if array.exact and not self.watched:
            y = array.whole(codes.values)
        else:
            pulses = self.driver.pulses(codes.values)
            sums = np.zeros((len(x), array.layout.width))
            for part in array.parts:
                self._read(part, codes.values, pulses, keys, sums)
            y = array.whole(codes.values) if array.exact else array.combined(sums, codes.values)
        return np.multiply(np.multiply(y, codes.scale, y), array.weights.scale, y)

    def count_programming(self, rows: np.ndarray, again: np.ndarray) -> None:
        """Count the programming of `rows`, bool [rows], and the pulses of those `again` that were counted with one."""
        cells, pulses, most = self.array.written
        more = int((pulses - cells)[again].sum())
        found = {"written": cells[rows].sum(), "verified": pulses[rows].sum() + more, "reverified": more}
        for name, count in (found | {"rows": (most[again] - 1).sum()}).items():
            self.counts[PLACE[name]] += int(count)

    def count(self, x: np.ndarray) -> None:
        """Count what products of x [vectors, rows] take, which somebody else makes."""
        self.counts[PLACE["vectors"]] += len(x)
        for low in range(0, len(x), ROWS):
            self._count(self.driver.codes(x[low : low + ROWS]).values)

    def _count(self, codes: np.ndarray) -> None:
        """Count pulses, the squares of voltages with the conductances that they are applied to, and conversions."""
        counts, array = self.counts, self.array
        load, pulses = self._loads.of(codes)
        counts[PLACE["pulses"]] += pulses
        counts[PLACE["charge"]] += float(load @ array.load)
        if array.exact and not self.watched:
            times = 1 if array.layout.at_once else self.driver.most - self.driver.signed
            counts[PLACE["conversions"]] += len(codes) * len(array.parts) * array.layout.width * times

    def _read(self, part: Part, codes: np.ndarray, pulses: Pulses, keys: np.ndarray | None, sums: np.ndarray) -> None:
        """Add what converters of a part give to sums [vectors, width], in steps of cells and inputs."""
        noisy = part.noise is not None
        assert keys is not None or not noisy, "readings are random: vectors need keys"
        if self.array.layout.at_once:
            currents = part.currents(codes[:, part.rows])[None]
            if keys is not None and noisy:
                self._noise(part, self._squares(part, pulses), keys, 0, currents)
            sums += self._converted(part, currents, (1.0,))
            return
        total = self._added(part, self._currents(part, pulses.voltages, keys, 0), pulses.factors)
        some = pulses.some
        if some is not None and pulses.more is not None:
            more = self._currents(part, pulses.more[None], None if keys is None else keys[some], len(pulses.factors))
            total[some] += self._added(part, more, (pulses.more_factor,))
        sums += self._converted(part, total[None], (1.0,)) if self.array.layout.together else total

    def _added(self, part: Part, currents: np.ndarray, factors: Sequence[float]) -> np.ndarray:
        """Currents [pulses, vectors, columns] times factors, float64 [vectors, columns], converted unless later."""
        return _sum(factors, currents) if self.array.layout.together else self._converted(part, currents, factors)

    def _currents(self, part: Part, voltages: np.ndarray, keys: np.ndarray | None, first: int) -> np.ndarray:
        """Currents [pulses, vectors, columns] of voltages [pulses, vectors, rows] as they leave the array."""
        voltages = voltages[:, :, part.rows]
        currents = part.currents(self.array.bent(voltages)).reshape(*voltages.shape[:2], -1)
        if keys is not None and part.noise is not None:
            self._noise(part, part.squares(voltages), keys, first, currents)
        return part.limited(currents)

    def _squares(self, part: Part, pulses: Pulses) -> np.ndarray:
        """The squares of the voltages of all pulses as they count, [1, vectors, rows of the part]."""
        squares = np.einsum("p,pvr->vr", np.square(pulses.factors), part.squares(pulses.voltages[:, :, part.rows]))
        if pulses.some is not None and pulses.more is not None:
            squares[pulses.some] += pulses.more_factor**2 * part.squares(pulses.more[:, part.rows])
        return squares[None]

    def _noise(self, part: Part, squares: np.ndarray, keys: np.ndarray, first: int, currents: np.ndarray) -> None:
        """Add to currents [pulses, vectors, columns] what readings are spread by; `first` is the first pulse."""
        assert part.noise is not None
        pulses, vectors, columns = currents.shape
        start, count = (part.number * (self.driver.most + 1) + first) * columns, pulses * columns
        deviation = part.noise.deviation(squares)
        step = max(1, DRAWN // count)
        for low in range(0, vectors, step):
            some = slice(low, low + step)
            drawn = normals(keys[some], start, count, lent=True).reshape(-1, pulses, columns).transpose(1, 0, 2)
            drawn *= deviation[:, some]
            currents[:, some] += drawn

    def _converted(self, part: Part, currents: np.ndarray, factors: Sequence[float]) -> np.ndarray:
        """What pulses x vectors x columns of currents come to, float64 [vectors, columns]."""
        counts, made = self.counts, part.converters
        if self.observer is not None:
            self._observe(part, currents)
        if self.watched and currents.size:
            self._extremes(currents)
        counts[PLACE["conversions"]] += currents.size
        if made is None:
            return _sum(factors, currents)
        counts[PLACE["clipped"]] += made.convert(currents)
        if self.watched:
            histogram(counts, currents, float(np.min(made.lowest)), float(np.max(made.highest)))
        # A pulse of the sign alone is a whole voltage, of which it is no whole number of times the lowest bit.
        per = 1.0 if all(factor.is_integer() for factor in factors) else self.driver.steps
        wholes = [round(factor * per) for factor in factors]
        exact = currents.dtype if made.largest * sum(map(abs, wholes)) < 1 << 24 else F64
        total = _weighted(currents.astype(exact, copy=False), np.asarray(wholes, exact)).astype(F64)
        total *= made.step / per
        if made.base.any():
            total += made.base * sum(factors)
        return total

    def _extremes(self, currents: np.ndarray) -> None:
        """Count the lowest and the highest current so far."""
        each, units = self._by_slice(currents), np.asarray(self.array.layout.units)
        low, high = PLACE["lowest"], PLACE["highest"]
        self.counts[low] = min(self.counts[low], float((each.min(axis=(0, 2)) * units).min()))
        self.counts[high] = max(self.counts[high], float((each.max(axis=(0, 2)) * units).max()))

    def _by_slice(self, currents: np.ndarray) -> np.ndarray:
        """Currents [..., width] as those of slices [vectors, slices, columns]."""
        slices = len(self.array.layout.units)
        return currents.reshape(-1, slices, currents.shape[-1] // slices)

    def _observe(self, part: Part, currents: np.ndarray) -> None:
        """Hand out currents by slice, in those of one cell."""
        units, each = self.array.layout.units, self._by_slice(currents)
        assert self.observer is not None
        for number, unit in enumerate(units):
            self.observer(number, each[:, number] * unit)


def _sum(factors: Sequence[float], currents: np.ndarray) -> np.ndarray:
    """Currents [pulses, vectors, columns] times the factors of pulses, float64 [vectors, columns], added in order."""
    total = np.zeros(currents.shape[1:])
    for factor, each in zip(factors, currents, strict=True):
        total += factor * each
    return total


def _weighted(codes: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Codes [pulses, vectors, columns] times the factors of pulses, added up: exact, as both are whole numbers."""
    if len(codes) == 1:
        return codes[0] * factors[0]
    return (factors @ codes.reshape(len(codes), -1)).reshape(codes.shape[1:])
