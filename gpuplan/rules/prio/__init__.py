"""Rules about classes of priority."""
