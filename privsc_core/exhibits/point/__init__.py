"""What the exhibits of points compute and draw: the optimum, its program, the proof."""
