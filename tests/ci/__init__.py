"""CI for users: its steps run as GitHub's and GitLab's runners would run them, against servers that stand for the code hosts."""
