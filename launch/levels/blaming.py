"""The compiler pass at fault, for `--bisect`, where the programs are exactly what the compiler makes of the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from compiler.request import make_request
from emu.errors import EmuError
from emu.image.reader import read_manifest
from emu.isa.instruction import Family
from emu.isa.table import BY_NAME
from launch.bisect.finding import BisectResult, Site
from launch.bisect.network import OnnxNetwork
from launch.bisect.reference import options_of
from launch.bisect.search import Question
from launch.golden.intermediate import tensors_of
from launch.golden.values import caches_of, compute_golden
from launch.levels.finding import PROGRAMS, Levels
from launch.levels.verifying import Verification, verify_levels


def blamed(finding: BisectResult, question: Question, quiet: bool = False) -> BisectResult:
    """The finding with the first wrong level of the compilation; unchanged if levels cannot be executed."""
    try:
        levels = _levels(question, quiet)
    except EmuError:
        return finding
    if levels is None:
        return finding
    finding, differs = replace(finding, levels=levels.to_dict()), levels.differs
    if differs is None or differs.step == PROGRAMS:
        return finding  # what was found in the programs may be to blame
    node = OnnxNetwork(question.model, read_manifest(question.image)).owner(differs.node)
    site = finding.site if is_there(finding.site, node, differs.core) else None
    left = {} if site else {"suspects": (), "message": "", "computed_with": (), "inputs_right": None}
    core = next((core for core in (differs.core, site and site.core) if core is not None), None)
    return replace(finding, node=node, core=core, site=site, by="levels", **left)


def is_there(site: Site | None, node: str, core: int | None) -> bool:
    """Whether an instruction computes what is wrong where the level says; a transfer does what it is told."""
    if site is None or site.node != node or core not in (None, site.core):
        return False
    name = site.instruction.partition(" ")[0].partition(".")[0]
    return bool(name) and BY_NAME[name].family not in (Family.COMMUNICATION, Family.GLOBAL)


def _levels(question: Question, quiet: bool) -> Levels | None:
    """All levels, on the sample in question; the import is compared with the golden values of all tensors."""
    manifest = read_manifest(question.image)
    options = options_of(manifest)
    if options is None:
        return None
    known = tensors_of(question.model)
    names = [origin.tensor for origin in manifest.tensors if origin.tensor in known]
    names = list(dict.fromkeys([*names, *(spec.name for spec in manifest.outputs)]))
    sample = slice(question.sample, question.sample + 1)
    inputs = {name: array[sample] for name, array in question.inputs.items()}
    golden = compute_golden(question.model, question.source, inputs, names, caches=caches_of(manifest))
    verification = Verification(
        request=make_request(question.model, **options),
        image=question.image,
        inputs={name: array[0] for name, array in inputs.items()},
        golden={name: np.asarray(array[0]) for name, array in golden.tensors.items()},
        perturbed=[{name: np.asarray(array[0]) for name, array in each.items()} for each in golden.perturbed],
        options=question.options,
        quiet=quiet,
    )
    return verify_levels(verification)
