"""Print what the list of held sentences lacks, with the files that say it, and what it has too many."""

from tests.sentences.collect import said
from tests.sentences.test_sentences import LISTED, missing

for sentence in missing(said()):
    print(f"not held  {', '.join(said()[sentence])}: {sentence}")
for sentence in sorted(set(LISTED) - set(said())):
    print(f"not said  {sentence}")
