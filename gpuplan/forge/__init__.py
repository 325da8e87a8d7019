"""The only door to code hosts: GitHub's and GitLab's API, for one comment and one label of a change.

Their libraries are the extra `gpuplan[ci]`, and only `github` and `gitlab` here import them (docs/decisions/0017). What a host
refuses comes back as a Problem, and no token leaves.
"""
