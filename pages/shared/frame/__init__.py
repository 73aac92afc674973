"""What surrounds every page: shell, list of pages, words explained in place."""
