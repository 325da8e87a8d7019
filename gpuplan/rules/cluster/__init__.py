"""Rules about clusters and what runs beneath them."""
