"""The passes over the `onnx` dialect, in order; the importer has folded constants already."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.passes import ModulePass

from compiler.transforms.fold_batchnorm import FoldBatchnormPass
from compiler.transforms.fold_bias import FoldBiasPass
from compiler.transforms.fuse_nests import FuseNestsPass
from compiler.transforms.normalize_gemm import NormalizeGemmPass
from compiler.transforms.reduce_mean_to_pool import ReduceMeanToPoolPass
from compiler.transforms.remove_dead_constants import RemoveDeadConstantsPass
from compiler.transforms.remove_identity import RemoveIdentityPass

_ORDER: tuple[type[ModulePass], ...] = (
    RemoveIdentityPass,  # first, so that patterns see producers
    NormalizeGemmPass,
    FoldBatchnormPass,
    FoldBiasPass,  # after batch normalisation, whose shift may end as an addition
    ReduceMeanToPoolPass,
    FuseNestsPass,  # last, so that patterns see the operators that a nest is made of
    RemoveDeadConstantsPass,
)
ONNX_PASSES: Mapping[str, type[ModulePass]] = {kind.name: kind for kind in _ORDER}
ONNX_PIPELINE: tuple[str, ...] = tuple(ONNX_PASSES)
