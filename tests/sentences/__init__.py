"""What the product says in words that claim something of all learners: each sentence is held by a check.

    collect   the sentences that a visitor may read, and which of them claim something
    checks    what holds them: a function that computes what a sentence says
    held.toml the list: which check, paper or definition holds which sentences

`python -m tests.sentences` prints what the list lacks, and what it holds that is not said any more.
"""
