"""A referee for the bounds: what the best possible learner does, held against what is claimed.

    games      tasks (a target and a distribution), and which answers suit which of them
    optimum    the best learner of a tiny game: a linear program, and without privacy fractions
    anyone     stand-ins: "any proper purely private learner" and the like, for `Bound.binds`
    classes    one object per concept class: its tiny games. All that the referee is told
    lower      every lower bound against the optimum, for whom and where it claims to hold
    upper      every upper bound against adversarial distributions
    report     what comes out: comparisons, and those that are false

It iterates over the catalog: a new bound is refereed as soon as it is listed.

What a lower bound is held to:

* **Worst case.** It says that some target and distribution fails. So there must be a family of
  tasks on which even the optimum stays below the bound. A bound that passes the optimum on every
  family the referee knows is false, or needs a family that nobody has told `classes` about.
* **On a distribution.** Where the bound is `proved_on` it, and `Bound.holds_on` says so, it is also
  held to the family of that very distribution: every target in place of the pictured one, because a
  learner that just knows the pictured target refutes nothing. Some bounds stand in pictures where
  nothing is proved and only no learner of the catalog passes them (`shown_on`).

"Mass just above alpha" is the limit from above: a mass is a pair (value, slope), and a hypothesis
is accurate when the mass where it errs is at most (alpha, 0), compared like words. The optimum is
continuous in the masses, so this is what holds at every mass above alpha, however little. At
exactly alpha the error is allowed: no bound speaks of that, and a test shows the difference.
"""
