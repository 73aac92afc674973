"""Gaussian noise, and then the nearest answers that are possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Learner, Source
from privsc_core.concepts.laws import by_d, rao_blackwell
from privsc_core.concepts.marginals.critical import critical_radii
from privsc_core.concepts.marginals.laws import within_root
from privsc_core.concepts.marginals.learners.gauss import Gauss
from privsc_core.concepts.style import GREEN, Style
from privsc_core.numerics.elliptope import nearest_correlation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Method, Setting
    from privsc_core.concepts.marginals.distributions import Table
    from privsc_core.concepts.trace import Recorder

__all__ = ["Projected"]

# What is missing to 1 is lost in rounding.
_SURE = 1.0 - 1e-13


@dataclass(frozen=True)
class Projected(Gauss):
    """`gauss`, and then the nearest correlation matrix.

    Notes
    -----
    The second moments of signs are a mean of matrices x x^T: symmetric, positive semidefinite, with
    ones on the diagonal. These form a convex set, the elliptope. Going to its nearest point looks at
    the noisy answers alone, so privacy is kept, and brings them no further from any point of it.
    """

    name: ClassVar[str] = "projected"
    title: ClassVar[str] = "Gauss, projected"
    source: ClassVar[Source] = Source(
        "V17", "Theorem 7.7, with the elliptope in place of the set L; the law is ours"
    )
    summary: ClassVar[str] = (
        "Adds Gaussian noise to every answer and then goes to the nearest answers that could be those "
        "of a table: a correlation matrix."
    )
    laws: ClassVar[Mapping[str, Method]] = dict.fromkeys(
        ("clusters", "chain", "uniform", "copies"), "rao-blackwell"
    )
    # What is nearest among all matrices of tables may be much nearer than noise alone.
    foretold: ClassVar[Mapping[str, float]] = dict.fromkeys(laws, 8.0)
    slow: ClassVar[tuple[str, ...]] = tuple(laws)
    light_to: ClassVar[float] = 24.0
    style: ClassVar[Style] = GREEN

    def audited(self) -> Learner:
        """Return the noise alone: what is done to its output costs no privacy."""
        return Gauss(self.delta)

    def finish(self, noisy: NDArray[np.float64], recorder: Recorder | None) -> NDArray[np.float64]:
        """Return the nearest correlation matrix."""
        found = nearest_correlation(noisy)
        if recorder is not None:
            before = np.linalg.eigvalsh(noisy)
            gap = (found - noisy)[np.triu_indices(len(noisy), 1)]
            recorder.step(
                "The projection",
                f"{int((before < 0.0).sum()):,} of {len(noisy):,} eigenvalues of the noisy matrix are "
                f"negative, down to {before[0]:.4g}: no table has such answers. The nearest matrix without "
                f"negative ones and with ones on the diagonal changes the answers by "
                f"{np.sqrt((gap * gap).mean()):.4g} (root mean square).",
            )
        return found

    def on_root(self, distribution: Table, setting: Setting) -> Estimate:
        """Return it by the size of the noise, which is independent of its direction.

        In a direction the error grows with the size, so that there is one up to which it is at most
        alpha. Directions are simulated, the size, sigma chi_P, is integrated out.
        """
        at = self.at(setting.delta)

        def law(d: int, part: Setting) -> Estimate:
            def draw(n: int, trials: int, rng: np.random.Generator) -> tuple[int, int, int]:
                return n, trials, int(rng.integers(1 << 62))

            def conditional(
                bits: int, epsilon: float, n: int, trials: int, seed: int
            ) -> NDArray[np.float64]:
                size = at.scale(np.array(n), np.array(bits), np.array(epsilon))
                # Noise alone may be small enough, whatever its direction.
                alone = within_root(np.array(d), part.alpha / size)[0]
                if alone >= _SURE:
                    return np.full(trials, alone)
                radii = critical_radii(distribution, d, part.alpha, trials, seed)
                return within_root(np.full(trials, d), radii / size)[0]

            return rao_blackwell(part, draw, conditional)

        return by_d(setting, law)
