"""Rules on `moved:`, the entries that have a new name."""
