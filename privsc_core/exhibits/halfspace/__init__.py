"""What the page on half-spaces alone shows."""
