"""Rules about the manifests of the GPU Operator."""
