"""Rules about what is wanted and what is there."""
