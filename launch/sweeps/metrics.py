"""The metrics of a sweep, a row each: what a point of it is worth in numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from emu.arch.figures import Published
from emu.arch.key import keys_of
from emu.errors import InputError, option
from emu.wording import nearest
from launch.text.chip_totals import RATIOS, total_title
from launch.text.units import energy_text, number_text, power_text, time_text

Figures = Mapping[str, float | None]  # by `SweepMetric.key`; None: the chip does not say enough


@dataclass(frozen=True, slots=True)
class SweepMetric:
    """A metric: its `name` as it is typed, its `key` in JSON and CSV, which ends with the unit, its `title` for people.

    `text` writes it; on an axis it is `axis`, `factor` times what it is in its unit. `of` computes it of other figures
    (None: it is one itself). `less`: whether less of it is better. `network`: whether it is of a network on a chip, and
    not of the chip alone; `data`: whether it is of what the network answers to data there. `bounded`: whether it is
    a share of answers, of which figures have Wilson's interval, too, at `ends`.
    """

    name: str
    key: str
    title: str
    text: Callable[[float], str]
    axis: str
    factor: float = 1.0
    of: Callable[[Figures], float | None] | None = None
    less: bool = True
    network: bool = True
    data: bool = False
    bounded: bool = False

    def value(self, figures: Figures) -> float | None:
        """Its value among these figures; None if it is not known."""
        return figures.get(self.key) if self.of is None else self.of(figures)

    @property
    def ends(self) -> tuple[str, ...]:
        """The keys of the bounds of its interval; none if it has no interval."""
        return (f"{self.key}_low", f"{self.key}_high") if self.bounded else ()

    def plain(self, figures: Figures) -> dict[str, float | None]:
        """Its value, and the bounds of its interval, by the keys of JSON and CSV."""
        return {self.key: self.value(figures), **{key: figures.get(key) for key in self.ends}}

    def words(self, figures: Figures) -> str:
        """The same for people; empty if it is not known."""
        value, *ends = self.plain(figures).values()
        if value is None:
            return ""
        known = [self.text(end) for end in ends if end is not None]
        return f"{self.text(value)} ({' to '.join(known)})" if known else self.text(value)

    def cost(self, figures: Figures) -> float:
        """Its value where it is known, turned so that less is better."""
        value = self.value(figures) or 0.0
        return value if self.less else -value


def _area_text(area: float) -> str:
    return f"{number_text(area)} mm2"


def _product_text(product: float) -> str:
    return f"{number_text(product)} Js"


def _share_text(share: float) -> str:
    return f"{100 * share:.2f}%"


def _decibel_text(ratio: float) -> str:
    return f"{ratio:.1f} dB"


def _rate(figures: Figures) -> float | None:
    period = figures.get("period_ps")
    return 1e12 / period if period else None


def _energy_delay(figures: Figures) -> float | None:
    energy, latency = figures.get("energy_pj"), figures.get("latency_ps")
    return None if energy is None or latency is None else energy * latency * 1e-24


def _share(name: str, axis: str) -> SweepMetric:
    """A share of answers."""
    return SweepMetric(name, name, name, _share_text, axis, less=False, data=True, bounded=True)


_OF_NETWORKS = (
    SweepMetric("latency", "latency_ps", "latency", time_text, "latency (s)", 1e-12),
    SweepMetric("pace", "period_ps", "per sample", time_text, "time per sample (s)", 1e-12),
    SweepMetric("rate", "samples_per_s", "samples/s", number_text, "samples per second", of=_rate, less=False),
    SweepMetric("energy", "energy_pj", "energy", energy_text, "energy of a sample (J)", 1e-12),
    SweepMetric("dynamic", "dynamic_pj", "dynamic", energy_text, "energy of a sample that follows the work (J)", 1e-12),
    SweepMetric("static", "static_pj", "static", energy_text, "energy of a sample that follows time (J)", 1e-12),
    SweepMetric("power", "power_mw", "power", power_text, "average power (W)", 1e-3),
    SweepMetric("area", "area_mm2", "area", _area_text, "area (mm2)", network=False),
    SweepMetric("edp", "edp_js", "energy x delay", _product_text, "energy x latency (Js)", of=_energy_delay),
    _share("accuracy", "share of right labels"),
    _share("agreement", "share of the ideal chip's classes"),
    SweepMetric("snr", "snr_db", "SNR", _decibel_text, "signal to noise of the outputs (dB)", less=False, data=True),
    SweepMetric(
        "products", "products_pj", "products", energy_text, "energy of products, from data (J)", 1e-12, data=True
    ),
)
_UNITS: Mapping[str, tuple[Callable[[float], str], str, float]] = {  # by the end of a key: text, unit of an axis
    "_mw": (power_text, "W", 1e-3),
    "_mm2": (_area_text, "mm2", 1.0),
    "_ns": (lambda ns: time_text(ns * 1e3), "s", 1e-9),
    "_nj": (lambda nj: energy_text(nj * 1e3), "J", 1e-9),
}
_RATES = {"peak_tops": "peak TOPS"} | {key: unit for key, (_, unit) in RATIOS.items()}  # more is better: titles


def _of_chips() -> Iterator[SweepMetric]:
    """What can be summed and computed of a chip by itself, by the keys of `[published]`."""
    for key in keys_of(Published):
        end = f"_{key.rpartition('_')[2]}"
        if key in _RATES:
            yield SweepMetric(key, key, _RATES[key], number_text, _RATES[key], less=False, network=False)
        elif end in _UNITS:
            text, unit, factor = _UNITS[end]
            title, _ = total_title(key)
            yield SweepMetric(key, key, title, text, f"{title} ({unit})", factor, network=False)


METRICS: Mapping[str, SweepMetric] = {metric.name: metric for metric in (*_OF_NETWORKS, *_of_chips())}


@dataclass(frozen=True, slots=True)
class MetricChoice:
    """The metrics by which points are compared, and those that the table shows, by name; `usual` if nobody chose."""

    compared: tuple[str, ...]
    shown: tuple[str, ...]
    usual: bool = False


_NEEDS = {
    "accuracy": ("input", "labels"),
    "agreement": ("input",),
    "snr": ("input",),
    "products": ("input",),
}  # options, of answers to data
_USUAL = {  # by whether there is a network
    True: MetricChoice(
        ("latency", "energy", "area"), ("latency", "pace", "rate", "energy", "power", "area"), usual=True
    ),
    False: MetricChoice(
        ("peak_tops", "chip_power_mw", "chip_mm2"),
        ("peak_tops", "gops_per_w", "gops_per_mm2", "product_ns", "chip_power_mw", "chip_mm2"),
        usual=True,
    ),
}


def chosen_metrics(text: str | None, network: bool, data: Collection[str] = ()) -> MetricChoice:
    """The metrics that `latency,energy` asks for, None: the usual ones; raises InputError.

    `data` are those of the options `input` and `labels` that are given: of answers to data, one is usual.
    """
    usual = _USUAL[network]
    if text is None and data:
        answers = "accuracy" if "labels" in data else "agreement"
        return MetricChoice((answers, *usual.compared), (answers, *usual.shown), usual=True)
    if text is None:
        return usual
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in METRICS:
            raise InputError(f"{option('metric')} {name!r} is unknown: use {_listed(METRICS)}{nearest(name, METRICS)}")
        if METRICS[name].network and not network:
            raise InputError(f"{option('metric')} {name} is of a network on a chip: give one, or use another metric")
        if lacking := [each for each in _NEEDS.get(name, ()) if each not in data]:
            raise InputError(
                f"{option('metric')} {name} is of what a network answers to data: give them by"
                f" {' and '.join(map(option, lacking))}"
            )
    if len(set(names)) < max(2, len(names)):
        raise InputError(f"{option('metric')} {text}: points are compared by two or more different metrics: name them")
    return MetricChoice(tuple(names), tuple(dict.fromkeys((*names, *usual.shown))))


def _listed(names: Sequence[str] | Mapping[str, object]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}"
