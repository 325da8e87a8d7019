"""Fleet -> findings: one rule, one file, one id `area/name`; this tuple lists them all, in the order of their ids."""

from __future__ import annotations

from types import ModuleType

from gpuplan.diagnostics import Diagnostics, ordered
from gpuplan.model.fleet import Fleet
from gpuplan.rules.base import Rule
from gpuplan.rules.card import unknown_mig_class, vendor_not_supported
from gpuplan.rules.cluster import (
    distribution_kubernetes,
    os_kubernetes,
    os_unknown,
    policies_need_1_30,
    runtime_not_on_os,
    stack_not_supported,
)
from gpuplan.rules.delivery import example_repository
from gpuplan.rules.driver import (
    branch_ended,
    card_needs_newer_driver,
    card_needs_older_branch,
    kernel_modules,
    unknown_branch,
)
from gpuplan.rules.kueue import (
    best_effort_overtakes_gang,
    cpu_only_podset,
    fallback_disjoint,
    fallback_missing,
    fallback_within_tier,
    fallback_without_choice,
    gang_larger_than_any_flavor,
    label_conflict,
    largest_job_beyond_quota,
    largest_job_never_admitted,
    pod_larger_than_node,
    pods_ready_timeout_short,
    queue_too_large,
    strict_with_several_flavors,
    topology_mixed,
    units_differ,
    weight_alone,
)
from gpuplan.rules.mig import (
    card_cut_twice,
    card_index_out_of_range,
    card_without_mig,
    driver_too_old_for_profile,
    labels_not_set,
    profile_not_on_card,
    several_instances_in_a_pod,
    single_strategy_mixed_geometry,
    slices_left_over,
    too_many_instances,
    unconfirmed_geometry,
    unplaceable,
)
from gpuplan.rules.monitoring import counter_needs_profiling, counter_not_on_mig, unknown_counter
from gpuplan.rules.names import collision, too_long
from gpuplan.rules.namespace import in_two_teams, repeated, reserved, usually_others
from gpuplan.rules.nfd import ambiguous_pools, card_without_pci_id, node_name_pattern
from gpuplan.rules.pool import (
    cards_per_node_unusual,
    label_reserved,
    no_common_label,
    product_label,
    same_labels_twice,
    selects_foreign_nodes,
    too_many_labels,
    too_many_tolerations,
)
from gpuplan.rules.queue import kind_and_framework, online_on_reclaimable, task_pool_unused, tier_never_reached
from gpuplan.rules.quota import (
    borrow_without_lender,
    cap_above_capacity,
    cap_above_pool,
    cap_without_pool,
    floor_broken_by_fragmentation,
    floor_needs_whole_pods,
    largest_job_above_floor,
    lend_above_guaranteed,
    no_floor,
    over_capacity,
    pool_borrow_without_pool,
    pool_without_queues,
    shared_without_pool,
    stranded,
    unallocated,
    zero_quota,
)
from gpuplan.rules.release import component_unconfirmed, known_bad_version, kubernetes_out_of_range, kueue_kubernetes
from gpuplan.rules.share import (
    mps_on_unsupported_card,
    mps_replicas_above_limit,
    no_memory_isolation,
    plain_name,
    replicas_below_two,
    replicas_implausible,
    several_shares_in_a_pod,
    time_slicing_on_unsupported_card,
)
from gpuplan.rules.stateful import borrows, not_serving, slow_return
from gpuplan.rules.taint import duplicate, not_set_by_nfd, prefer_no_schedule_ignored, refused_by_nfd, system_key
from gpuplan.rules.team import no_groups, no_quotas, no_receiver
from gpuplan.rules.tier import does_not_suit, no_price, two_currencies, unused, without_pools
from gpuplan.rules.topology import hostname_missing, hostname_not_last, labels_undeclared, level_twice, unknown_level

MODULES: tuple[ModuleType, ...] = (
    unknown_mig_class,
    vendor_not_supported,
    distribution_kubernetes,
    os_kubernetes,
    os_unknown,
    policies_need_1_30,
    runtime_not_on_os,
    stack_not_supported,
    example_repository,
    branch_ended,
    card_needs_newer_driver,
    card_needs_older_branch,
    kernel_modules,
    unknown_branch,
    best_effort_overtakes_gang,
    cpu_only_podset,
    fallback_disjoint,
    fallback_missing,
    fallback_within_tier,
    fallback_without_choice,
    gang_larger_than_any_flavor,
    label_conflict,
    largest_job_beyond_quota,
    largest_job_never_admitted,
    pod_larger_than_node,
    pods_ready_timeout_short,
    queue_too_large,
    strict_with_several_flavors,
    topology_mixed,
    units_differ,
    weight_alone,
    card_cut_twice,
    card_index_out_of_range,
    card_without_mig,
    driver_too_old_for_profile,
    labels_not_set,
    profile_not_on_card,
    several_instances_in_a_pod,
    single_strategy_mixed_geometry,
    slices_left_over,
    too_many_instances,
    unconfirmed_geometry,
    unplaceable,
    counter_needs_profiling,
    counter_not_on_mig,
    unknown_counter,
    collision,
    too_long,
    in_two_teams,
    repeated,
    reserved,
    usually_others,
    ambiguous_pools,
    card_without_pci_id,
    node_name_pattern,
    cards_per_node_unusual,
    label_reserved,
    no_common_label,
    product_label,
    same_labels_twice,
    selects_foreign_nodes,
    too_many_labels,
    too_many_tolerations,
    kind_and_framework,
    online_on_reclaimable,
    task_pool_unused,
    tier_never_reached,
    borrow_without_lender,
    cap_above_capacity,
    cap_above_pool,
    cap_without_pool,
    floor_broken_by_fragmentation,
    floor_needs_whole_pods,
    largest_job_above_floor,
    lend_above_guaranteed,
    no_floor,
    over_capacity,
    pool_borrow_without_pool,
    pool_without_queues,
    shared_without_pool,
    stranded,
    unallocated,
    zero_quota,
    component_unconfirmed,
    known_bad_version,
    kubernetes_out_of_range,
    kueue_kubernetes,
    mps_on_unsupported_card,
    mps_replicas_above_limit,
    no_memory_isolation,
    plain_name,
    replicas_below_two,
    replicas_implausible,
    several_shares_in_a_pod,
    time_slicing_on_unsupported_card,
    borrows,
    not_serving,
    slow_return,
    duplicate,
    not_set_by_nfd,
    prefer_no_schedule_ignored,
    refused_by_nfd,
    system_key,
    no_groups,
    no_quotas,
    no_receiver,
    does_not_suit,
    no_price,
    two_currencies,
    unused,
    without_pools,
    hostname_missing,
    hostname_not_last,
    labels_undeclared,
    level_twice,
    unknown_level,
)

RULES: tuple[Rule, ...] = tuple(Rule.of(module) for module in MODULES)


def check(fleet: Fleet) -> Diagnostics:
    """Run every rule."""
    return ordered(finding for rule in RULES for finding in rule.check(fleet))
