"""Rules about numbers: who owns, lends and borrows what, against the cards that exist."""
