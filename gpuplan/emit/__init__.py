"""Fleet -> ManifestSet: one file per component, each a total function; `emitters` lists them."""
