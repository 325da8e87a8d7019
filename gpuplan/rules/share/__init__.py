"""Rules about cards that several pods hold at once: time slicing and MPS."""
