"""Rules about manifests of any kind: what a server makes of the object as it is written."""
