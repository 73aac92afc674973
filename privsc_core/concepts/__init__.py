"""What exists: concept classes, their distributions, learners and bounds."""
