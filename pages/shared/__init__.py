"""What pages share: the shell, the state in the URL, the chart. Pages hold words and choices."""
