"""Makes aihwkit_noise.npz: what aihwkit's models of noise do to 40,000 cells of each of eight conductances.

    python aihwkit_noise.py FOLDER    # src of aihwkit, github.com/IBM/aihwkit, commit 4545f11b (1.1.0); PyTorch

Arrays, a row per model and time of MODELS: `mean` and `std` [rows, 8] in float64, and `quantiles` [rows, 8, 50] in
float32, in the middle of 50 equal shares; conductances are shares of the highest one. No pickles.
"""

import sys
from pathlib import Path
from types import ModuleType

import numpy as np

CELLS, SHARES = 40_000, (np.arange(50) + 0.5) / 50
LEVELS = np.array([0.005, 0.03, 0.1, 0.2, 0.35, 0.6, 0.8, 1.0])
DAY = 86400.0
# our name, aihwkit's class and its parameters, seconds; below 0: as programmed
MODELS = [
    *(("aihwkit-pcm", "PCMLikeNoiseModel", {"g_max": 25.0}, time) for time in (-1.0, 0.0, 3600.0, DAY, 365 * DAY)),
    *(("hermes", "HermesNoiseModel", {"num_devices": 2}, time) for time in (-1.0, DAY, 365 * DAY)),
    *(("hermes-single", "HermesNoiseModel", {"num_devices": 1}, time) for time in (-1.0, DAY, 365 * DAY)),
    *(("aihwkit-reram-wan", "ReRamWan2022NoiseModel", {"g_max": 40.0}, time) for time in (-1.0, 1.0, DAY, 2 * DAY)),
]


def main(folder: str) -> None:
    """Draw all of them, without aihwkit's compiled simulator, which models of noise do not use."""
    sys.path.insert(0, folder)
    for name in ("aihwkit.inference", "aihwkit.inference.noise", "aihwkit.inference.converter"):
        package = ModuleType(name)
        package.__path__ = [str(Path(folder, *name.split(".")))]
        sys.modules[name] = package
    import torch
    from aihwkit.inference.noise import hermes, pcm, reram

    torch.manual_seed(20261)
    tables = {name: [] for name in ("mean", "std", "quantiles")}
    for _, model, parameters, time in MODELS:
        made = next(getattr(file, model) for file in (pcm, hermes, reram) if hasattr(file, model))(**parameters)
        target = torch.tensor(LEVELS * made.g_max, dtype=torch.float64)[:, None].repeat(1, CELLS)
        drawn = made.apply_programming_noise_to_conductance(target.clone())
        if time >= 0:
            coefficients = made.generate_drift_coefficients(target.clone())
            drawn = made.apply_drift_noise_to_conductance(drawn, coefficients, time)
        g = drawn.numpy() / made.g_max
        for table, value in zip(tables.values(), (g.mean(1), g.std(1), np.quantile(g, SHARES, axis=1).T), strict=True):
            table.append(value)
    arrays = {name: np.array(table) for name, table in tables.items()}
    arrays["quantiles"] = arrays["quantiles"].astype(np.float32)
    np.savez_compressed(Path(__file__).with_suffix(".npz"), **arrays)


if __name__ == "__main__":
    main(sys.argv[1])
