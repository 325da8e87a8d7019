"""Rules about how cards are cut by MIG."""
