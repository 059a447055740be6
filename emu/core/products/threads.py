"""One BLAS thread per process: cores are the parallelism, and sums must not depend on how many threads there are."""

from __future__ import annotations

from contextlib import AbstractContextManager

# For processes that have not imported NumPy yet.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def one_blas_thread() -> AbstractContextManager[object]:
    """Limits the BLAS of this process, which has imported NumPy already, to one thread while the context is open."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1, user_api="blas")
