//! What implementers of NETCONF most often get wrong, in fifteen groups, and the tests that cover each. A test that is renamed or taken away is
//! missed here. A folder of `data/netconf_script` belongs to each group too: it is played to our agent and to netconfd.

use std::fs;
use std::path::Path;

/// A group, and tests as `FILE: NAME`, below `crates`.
type Group = (&'static str, &'static [(&'static str, &'static [&'static str])]);

const SESSIONS: &str = "agent/tests/netconf/sessions.rs";
const DATA: &str = "agent/tests/netconf/data.rs";
const CONFIGURE: &str = "agent/tests/netconf/configure.rs";
const LOCKS: &str = "agent/tests/netconf/locks.rs";
const NMDA: &str = "agent/tests/netconf/nmda.rs";
const EVENTS: &str = "agent/tests/netconf/notifications.rs";
const EDITS: &str = "datastore/src/edit/tests.rs";
const ORDER: &str = "datastore/src/order.rs";

const GROUPS: [Group; 15] = [
    (
        "01-framing",
        &[
            (
                "netconf/src/framing.rs",
                &[
                    "the_example_of_the_rfc_is_read",
                    "a_wrong_chunk_ends_the_session",
                    "framing_changes_behind_the_hello_within_one_read",
                    "what_is_framed_is_read_back",
                ],
            ),
            (SESSIONS, &["both_framings_answer_the_same"]),
        ],
    ),
    (
        "02-hello",
        &[
            (
                "netconf/src/hello.rs",
                &["the_newest_common_version_decides", "another_message_than_a_hello_is_refused"],
            ),
            (SESSIONS, &["the_hello_says_what_is_served", "a_peer_that_does_not_speak_netconf_is_left"]),
        ],
    ),
    (
        "03-attributes",
        &[(
            "netconf/src/rpc.rs",
            &["attributes_are_repeated_as_they_were_written", "what_is_wrong_with_a_request_is_its_reply"],
        )],
    ),
    (
        "04-subtree",
        &[
            (
                "netconf/src/subtree.rs",
                &["filters_select_what_the_rfc_says", "keys_and_values_are_compared_in_their_types"],
            ),
            (DATA, &["a_filter_gets_what_it_selects_and_nothing_else"]),
        ],
    ),
    (
        "05-xpath",
        &[
            ("yang/tests/xpath.rs", &["expressions_have_the_values_of_libxml2", "keys_become_tests"]),
            (DATA, &["an_expression_selects_as_a_subtree_does"]),
            ("agent/tests/netconf/positions.rs", &["positions_count_what_can_be_seen"]),
        ],
    ),
    (
        "06-edit",
        &[
            (EDITS, &["edits_do_what_the_standard_says", "errors_say_where_and_what"]),
            (ORDER, &["entries_come_where_their_users_want_them", "values_of_a_leaf_list_are_entries_too"]),
            ("agent/tests/netconf/models.rs", &["static_routes_are_configured_in_the_kernel_and_seen"]),
        ],
    ),
    (
        "07-errors",
        &[
            (EDITS, &["with_continue_on_error_the_rest_is_done"]),
            (CONFIGURE, &["what_the_configuration_file_sets_stays"]),
            ("agent/tests/netconf/hooks.rs", &["a_program_checks_applies_and_undoes_a_change"]),
        ],
    ),
    (
        "08-locks",
        &[
            (SESSIONS, &["a_lock_is_one_sessions_until_that_ends"]),
            (CONFIGURE, &["locks_protect_the_candidate_and_running", "a_lock_of_running_holds_off_snmp"]),
            (
                LOCKS,
                &["parts_that_are_locked_are_changed_by_their_holder_alone", "locks_that_cannot_be_say_why"],
            ),
        ],
    ),
    (
        "09-confirmed-commit",
        &[(
            CONFIGURE,
            &[
                "a_confirmed_commit_is_taken_back_unless_it_is_confirmed",
                "a_configuration_outlives_the_agent",
                "what_cannot_be_taken_back_in_time_is_taken_back_later",
            ],
        )],
    ),
    (
        "10-validation",
        &[
            (EDITS, &["what_must_be_there_is_missed"]),
            (ORDER, &["rules_are_checked_with_their_errors"]),
            (CONFIGURE, &["what_cannot_be_in_a_configuration_is_refused"]),
        ],
    ),
    (
        "11-defaults",
        &[
            ("datastore/src/defaults.rs", &["defaults_are_added_and_taken_away"]),
            (NMDA, &["defaults_are_marked_and_unset_by_their_mark"]),
            ("agent/tests/netconf/examples.rs", &["the_examples_of_the_rfcs_are_answered_as_they_say"]),
        ],
    ),
    (
        "12-access",
        &[
            (DATA, &["a_principal_who_may_read_little_gets_little_and_no_error"]),
            (
                CONFIGURE,
                &[
                    "who_may_not_change_something_changes_nothing",
                    "entries_are_for_those_who_may_write_something_in_them",
                ],
            ),
            (EVENTS, &["events_are_for_those_who_may_see_them"]),
        ],
    ),
    (
        "13-notifications",
        &[(
            EVENTS,
            &[
                "what_was_is_replayed_and_a_subscription_ends_at_its_time",
                "filters_select_events",
                "sessions_changes_and_commits_are_events",
            ],
        )],
    ),
    (
        "14-state",
        &[(
            NMDA,
            &[
                "every_datastore_is_read_and_the_writable_ones_are_edited",
                "what_is_in_force_has_an_origin",
                "levels_count_from_what_is_selected",
            ],
        )],
    ),
    (
        "15-xml",
        &[
            (
                "netconf/src/document.rs",
                &["what_is_not_well_formed_is_an_error_with_its_place", "prefixes_mean_what_is_in_scope"],
            ),
            ("yang/src/value_type.rs", &["values_have_one_form"]),
            (
                SESSIONS,
                &[
                    "a_message_that_is_not_well_formed_gets_an_error_and_the_session_goes_on",
                    "requests_that_come_together_are_answered_in_their_order",
                ],
            ),
            (
                DATA,
                &[
                    "the_modules_can_be_fetched_and_are_those_that_are_announced",
                    "everything_is_valid_by_its_modules",
                ],
            ),
        ],
    ),
];

#[test]
fn every_group_of_behaviours_has_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (group, files) in GROUPS {
        let script = root.join("agent/tests/data/netconf_script").join(group);
        assert!(script.is_dir(), "{group} has no script");
        for (file, tests) in files {
            let text = fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            for test in *tests {
                assert!(text.contains(&format!("fn {test}(")), "{group}: {file} has no test {test}");
            }
        }
    }
}
