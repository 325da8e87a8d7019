"""Rules about versions of different makers going together."""
