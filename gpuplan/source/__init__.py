"""Phase one of the arrow: text under `fleet/` to documents with spans."""
