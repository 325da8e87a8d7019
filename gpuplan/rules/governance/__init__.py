"""Rules about fleet-wide policy."""
