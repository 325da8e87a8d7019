"""Rules about pools whose nodes Node Feature Discovery labels."""
