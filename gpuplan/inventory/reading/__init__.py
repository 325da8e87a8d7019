"""Files, texts and our own manifests -> objects and configurations, each recognised by what it holds."""
