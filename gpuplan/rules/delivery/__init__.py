"""Rules about how the output reaches the clusters."""
