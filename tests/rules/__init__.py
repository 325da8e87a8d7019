"""Cases of the rules: `<area>/<name>/{fires,quiet}.yaml`, judged by `test_rules.py`."""
