"""Networks compiled for chips and timed there, by the commands that anybody would use."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emu.arch.read import load_arch
from emu.output.temporary import remove
from launch.campaigns.child import answer_of
from launch.papers.frame.commands import Options, compiling, timing
from launch.papers.frame.networks import network_file
from launch.papers.on_chips.multiplications import macs_by_node
from launch.runs.repeating import arguments

QUANTISED = "qoperator"
REFUSED = 2
_TOO_LARGE = re.compile(r"needs (\d+) crossbars, which take (\d+) cores .*it would take (\d+) such chips")


def on_chip(network: str, chip: str, options: Options, timed: Options, folder: str) -> dict[str, Any]:
    """What a network takes of all cores of a chip, and its times and energies there, or the reason why it has none.

    `options` are those of `emu compile`, `timed` those of `emu time`; the cores are those of one chip, or of as many as
    there are or are asked for. What a network that is too large takes is what the refusal says.
    """
    place, out = Path(folder), Path(folder) / f"image-{os.getpid()}"
    model = network_file(network, QUANTISED, place)
    way = " ".join(arguments({**options, "flow": timed["flow"]}))
    found: dict[str, Any] = {"network": network, "chip": chip, "options": way, "chips": 1}
    try:
        made = answer_of(compiling(str(model), str(out), chip, cores_for(chip, options), options))
        if "error" in made:
            too_large = _TOO_LARGE.search(made["error"])
            if not too_large:
                return found | _refusal(made, model)
            crossbars, cores, chips = map(int, too_large.groups())
            return found | {"cores": cores, "crossbars": crossbars, "chips": chips} | _refusal(made, model)
        found |= {"cores": made["cores"], "crossbars": made["crossbars"]}
        found |= {"chips": made["chips"]["chips"]} if made["chips"] else {}
        run = answer_of(timing(str(out), timed))
        if "error" in run:
            return found | _refusal(run, out)
        return found | _times(run) | _work(run, network_file(network, None, place))
    finally:
        if out.exists():
            remove(out)


def cores_for(chip: str, options: Options) -> int | None:
    """How many cores may be used: all; None where it is not said how many chips there will be."""
    return None if "chips" in options else load_arch(chip).all_cores


def can_grow(chip: str) -> bool:
    """Whether a preset has the time of a product, and of a link to another chip."""
    timing = load_arch(chip).timing
    return bool(timing and timing.crossbar.read_ns is not None and timing.chip_link.bandwidth_gb_per_s)


def _refusal(said: Mapping[str, Any], file: Path) -> dict[str, Any]:
    return {"reason": said["error"].removeprefix(f"{file}: "), "exit_code": REFUSED}


def _times(timed: Mapping[str, Any]) -> dict[str, Any]:
    """What `emu time` tells of a sample."""
    keys = ("latency_ps", "period_ps", "energy_pj", "dynamic_pj", "static_pj", "power_mw", "area_mm2", "adc_share")
    unit = timed["busiest"]
    busiest = {"unit": unit["unit"], "node": unit["nodes"][0], "busy_ps": unit["busy_ps"], "share": unit["share"]}
    return {
        **{key: timed[key] for key in keys},
        "busiest": busiest,
        "least_latency": _least(timed, "latency_ps"),
        "least_period": _least(timed, "period_ps"),
    }


def _least(timed: Mapping[str, Any], key: str) -> dict[str, Any] | None:
    """The resource without which a sample would take the least, and how long."""
    if not timed.get("bottlenecks"):
        return None
    best = min(timed["bottlenecks"], key=lambda entry: entry[key])
    (name,) = best["changes"]
    return {"resource": name, "ps": best[key]}


def _work(timed: Mapping[str, Any], model: Path) -> dict[str, Any]:
    """What a chip with prices does, by component, for the multiplications of the network, whose types do not matter."""
    import onnx

    return {
        "spent_pj": {part["component"]: part["dynamic_pj"] or 0.0 for part in timed["components"]},
        "counts": {part["component"]: part["counts"] for part in timed["components"]},
        "multiplications": sum(macs_by_node(onnx.load(model)).values()),
    }
