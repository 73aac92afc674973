"""What rectangles alone show."""
