"""Rules about what answers requests, and what is promised of it."""
