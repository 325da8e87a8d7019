"""Rules about pools whose agents others run."""
