"""Arithmetic: let the same program make the same bytes on every machine of an architecture.

Libraries of linear algebra look at the processor and choose code for it. Codes differ in the last
bits of a result, so an honest program would make other bytes on another machine. Here every
library gets the code that all machines of the last ten years have.
"""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path

_NEWER = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V4"
"""What numpy must not use, by the names of all versions; it ignores what a machine lacks."""

_WITH_AVX2 = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": _NEWER,
    "MKL_CBWR": "AVX2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
}
_WITHOUT_AVX2 = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "MKL_CBWR": "COMPATIBLE",
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
}
"""For machines of before 2013: they agree with each other, not with all others."""
_ARM = {"OPENBLAS_CORETYPE": "ARMV8", "NPY_DISABLE_CPU_FEATURES": "SVE"}


@cache
def arithmetic_settings(
    machine: str | None = None, processor: Path = Path("/proc/cpuinfo")
) -> dict[str, str]:
    """Variables of the environment that fix the code of the libraries, for an architecture.

    >>> arithmetic_settings("aarch64")["OPENBLAS_CORETYPE"]
    'ARMV8'
    """
    machine = machine or platform.machine()
    if machine == "aarch64":
        return _ARM
    if machine != "x86_64":
        return {}
    modern = processor.is_file() and "avx2" in processor.read_text().split()
    return _WITH_AVX2 if modern else _WITHOUT_AVX2
