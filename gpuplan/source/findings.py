"""Every finding that reading `fleet/` can give: `source/` for files, `yaml/` for their text."""

from __future__ import annotations

from typing import Final

from gpuplan.diagnostics import Severity
from gpuplan.rulebook import RuleDoc

MAX_FILE_MIB: Final = 8
"""A file above this is refused unread. A fleet of 1,000 pools and 100 teams is about 1 MiB."""
MAX_FILES: Final = 10_000
"""More files than this under one folder, and the folder is hardly a fleet."""
MAX_DEPTH: Final = 64
"""Collections inside each other. The spec itself needs fewer than 12."""
MAX_ALIASED_NODES: Final = 100_000
"""Values that aliases may repeat in one document, so that a few lines cannot unfold to millions."""

NO_FLEET: Final = RuleDoc(
    id="source/no-fleet",
    severity=Severity.ERROR,
    summary="The fleet folder is missing or holds no YAML file",
    why="Without a spec there is nothing to compile; an empty result would look as if every pool and queue were to go.",
    fix="Name the folder that holds the spec with --fleet, or start one with `gpuplan init`.",
    bad="$ gpuplan check --fleet docs",
    good="$ gpuplan check --fleet fleet",
)
UNREADABLE: Final = RuleDoc(
    id="source/unreadable",
    severity=Severity.ERROR,
    summary="A file of the fleet cannot be read",
    why="What the file declares would be missing, and a missing pool or team reads as one that was removed.",
    fix="Give the user who runs gpuplan the right to read it, or take it out of the fleet folder.",
    bad="$ chmod 000 fleet/teams.yaml",
    good="$ chmod 644 fleet/teams.yaml",
)
NOT_A_FILE: Final = RuleDoc(
    id="source/not-a-file",
    severity=Severity.ERROR,
    summary="A pipe, socket or device has the name of a YAML file",
    why="Reading it could wait for ever, and its content would differ from run to run.",
    fix="Put an ordinary file in its place.",
    bad="$ mkfifo fleet/teams.yaml",
    good="$ touch fleet/teams.yaml",
)
BROKEN_LINK: Final = RuleDoc(
    id="source/broken-link",
    severity=Severity.ERROR,
    summary="A symbolic link leads nowhere or in a circle",
    why="The file it stands for belongs to the fleet and cannot be read.",
    fix="Point the link at an existing file inside the fleet folder, or remove it.",
    bad="$ ln -s teams.yaml fleet/teams.yaml",
    good="$ ln -s common/teams.yaml fleet/teams.yaml",
)
LINK_LEAVES_FLEET: Final = RuleDoc(
    id="source/link-leaves-fleet",
    severity=Severity.ERROR,
    summary="A symbolic link leads out of the fleet folder",
    why="Review sees the link and not what it points at, and a report in CI would print lines of that other file.",
    fix="Copy the file into the fleet folder, or move the folder up so that it holds both.",
    bad="$ ln -s /etc/gpu/teams.yaml fleet/teams.yaml",
    good="$ cp /etc/gpu/teams.yaml fleet/teams.yaml",
)
TOO_LARGE: Final = RuleDoc(
    id="source/too-large",
    severity=Severity.ERROR,
    summary=f"A file is larger than {MAX_FILE_MIB} MiB",
    why="No fleet needs such a file: it is more likely a dump or an archive with a wrong name. It was not read.",
    fix="Split the file by section or by cluster, or move it out of the fleet folder.",
    bad="$ kubectl get all -A -o yaml > fleet/dump.yaml",
    good="$ kubectl get all -A -o yaml > dump.yaml",
)
TOO_MANY_FILES: Final = RuleDoc(
    id="source/too-many-files",
    severity=Severity.ERROR,
    summary=f"The fleet folder holds more than {MAX_FILES:,} YAML files",
    why="It is more likely the root of a repository or of a disk than a fleet. None was read.",
    fix="Name the folder of the spec itself with --fleet.",
    bad="$ gpuplan check --fleet /",
    good="$ gpuplan check --fleet fleet",
)
NOT_UTF8: Final = RuleDoc(
    id="source/not-utf-8",
    severity=Severity.ERROR,
    summary="A file is not UTF-8 text",
    why="YAML files of a fleet are UTF-8; another encoding would turn names into other names.",
    fix="Save the file as UTF-8.",
    bad="teams: {caf\\xe9: {}}",
    good="teams: {cafe: {}}",
)
BINARY: Final = RuleDoc(
    id="source/binary",
    severity=Severity.ERROR,
    summary="A file with the name of a YAML file is binary",
    why="It holds zero bytes, which no text does.",
    fix="Take the file out of the fleet folder, or restore its text from version control.",
    bad="$ gzip -c teams.yaml > fleet/teams.yaml",
    good="$ cp teams.yaml fleet/teams.yaml",
)

SYNTAX: Final = RuleDoc(
    id="yaml/syntax",
    severity=Severity.ERROR,
    summary="The text is not YAML",
    why="From this place on the document has no meaning, so nothing after it was checked.",
    fix="Correct the text; the place shown is where the reader lost its way, which may be a line late.",
    bad="metadata: {name: acme\nkind: Fleet",
    good="metadata: {name: acme}\nkind: Fleet",
)
TAB_INDENTATION: Final = RuleDoc(
    id="yaml/tab-indentation",
    severity=Severity.ERROR,
    summary="A line is indented with a tab",
    why="YAML allows only spaces there, because a tab has no agreed width.",
    fix="Replace each leading tab by two spaces, and let the editor insert spaces in YAML files.",
    bad="teams:\n\tvision: {}",
    good="teams:\n  vision: {}",
)
MERGE_CONFLICT: Final = RuleDoc(
    id="yaml/merge-conflict",
    severity=Severity.ERROR,
    summary="The file still holds the markers of a merge conflict",
    why="Both sides of the conflict are in the file, so it says two things at once.",
    fix="Decide for one side, delete the marker lines, and check again.",
    bad="<<<<<<< HEAD\nnodes: 4\n=======\nnodes: 6\n>>>>>>> more-nodes",
    good="nodes: 6",
)
FORBIDDEN_CHARACTER: Final = RuleDoc(
    id="yaml/forbidden-character",
    severity=Severity.ERROR,
    summary="A character that editors do not show",
    why="Control characters are no part of YAML, and some end a line for one reader and not for another, which could "
    "hide a key from review.",
    fix='Delete it; inside a double-quoted string write its escape, such as "\\u2028".',
    bad="vision: {}<U+2028>nlp: {}",
    good="vision: {}\nnlp: {}",
)
DUPLICATE_KEY: Final = RuleDoc(
    id="yaml/duplicate-key",
    severity=Severity.ERROR,
    summary="A key stands twice in one mapping",
    why="Many readers keep the last one in silence, so a quota or a pool would be lost without a word.",
    fix="Keep one of the two, or give the second its own name.",
    bad="teams:\n  vision: {}\n  vision: {}",
    good="teams:\n  vision: {}\n  nlp: {}",
)
NON_STRING_KEY: Final = RuleDoc(
    id="yaml/non-string-key",
    severity=Severity.ERROR,
    summary="A key is not a string",
    why="Keys of a fleet are names, and names are strings; YAML reads this one as something else.",
    fix="Put the key in quotes.",
    bad="teams:\n  2024: {}",
    good='teams:\n  "2024": {}',
)
COMPLEX_KEY: Final = RuleDoc(
    id="yaml/complex-key",
    severity=Severity.ERROR,
    summary="A key is a list or a mapping",
    why="Keys of a fleet are names. `{{ x }}` outside quotes reads this way too, and a fleet has no template language.",
    fix="Write a name as the key; text that begins with a brace or bracket needs quotes.",
    bad="teams:\n  {{ team }}: {}",
    good="teams:\n  vision: {}",
)
MERGE_KEY: Final = RuleDoc(
    id="yaml/merge-key",
    severity=Severity.ERROR,
    summary="A merge key `<<`, which YAML 1.2 does not have",
    why="It belongs to a draft for YAML 1.1, and readers differ in which side of the merge wins.",
    fix="Move what is shared to `defaults:`, or write the fields out.",
    bad="a: &base {nodes: 4}\nb: {<<: *base}",
    good="a: {nodes: 4}\nb: {nodes: 4}",
)
UNKNOWN_ANCHOR: Final = RuleDoc(
    id="yaml/unknown-anchor",
    severity=Severity.ERROR,
    summary="An alias names an anchor that its document does not set before it",
    why="Anchors end with their document: they cross neither `---` nor files.",
    fix="Set the anchor earlier in this document, write the value out, or use `defaults:` or a name to share it.",
    bad="teams: {vision: *quota}",
    good="teams: {nlp: &quota {}, vision: *quota}",
)
RECURSIVE_ALIAS: Final = RuleDoc(
    id="yaml/recursive-alias",
    severity=Severity.ERROR,
    summary="An alias stands inside the value that it repeats",
    why="The value would contain itself and never end.",
    fix="Write the inner value out.",
    bad="teams: &all {vision: *all}",
    good="teams: {vision: {}}",
)
ALIAS_LIMIT: Final = RuleDoc(
    id="yaml/alias-limit",
    severity=Severity.ERROR,
    summary=f"Aliases repeat more than {MAX_ALIASED_NODES:,} values in one document",
    why="Aliases of aliases multiply: a few lines can unfold to more than any memory holds.",
    fix="Share values by name (tiers, task pools) or by `defaults:` instead.",
    bad="a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]  # and so on",
    good="a: [x, x]",
)
UNKNOWN_TAG: Final = RuleDoc(
    id="yaml/unknown-tag",
    severity=Severity.ERROR,
    summary="A tag outside the core schema of YAML 1.2",
    why="A tag asks the reader for a type of its own; a fleet is made of maps, lists, strings, numbers and booleans.",
    fix="Remove the tag. Known are !!str, !!int, !!float, !!bool, !!null, !!map and !!seq.",
    bad="nodes: !count 4",
    good="nodes: 4",
)
TAG_MISMATCH: Final = RuleDoc(
    id="yaml/tag-mismatch",
    severity=Severity.ERROR,
    summary="A value does not fit its tag",
    why="The tag promises one type and the text is another.",
    fix="Correct the value or remove the tag.",
    bad="nodes: !!int four",
    good="nodes: 4",
)
NUMBER_RANGE: Final = RuleDoc(
    id="yaml/number-range",
    severity=Severity.ERROR,
    summary="A number that a cluster cannot hold",
    why="Numbers in Kubernetes fit in 64 bits and are finite; JSON has no infinity.",
    fix="Write a number in range, or put the text in quotes if it is a name.",
    bad="nodes: .inf",
    good="nodes: 16",
)
TOO_DEEP: Final = RuleDoc(
    id="yaml/too-deep",
    severity=Severity.ERROR,
    summary=f"Values nested more than {MAX_DEPTH} deep",
    why="No part of the spec needs it, so a bracket is missing or the file was made by a broken generator.",
    fix="Close the brackets, or check the indentation.",
    bad="a: [[[[[[[[[[[[  # and so on",
    good="a: [[1], [2]]",
)
NOT_A_MAPPING: Final = RuleDoc(
    id="yaml/not-a-mapping",
    severity=Severity.ERROR,
    summary="A document is not a mapping",
    why="A file of a fleet holds sections such as `clusters:` and `teams:`; a list or a single value has no place there.",
    fix="Begin with the name of a section, and indent what belongs to it.",
    bad="- vision\n- nlp",
    good="teams:\n  vision: {}\n  nlp: {}",
)
EMPTY_FILE: Final = RuleDoc(
    id="yaml/empty-file",
    severity=Severity.ERROR,
    summary="A file holds nothing but space and comments",
    why="An empty file is most often one that was lost on the way, and what it declared would be deleted.",
    fix="Restore its content, or remove the file.",
    bad="# teams",
    good="teams:\n  vision: {}",
)
YAML_VERSION: Final = RuleDoc(
    id="yaml/version",
    severity=Severity.WARNING,
    summary="A %YAML directive asks for a version other than 1.2",
    why="The file is read as YAML 1.2 all the same, where `yes`, `on` and `12:30` are strings.",
    fix="Remove the directive.",
    bad="%YAML 1.1\n---\nkind: Fleet",
    good="kind: Fleet",
)

FINDINGS: Final = (
    NO_FLEET, UNREADABLE, NOT_A_FILE, BROKEN_LINK, LINK_LEAVES_FLEET, TOO_LARGE, TOO_MANY_FILES, NOT_UTF8, BINARY,
    SYNTAX, TAB_INDENTATION, MERGE_CONFLICT, FORBIDDEN_CHARACTER, DUPLICATE_KEY, NON_STRING_KEY, COMPLEX_KEY, MERGE_KEY,
    UNKNOWN_ANCHOR, RECURSIVE_ALIAS, ALIAS_LIMIT, UNKNOWN_TAG, TAG_MISMATCH, NUMBER_RANGE, TOO_DEEP, NOT_A_MAPPING,
    EMPTY_FILE, YAML_VERSION,
)  # fmt: skip
"""All of them, for the docs and for `gpuplan rule`."""

LOSES_NOTHING: Final = frozenset(
    rule.id
    for rule in (DUPLICATE_KEY, NON_STRING_KEY, UNKNOWN_TAG, TAG_MISMATCH, NUMBER_RANGE, EMPTY_FILE, YAML_VERSION)
)
"""After these the documents are still whole enough for the next phase to look for more errors in the same run."""
