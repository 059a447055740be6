"""Chips with physics, for tests of analog runs."""

from analog_cases import mappings, maybe
from hypothesis import assume
from hypothesis import strategies as st

from emu.arch import Arch, arch_from_dict
from emu.errors import ArchError

NOISY = """
[mapping]
slicing = "offset"
input_bits = 6
[device]
programming = "gaussian"
programming_sigma = 0.03
read_noise = "gaussian"
read_sigma = 0.02
[faults]
stuck_off = 0.01
"""
COARSE = "[crossbar]\nadc_bits = 6\n" + NOISY  # converters that round, too
ERRORS = (
    {},
    {"programming": "gaussian", "programming_sigma": 0.1},
    {"read_noise": "gaussian", "read_sigma": 0.05},
    {"programming": "aihwkit-pcm", "read_noise": "aihwkit-pcm", "drift": "aihwkit-pcm", "time_s": 1e4, "g_min_us": 1.0},
)


@st.composite
def physics(draw: st.DrawFn, base: Arch) -> Arch:
    """The chip `base`, which has ideal cells, with any physics."""
    slicing = draw(st.sampled_from([None, "differential", "offset"]))
    crossbar = {
        "kind": "analog",
        "cell_bits": draw(st.sampled_from([0, 2, 4])),
        "dac_bits": draw(maybe(st.sampled_from([1, 2]))),
        "adc_bits": draw(maybe(st.sampled_from([4, 8]))),
        "differential": slicing == "differential",
    }
    tables = {
        "mapping": {**draw(mappings()), "slicing": slicing},
        "device": draw(st.sampled_from(ERRORS)),
        "faults": draw(st.sampled_from([{}, {"stuck_off": 0.1, "stuck_on": 0.1}])),
        "draws": {"seed": draw(st.integers(0, 99)), "first": draw(st.integers(0, 3))},
    }
    known = base.to_dict()
    known["crossbar"] = {**known["crossbar"], **crossbar}
    for name, table in tables.items():
        known[name] = {key: value for key, value in table.items() if value is not None}
    known["crossbar"] = {key: value for key, value in known["crossbar"].items() if value is not None}
    try:
        return arch_from_dict(known, "drawn")
    except ArchError:
        assume(False)
        raise
