"""Chips with physics, for tests of analog runs."""

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
