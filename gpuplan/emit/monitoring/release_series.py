"""The metrics of Argo CD and Argo Rollouts that rules read, and what they release."""

from __future__ import annotations

APPLICATION, ROLLOUT = "application", "rollout"
"""Values of the label `kind`."""
SYNCS = "argocd_app_sync_total"
APPLICATION_INFO = "argocd_app_info"
EVENTS = "rollout_events_total"
ROLLOUT_INFO = "rollout_info"
