"""The objects that gpuplan makes: their kinds, their identity, and the one writer of YAML."""
