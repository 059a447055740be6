"""Prices of what was counted, in pJ: mW times ns. Each count is multiplied once, by the price of one such action.

Formulas: pimsim-nn (`EnergyCounter` and its callers). Static power of all cores of the program runs to the end of the
chip's latency; that of crossbars, controllers and network is not counted there, so not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from emu.interop.pim_isa.format.config import ChipConfig, CoreConfig, MatrixConfig
from emu.interop.pim_isa.format.network import NetworkTable
from emu.interop.pim_isa.timing.result import ExecutorRun

Energies = dict[str, float]  # pJ by component


@dataclass(frozen=True, slots=True)
class EnergyTotals:
    """pJ by component: `dynamic`, of all cores together and by core; `static`, until the end of the latency."""

    dynamic: Energies
    static: Energies
    by_core: Mapping[int, Energies]

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self.dynamic.values()) + sum(self.static.values())


def priced(run: ExecutorRun, chip: ChipConfig, table: NetworkTable) -> EnergyTotals:
    """The energy of a run."""
    prices = _prices(chip)
    by_core: dict[int, Energies] = {}
    for core, counts in run.counts.items():
        found: Energies = {}
        for component, action, price in prices:
            found[component] = found.get(component, 0.0) + counts[action] * price
        by_core[core] = found | {"network": 0.0}
    for (source, target), flits in run.flits.items():
        by_core[source]["network"] += flits * table.energy.get((source, target), 0.0)
    names = list(next(iter(by_core.values()), {}))
    dynamic = {name: sum(energies[name] for energies in by_core.values()) for name in names}
    ns = run.latency / 1000
    static = {name: power * ns * len(by_core) for name, power in _static_core(chip.core_config).items()}
    static["global_memory"] = chip.global_memory_config.static_power * ns
    return EnergyTotals(dynamic, static, by_core)


def _prices(chip: ChipConfig) -> list[tuple[str, str, float]]:
    """Component, action (of `counts.py`), pJ of one."""
    core, local, memory = chip.core_config, chip.core_config.local_memory_config, chip.global_memory_config
    period = core.period
    decode = core.inst_decode_dynamic_power + core.inst_decode_offset_dynamic_power
    registers = 2 * core.vector_reg_read_dynamic_energy + core.vector_reg_write_dynamic_energy
    return [
        ("inst_fetch", "fetch", period * core.inst_fetch_dynamic_power),
        ("inst_decode", "decode", period * decode),
        ("reg_file", "register_read", period * core.reg_file_read_dynamic_power),
        ("reg_file", "register_write", period * core.reg_file_write_dynamic_power),
        ("scalar", "scalar", period * core.scalar_dynamic_power),
        *((component, "pass", price) for component, price in _pass_prices(core.matrix_config).items()),
        ("vector", "vector_step", core.vector_alu_dynamic_energy + registers),
        ("local_memory", "local_read", local.read_dynamic_energy),
        ("local_memory", "local_write", local.write_dynamic_energy),
        ("global_memory", "global_read", memory.read_dynamic_energy),
        ("global_memory", "global_write", memory.write_dynamic_energy),
    ]


def _pass_prices(matrix: MatrixConfig) -> Energies:
    """One step of input bits and row groups in one crossbar, by component."""
    rows, cols = matrix.dac_count, matrix.xbar_size[1]
    rounds, adcs = matrix.xbar_size[1] // matrix.adc_count, matrix.adc_count
    period = matrix.period
    return {
        "dac": period * matrix.dac_dynamic_power * matrix.dac_latency_cycle * rows,
        "crossbar": matrix.xbar_read_power * matrix.xbar_latency,
        "sample_hold": period * matrix.sample_hold_dynamic_power * matrix.sample_hold_latency_cycle * cols,
        "adc": rounds * period * matrix.adc_dynamic_power * matrix.adc_latency_cycle * adcs,
        "shift_add": rounds * period * matrix.shift_adder_dynamic_power * matrix.shift_adder_latency_cycle,
        "output_buffer": rounds * period * matrix.output_buffer_dynamic_power * matrix.output_buffer_latency_cycle,
    }


def _static_core(core: CoreConfig) -> Energies:
    """mW of one core."""
    return {
        "inst_fetch": core.inst_fetch_static_power,
        "inst_decode": core.inst_decode_static_power + core.inst_decode_offset_static_power,
        "reg_file": core.reg_file_static_power,
        "scalar": core.scalar_static_power,
        "vector": core.vector_reg_static_power + core.vector_alu_static_power,
        "transfer": core.transfer_static_power,
        "local_memory": core.local_memory_config.static_power,
    }
