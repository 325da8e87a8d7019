"""Rules about the cards of pools."""
