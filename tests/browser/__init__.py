"""Tests in a real Chromium; a package, so that package-scoped fixtures end with it."""
