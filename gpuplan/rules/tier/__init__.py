"""Rules about card tiers."""
