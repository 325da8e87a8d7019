"""Roads in safe steps: pools that change their stack, clusters that change their release set."""
