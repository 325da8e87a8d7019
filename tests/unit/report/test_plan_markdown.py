"""The comment on a change: its limit, what is never cut, and names that nobody can abuse."""

from __future__ import annotations

import re

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gpuplan.plan.parts import Action, Plan, Risk
from gpuplan.report.markdown import COMMENT_LIMIT
from gpuplan.report.plans.markdown import LIMIT, as_markdown, marker
from gpuplan.report.plans.view import view
from tests.unit.report.plan_parts import FACT, approval, balance, change, effect, everything, plan, rollout, row, text

PAGE = MarkdownIt("commonmark").enable("table")
OUR_HTML = re.compile(
    r"(?:<!-- gpuplan-plan: \S* -->|<details><summary><b>[\w :,()'&#;.-]*</b></summary>|</details>|\n)*"
)
BUT_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""Nobody reads an example of thousands of effects, and making it a few fewer takes minutes."""
HOSTILE = "a`b|c<img src=x onerror=y>@victim ![x](//evil) </details> --> *b* [l](javascript:z)\n# h\n/approve $x$ é"


def shown(made: Plan) -> str:
    return as_markdown(view(made))


def section(text_: str, title: str) -> str:
    """Return what stands below a heading."""
    found = re.search(rf"^### {title}.*?\n(.*?)(?=^### |^<details>|^_This plan|\Z)", text_, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def said_to_be_left_out(text_: str, noun: str) -> int:
    """Return the number of what the foot says is missing."""
    found = re.search(rf"does not fit into a comment:.*?([\d,]+) {noun}s?\b", text_)
    return int(found[1].replace(",", "")) if found else 0


def test_the_marker_comes_first_and_the_counts_stand_at_both_ends() -> None:
    made = shown(plan(effects=(effect("a"),), objects=(change("a"), change("b", Action.DELETE))))
    headline = "**Plan: 0 to add, 1 to change, 1 to destroy, 0 to replace. Risk: low.**"
    assert made.startswith("<!-- gpuplan-plan: acme -->\n## gpuplan plan: `main` → `work tree`\n\n" + headline)
    assert made.endswith(headline + "\n")


def test_nothing_that_changes_is_said_in_one_line() -> None:
    assert shown(plan()).splitlines()[3:] == ["**No changes.**", "", "fleet acme: 2 clusters, 0 changed"]


def test_what_destroys_stands_before_all_else() -> None:
    made = shown(everything())
    places = [made.index(word) for word in ("Destructive", "Disruptive", "### Quotas", "### Ordered", "Objects (")]
    assert places == sorted(places)


@settings(max_examples=12, deadline=None, phases=BUT_SHRINKING)
@given(
    destructive=st.sampled_from((0, 40, 500, 1500)),
    disruptive=st.sampled_from((0, 3, 300)),
    objects=st.sampled_from((0, 10, 1500)),
    rows=st.sampled_from((0, 4, 300)),
    rollouts=st.sampled_from((0, 1, 60)),
    tables=st.sampled_from((1, 200)),
    owners=st.sampled_from((0, 1, 300)),
    length=st.sampled_from((1, 90, 2000)),
    sign=st.sampled_from("a`|<@é*"),
)
def test_no_plan_is_longer_than_a_comment_and_none_loses_a_count(  # noqa: PLR0917 - what a plan can have many of
    destructive: int,
    disruptive: int,
    objects: int,
    rows: int,
    rollouts: int,
    tables: int,
    owners: int,
    length: int,
    sign: str,
) -> None:
    name = sign * length
    made = plan(
        effects=(
            *(effect(f"d{number} {name}", Risk.DESTRUCTIVE) for number in range(destructive)),
            *(effect(f"r{number} {name}", Risk.DISRUPTIVE) for number in range(disruptive)),
        ),
        objects=tuple(change(f"o{number}", list(Action)[number % 4]) for number in range(objects)),
        quotas=tuple(row(f"t{number} {name}", flavor=f"f{number % tables}") for number in range(rows)),
        balances=tuple(balance(flavor=f"f{number}", tier=name) for number in range(tables)) if rows else (),
        rollouts=tuple(rollout(f"s{number} {name}") for number in range(rollouts)),
        approvals=tuple(approval(f"team t{number}", f"@acme/t{number}") for number in range(owners)),
    )
    text_ = shown(made)
    assert len(text_) <= LIMIT < COMMENT_LIMIT
    headline = f"Risk: {made.risk.value}.**"
    assert text_.count(headline) == (2 if made.objects or made.effects else 0)
    named = len(re.findall(r"^- `!` eu: d\d+ ", text_, re.MULTILINE))
    named_mildly = len(re.findall(r"^- `!` eu: r\d+ ", text_, re.MULTILINE))
    assert named + named_mildly + said_to_be_left_out(text_, "effect") == destructive + disruptive
    listed = len(re.findall(r"ClusterQueue `o\d+`", text_))
    assert listed + said_to_be_left_out(text_, "object") == objects
    assert len(re.findall(r"^\| t\d+ ", text_, re.MULTILINE)) + said_to_be_left_out(text_, "quota row") == rows
    assert text_.count("@acme/t") + said_to_be_left_out(text_, "approval") == owners


def test_what_destroys_is_named_line_by_line_where_details_do_not_fit() -> None:
    effects = tuple(effect(f"queue q{number} is gone {'x' * 300}", Risk.DESTRUCTIVE) for number in range(500))
    objects = tuple(change(f"o{number}") for number in range(5000))
    text_ = shown(plan(effects=effects, objects=objects))
    lines = section(text_, "Destructive").splitlines()
    assert [line for line in lines if line.startswith("- `!` eu: queue q")] == [
        line for line in lines if line.startswith("- ")
    ]
    assert sum(line.startswith("- ") for line in lines) == 500
    assert f"{said_to_be_left_out(text_, 'object'):,} objects" in text_


def test_what_destroys_is_counted_by_what_happens_where_not_even_its_lines_fit() -> None:
    effects = tuple(effect(f"queue q{number} is gone", Risk.DESTRUCTIVE) for number in range(9000))
    text_ = shown(plan(effects=effects))
    named = text_.count("- `!` eu: queue")
    assert named > 500
    assert f"_and {9000 - named:,} more effects: {9000 - named:,} x {FACT.title}_" in section(text_, "Destructive")
    assert said_to_be_left_out(text_, "effect") == 9000 - named


def test_a_table_that_holds_a_capacity_alone_is_counted_too() -> None:
    balances = tuple(balance(flavor=f"f{number}", capacity=(8, number)) for number in range(900))
    text_ = shown(plan(balances=balances))
    named = len(re.findall(r"^\*\*eu · tier train · f\d+ ", text_, re.MULTILINE))
    assert 0 < named < 900
    assert f": {900 - named} tables without rows and details are left out" in text_


def test_no_name_refers_to_an_issue() -> None:
    seen = shown(plan(effects=(effect("closes #12 and acme/fleet#3"),)))
    assert not re.search(r"#\d", seen)


def test_notes_are_counted_where_they_are_many() -> None:
    made = as_markdown(
        view(plan(objects=(change("a"),)), notes=tuple(f"note {number} {'x' * 999}" for number in range(500)))
    )
    assert len(made) <= LIMIT
    assert made.count("> note ") == 10
    assert "> and 490 more notes" in made
    assert "ClusterQueue `a`" in made


def test_what_is_left_out_says_where_all_of_it_is() -> None:
    text_ = shown(plan(objects=tuple(change(f"o{number}") for number in range(5000))))
    assert "Read all of it by `gpuplan plan --full`" in text_
    assert "left out" not in shown(plan(objects=(change("a"),)))


def test_whoever_is_asked_is_told_and_nobody_else() -> None:
    made = everything("@everyone/x")
    text_ = shown(made)
    assert "- team `@everyone/x`: @everyone/x, @acme/nlp" in text_ or ": @everyone/x, @acme/nlp" in text_
    without = text_.replace(": @everyone/x, @acme/nlp", "")
    spoken = "".join(token.content for token in _inline(without) if token.type == "text")
    assert not re.search(r"@[A-Za-z0-9]", spoken)


def _inline(markdown: str) -> list[Token]:
    return [child for token in PAGE.parse(markdown) for child in token.children or ()]


@pytest.mark.parametrize(
    "name", [HOSTILE, "`", "``` \n</details>", "\\`|", "~~~\n# x", "]]>-->", "@a", "a\u202eb\x1b[31m"]
)
def test_no_name_and_no_value_of_a_spec_is_obeyed(name: str) -> None:
    text_ = shown(everything(name))
    tokens = [*PAGE.parse(text_), *_inline(text_)]
    raw = [token.content for token in tokens if token.type in ("html_block", "html_inline")]
    assert all(OUR_HTML.fullmatch(html) for html in raw), raw
    assert not [token for token in tokens if token.type == "image"]
    links = {str(token.attrs["href"]) for token in tokens if token.type == "link_open"}
    assert links == {FACT.source}
    headings = [token for token in tokens if token.type == "heading_open"]
    sections = text_.count("\n### ") + text_.count("\n## ")
    assert len(headings) == sections
    cells = re.findall(r"^\|.*\|$", text_, re.MULTILINE)
    assert {
        len([t for t in PAGE.parse(f"{cells[0]}\n{cells[1]}\n{line}") if t.type == "td_open"]) for line in cells[2:]
    } == {6}
    assert not re.search(r"^\s*/\w", text_, re.MULTILINE)
    assert not re.search("[\u202e\x1b]", text_)


@given(name=st.text(min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_text_at_all_keeps_the_shape_of_the_comment(name: str) -> None:
    def shape(of: str) -> list[str]:
        return [token.type for token in PAGE.parse(shown(everything(of)))]

    assert shape(name) == shape("plain")


@given(fleet=st.text(max_size=300))
def test_the_marker_is_one_comment_whatever_the_fleet_is_called(fleet: str) -> None:
    made = marker(fleet)
    assert re.fullmatch(r"<!-- gpuplan-plan: [^\s<>]* -->", made)
    assert "--" not in made[4:-3] or "-->" not in made[4:-3]


def test_a_rollout_holds_each_commit_as_yaml_and_its_commands_to_copy() -> None:
    text_ = shown(plan(rollouts=(rollout("queue nlp-pretrain", 1),)))
    assert (
        "  ```yaml\n  # take out: teams.old\n  teams:\n    nlp:\n      quotas:\n        pretrain:\n"
        "          train:\n            guaranteed: 48\n  ```\n" in text_
    )
    assert "  ```sh\n  kubectl get workloads --all-namespaces\n  ```\n" in text_


def test_files_that_a_person_must_act_on_are_not_folded() -> None:
    assert "### Files beside the manifests" in shown(plan(texts=(text("provisioner/eu/a.yaml"),)))
    assert "<summary><b>Files beside" in shown(plan(texts=(text("prometheus/eu/a.yaml"),)))
