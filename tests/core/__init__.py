"""The core: numbers by three routes, contracts that every learner and bound inherits."""
