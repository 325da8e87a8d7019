"""What people have: objects and configurations of files, of a live cluster or of our own output, with the place of every value.

Lint judges an inventory, import makes a fleet of it, and `render` looks at its own output through one.
"""
