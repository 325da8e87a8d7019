"""What differs between a live cluster and what was rendered for it, and who changed it. It only reads, and asks by dry runs."""
