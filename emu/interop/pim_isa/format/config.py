"""The configuration of a pimsim-nn chip: latencies in cycles, periods in ns, powers in mW, energies in pJ.

Keys that are not there have the simulator's defaults; each class says which, by the names of the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """A memory with one port: words of `data_width` bytes."""

    memory_size: int = 1 << 20
    data_width: int = 16
    period: float = 1.0
    static_power: float = 1.0
    write_latency_cycle: int = 10
    write_dynamic_energy: float = 0.0
    read_latency_cycle: int = 8
    read_dynamic_energy: float = 0.0


@dataclass(frozen=True, slots=True)
class MatrixConfig:
    """The crossbars of a core and what is around them; `xbar_size` is rows and columns."""

    xbar_array_count: int = 1
    period: float = 1 / 1.28
    pipeline_mode: bool = True
    dac_resolution: int = 1
    dac_latency_cycle: int = 1
    dac_static_power: float = 0.0
    dac_dynamic_power: float = 0.0
    dac_count: int = 128
    xbar_size: tuple[int, int] = (128, 128)
    cell_precision: int = 2
    xbar_latency: float = 30.0
    xbar_read_power: float = 0.0
    sample_hold_latency_cycle: int = 1
    sample_hold_static_power: float = 0.0
    sample_hold_dynamic_power: float = 0.0
    adc_resolution: int = 1
    adc_latency_cycle: int = 1
    adc_static_power: float = 0.0
    adc_dynamic_power: float = 0.0
    adc_count: int = 1
    shift_adder_latency_cycle: int = 1
    shift_adder_static_power: float = 0.0
    shift_adder_dynamic_power: float = 0.0
    input_buffer_static_power: float = 0.0
    input_buffer_dynamic_power: float = 0.0
    output_buffer_latency_cycle: int = 1
    output_buffer_static_power: float = 0.0
    output_buffer_dynamic_power: float = 0.0


@dataclass(frozen=True, slots=True)
class CoreConfig:
    """A core: its clock, its window (`rob_size`), its units."""

    period: float = 1.0
    rob_size: int = 1
    controller_static_power: float = 0.0
    controller_dynamic_power: float = 0.0
    inst_fetch_static_power: float = 0.0
    inst_fetch_dynamic_power: float = 0.0
    inst_decode_static_power: float = 0.0
    inst_decode_dynamic_power: float = 0.0
    inst_decode_offset_static_power: float = 0.0
    inst_decode_offset_dynamic_power: float = 0.0
    reg_file_static_power: float = 0.0
    reg_file_read_dynamic_power: float = 0.0
    reg_file_write_dynamic_power: float = 0.0
    scalar_static_power: float = 0.0
    scalar_dynamic_power: float = 0.0
    vector_width: int = 16
    vector_latency_cycle: int = 8
    vector_alu_static_power: float = 0.0
    vector_alu_dynamic_energy: float = 0.0
    vector_reg_static_power: float = 0.0
    vector_reg_read_dynamic_energy: float = 0.0
    vector_reg_write_dynamic_energy: float = 0.0
    transfer_static_power: float = 0.0
    transfer_dynamic_power: float = 0.0
    global_memory_switch_id: int = -10
    matrix_config: MatrixConfig = field(default_factory=MatrixConfig)
    local_memory_config: MemoryConfig = field(default_factory=MemoryConfig)


@dataclass(frozen=True, slots=True)
class NetworkConfig:
    """The network: flits of `bus_width` bytes, and the file with the latency and energy of a flit between two nodes."""

    bus_topology: str = "mesh"
    bus_width: int = 16
    layout: tuple[int, int] = (0, 0)
    net_config_file_path: str = ""


@dataclass(frozen=True, slots=True)
class ChipConfig:
    """A chip: equal cores, a network, one global memory, which is a node of the network."""

    core_cnt: int = 1
    global_memory_switch_id: int = -10
    core_config: CoreConfig = field(default_factory=CoreConfig)
    global_memory_config: MemoryConfig = field(default_factory=MemoryConfig)
    network_config: NetworkConfig = field(default_factory=NetworkConfig)


@dataclass(frozen=True, slots=True)
class SimConfig:
    """How long and in which mode the simulator would run: 0 counts rounds in `sim_time` ms, 1 runs one round."""

    sim_mode: int = 0
    sim_time: float = 1.0
    report_verbose_level: int = 0
    latency_timeout_ms: float = 60000.0


@dataclass(frozen=True, slots=True)
class PimsimConfig:
    """A whole configuration file."""

    chip_config: ChipConfig = field(default_factory=ChipConfig)
    sim_config: SimConfig = field(default_factory=SimConfig)
