"""All forms of a plan say the same, and none lets a name of the spec do anything."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan import compare
from gpuplan.compare import Change, ChangeKind
from gpuplan.plan.parts import ABSENT, Action, Holding, Plan, Risk
from gpuplan.plan.promise import Promise, Worth
from gpuplan.report.plans import terminal
from gpuplan.report.plans.forms import FORMS
from gpuplan.report.plans.selection import only
from gpuplan.report.plans.view import view
from gpuplan.report.plans.words import amount
from tests.unit.report.plan_parts import (
    approval,
    balance,
    cause,
    change,
    effect,
    everything,
    plan,
    ref,
    rollout,
    row,
    text,
)

HOSTILE = "</p><script>x()</script>\"'`&amp;`{{ 1 }} {% raw %}\x1b[31m\u202e@all"
VOID = {"meta", "br"}


class Page(HTMLParser):
    """What a page holds: its tags, its attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[tuple[str, str | None]] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= set(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(made: Plan, *, full: bool = False) -> dict[str, str]:
    """Return a plan in every form."""
    prepared = view(made, full=full)
    forms = {name: form(prepared) for name, form in FORMS.items()}
    return {**forms, "terminal": terminal.drawn(prepared, colour=False, width=200)}


def plain(form: str, text_: str) -> str:
    """Return what a reader of a form sees, without its marks."""
    read = Page(text_).text if form == "html" else text_
    return re.sub(r"\s+", " ", re.sub(r"[\\`]", "", read))


def test_every_form_names_all_that_destroys_and_has_the_headline() -> None:
    effects = tuple(effect(f"queue q{number} goes for good", Risk.DESTRUCTIVE) for number in range(60))
    for form, text_ in shown(plan(effects=effects, objects=(change("a", Action.DELETE),))).items():
        seen = plain(form, text_)
        assert all(f"queue q{number} goes for good" in seen for number in range(60)), form
        assert "Plan: 0 to add, 0 to change, 1 to destroy, 0 to replace. Risk: destructive." in seen, form


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (plan(quotas=(row("nlp"),), balances=(balance(),)), ("64 → 48 (-16)", "128 / 128 (100 %) → 112 / 128 (87 %)")),
        (
            plan(objects=(change("a", Action.DELETE),)),
            ("ClusterQueue a, waits for confirmation", "fleet/teams.yaml:3"),
        ),
        (plan(objects=(change("b", was=ref("a")),)), ("ClusterQueue b, was ClusterQueue a",)),
        (plan(objects=(change("a", by_tool=True),)), ("this version of gpuplan, not the spec",)),
        (plan(objects=(change("a", causes=(cause(gone=True),)),)), ("fleet/teams.yaml:3 before",)),
        (
            plan(rollouts=(rollout("queue a"),)),
            ("step 1 of queue a", "then wait until no workload is above", "guaranteed: 49"),
        ),
        (plan(approvals=(approval("team nlp", "@acme/nlp"),)), ("team nlp: @acme/nlp", "a reason")),
        (
            plan(
                approvals=(
                    approval(
                        "team nlp",
                        effects=(effect("e"), effect("e", cluster="us"), *(effect(str(n)) for n in range(7))),
                    ),
                ),
            ),
            ("eu, us: e", "and 3 more reasons"),
        ),
        (plan(approvals=(approval("platform"),)), ("platform (the fleet names no owner)",)),
        (
            plan(texts=(text("runbooks/eu/mig.md"),)),
            ("A person has to act on these", "runbooks/eu/mig.md (+2 -1 lines)"),
        ),
        (plan(effects=(effect("e", nodes=1, cards=0, teams=("a", "b")),)), ("eu: e", "1 node · loses: a, b")),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_every_form_for_people_says(made: Plan, said: tuple[str, ...]) -> None:
    for form in ("terminal", "markdown", "html"):
        seen = plain(form, shown(made)[form])
        for words in said:
            assert words in seen, form


def test_only_the_full_view_names_fields_and_quotas_that_stay() -> None:
    made = plan(objects=(change("a"),), quotas=(row("nlp"), row("search", 8, 8)), balances=(balance(),))
    short, full = shown(made)["terminal"], shown(made, full=True)["terminal"]
    assert "a, 1 field" in short
    assert "spec.nominalQuota" not in short
    assert "search" not in short
    assert "1 unchanged row not shown" in short
    assert "~ spec.nominalQuota 64 → 48" in full
    assert "search" in full


def test_the_content_of_a_secret_is_in_no_form() -> None:
    fields = (Change(path=("data", "token"), kind=ChangeKind.CHANGED, old="b2xk", new="bmV3"),)
    held = {"kind": "Secret"}
    made = plan(objects=(change("s", ref=ref("s", kind="Secret"), changes=fields, before=held, after=held),))
    for form, text_ in shown(made, full=True).items():
        assert not re.search("b2xk|bmV3", text_), form


def test_a_spec_that_differs_without_any_effect_is_shown_all_the_same() -> None:
    seen = shown(plan(spec=(cause(path=("teams", "nlp", "owners"), old=["a"], new=["b"]),)))["terminal"]
    assert "No changes." in seen
    assert 'teams.nlp.owners ["a"] → ["b"]' in seen


def test_a_fact_is_explained_once_where_it_is_worst() -> None:
    made = plan(effects=(effect("a", Risk.DESTRUCTIVE), effect("b", Risk.DESTRUCTIVE), effect("c")))
    seen = shown(made)["terminal"]
    source = next(line for line in seen.splitlines() if "https://" in line)
    assert seen.count(source) == 1
    assert seen.index(source) < seen.index("Low risk")


def test_columns_of_lesser_rights_come_only_with_a_change_of_their_own() -> None:
    lends = replace(row("a", 8, 8), new=Holding(guaranteed=8, lent=2))
    assert "LENDS" in shown(plan(quotas=(lends,), balances=(balance(),)))["terminal"]
    assert "LENDS" not in shown(plan(quotas=(row("a"),), balances=(balance(),)))["terminal"]


@pytest.mark.parametrize(
    ("old", "new", "piece", "said"),
    [
        (0, 0, Fraction(1), "-"),
        (8, 8, Fraction(1), "8"),
        (None, None, None, "no limit"),
        (8, None, Fraction(1), "8 → no limit"),
        (1000, 2000, Fraction(1), "1,000 → 2,000 (+1,000)"),
        (0, 14, Fraction(1, 7), "0 → 14 (+14, +2 cards)"),
        (14, 0, Fraction(2, 7), "14 → 0 (-14, -4 cards)"),
        (2, 1, None, "2 → 1 (-1)"),
    ],
)
def test_an_amount_says_what_comes_or_goes(old: int | None, new: int | None, piece: Fraction | None, said: str) -> None:
    assert amount(old, new, piece) == said


def test_the_page_loads_and_runs_nothing_whatever_the_spec_holds() -> None:
    html = shown(everything(HOSTILE), full=True)["html"]
    page = Page(html)
    assert page.open == []
    assert not {"script", "link", "img", "iframe", "object", "a", "form", "base"} & set(page.tags)
    assert not {name for name, _ in page.attributes if name.startswith("on") or name in ("src", "href", "style")}
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in page.attributes
    assert not re.search(r"url\(|@import", html)
    assert "<script>x()</script>" in page.text
    assert "{{ 1 }} {% raw %}" in page.text


@given(name=st.text(min_size=1, max_size=30))
@settings(max_examples=40, deadline=None)
def test_any_name_leaves_the_page_its_shape(name: str) -> None:
    def tags(of: str) -> list[str]:
        return [tag for tag in Page(shown(everything(of))["html"]).tags if tag != "code"]

    assert tags(name) == tags("plain")


def test_no_form_steers_a_terminal() -> None:
    made = everything(HOSTILE)
    for form, text_ in shown(made, full=True).items():
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", text_), form


def test_the_json_describes_all_of_the_plan_and_is_the_same_at_every_run() -> None:
    made = everything()
    first, second = shown(made)["json"], shown(everything())["json"]
    assert first == second
    data = json.loads(first)
    assert data["format_version"] == "1.0"
    assert (data["risk"], data["no_changes"]) == ("destructive", False)
    assert data["summary"] == {"add": 1, "change": 2, "destroy": 1, "replace": 1, "files": 2}
    for name, part in (("objects", made.objects), ("effects", made.effects), ("quotas", made.quotas)):
        assert len(data[name]) == len(part)
    deleted = next(one for one in data["objects"] if one["action"] == "-")
    assert deleted["confirmed"] is True
    assert deleted["causes"] == [
        {"path": "teams.nlp.quotas", "at": {"file": "fleet/teams.yaml", "line": 3, "column": 5}, "gone": False}
    ]
    assert "value" not in data["rollouts"][0]["steps"][0]["edits"][1]


def strict(of: Any) -> Any:
    """Return a schema that refuses what it does not name."""
    if isinstance(of, dict):
        closed = {"additionalProperties": False} if "properties" in of else {}
        return {name: strict(inner) for name, inner in of.items()} | closed
    return [strict(inner) for inner in of] if isinstance(of, list) else of


def test_the_published_schema_names_all_that_a_plan_can_hold() -> None:
    published = json.loads((Path(__file__).parents[3] / "schemas" / "plan.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(published)
    checker = jsonschema.Draft7Validator(strict(published))
    inner = Change(path=("a",), kind=ChangeKind.ADDED, old=compare.ABSENT, new=[1])
    nested = Change(path=("data",), kind=ChangeKind.CHANGED, old="a", new="b", within=(inner,))
    promise = Promise(
        cluster="eu",
        queue="q",
        team="t",
        task_pool="p",
        service="queued",
        flavor="f",
        resource="r",
        old=Worth(),
        new=Worth(),
    )
    more = plan(
        spec=(cause(old=ABSENT), cause(new=ABSENT)),
        objects=(change("a", changes=(nested,)),),
        promises=(promise,),
        quotas=(row("a", per_piece=None), row("b", per_piece=Fraction(1, 7), new=0)),
    )
    for made in (plan(), everything(), everything(HOSTILE), more):
        assert [error.message for error in checker.iter_errors(json.loads(shown(made)["json"]))] == []


def test_a_selection_of_clusters_keeps_what_concerns_them_and_the_whole_fleet() -> None:
    made = plan(
        objects=(change("a"), change("b", ref=ref("b", cluster="us")), change("c", ref=ref("c", cluster=None))),
        effects=(
            effect("of eu"),
            effect("of us", Risk.DESTRUCTIVE, cluster="us"),
            effect("of all", cluster=None),
        ),
        texts=(text("provisioner/us/a.yaml"), text("provisioner/eu/a.yaml"), text("alert-runbooks/a.md")),
        quotas=(row("nlp"), row("nlp", cluster="us")),
        approvals=(
            approval("team nlp", effects=(effect("of both"), effect("of both", cluster="us"))),
            approval("cluster us", effects=(effect("of us", cluster="us"),)),
        ),
    )
    kept = only(made, ("eu",))
    assert [one.ref.key.name for one in kept.objects] == ["a"]
    assert [one.summary for one in kept.effects] == ["of eu", "of all"]
    assert [one.path for one in kept.texts] == ["provisioner/eu/a.yaml", "alert-runbooks/a.md"]
    assert [one.cluster for one in kept.quotas] == ["eu"]
    assert [(one.role, [effect.cluster for effect in one.effects]) for one in kept.approvals] == [("team nlp", ["eu"])]
    assert kept.risk is Risk.LOW
    assert only(made, ()) is made
