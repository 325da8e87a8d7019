"""Rules about nodes, and what labels and provisions them."""
