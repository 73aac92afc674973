"""The product as a text: every sentence that it can show, how long it is, and what it claims of learners.

    collect      the sentences, with their places
    test_words   no sentence is long, and none leans on a picture that a stranger does not know
    test_claims  what is said of all learners is what a lower bound says, and other claims are computed

`python -m tests.words pages/points.py` prints the sentences of a place, and `--help` says what else it can do.
"""
