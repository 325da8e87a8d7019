"""What Argo CD itself makes of our output. One Argo CD and one cluster serve all modules here."""
