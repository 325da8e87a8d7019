"""Rules about the names that gpuplan gives to objects."""
