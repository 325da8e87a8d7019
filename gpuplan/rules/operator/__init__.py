"""Rules on the GPU Operator and the pools that it serves."""
