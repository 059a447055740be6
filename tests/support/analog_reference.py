"""One product of analog cells as slow loops over tiles, parts of rows, slices of weights and of inputs, and cells.

Written from what the chip's keys mean (`emu/arch/analog.py`), with Python's numbers alone. Units: conductances of the
highest one, whole voltages, and currents of a cell of both.
"""

import math
from dataclasses import dataclass

NEAR = 1e-6  # of a code: closer to a tie, what a converter gives is a matter of the order of additions
SLICED_BITS = 8  # of floats whose bits are not said, where they are sliced


@dataclass
class Slice:
    """Cells [half of a pair][row][col] of digits up to `largest`, which count `place` each; 0 bits: no whole numbers."""

    place: float
    largest: float
    bits: int
    digits: list


@dataclass
class Reading:
    """Pulses (share of what is converted, voltages [row]) that are converted at once; a whole voltage is `gain`."""

    gain: float
    bits: int
    pulses: list


@dataclass
class Output:
    """A sum, that of its terms' magnitudes, and how far it may be off, as some currents are near ties."""

    total: float = 0.0
    size: float = 0.0
    slack: float = 0.0

    def add(self, gain, value, slack=0.0):
        """`gain` times a value."""
        self.total += gain * value
        self.size += abs(gain * value)
        self.slack += abs(gain) * slack


def product(arch, weights, row_tiles, types, x, limits=None, input_max=None, array=lambda g: g):
    """Outputs [vector][col] of `x` [vector][row]; `types` are those of inputs and of weights. Integers are not rounded.

    `weights` [row][col], of which tiles of rows stand one below the other; `array` is what becomes of the conductances
    [row][col] of one array, which has the column of zeros as its last, if there is one.
    """
    mapping, least = arch.mapping, floor(arch)
    limits = limits or mapping.adc_limits
    slices, scales, added = weight_slices(arch, weights, types[1])
    pairs, zeros = len(slices[0].digits) == 2, len(slices[0].digits[0][0]) > len(scales)
    outputs = [[Output() for _ in scales] for _ in x]
    for vector, row in zip(x, outputs, strict=True):
        numbers, readings, scale, signs = input_readings(arch, vector, types[0], input_max)
        for number, part in enumerate(slices):
            limit = limits and limits[number if len(limits) > 1 else 0]
            for first, last, ranges in tiles(row_tiles, arch.crossbar.driven_rows):
                cells = [
                    array([[least + (1 - least) * d / part.largest for d in line] for line in half[first:last]])
                    for half in part.digits
                ]
                for rows in ranges:
                    for reading in readings:
                        gain = part.place * part.largest * reading.gain / (1 - least)
                        all_volts = sum(share * volts[i] for share, volts in reading.pulses for i in rows)
                        for col, output in enumerate(row):
                            for sign, column in ((1, col), (-1, -1))[: 1 + zeros]:
                                currents = [current(arch, half, reading, first, rows, column) for half in cells]
                                for value, slack in converted(arch, part, reading, signs, len(rows), limit, currents):
                                    output.add(sign * gain, value, slack)
                            if not pairs and not zeros:
                                output.add(-gain * least, all_volts)
        for output, factor in zip(row, scales, strict=True):
            output.add(-added, 0 if zeros else sum(numbers))
            output.total, output.size, output.slack = (
                each * factor * scale for each in (output.total, output.size, output.slack)
            )
    return outputs


def tiles(heights, driven):
    """(first row, behind the last, rows that are driven at a time) of each."""
    first = 0
    for height in heights:
        last = first + height
        yield first, last, [range(at, min(at + driven, last)) for at in range(first, last, driven)]
        first = last


def current(arch, cells, reading, first, rows, col):
    """What flows out of a column, of all pulses."""
    total, limit = 0.0, arch.mapping.column_limit or math.inf
    for share, volts in reading.pulses:
        flowing = sum(cells[i - first][col] * volts[i] for i in rows)
        total += share * max(-limit, min(flowing, limit))
    return total


def converted(arch, part, reading, signs, height, limit, currents):
    """(current that its code stands for, how far it may be off), one per conversion, the second of a pair negative."""
    mapping, bits = arch.mapping, arch.crossbar.adc_bits
    if len(currents) == 2 and mapping.pairs != "apart":
        currents, signs = [currents[0] - currents[1]], True
    if bits:
        codes = 2**bits - (signs and mapping.adc_codes != "all")
        low, high = limit or (-height if signs else 0, height)
        step = (high - low) / (codes - 1)
        smallest = (1 - floor(arch)) / (part.largest * abs(reading.gain)) if part.bits and reading.bits else 0
        kind = mapping.adc_range or "full"
        if kind == "unit" or (kind == "full" and smallest > step):
            low, step = -smallest * (codes - 1) / 2 if signs else 0, smallest
        currents = [code(each, low, step, codes) for each in currents]
    else:
        currents = [(each, 0.0) for each in currents]
    return [(sign * value, slack) for sign, (value, slack) in zip((1, -1), currents, strict=False)]


def code(value, low, step, codes):
    """What a converter gives, and how much more or less it might have given."""
    place = (value - low) / step
    nearest = max(0, min(round(place), codes - 1))
    tie = -1 < place < codes and abs(abs(place - math.floor(place)) - 0.5) < NEAR
    return low + nearest * step, step * tie


def floor(arch):
    """The lowest conductance."""
    return (arch.device.g_min_us or 0) / (arch.device.g_max_us or 25)


def digits(number, bits, width):
    """Those of `width` bits of a number of so many bits, the lowest first; the last one is as large as it may be."""
    count = math.ceil(bits / width)
    shifted = [number >> width * k for k in range(count)]
    return [value % 2**width for value in shifted[:-1]] + [min(shifted[-1], 2**width - 1)]


def weight_slices(arch, weights, dtype):
    """Slices of weights, a factor per column, and what was added to each weight."""
    mapping, crossbar = arch.mapping, arch.crossbar
    kind = mapping.slicing or ("differential" if crossbar.differential else "offset")
    bits, signed, scales = dtype.size * 8, dtype.is_signed, [1.0] * len(weights[0])
    if dtype.is_float:
        bits, signed = mapping.weight_bits or (SLICED_BITS if crossbar.cell_bits else 0), True
        peaks, most = weight_peaks(mapping, weights), 2 ** (bits - 1) - 1 if bits else 1
        shares = [[max(-1.0, min(w / peak, 1.0)) for w, peak in zip(line, peaks, strict=True)] for line in weights]
        weights = [[round(share * most) for share in line] for line in shares] if bits else shares
        scales = [peak / most for peak in peaks]
    pair = kind in ("differential", "two-sided")
    if not pair and mapping.zero == "column":
        weights = [[*line, 0] for line in weights]
    whole = bits - (signed and kind != "offset")  # bits in slices
    width = crossbar.cell_bits or whole
    most = 2**width - 1 if bits else 1

    def cells(*functions):
        return [[[function(w) for w in line] for line in weights] for function in functions]

    if kind == "two-sided":
        most = 2**whole - 1 if bits else 1
        return [Slice(1, most, whole, cells(lambda w: (most + w) / 2, lambda w: (most - w) / 2))], scales, 0
    if not bits:
        if kind == "differential":
            return [Slice(1, 1, 0, cells(lambda w: max(w, 0), lambda w: max(-w, 0)))], scales, 0
        return [Slice(2, 1, 0, cells(lambda w: (1 + w) / 2))], scales, 1
    added = 2 ** (bits - 1) if signed and kind == "offset" else 0
    slices = []
    for k in range(math.ceil(whole / width)):
        if kind == "differential":
            held = cells(
                lambda w, k=k: digits(max(w, 0), whole, width)[k], lambda w, k=k: digits(max(-w, 0), whole, width)[k]
            )
        else:
            held = cells(lambda w, k=k: digits((w + added) % 2 ** (whole), whole, width)[k])
        slices.append(Slice(2 ** (width * k), most, width, held))
    if kind == "twos-complement" and signed:
        slices.append(Slice(-(2 ** (bits - 1)), 1, 1, cells(lambda w: int(w < 0))))
    return slices, scales, added


def weight_peaks(mapping, weights):
    """The magnitude that fills the range of cells, per column."""
    columns = [[abs(line[col]) for line in weights] for col in range(len(weights[0]))]
    if mapping.weight_scope != "column":
        columns = [sum(columns, [])] * len(columns)
    peaks = []
    for column in columns:
        ordered = sorted(column)
        place = (len(ordered) - 1) * (mapping.weight_percentile or 100) / 100
        below = math.floor(place)
        above = min(below + 1, len(ordered) - 1)
        peak = mapping.weight_max or ordered[below] + (ordered[above] - ordered[below]) * (place - below)
        peaks.append(peak or 1.0)
    return peaks


def input_readings(arch, vector, dtype, input_max):
    """Inputs as numbers, how they are read, a factor, and whether voltages have signs."""
    mapping, width = arch.mapping, arch.crossbar.dac_bits
    bits, signed, scale, levels = dtype.size * 8, dtype.is_signed, 1.0, False
    if dtype.is_float:
        bits, signed = mapping.input_bits or (SLICED_BITS if width else 0), mapping.input_signed is not False
        own = mapping.input_range in (None, "vector")
        peak = (max(abs(value) for value in vector) if own else input_max or mapping.input_max) or 1.0
        shares = [max(-1.0 if signed else 0.0, min(value / peak, 1.0)) for value in vector]
        levels = mapping.input_coding == "levels" and bits > 0
        most = 2 ** (bits - signed) - 1 if bits and not levels else 1
        vector = [round(share * most) for share in shares] if bits and not levels else shares
        scale = peak / most
        if levels:
            steps = 2**bits - 1
            vector = [
                round((s + 1) / 2 * steps) / steps * 2 - 1 if signed else round(s * steps) / steps for s in shares
            ]
    if not bits or levels:
        return vector, [Reading(1.0, 0, [(1.0, vector)])], scale, signed
    whole = bits - signed
    most = 2**whole - 1
    if mapping.input_coding == "twos-complement":
        signs, codes = False, [value % 2**bits % 2**whole for value in vector]
    else:
        signs, codes = signed, [abs(value) for value in vector]
    step = width or whole
    count = math.ceil(whole / step) + (width is not None and any(c >> step * math.ceil(whole / step) for c in codes))
    pulses = []
    for k in range(count):
        held = [c >> step * k & 2**step - 1 if width else c for c in codes]
        volts = [(-1 if signs and v < 0 else 1) * d / (2**step - 1) for v, d in zip(vector, held, strict=True)]
        pulses.append((2 ** (step * k) * (2**step - 1), volts))
    if signed and not signs:
        pulses.append((-(2 ** (bits - 1)), [float(value < 0) for value in vector]))
    if mapping.input_slices == "together":
        return vector, [Reading(most, whole, [(gain / most, volts) for gain, volts in pulses])], scale, signed
    return vector, [Reading(gain, step, [(1.0, volts)]) for gain, volts in pulses], scale, signs
