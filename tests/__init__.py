"""The tests: core, cli, pages (AppTest), browser (Chromium); benchmarks are run by hand."""
