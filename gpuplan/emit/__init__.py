"""Fleet -> ManifestSet: one file per component, each a total function, listed here in the order of their waves."""
