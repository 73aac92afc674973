"""Bounds by one declaration: families from which samples and limit follow, and those of any class.

    rate        a failure e^{log_failure - rate m}: both follow
    search      a limit on success: the least m is searched for
    packing     the packing converse, a search
    minimal     the paper's bound for a class that is alpha-minimal, a rate
    mechanism   the exponential mechanism over a finite class, rates
    spikes      what any private learner needs on spikes, a search
    nonprivate  what any learner needs, a rate
    shattered   what private learners need by VC dimension, a search

A class only declares its numbers.
"""
