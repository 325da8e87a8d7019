"""Rules about what a fleet cannot take up."""
