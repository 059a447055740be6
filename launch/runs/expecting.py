"""The golden outputs and golden kept tensors of a run, chosen before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emu.errors import InputError
from launch.golden.intermediate import SHOWN, tensors_of
from launch.golden.sources import DEFAULT, NONE, evaluator_of, file_of, source_of, stored_as
from launch.golden.values import Golden, caches_of, compute_golden, names_in, read_golden, read_kept
from launch.golden.verdict import check_names
from launch.runs.preparing import PreparedJob, can_be_kept

NO_MODEL = "the programs were not compiled from a model"
NOT_COMPARED = "not compared (--golden none)"
NOTHING_KNOWN = f"not compared: {NO_MODEL} (--golden FILE.npz or --model FILE.onnx compares)"


@dataclass(frozen=True, slots=True)
class ExpectedValues:
    """Golden `outputs`, or None and why there are none; golden values of kept tensors, as far as there are any.

    `unused` is what of a file of golden values is compared with nothing, as sentences.
    """

    outputs: Golden | None
    note: str = ""
    kept: Golden | None = None
    unused: Sequence[str] = ()


def expect(prepared: PreparedJob) -> ExpectedValues:
    """Read or compute all golden values; raises InputError, GoldenError."""
    outputs, note = choose_golden(prepared)
    return ExpectedValues(outputs, note, golden_of_kept(prepared), tuple(left_out(prepared)))


def choose_golden(prepared: PreparedJob) -> tuple[Golden | None, str]:
    """Golden outputs, or None and why there are none.

    Programs without a model are compared only if golden values are named; all others unless `none` is asked for, else
    InputError is raised.
    """
    job, manifest, specs = prepared.job, prepared.image.manifest, prepared.image.manifest.outputs
    if job.golden == NONE:
        return None, NOT_COMPARED
    if not (job.golden or job.model or manifest.golden or manifest.compiled_from_model):
        return None, NOTHING_KNOWN
    if not specs:
        raise InputError(
            f"{job.out} has no outputs, so nothing can be compared: give --golden none to run it all the same"
        )
    golden = _golden(prepared)
    check_names({spec.name: spec for spec in specs}, golden.tensors, golden.source)
    for spec in specs:
        count, wanted = len(golden.tensors[spec.name]), prepared.samples
        if count != wanted:
            raise InputError(
                f"the golden values ({golden.source}) of output {spec.name!r} are of {count} samples, the inputs are "
                f"{wanted}"
            )
    return golden, ""


def _golden(prepared: PreparedJob) -> Golden:
    job, manifest, inputs, steps = prepared.job, prepared.image.manifest, prepared.inputs, prepared.steps
    source = source_of(job.golden)
    if path := file_of(job.golden):
        return read_golden(path, manifest.outputs)
    stored = manifest.golden if prepared.given == "default" and steps is None else ""
    if stored and (not source or manifest.golden_source.startswith(stored_as(source))):
        return read_golden(job.out / stored, manifest.outputs, manifest.golden_source)
    if job.model:
        names = [spec.name for spec in manifest.outputs]
        return compute_golden(job.model, source or DEFAULT, inputs, names, steps, caches_of(manifest), job.notice)
    known = manifest.compiled_from_model
    advice = "give --model FILE.onnx, too" if known else f"{NO_MODEL}: give --golden FILE.npz, or --golden none"
    if source:
        raise InputError(f"--golden {job.golden} computes from the model: {advice}")
    model = "give --model FILE.onnx, " if known else f"{NO_MODEL}: give "
    raise InputError(
        f"{job.out} has no golden values for these inputs, so nothing can be verified: {model}"
        "--golden FILE.npz, or --golden none"
    )


def golden_of_kept(prepared: PreparedJob) -> Golden | None:
    """Golden values of the kept tensors: those of a file; of others what the model computes, as far as it knows them.

    Tensors of the compiler's own making are in no model.
    """
    job, manifest, kept = prepared.job, prepared.image.manifest, prepared.kept
    if not kept or job.golden == NONE:
        return None
    path, outputs = file_of(job.golden), {spec.name: spec.shape for spec in manifest.outputs}
    alike = [tensor for tensor in kept if tensor.form.shape == outputs.get(tensor.name, tensor.form.shape)]
    given = read_kept(path, alike, prepared.samples) if path else None
    if not job.model:
        return given
    known = tensors_of(job.model) - set(given.tensors if given else ())
    names = [tensor.name for tensor in kept if tensor.name in known]
    source, caches = evaluator_of(job.golden, manifest), caches_of(manifest)
    computed = compute_golden(job.model, source, prepared.inputs, names, prepared.steps, caches, job.notice)
    if given is None or not given.tensors:
        return computed
    if not names:
        return given
    tensors, source = {**given.tensors, **computed.tensors}, f"{given.source}, of what it lacks {computed.source}"
    return Golden(source, tensors, origin=computed.origin)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(map(repr, names[:SHOWN])) + more


def left_out(prepared: PreparedJob) -> Sequence[str]:
    """Sentences about golden values of a file that are not compared."""
    job, manifest, path = prepared.job, prepared.image.manifest, file_of(prepared.job.golden)
    if path is None:
        return []
    used = {spec.name for spec in (*manifest.inputs, *manifest.outputs)} | {tensor.name for tensor in prepared.kept}
    names = [name for name in names_in(path) if name not in used and name != job.labels]
    inner = can_be_kept(prepared.image) if names else {}
    idle, strange = [name for name in names if name in inner], [name for name in names if name not in inner]
    sentences: list[str] = []
    if idle:
        sentences.append(f"not compared, as they are not kept: {_listed(idle)} of {path} (--keep all compares them)")
    if strange:
        sentences.append(f"not compared, as no core holds tensors of these names whole: {_listed(strange)} of {path}")
    return sentences
