"""For whoever hosts this: logs and numbers, the browser's own programs."""
