"""What all mechanisms for marginals share: noise on every answer."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Learner, TinyInstance
from privsc_core.concepts.marginals.distributions import Largest, Table
from privsc_core.concepts.marginals.hypotheses import RECORD_KEYS, Marginals
from privsc_core.concepts.marginals.laws import turned
from privsc_core.concepts.marginals.tables import answers, moments, pairs, symmetric
from privsc_core.concepts.trace import Step
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Additive"]


@dataclass(frozen=True)
class Additive(Learner):
    """Add noise to every answer, and release what comes out."""

    proper: ClassVar[bool] = False
    efficient: ClassVar[bool] = True
    labelled: ClassVar[bool] = False
    symmetric: ClassVar[bool] = True
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    outputs: ClassVar[str] = "releases"
    enumerated: ClassVar[str] = (
        "Released answers, times m, are put into bins between whole numbers from -m to m, which "
        "hides no loss."
    )
    record_keys: ClassVar[tuple[str, ...]] = RECORD_KEYS
    of_scale: ClassVar[str]

    @abstractmethod
    def scale(
        self, n: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the scale of the noise on an answer."""

    @abstractmethod
    def below(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance that noise of scale 1 is at most x."""

    @abstractmethod
    def noise(self, number: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return draws of noise of scale 1."""

    @abstractmethod
    def on_root(self, distribution: Table, setting: Setting) -> Estimate:
        """Return the law of the root mean square of all errors."""

    @abstractmethod
    def on_largest(self, setting: Setting) -> Estimate:
        """Return the law of the largest of all errors."""

    def finish(
        self,
        noisy: NDArray[np.float64],
        recorder: Recorder | None,
    ) -> NDArray[np.float64]:
        """Return the matrix that is released: here the noisy one."""
        del recorder
        return noisy

    def run(
        self,
        sample: Sample,
        *,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
        recorder: Recorder | None = None,
    ) -> Hypothesis:
        """Release the noisy answers."""
        del alpha, beta
        d, n = sample.d, sample.size
        true = moments(sample)
        scale = float(self.scale(np.array(n), np.array(d), np.array(epsilon)))
        noisy = symmetric(answers(true) + scale * self.noise(pairs(d), rng), d + 1, 1.0)
        if recorder is not None:
            many, most = pairs(d), int(turned(np.array(d)))
            recorder.step(
                "The answers",
                f"The means of {d:,} attributes and of all products of two, as signs: {many:,} answers. "
                f"A row that is replaced turns at most {most:,} of them, by 2/m each.",
            )
            gap = answers(noisy - true)
            recorder.step(
                "The noise",
                f"Independent noise of scale {self.of_scale} = {scale:.4g} is added to every answer; here "
                f"its root mean square is {np.sqrt((gap * gap).mean()):.4g}, the largest {np.abs(gap).max():.4g}.",
            )
        found = Marginals(d, self.finish(noisy, recorder))
        if recorder is not None:
            recorder.output = Step("The release", f"Out comes: {found.description}.")
        return found

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the joint law of all answers times n, in bins between whole numbers."""
        del alpha, beta, public
        n, d = sample.size, sample.d
        scale = n * float(self.scale(np.array(n), np.array(d), np.array(epsilon)))
        cuts = np.arange(-n, n + 1, dtype=np.float64)
        cells = []
        for true in (n * answers(moments(sample))).tolist():
            below = self.below((cuts - true) / scale)
            above = self.below((true - cuts) / scale)
            # Of two ways to write a difference the one without cancellation.
            inner = np.where(cuts[:-1] < true, np.diff(below), -np.diff(above))
            cells.append([float(below[0]), *inner.tolist(), float(above[-1])])
        names = [-n - 1, *range(-n, n + 1)]
        return {
            bins: float(np.prod([chances[place] for chances, place in zip(cells, at, strict=True)]))
            for bins, at in zip(
                product(names, repeat=len(cells)),
                product(range(len(names)), repeat=len(cells)),
                strict=True,
            )
        }

    def output_name(self, output: Hashable) -> str:
        """Return the lower ends of the bins."""
        if not isinstance(output, tuple):
            return super().output_name(output)
        return "(" + ", ".join(str(place) for place in output) + ")"

    def roughly(self, _distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return with how many the noise of an answer is about alpha."""
        one = self.scale(np.ones_like(setting.d), setting.d, setting.epsilon)
        return np.asarray(one / setting.alpha)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law of the error that counts."""
        if not isinstance(distribution, Table) or distribution.name not in self.laws:
            raise InputError("distribution", f"must have a law for {self.name}", distribution.name)
        for d in np.unique(setting.d).tolist():
            distribution.check(d=d, alpha=setting.alpha)
        if isinstance(distribution, Largest):
            return self.on_largest(setting)
        return self.on_root(distribution, setting)
