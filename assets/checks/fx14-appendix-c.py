"""FX14, Appendix C: how many runs until all fail with probability at most delta / 2."""

from math import ceil, log

for delta in (0.1, 1e-3, 1e-9):
    enough = ceil(log(2 / delta) / log(4))
    paper = ceil(log(2 / delta) / log(4 / 3))
    print(f"delta {delta}: {enough} runs are enough, the paper has {paper}")
    assert 0.25**enough <= delta / 2 < 0.25 ** (enough - 1)
    assert paper > 3 * enough
