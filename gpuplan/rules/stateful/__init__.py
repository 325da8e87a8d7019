"""Rules about work that holds state, such as the KV cache of a model server."""
