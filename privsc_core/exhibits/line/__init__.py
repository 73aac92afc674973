"""What lines alone show."""
