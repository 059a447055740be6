"""A chip of ours as a configuration of pimsim-nn, with the table of its network."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from emu.arch import Arch
from emu.arch.figures import ComponentTimes, Timing
from emu.interop.pim_isa.exporting.crossbars import CrossbarFormat
from emu.interop.pim_isa.format.config import (
    ChipConfig,
    CoreConfig,
    MatrixConfig,
    MemoryConfig,
    NetworkConfig,
    PimsimConfig,
    SimConfig,
)
from emu.noc.traffic.topology import mesh_of

NETWORK_FILE = "network.json"
GLOBAL_MEMORY = -10  # the simulator's name of that node
_HOP_NS, _FLIT_PJ = 1.0, 0.0  # of a network of which the description says neither


def chip_config(arch: Arch, cells: CrossbarFormat, cores: int) -> dict[str, Any]:
    """The configuration for programs of cores 0 to `cores` - 1; what is not described is the simulator's default."""
    timing, network, usual = arch.timing or Timing(), arch.network, NetworkConfig()
    period = timing.clock_ns or 1.0
    width = mesh_of(arch).width
    config = PimsimConfig(
        ChipConfig(
            core_cnt=cores,
            global_memory_switch_id=GLOBAL_MEMORY,
            core_config=_core(arch, timing, cells, period),
            global_memory_config=_memory(timing.global_memory, arch.global_memory.size, period),
            network_config=NetworkConfig(
                bus_width=network.flit_bytes or usual.bus_width,
                layout=(-(-cores // width), min(width, cores)),
                net_config_file_path=NETWORK_FILE,
            ),
        ),
        SimConfig(sim_mode=1),
    )
    return asdict(config)


def _core(arch: Arch, timing: Timing, cells: CrossbarFormat, period: float) -> CoreConfig:
    usual = CoreConfig()
    return CoreConfig(
        period=period,
        rob_size=timing.window or usual.rob_size,
        vector_width=timing.vector.lanes or usual.vector_width,
        vector_latency_cycle=_cycles(
            timing.vector.pass_ns, 1.0, usual.vector_latency_cycle
        ),  # of 1 ns, whatever period
        global_memory_switch_id=GLOBAL_MEMORY,
        matrix_config=_matrix(arch, timing, cells, period),
        local_memory_config=_memory(timing.local_memory, arch.core.local_memory, period),
    )


def _matrix(arch: Arch, timing: Timing, cells: CrossbarFormat, period: float) -> MatrixConfig:
    usual, crossbar = MatrixConfig(), arch.crossbar

    def cycles(time: float | None, otherwise: int) -> int:
        return _cycles(time, period, otherwise)

    return MatrixConfig(
        xbar_array_count=arch.core.crossbars,
        period=period,
        pipeline_mode=usual.pipeline_mode if timing.pipelined is None else timing.pipelined,
        dac_resolution=crossbar.dac_bits or usual.dac_resolution,
        dac_latency_cycle=cycles(timing.dac.latency_ns, usual.dac_latency_cycle),
        dac_count=crossbar.dac_count or cells.rows,
        xbar_size=(cells.rows, cells.cols),
        cell_precision=cells.bits,
        xbar_latency=timing.crossbar.read_ns or usual.xbar_latency,
        sample_hold_latency_cycle=cycles(timing.sample_hold.latency_ns, usual.sample_hold_latency_cycle),
        adc_resolution=crossbar.adc_bits or usual.adc_resolution,
        # Its converters serve one array each: those that take turns are as many times slower there.
        adc_latency_cycle=cycles(timing.adc.convert_ns, usual.adc_latency_cycle) * (crossbar.adc_arrays or 1),
        adc_count=crossbar.adc_count or cells.cols,
        shift_adder_latency_cycle=cycles(timing.shift_add.latency_ns, usual.shift_adder_latency_cycle),
        output_buffer_latency_cycle=cycles(timing.output_register.latency_ns, usual.output_buffer_latency_cycle),
    )


def _memory(timing: ComponentTimes, size: int, period: float) -> MemoryConfig:
    usual = MemoryConfig()
    return MemoryConfig(
        memory_size=size,
        data_width=timing.width_bytes or usual.data_width,
        period=period,
        read_latency_cycle=_cycles(timing.read_ns, period, usual.read_latency_cycle),
        write_latency_cycle=_cycles(timing.write_ns, period, usual.write_latency_cycle),
    )


def _cycles(time: float | None, period: float, otherwise: int) -> int:
    return otherwise if time is None else round(time / period)


def network_table(arch: Arch, cores: Iterable[int]) -> dict[str, Any]:
    """Per pair of nodes ns and pJ of a flit: the description's table, or its times of hops of the mesh."""
    network, table = arch.network, arch.network.latency_table_ns
    mesh, hop, base = mesh_of(arch), network.hop_ns, network.base_ns or 0.0
    flit_pj = arch.energy.transfer.flit_pj if arch.energy else None
    nodes = [*cores, GLOBAL_MEMORY]

    def latency(source: int, target: int) -> float:
        if table is not None:
            return base + table[source if source >= 0 else -1][target if target >= 0 else -1]
        far = (source < 0) + (target < 0)  # global memory stands one link beside core 0
        return base + (mesh.hops(max(source, 0), max(target, 0)) + far) * (_HOP_NS if hop is None else hop)

    energy = _FLIT_PJ if flit_pj is None else flit_pj
    pairs = {source: [target for target in nodes if target != source] for source in nodes}
    return {
        "latency": {str(a): {str(b): latency(a, b) for b in targets} for a, targets in pairs.items()},
        "energy": {str(a): {str(b): energy for b in targets} for a, targets in pairs.items()},
    }
