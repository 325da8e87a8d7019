"""Alertmanager's configuration: who hears of which alert, when, and which alerts say nothing new.

It knows every team of the fleet, not only the cluster's own: one Alertmanager often serves several clusters. What is not
explicitly patient is urgent, so that an alert of an unknown severity waits for nobody. Facts: Alertmanager 0.25 to 0.34
(`url_file` of webhooks since 0.26); the Prometheus operator mounts Secrets below `SECRETS`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping

from gpuplan.emit import base
from gpuplan.emit.monitoring.alerts import PLATFORM_TEAM
from gpuplan.manifests.set import TextFile
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import DailyHours, MailServer, Receiver
from gpuplan.model.queues import Team
from gpuplan.model.reclaim import ReclaimMode

Config = dict[str, object]

SECRETS = "/etc/alertmanager/secrets"
"""Where Alertmanager finds the Secrets, each in a folder of its name."""
OFFICE_HOURS = "office-hours"
NOBODY = "_nobody"
"""The receiver that tells nobody; no receiver of the spec can have such a name."""
ALWAYS_FIRING = 'alertname=~"Watchdog|InfoInhibitor"'
"""Alerts of kube-prometheus-stack that always fire, or serve to silence others; they are no news."""
PATIENT = 'severity=~"warning|info"'
NOTICE = "GpuReclaimNotice"
"""The alert by which the reclaimer itself announces that it is about to suspend work: the grace runs whatever the hour."""
IDLE = "GpuWorkIdle"
"""The alert on idle work, which is all that people hear where the reclaimer is not told of an Alertmanager."""
GROUPED: Config = {"group_by": ["cluster", "alertname", "team"]}
AT_ONCE: Config = {"group_wait": "10s", "group_interval": "5m", "repeat_interval": "2h"}
LATER: Config = {"group_wait": "5m", "group_interval": "1h", "repeat_interval": "24h"}

DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_MIDNIGHT = 24 * 60

EXPLAINED: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    # The exporter is silent, perhaps because a card has died: one alert a node is enough.
    (
        ('alertname="GpuExporterDownOnGpuNode"',),
        ('alertname=~"Gpu.+"', 'alertname!="GpuExporterDownOnGpuNode"'),
        ("node",),
    ),
    # Which nodes have cards is not known: what compares nodes with their pools is wrong in the whole cluster.
    (
        ('alertname="GpuNodesUnknown"',),
        ('alertname=~"GpuExporterDownOnGpuNode|GpuMissingFromNode|GpuAllocatableLow|GpuReclaimerBlind"',),
        (),
    ),
    (
        ('alertname="KueueMetricsMissing"',),
        ('alertname=~"GpuQueue.+|GpuStartSlow|GpuPoolCongested|GpuQuotaDrift|TeamStarvedUnderQuota"',),
        (),
    ),
    (('alertname="GpuReclaimerDown"',), ('alertname="GpuReclaimerBlind"',), ()),
    # A card that is taken out of service anyway, by its id, or by its number where its vendor gives it none.
    (
        ('alertname=~"Gpu.+"', 'severity="critical"', 'UUID!=""'),
        ('alertname=~"Gpu.+"', PATIENT, 'UUID!=""'),
        ("node", "UUID"),
    ),
    (
        ('alertname=~"Gpu.+"', 'severity="critical"', 'UUID=""', 'gpu!=""'),
        ('alertname=~"Gpu.+"', PATIENT, 'UUID=""', 'gpu!=""'),
        ("node", "gpu"),
    ),
    # What kube-prometheus-stack itself silences so; of GPUs, every alert is told of.
    (('alertname="InfoInhibitor"',), ('severity="info"', 'alertname!~"Gpu.+"'), ("namespace",)),
    # Of two alerts on one thing, the one that is worse.
    ((f'alertname="{NOTICE}"',), (f'alertname="{IDLE}"',), ("namespace", "owner_kind", "owner")),
    (('alertname="GpuQueueStuck"',), ('alertname="GpuQueueWaitHigh"',), ("cluster_queue",)),
    (
        ('alertname="InferenceLatencyBurnFast"',),
        ('alertname="InferenceLatencyBurnSlow"',),
        ("namespace", "task_pool", "model"),
    ),
)
"""(alert that explains others, those that it silences, labels besides `cluster` in which both must agree)."""

TITLE = (
    "{{ .Status | toUpper }}{{ if .Alerts.Firing }} ({{ len .Alerts.Firing }}){{ end }}: {{ .CommonLabels.alertname }}"
    "{{ with .CommonLabels.cluster }} in {{ . }}{{ end }}{{ with .CommonLabels.team }}, team {{ . }}{{ end }}"
)
BODY = (
    "{{ range .Alerts.Firing }}*{{ .Annotations.summary }}* {{ .Annotations.description }}"
    "{{ with .Annotations.runbook_url }} <{{ . }}|Runbook>{{ end }}\n{{ end }}"
    "{{ range .Alerts.Resolved }}Over: {{ .Annotations.description }}\n{{ end }}"
)
"""What Slack shows: its default shows no annotation at all."""
PAGERDUTY_SEVERITY = (
    '{{ if match "^(critical|warning|info)$" .CommonLabels.severity }}{{ .CommonLabels.severity }}'
    "{{ else }}error{{ end }}"
)


def texts(fleet: Fleet, cluster: Cluster) -> Iterator[TextFile]:
    """Yield the configuration, as a file and as values of kube-prometheus-stack, and the test of its routes."""
    said = fleet.monitoring.alertmanager
    if not (said.receivers and cluster.pools):
        return
    made = configuration(fleet)
    values = {"alertmanager": {"config": made, "alertmanagerSpec": {"secrets": secrets(fleet)}}}
    folder = f"prometheus/{cluster.name}"
    origin, also = base.origin(fleet, said.path), tuple(base.origin(fleet, team.path) for team in _told(fleet))
    for path, text in (
        (f"{folder}/alertmanager.yaml", yaml_text(made)),
        (f"{folder}/alertmanager.test.sh", routes_test(fleet)),
        (f"provisioner/{cluster.name}/kube-prometheus-stack/values.yaml", yaml_text(values)),
    ):
        yield TextFile(path=path, text=text, origin=origin, also=also)


def configuration(fleet: Fleet) -> Config:
    """Return the whole configuration of an Alertmanager."""
    said = fleet.monitoring.alertmanager
    made: Config = {
        "global": {"resolve_timeout": "5m", **(_mail(said.mail) if said.mail else {})},
        "route": _tree(fleet),
        "inhibit_rules": [
            {"source_matchers": list(source), "target_matchers": list(target), "equal": ["cluster", *equal]}
            for source, target, equal in EXPLAINED
        ],
        "receivers": [*(_receiver(one) for one in sorted(said.receivers, key=lambda one: one.name)), {"name": NOBODY}],
    }
    if said.office_hours:
        made["time_intervals"] = [{"name": OFFICE_HOURS, "time_intervals": intervals(said.office_hours)}]
    return made


def secrets(fleet: Fleet) -> list[str]:
    """Return the names of the Secrets that the configuration reads, sorted."""
    said = fleet.monitoring.alertmanager
    named = {one.secret for one in said.receivers} | ({said.mail.secret} if said.mail else set())
    return sorted(named - {""})


def _told(fleet: Fleet) -> tuple[Team, ...]:
    """Return the teams with a receiver of their own. What is labelled for the platform is the platform's, even where a
    team has its name. By name: the order in `fleet/` changes no route.
    """
    told = (team for team in fleet.teams if team.receiver and team.name != PLATFORM_TEAM)
    return tuple(sorted(told, key=lambda team: team.name))


def _tree(fleet: Fleet) -> Config:
    """Return the routes; whatever none of them takes goes to the platform at once."""
    said = fleet.monitoring.alertmanager
    hours: Config = {"active_time_intervals": [OFFICE_HOURS]} if said.office_hours else {}
    pressing = (NOTICE, IDLE) if fleet.governance.reclaim.mode is ReclaimMode.SUSPEND else (NOTICE,)
    can_wait = (PATIENT, f'alertname!~"{"|".join(pressing)}"')
    routes: list[Config] = [{"matchers": [ALWAYS_FIRING], "receiver": NOBODY}]
    for team in _told(fleet):
        its = f'team="{team.name}"'
        routes.append({"matchers": [its, *can_wait], "receiver": team.receiver, **LATER, **hours})
        routes.append({"matchers": [its], "receiver": team.receiver})
    routes.append({"matchers": [*can_wait], "receiver": said.platform, **LATER, **hours})
    return {"receiver": said.platform, **GROUPED, **AT_ONCE, "routes": routes}


def _receiver(one: Receiver) -> Config:
    file = f"{SECRETS}/{one.secret}/{one.key}"
    return {"name": one.name, f"{one.kind}_configs": [{**_WAYS[one.kind](one, file), "send_resolved": True}]}


_WAYS: Mapping[str, Callable[[Receiver, str], Config]] = {
    "slack": lambda one, file: {"channel": one.to, "api_url_file": file, "title": TITLE, "text": BODY},
    "pagerduty": lambda _one, file: {
        "routing_key_file": file,
        "description": TITLE,
        "severity": PAGERDUTY_SEVERITY,
        "details": {"runbook": "{{ .CommonAnnotations.runbook_url }}"},
    },
    "webhook": lambda _one, file: {"url_file": file},
    "email": lambda one, _file: {"to": one.to, "headers": {"Subject": TITLE}},
}
"""How each kind of receiver is told, given the file of its secret."""


def _mail(server: MailServer) -> Config:
    made: Config = {"smtp_smarthost": server.address, "smtp_from": server.sender}
    if server.username:
        made["smtp_auth_username"] = server.username
        made["smtp_auth_password_file"] = f"{SECRETS}/{server.secret}/{server.key}"
    return made


def intervals(hours: DailyHours) -> list[Config]:
    """Return hours as Alertmanager has them: none of its times runs past midnight, so the rest is the next day's."""
    late = hours.end <= hours.start
    parts = [(hours.days, hours.start, _MIDNIGHT if late else hours.end)]
    if late and hours.end:
        parts.append((tuple(sorted((day + 1) % 7 for day in hours.days)), 0, hours.end))
    return [
        {
            "times": [{"start_time": _clock(start), "end_time": _clock(end)}],
            "weekdays": [DAYS[day] for day in days],
            "location": hours.time_zone,
        }
        for days, start, end in parts
    ]


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


def expected(fleet: Fleet) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the labels of alerts, and the receiver that each goes to: per team and severity, and what has no team."""
    platform = fleet.monitoring.alertmanager.platform
    receivers = {team.name: team.receiver or platform for team in fleet.teams} | {PLATFORM_TEAM: platform}
    for severity in ("critical", "warning", "info"):
        for team, receiver in sorted(receivers.items()):
            yield (f"team={team}", f"severity={severity}"), receiver
        yield (f"severity={severity}",), platform
    yield ("alertname=Watchdog", "severity=none"), NOBODY


def routes_test(fleet: Fleet) -> str:
    """Return the script by which CI sees that each team's alerts reach it; it needs amtool on the PATH."""
    checks = "\n".join(f"reaches {shlex.quote(receiver)} {shlex.join(labels)}" for labels, receiver in expected(fleet))
    return f"""\
# Run it by `sh`, with amtool on the PATH. It ends with 1 where an alert would not reach the receiver that it is for.
cd "$(dirname "$0")" || exit 1
amtool check-config alertmanager.yaml || exit 1
failed=0
reaches() {{
  receiver=$1
  shift
  if ! amtool config routes test --config.file=alertmanager.yaml --verify.receivers="$receiver" "$@" >/dev/null 2>&1; then
    echo "an alert with $* does not reach $receiver" >&2
    failed=1
  fi
}}
{checks}
exit $failed
"""
