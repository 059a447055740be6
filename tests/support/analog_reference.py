"""One product of analog cells as slow loops over tiles, parts of rows, slices of weights and of inputs, and cells.

Written from what the chip's keys mean (`emu/arch/analog.py`), with Python's numbers alone. Units: conductances of the
highest one, whole voltages, and currents of a cell of both.
"""

import math
import operator
from dataclasses import dataclass

NEAR = 1e-6  # of a code: closer to a tie, what a converter gives is a matter of the order of additions
VOLTAGE = 2.0**-22  # how exactly voltages are held that are not in steps
SLICED_BITS = 8  # of floats whose bits are not said, where they are sliced


@dataclass
class Slice:
    """Cells [half of a pair][row][col] of digits up to `largest`, which count `place` each, `whole` numbers or not."""

    place: float
    largest: float
    whole: bool
    digits: list


@dataclass
class Reading:
    """Pulses (share of what is converted, voltages [row]) that are converted at once; a whole voltage counts `gain`.

    It has so many `steps` (0: voltages may be anything).
    """

    gain: float
    steps: int
    pulses: list


@dataclass
class Output:
    """A sum, that of its terms' magnitudes, and how far it may be off, as some currents are near ties."""

    total: float = 0.0
    size: float = 0.0
    slack: float = 0.0

    def add(self, gain, value, slack=0.0, size=0.0):
        """`gain` times a value, made of what was of a size."""
        self.total += gain * value
        self.size += abs(gain) * max(abs(value), size)
        self.slack += abs(gain) * slack

    def less(self, other):
        """Take another sum away."""
        self.add(-1, other.total, other.slack, other.size)

    def scale(self, factor):
        """The same in another unit."""
        self.total, self.size, self.slack = self.total * factor, self.size * factor, self.slack * factor


def ohmic(slices):
    """What gives currents [col] of voltages [row], for each half [row][col] of each slice of an array."""
    return [
        [lambda volts, g=g: [sum(map(operator.mul, volts, column)) for column in zip(*g, strict=True)] for g in halves]
        for halves in slices
    ]


def product(arch, weights, row_tiles, types, x, limits=None, input_max=None, made=ohmic, grain=0.0, aged=None):
    """Outputs [vector][col] of `x` [vector][row]; `types` are those of inputs and of weights. Integers are not rounded.

    `weights` [row][col], of which tiles of rows stand one below the other. `made` is `ohmic` of what becomes of the
    conductances that are wanted of all slices, a column of zeros last if there is one. A conductance may be off by
    `grain` steps of a cell. `aged` is what becomes of one in time, which outputs are compensated for.
    """
    slices, scales, added = weight_slices(arch, weights, types[1])
    limits = {"fixed": arch.mapping.adc_limits, "calibrated": limits}.get(arch.mapping.adc_range or "")
    zeros = len(slices[0].digits[0][0]) > len(scales)
    factors = compensation(arch, slices, sum(row_tiles), aged)
    arrays = [made(list(cut(arch, slices, first, last))) for first, last, _ in spans(arch, row_tiles)]
    outputs = []
    for vector in x:
        numbers, readings, scale, signs = input_readings(arch, vector, types[0], input_max)
        row = [Output() for _ in (*scales, 0)[: len(scales) + zeros]]
        for (first, last, ranges), tile in zip(spans(arch, row_tiles), arrays, strict=True):
            for number, (part, halves) in enumerate(zip(slices, tile, strict=True)):
                limit = limits and limits[number % len(limits)]
                for rows, reading in ((rows, reading) for rows in ranges for reading in readings):
                    driven = [
                        (share, [v if i in rows else 0.0 for i, v in enumerate(volts)])
                        for share, volts in reading.pulses
                    ]
                    driven = [(share, volts[first:last]) for share, volts in driven]
                    read(arch, part, reading, driven, halves, signs, len(rows), limit, grain, factors[number], row)
        for col, factor in enumerate(scales):
            row[col].add(-added, 0 if zeros else sum(numbers))
            if zeros:
                row[col].less(row[-1])
            row[col].scale(factor * scale)
        outputs.append(row[: len(scales)])
    return outputs


def compensation(arch, slices, rows, aged):
    """Factors [slice][col] on what columns give: what rows one by one gave before, over what they give now."""
    before, now = [], []
    for halves in cut(arch, slices, 0, rows):
        columns = [[line[col] for half in halves for line in half] for col in range(len(halves[0][0]))]
        before.append([sum(map(abs, column)) for column in columns])
        now.append([sum(abs(aged(g)) if aged else abs(g) for g in column) for column in columns])
    if arch.mapping.compensation == "global":
        before, now = ([[sum(map(sum, found))] * len(found[0])] * len(found) for found in (before, now))
    elif arch.mapping.compensation != "column":
        now = before
    return [
        [one / other if one > 0 and other > 0 else 1.0 for one, other in zip(*both, strict=True)]
        for both in zip(before, now, strict=True)
    ]


def read(arch, part, reading, pulses, halves, signs, height, limit, grain, factors, outputs):
    """Add to outputs [col] what one reading of one part of an array gives."""
    least, pairs = lowest(arch), len(part.digits) == 2
    gain = part.place * part.largest * reading.gain / (1 - least)
    driven = sum(share * sum(volts) for share, volts in pulses)
    blur = grain * (1 - least) / part.largest * sum(abs(share * volt) for share, volts in pulses for volt in volts)
    blur += VOLTAGE * height * (not reading.steps or arch.device.iv is not None)
    together = pairs and (arch.mapping.pairs != "apart" or len(halves) == 1)
    made_by = Converter(arch, part, reading, signs or together, height, limit, blur)
    columns = [currents(arch, half, pulses, len(outputs)) for half in halves]
    if together and len(halves) == 2:
        columns = [list(map(operator.sub, *columns))]
    for sign, flowing in zip((1, -1), columns, strict=False):
        for output, each, factor in zip(outputs, flowing, factors, strict=True):
            output.add(sign * gain * factor, *made_by.value(each))
            output.add(0.0 if pairs or arch.mapping.zero == "column" else -gain * least, driven)


def spans(arch, heights):
    """(first row, behind the last, rows that are driven at a time) of each tile."""
    first, driven = 0, arch.crossbar.driven_rows
    for height in heights:
        last = first + height
        yield first, last, [range(at, min(at + driven, last)) for at in range(first, last, driven)]
        first = last


def cut(arch, slices, first, last):
    """Conductances [half][row][col] that are wanted of some rows, slice by slice."""
    for part in slices:
        step = (1 - lowest(arch)) / part.largest
        yield [[[lowest(arch) + step * digit for digit in line] for line in half[first:last]] for half in part.digits]


def lowest(arch):
    """The lowest conductance."""
    return (arch.device.g_min_us or 0) / (arch.device.g_max_us or 25)


def currents(arch, half, pulses, width):
    """What flows out of columns, of all pulses."""
    total, limit = [0.0] * width, arch.mapping.column_limit or math.inf
    for share, volts in pulses:
        flowing = half([bent(arch, volt) for volt in volts])
        total = [so_far + share * max(-limit, min(each, limit)) for so_far, each in zip(total, flowing, strict=True)]
    return total


def bent(arch, volt):
    """The voltage at which an ohmic cell would give the current."""
    whole = arch.device.read_v or 0.2
    return volt - volt**3 * whole**2 / 4 if arch.device.iv == "cubic" else volt


class Converter:
    """What currents of `height` rows are converted by, of one sign or of both; they may be off by `blur`."""

    def __init__(self, arch, part, reading, signs, height, limit, blur):
        mapping, self.bits, self.blur = arch.mapping, arch.crossbar.adc_bits, blur
        if not self.bits:
            return
        codes, span = 2**self.bits, 1 - lowest(arch)
        kind, even = mapping.adc_range or "full", mapping.adc_codes == "all"
        both = limit[0] < 0 if limit and kind in ("fixed", "calibrated") else signs
        between = codes - 1 - (both and not even)  # steps between the outermost codes
        smallest = span / part.largest / reading.steps if part.whole and reading.steps else 0
        largest = height * span if len(part.digits) == 2 and mapping.pairs != "apart" else height
        if kind in ("full", "unit"):
            self.step = smallest if kind == "unit" else max(smallest, largest * (1 + signs) / between)
            self.low = -(codes // 2 if even else codes // 2 - 1) * self.step if signs else 0
        else:
            self.low, high = limit or (-height * signs, height)
            self.step = (high - self.low) / between
        self.last = between

    def value(self, current):
        """The current that the code stands for, how much more or less it might be, and the size of both."""
        if not self.bits:
            return current, self.blur, abs(current)
        place = (current - self.low) / self.step
        nearest = max(0, min(round(place), self.last))
        tie = -1 < place < self.last + 1 and abs(abs(place - math.floor(place)) - 0.5) < NEAR + self.blur / self.step
        return self.low + nearest * self.step, self.step * tie, abs(self.low)


def digits(number, bits, width):
    """Those of `width` bits of a number of so many bits, the lowest first; a larger one is as large as they hold."""
    count = math.ceil(bits / width)
    number = min(number, 2 ** (width * count) - 1)
    return [number >> width * k & 2**width - 1 for k in range(count)]


def weight_slices(arch, weights, dtype):
    """Slices of weights, a factor per column, and what was added to each weight."""
    mapping, width = arch.mapping, arch.crossbar.cell_bits
    kind = mapping.slicing or ("differential" if arch.crossbar.differential else "offset")
    bits, signed, scales = dtype.size * 8, dtype.is_signed, [1.0] * len(weights[0])
    if dtype.is_float:
        bits, signed = mapping.weight_bits or (SLICED_BITS if width and kind != "two-sided" else 0), True
        most, peaks = 2 ** (bits - 1) - 1 if bits else 1, weight_peaks(mapping, weights)
        weights = [[share(w, peak, -1.0) * most for w, peak in zip(line, peaks, strict=True)] for line in weights]
        weights = [[round(w) for w in line] for line in weights] if bits else weights
        scales = [peak / most for peak in peaks]
    if mapping.zero == "column" and kind not in ("differential", "two-sided"):
        weights = [[*line, 0] for line in weights]

    def cells(*functions):
        return [[[function(w) for w in line] for line in weights] for function in functions]

    held = bits - (signed and kind != "offset")  # bits in slices of one sign
    if kind == "two-sided":
        most = 2**held - 1 + (signed and not dtype.is_float) if bits else 1
        steps = 2**width - 1 if width else 2 * most if bits else 1
        near = round if bits or width else float
        both = cells(lambda w: near((1 + w / most) / 2 * steps), lambda w: near((1 - w / most) / 2 * steps))
        return [Slice(most / steps, steps, bits or width, both)], scales, 0
    if not bits and kind == "differential":
        return [Slice(1, 1, False, cells(lambda w: max(w, 0), lambda w: max(-w, 0)))], scales, 0
    if not bits:
        return [Slice(2, 1, False, cells(lambda w: (1 + w) / 2))], scales, 1
    added = 2 ** (bits - 1) if signed and kind == "offset" else 0
    slices, count = [], math.ceil(held / width) if width else 1

    def digit(value, k):
        return digits(value, held, width)[k] if width else value

    for k in range(count):
        if kind == "differential":
            found = cells(lambda w, k=k: digit(max(w, 0), k), lambda w, k=k: digit(max(-w, 0), k))
        else:
            found = cells(lambda w, k=k: digit((w + added) % 2**held, k))
        slices.append(Slice(2 ** (width * k), 2 ** (width or held) - 1, True, found))
    if kind == "twos-complement" and signed:
        slices.append(Slice(-(2**held), 1, True, cells(lambda w: int(w < 0))))
    return slices, scales, added


def share(value, peak, low):
    """A number as a share of a range."""
    return max(low, min(value / peak, 1.0))


def weight_peaks(mapping, weights):
    """The magnitude that fills the range of cells, per column."""
    columns = [[line[col] for line in weights] for col in range(len(weights[0]))]
    if mapping.weight_scope != "column":
        columns = [[w for column in columns for w in column]] * len(columns)
    if mapping.weight_max:
        return [mapping.weight_max] * len(columns)
    part = (mapping.weight_percentile or 100) / 100
    return [max(abs(at(sorted(column), part)), abs(at(sorted(column), 1 - part))) or 1.0 for column in columns]


def at(ordered, part):
    """The percentile of a sorted list."""
    place = (len(ordered) - 1) * part
    below = min(math.floor(place), len(ordered) - 1)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def input_readings(arch, vector, dtype, input_max):
    """Inputs as numbers, how they are read, a factor, and whether what is converted has signs."""
    mapping, width = arch.mapping, arch.crossbar.dac_bits
    bits, signed, scale = dtype.size * 8, dtype.is_signed, 1.0
    if dtype.is_float:
        bits, signed = mapping.input_bits or (SLICED_BITS if width else 0), mapping.input_signed is not False
        largest = input_max if mapping.input_range == "calibrated" else mapping.input_max
        own = mapping.input_range in (None, "vector")
        peak = (max(abs(value) for value in vector) if own else largest) or 1.0
        low = -1.0 if signed else 0.0
        vector = [share(value, peak, low) for value in vector]
        if not bits:
            return vector, [Reading(1.0, 0, [(1.0, vector)])], peak, signed
        if mapping.input_coding == "levels":
            steps = (2**bits - 1) / (1 - low)
            vector = [round((value - low) * steps) / steps + low for value in vector]
            return vector, [Reading(1.0, 0, [(1.0, vector)])], peak, signed
        most = 2 ** max(bits - signed, 1) - 1
        vector = [round(value * most) for value in vector]
        scale = peak / most
    whole = max(bits - signed, 1)
    most, step = 2**whole - 1, min(width or whole, whole)
    complement = signed and mapping.input_coding == "twos-complement"
    signs = signed and not complement
    codes = [abs(value) if signs else value % 2**whole for value in vector]
    count = math.ceil(whole / step)
    count += any(code >> step * count for code in codes)
    top, pulses = 2**step - 1, []
    for k in range(count):
        volts = [
            (-1 if signs and v < 0 else 1) * (c >> step * k & top) / top for v, c in zip(vector, codes, strict=True)
        ]
        pulses.append((2 ** (step * k) * top, volts))
    if complement:
        pulses.append((-(2**whole), [float(value < 0) for value in vector]))
    if mapping.input_slices == "together":
        return vector, [Reading(most, most, [(gain / most, volts) for gain, volts in pulses])], scale, signed
    return vector, [Reading(gain, top, [(1.0, volts)]) for gain, volts in pulses], scale, signs
