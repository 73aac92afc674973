"""What was found to correct in what the paper says about pseudorandom points."""

from __future__ import annotations

from privsc_core.literature.statements import Slip, Source

__all__ = ["SLIPS"]

SLIPS = (
    Slip(
        key="bbkn13-section-6-share",
        source=Source("BBKN13", "Section 6, the distinguisher"),
        title="the images are a share of 2^l/2^d, not l/2^d",
        says="A uniformly random point is an image with probability at most $l/2^d$.",
        correction="At most $2^l/2^d$, which is negligible all the same when the generator "
        "stretches enough.",
        known_by="There is an image for each of the $2^l$ seeds.",
    ),
    Slip(
        key="bbkn13-section-6-collisions",
        source=Source("BBKN13", "Section 6, the size of the class"),
        title="distinct seeds may share an image",
        says="The class has $2^l$ concepts.",
        correction="It has $n \\le 2^l$: the laws here use $n$, counted up to $l = 16$.",
        known_by="The program reads $n$ off the exact law at $l = 16$, $d = 17$, where a fifth of "
        "the seeds share their image with another one.",
        check=True,
    ),
)
