"""What the page of one class alone shows."""
