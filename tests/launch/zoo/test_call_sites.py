"""Call sites of the kernels that reach a crossbar: as many as OCC (Siemieniuk et al. 2021) offloads."""

from pathlib import Path

import pytest

from emu.errors import CompileError
from launch.images.compilation import compile_image, mapping_of
from launch.images.mapping import MappingReport
from launch.zoo import build
from launch.zoo.kernels import BUILDERS

OCC = {  # what an oracle offloads; where it writes a computed factor into a crossbar, ours does with products "all"
    **{"mm": 1, "mm-of-results": 1, "2mm": 2, "3mm": 3, "tmm": 1, "mv": 1, "mlp3": 3, "kronecker3": 3},
    **{"ab-acd-dbc": 1, "abc-acd-db": 1, "abcd-aebf-dfce": 1, "conv1d": 1, "conv2d": 1, "conv3d": 1},
    **{"lstm": 1, "wavenet": 2},
}
OF_RESULTS = {"mm-of-results": 1, "3mm": 1}
BEYOND_OCC = {"batched-matmul": 1, "grouped-conv": 1}


def mapped(name: str, folder: Path, products: str = "constant") -> MappingReport:
    """The report of a kernel, or a skip with the sentence that says which operator is not supported yet."""
    model = folder / "kernel.onnx"
    model.write_bytes(build(f"kernels/{name}").SerializeToString())
    try:
        return mapping_of(
            compile_image(model, folder / "out", golden="none", quiet=True, no_check=True, products=products)
        )
    except CompileError as error:
        if "unsupported operators" not in str(error):
            raise
        pytest.skip(str(error))


def test_every_kernel_is_counted() -> None:
    assert set(BUILDERS) == set(OCC) | set(BEYOND_OCC)


@pytest.mark.parametrize(("name", "sites"), [*OCC.items(), *BEYOND_OCC.items()])
def test_call_sites(tmp_path: Path, name: str, sites: int) -> None:
    report = mapped(name, tmp_path)
    assert report.crossbar_sites == sites - OF_RESULTS.get(name, 0)
    assert report.digital_sites + report.other_sites == OF_RESULTS.get(name, 0)


@pytest.mark.parametrize("name", OF_RESULTS)
def test_call_sites_with_products_of_results(tmp_path: Path, name: str) -> None:
    report = mapped(name, tmp_path, "all")
    assert (report.crossbar_sites, report.digital_sites, report.other_sites) == (OCC[name], 0, 0)
