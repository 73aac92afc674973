"""What is said about papers, words of the field and results: documents, no mathematics."""
