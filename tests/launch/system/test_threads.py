"""One BLAS thread while a chip is on in this process; as many as before afterwards."""

from pathlib import Path

from images import write_image
from program_sets import ring
from threadpoolctl import threadpool_info, threadpool_limits

from launch.chips.sequential import power_on_sequential


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_the_chip_in_this_process_uses_one_blas_thread(tmp_path: Path) -> None:
    with threadpool_limits(limits=2, user_api="blas"):
        with power_on_sequential(write_image(tmp_path / "out", ring(3, True))):
            assert blas_threads() == {1}
        assert blas_threads() == {2}
