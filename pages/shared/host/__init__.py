"""Hosting: logs and metrics, the browser's programs, the first page."""
