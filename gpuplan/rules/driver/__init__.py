"""Rules about GPU drivers."""
