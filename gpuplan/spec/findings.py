"""What can be wrong with the shape of the spec, in words."""

from __future__ import annotations

from gpuplan.diagnostics import Severity
from gpuplan.rulebook import RuleDoc

UNKNOWN_KEY = RuleDoc(
    id="spec/unknown-key",
    severity=Severity.ERROR,
    summary="A key that the spec does not have",
    why="The spec is closed: a key it does not know would be a wish that nobody reads.",
    fix="Write the key that is meant, or remove it. `gpuplan explain PATH` lists the keys of a section.",
    bad="nodePools:\n  h100-a: {node: 16}",
    good="nodePools:\n  h100-a: {nodes: 16}",
)
MISSING_KEY = RuleDoc(
    id="spec/missing-key",
    severity=Severity.ERROR,
    summary="A key without which the section says nothing",
    why="There is no sensible default for it: guessing would put a number or a name into the cluster that nobody chose.",
    fix="Add the key.",
    bad="nodePools:\n  h100-a: {cluster: prod-eu, tier: train, cardsPerNode: 8}",
    good="nodePools:\n  h100-a: {cluster: prod-eu, tier: train, nodes: 16, cardsPerNode: 8}",
)
WRONG_TYPE = RuleDoc(
    id="spec/wrong-type",
    severity=Severity.ERROR,
    summary="A value of another type than the key takes",
    why='Types are strict: `"3"` is a text and `3` a number, and a list is not a mapping.',
    fix="Write the value as the type that the message names.",
    bad='nodePools:\n  h100-a: {nodes: "16"}',
    good="nodePools:\n  h100-a: {nodes: 16}",
)
INVALID_VALUE = RuleDoc(
    id="spec/invalid-value",
    severity=Severity.ERROR,
    summary="A value that the key does not take",
    why="The key takes values of one form or from one list: others mean nothing, or a cluster would refuse them.",
    fix="Write a value of the kind that the message names.",
    bad="taskPools:\n  chat: {kind: online, service: guaranteed, tiers: [serve]}",
    good="taskPools:\n  chat: {kind: onlineInference, service: guaranteed, tiers: [serve]}",
)
INVALID_NAME = RuleDoc(
    id="spec/invalid-name",
    severity=Severity.ERROR,
    summary="A name that cannot become part of an object's name",
    why="Names in the spec become names and labels of Kubernetes objects, which allow lower-case letters, digits and `-`.",
    fix="Rename it: lower-case letters, digits and `-`, with a letter or digit at both ends, at most 63 characters.",
    bad="teams:\n  Vision_Lab: {namespaces: [vision]}",
    good="teams:\n  vision-lab: {namespaces: [vision]}",
)
CONFLICTING_KEYS = RuleDoc(
    id="spec/conflicting-keys",
    severity=Severity.ERROR,
    summary="Keys that exclude each other, or none of them",
    why="Exactly one of the alternatives can hold: a pool cannot be cut by MIG and shared by MPS at once.",
    fix="Keep exactly one of the keys that the message names.",
    bad="nodePools:\n  lab: {sharing: {mps: {replicas: 4}, timeSlicing: {replicas: 4}}}",
    good="nodePools:\n  lab: {sharing: {timeSlicing: {replicas: 4}}}",
)
DUPLICATE_NAME = RuleDoc(
    id="spec/duplicate-name",
    severity=Severity.ERROR,
    summary="One name defined in two documents",
    why="Documents are joined by name. If two define one name, one of them would win in silence.",
    fix="Keep one definition, or give the second one a name of its own.",
    bad="teams:\n  nlp: {namespaces: [nlp]}\n---\nteams:\n  nlp: {namespaces: [nlp-batch]}",
    good="teams:\n  nlp: {namespaces: [nlp, nlp-batch]}",
)
FORMER_ID = RuleDoc(
    id="spec/former-id",
    severity=Severity.WARNING,
    summary="A rule by an id that it no longer has",
    why="The suppression holds as before. But gpuplan no longer says the old id, so nobody finds what it is for.",
    fix="Run `gpuplan migrate`: it writes the new id and leaves all else as it is.",
    bad="suppress:\n- {rule: quota/zero-quota, reason: the second rack comes in May}",
    good="suppress:\n- {rule: kueue/zero-accelerator-quota, reason: the second rack comes in May}",
)
FINDINGS = (
    UNKNOWN_KEY,
    MISSING_KEY,
    WRONG_TYPE,
    INVALID_VALUE,
    INVALID_NAME,
    CONFLICTING_KEYS,
    DUPLICATE_NAME,
    FORMER_ID,
)
