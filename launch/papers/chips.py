"""Four well-known networks on the chips that papers describe: time, energy, and what is in the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from launch.papers.frame.commands import Options, lines
from launch.papers.frame.figure import Figure, MeasuredValue, Measurement, Paper, Row, WantedOptions
from launch.papers.frame.networks import check_names, network_names
from launch.papers.on_chips.measuring import QUANTISED, can_grow, cores_for
from launch.text.columns import Column

NETWORKS = ("resnet18", "vgg16", "mobilenet_v2", "squeezenet")
CHIPS = ("isaac", "puma", "prime", "jia", "jain", "pimsim-latency")
SMALL = ("lenet5", "isaac")  # beside these
FLOW = "credits:2"
NONE: Options = {}
SEVERAL: Options = {"chips": "auto"}
WAYS: tuple[tuple[str, Options, str], ...] = (  # chip, options of `emu compile`, flow
    ("isaac", {}, FLOW),
    ("isaac", {}, "rendezvous"),
    ("isaac", {"granularity": "rows:4"}, FLOW),
    ("isaac", {"placement": "pack"}, FLOW),
    ("puma", {"granularity": "rows:4"}, FLOW),
    ("pimsim-latency", {"granularity": "rows:4"}, FLOW),
)
READS = 4 * 8  # of arrays in a product of a tile of 8-bit weights: slices of 2 bits, cycles of one bit
GROUPS: Mapping[str, tuple[str, ...]] = {
    "converters": ("adc", "dac", "sample_hold", "shift_add"),
    "crossbars": ("crossbar",),
    "memories": ("local_memory", "bus", "input_register", "output_register"),
    "routers": ("router",),
}


def _on_chip(network: str, chip: str, options: Options = NONE, flow: str = FLOW, why: bool = True) -> Measurement:
    """A network compiled for a chip, or for as many as it takes, and timed; `why`: with each resource free."""
    check_names("networks", [network], network_names())
    timed = {"flow": flow, "bottlenecks": why}
    way = " ".join(f"{name}={value}" for name, value in (options if why else {**options, "flow": flow}).items())
    return Measurement(
        label="/".join(filter(None, (network, chip, way))),
        function="launch.papers.on_chips.measuring:on_chip",
        given={"network": network, "chip": chip, "options": options, "timed": timed},
        commands=lines(network, QUANTISED, chip, cores_for(chip, options), options, timed),
    )


def _all(wanted: WantedOptions) -> list[Measurement]:
    """The networks on the chips, those of the figure or those that are wanted."""
    networks, chips = wanted.networks or NETWORKS, (wanted.arch,) if wanted.arch else CHIPS
    found = [_on_chip(network, chip) for network in networks for chip in chips]
    return found if wanted.given else [*found, _on_chip(*SMALL)]


def _of_isaac(wanted: WantedOptions) -> list[Measurement]:
    """Those on ISAAC."""
    return [_on_chip(network, "isaac") for network in wanted.networks or (*NETWORKS, SMALL[0])]


def _several(wanted: WantedOptions) -> list[Measurement]:
    """What may be too large for one chip, on as many as it takes."""
    chips = [chip for chip in CHIPS if can_grow(chip)]
    return [_on_chip(network, chip, SEVERAL) for network in wanted.networks or ("vgg16",) for chip in chips]


def _ways(wanted: WantedOptions) -> list[Measurement]:
    """Other options."""
    return [
        _on_chip(network, chip, options, flow, why=False)
        for network in wanted.networks or ("resnet18",)
        for chip, options, flow in WAYS
    ]


def _timed(found: Sequence[MeasuredValue]) -> list[Row]:
    return [{**each.values, "reason": None} for each in found if not each.reason]


def _refused(found: Sequence[MeasuredValue]) -> list[Row]:
    return [{**each.values, "why": _why(each), "reason": each.reason} for each in found if each.reason]


def _why(found: MeasuredValue) -> str:
    """Why there is no time, in short."""
    missing = found.reason.partition(" says nothing of ")[2].partition(", needed")[0].split(", ")
    if missing[0]:
        return f"nothing is published of `{missing[0]}` and {len(missing) - 1} more keys"
    return "larger than the chip" if found.values["chips"] > 1 else found.reason


def _of_several(found: Sequence[MeasuredValue]) -> list[Row]:
    """Several chips are called so."""
    return [{**row, "chip": f"{row['chips']} x {row['chip']}"} for row in _timed(found) if row["chips"] > 1]


def _shares(found: Sequence[MeasuredValue]) -> list[Row]:
    """What the dynamic energy of a sample is spent on, and conversions for each multiplication of the network."""
    rows: list[Row] = []
    for row in _timed(found):
        counts, spent = row["counts"], row["spent_pj"]
        conversions = counts["adc"]["convert"]
        shares = {
            f"{name}_share": sum(spent[part] for part in parts) / row["dynamic_pj"] for name, parts in GROUPS.items()
        }
        work = {
            "tile_products": counts["crossbar"]["read"] // READS,
            "conversions": conversions,
            "conversions_per_multiplication": conversions / row["multiplications"],
        }
        rows.append({**row, **work, **shares})
    return rows


def _ms(ps: float) -> str:
    """Four digits in ms, so that all tables are comparable."""
    return f"{ps / 1e9:.4g} ms"


def _mj(pj: float) -> str:
    return f"{pj / 1e9:.4g} mJ"


def _millions(count: float) -> str:
    return f"{count / 1e6:.4g} million"


def _busiest(unit: Mapping[str, Any]) -> str:
    kind = "crossbars" if unit["unit"].startswith("group") else unit["unit"]
    return f"{kind} of `{unit['node'].removesuffix('/sums')}`, {_ms(unit['busy_ps'])} ({unit['share']:.0%})"


def _free(best: Mapping[str, Any]) -> str:
    return f"`{best['resource']}`: {_ms(best['ps'])}"


def _unless_0(form: Callable[[float], str]) -> Callable[[float], str]:
    """What is 0 because the chip gives it no price is a dash."""
    return lambda value: form(value) if value else "-"


_NETWORK, _CHIP = Column("network", "network"), Column("chip", "chip")
_CORES, _CROSSBARS = Column("cores", "cores", str), Column("crossbars", "crossbars", str)
_LATENCY, _PERIOD = Column("latency_ps", "latency", _ms), Column("period_ps", "per sample", _ms)
_DYNAMIC = Column("dynamic_pj", "dynamic energy", _mj)
_STATIC = Column("static_pj", "static energy", _mj)
_POWER = Column("power_mw", "power", _unless_0(lambda mw: f"{mw / 1e3:.4g} W"))
_AREA = Column("area_mm2", "area", _unless_0(lambda mm2: f"{mm2:.4g} mm2"))
_ADCS = Column("adc_share", "ADCs", _unless_0("{:.1%}".format))
_BUSIEST = Column("busiest", "busiest unit", _busiest, to_left=True)
_LEAST = (
    Column("least_latency", "latency, one free", _free, to_left=True),
    Column("least_period", "per sample, one free", _free, to_left=True),
)
_TIMES = (_NETWORK, _CHIP, _CORES, _LATENCY, _PERIOD)

PAPER = Paper(
    about="well-known networks on the chips of ISAAC, PUMA, PRIME, Jia, Jain and pimsim-nn",
    source="Shafiee et al., ISCA 2016; Ankit et al., ASPLOS 2019; Chi et al., ISCA 2016; Jia et al., JSSC 2022;"
    " Jain et al., JSSC 2021; pimsim-nn",
    figures=[
        Figure(
            name="networks",
            title="time and energy",
            measure=_all,
            rows=_timed,
            columns=(
                *_TIMES,
                _DYNAMIC,
                *(_STATIC, _POWER, _AREA),
                _ADCS,
                _BUSIEST,
                *_LEAST,
            ),
            takes=("networks", "arch"),
        ),
        Figure(
            name="refused",
            title="what does not fit, or has no times",
            measure=_all,
            rows=_refused,
            columns=(
                *(_NETWORK, _CHIP, _CORES, _CROSSBARS, Column("chips", "chips", str)),
                Column("why", "why there is no time"),
            ),
            takes=("networks", "arch"),
        ),
        Figure(
            name="several",
            title="several chips, with their links",
            measure=_several,
            rows=_of_several,
            columns=(*_TIMES, _DYNAMIC, _STATIC, _POWER, _AREA, _ADCS, _BUSIEST, *_LEAST),
            takes=("networks",),
        ),
        Figure(
            name="options",
            title="other ways to compile and run",
            measure=_ways,
            rows=_timed,
            columns=(
                *(_NETWORK, _CHIP, Column("options", "options", "`{}`".format, to_left=True)),
                *(_CORES, _LATENCY, _PERIOD, _DYNAMIC, _BUSIEST),
            ),
            takes=("networks",),
        ),
        Figure(
            name="shares",
            title="where ISAAC's dynamic energy goes",
            measure=_of_isaac,
            rows=_shares,
            columns=(
                _NETWORK,
                Column("crossbars", "arrays", "{:,}".format),
                Column("tile_products", "tile products", "{:,}".format),
                Column("multiplications", "multiplications", _millions),
                Column("conversions", "conversions", _millions),
                Column("conversions_per_multiplication", "per multiplication", "{:.3f}".format),
                *(Column(f"{name}_share", name, "{:.1%}".format) for name in GROUPS),
            ),
            takes=("networks",),
        ),
    ],
)
