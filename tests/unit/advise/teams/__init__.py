"""Teams with a fleet, answers, and the record that they get."""
