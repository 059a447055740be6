"""Makes crosssim_noise.npz: what CrossSim's models of cells do to 40,000 cells of each of eight conductances.

    python crosssim_noise.py FOLDER    # of CrossSim 3.2.0, github.com/sandialabs/cross-sim, commit 0a2eb1ed; SciPy

Arrays, a row per model of MODELS: `levels` [models, 8], `mean` and `std` [models, 8] in float64, and `quantiles`
[models, 8, 50] in float32, in the middle of 50 equal shares. No pickles.
"""

import sys
from pathlib import Path

import numpy as np

CELLS, SHARES = 40_000, (np.arange(50) + 0.5) / 50
# role, model, magnitude, lowest and highest conductance in uS, day, clipped to these two
MODELS = [
    ("programming_error", "NormalIndependentDevice", 0.05, 100, 1000, 0, False),
    ("programming_error", "NormalProportionalDevice", 0.05, 100, 1000, 0, False),
    ("programming_error", "NormalInverseProportionalDevice", 0.02, 100, 1000, 0, False),
    ("programming_error", "UniformIndependentDevice", 0.05, 100, 1000, 0, False),
    ("programming_error", "UniformProportionalDevice", 0.05, 100, 1000, 0, False),
    ("programming_error", "UniformInverseProportionalDevice", 0.02, 100, 1000, 0, False),
    ("programming_error", "NormalIndependentDevice", 0.1, 0, 1000, 0, False),
    ("programming_error", "NormalIndependentDevice", 0.1, 100, 1000, 0, True),
    ("read_noise", "NormalIndependentDevice", 0.02, 50, 1000, 0, False),
    ("read_noise", "NormalProportionalDevice", 0.02, 50, 1000, 0, False),
    ("programming_error", "RRAMMilo", 0, 50, 225, 0, False),
    ("programming_error", "RRAMMilo", 0, 62.5, 200, 0, False),
    ("programming_error", "RRAMWan", 0, 3.9, 39, 0, False),
    ("programming_error", "RRAMWan", 0, 0.3, 30, 0, False),
    ("programming_error", "RRAMWan", 0, 0, 39, 0, False),
    ("programming_error", "PCMJoshi", 0, 0.25, 25, 0, False),
    ("programming_error", "PCMJoshi", 0, 1, 20, 0, False),
    ("programming_error", "PCMJoshi", 0, 0, 25, 0, False),
    ("programming_error", "PCMJoshi", 0, 0.25, 25, 0, True),
    ("programming_error", "SONOS", 0, 1.6e-6, 16, 0, False),
    *(("drift_error", "SONOS", 0, 1.6e-6, 16, day, False) for day in (0, 1, 2, 2.5, 3, 5)),
    ("read_noise", "SONOS", 0, 1.6e-6, 16, 0, False),
]
READ_V = 0.1


def main(folder: str) -> None:
    """Draw all of them."""
    sys.path.insert(0, folder)
    from simulator.backend import ComputeBackend
    from simulator.devices.device import Device
    from simulator.parameters.xbar_parameters import DeviceParameters

    ComputeBackend(use_gpu=False)
    np.random.seed(20261)
    tables = {name: [] for name in ("levels", "mean", "std", "quantiles")}
    for role, model, magnitude, low, high, day, clipped in MODELS:
        made = DeviceParameters(
            cell_bits=0,
            Rmin=1e6 / high,
            Rmax=1e6 / low if low else 1e7 / high,
            infinite_on_off_ratio=not low,
            clip_conductance=clipped,
            time=day,
            Vread=READ_V,
            **{role: {"enable": True, "model": model, "magnitude": magnitude}},
        )
        device = Device.create_device(made)
        levels = np.linspace(low / high, 1.0, 8)
        target = np.repeat(levels[:, None], CELLS, axis=1)
        drawn = device.drift_error(target, day) if role == "drift_error" else getattr(device, role)(target)
        found = levels, drawn.mean(1), drawn.std(1), np.quantile(drawn, SHARES, axis=1).T
        for table, value in zip(tables.values(), found, strict=True):
            table.append(value)
    arrays = {name: np.array(table) for name, table in tables.items()}
    arrays["quantiles"] = arrays["quantiles"].astype(np.float32)
    np.savez_compressed(Path(__file__).with_suffix(".npz"), **arrays)


if __name__ == "__main__":
    main(sys.argv[1])
