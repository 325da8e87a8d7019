"""Rules about versions that go together."""
