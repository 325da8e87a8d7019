"""The spec as people write it: pydantic models, one file per section, and the loader that merges `fleet/`.

Only this package knows pydantic. After `resolve` nobody sees these types.
"""
