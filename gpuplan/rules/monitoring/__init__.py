"""Rules about what is measured."""
