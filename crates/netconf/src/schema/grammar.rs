//! The schema as data. Elements stand in the order in which the modules of the RFCs have them (RFC 7950 section 7.14.4).

use crate::document::Element;
use crate::error::{Layer, Tag};
use crate::operation::{DefaultOperation, ErrorOption, TestOption};
use crate::{BASE, NOTIFICATION, PARTIAL_LOCK};

use super::XML;
use super::value::{Simple, words};

/// What an element contains.
pub enum Type {
    /// Nothing, and no attributes.
    Empty,
    /// A text, with these attributes.
    Value(Simple, &'static [Attribute]),
    /// Whatever there is (`anyxml`), with these attributes among others.
    Anything(&'static [Attribute]),
    /// Elements: the first of these sequences whose begin fits, or the last.
    Elements(Attributes, &'static [&'static [Particle]]),
}

/// The attributes of an element.
pub enum Attributes {
    /// There are none.
    None,
    /// These, among others.
    Open(&'static [Attribute]),
}

pub struct Attribute {
    pub namespace: &'static str,
    pub name: &'static str,
    pub simple: Simple,
    pub is_required: bool,
}

/// An element within another: one of some.
pub struct Particle {
    namespace: &'static str,
    list: List,
    /// Or one of another namespace.
    has_others: bool,
    pub is_required: bool,
    pub is_repeated: bool,
}

type List = &'static [(&'static str, Type)];

/// What a child is.
pub enum Declared {
    /// Of this type.
    Type(&'static Type),
    /// An element of another namespace: if it is declared here, it is of its type.
    Elsewhere,
}

impl Particle {
    const fn one_of(namespace: &'static str, list: List) -> Particle {
        Particle { namespace, list, has_others: false, is_required: true, is_repeated: false }
    }

    const fn optional(namespace: &'static str, list: List) -> Particle {
        Particle { is_required: false, ..Particle::one_of(namespace, list) }
    }

    const fn repeated(self) -> Particle {
        Particle { is_repeated: true, ..self }
    }

    const fn or_others(self) -> Particle {
        Particle { has_others: true, ..self }
    }

    /// What a child is here; `None`: it cannot be here.
    pub fn of(&self, child: Element<'_>) -> Option<Declared> {
        let namespace = child.namespace();
        if namespace != self.namespace {
            // `##other`: nor is it one without a namespace.
            return (self.has_others && !namespace.is_empty()).then_some(Declared::Elsewhere);
        }
        let found = self.list.iter().find(|(name, _)| *name == child.name());
        found.map(|(_, declared)| Declared::Type(declared))
    }

    /// The name of what is missing.
    pub fn name(&self) -> &'static str {
        match self.list {
            [(name, _)] | [(name @ "config", _), ..] => name,
            [("startup" | "candidate", _), ..] => "datastore",
            [] => "content",
            _ => "operation",
        }
    }

    /// Whether it is one of several.
    pub fn is_choice(&self) -> bool {
        self.list.len() != 1
    }

    /// Whether an element would be right here if its namespace were.
    pub fn is_of_another_namespace(&self, child: Element<'_>) -> bool {
        child.namespace() != self.namespace && self.list.iter().any(|(name, _)| *name == child.name())
    }
}

/// The type of an element that is declared wherever it stands.
pub fn global(element: Element<'_>) -> Option<&'static Type> {
    let lists: &'static [List] = match element.namespace() {
        BASE => &[OPERATIONS, MESSAGES, ERROR, RESPONSES],
        NOTIFICATION => &[EVENTS],
        PARTIAL_LOCK => &[PARTIAL],
        _ => return None,
    };
    let name = element.name();
    lists.iter().flat_map(|it| it.iter()).find(|(known, _)| *known == name).map(|(_, declared)| declared)
}

const fn elements(alternatives: &'static [&'static [Particle]]) -> Type {
    Type::Elements(Attributes::None, alternatives)
}

const fn value(simple: Simple) -> Type {
    Type::Value(simple, &[])
}

const fn attribute(name: &'static str, simple: Simple, is_required: bool) -> Attribute {
    Attribute { namespace: "", name, simple, is_required }
}

/// Elements of other modules behind those of NETCONF, such as `with-defaults`.
const AUGMENTED: Particle = Particle::optional(BASE, &[]).or_others().repeated();

const MESSAGES: List = &[
    (
        "rpc",
        Type::Elements(
            Attributes::Open(&[attribute("message-id", Simple::MessageId, true)]),
            &[&[Particle::one_of(BASE, OPERATIONS).or_others()]],
        ),
    ),
    (
        "rpc-reply",
        Type::Elements(
            Attributes::Open(&[attribute("message-id", Simple::MessageId, false)]),
            &[
                &[Particle::one_of(BASE, &[("ok", Type::Anything(&[]))])],
                &[
                    Particle::optional(BASE, ERROR).repeated(),
                    Particle::optional(BASE, RESPONSES).or_others().repeated(),
                ],
            ],
        ),
    ),
    (
        "hello",
        elements(&[&[
            Particle::one_of(
                BASE,
                &[(
                    "capabilities",
                    elements(&[&[Particle::one_of(BASE, &[("capability", value(Simple::Uri))]).repeated()]]),
                )],
            ),
            Particle::optional(BASE, &[("session-id", value(Simple::Number(1)))]),
        ]]),
    ),
];

const RESPONSES: List = &[("data", Type::Anything(&[]))];

const EVENTS: List = &[
    (
        "notification",
        elements(&[&[
            Particle::one_of(NOTIFICATION, &[("eventTime", value(Simple::DateTime))]),
            Particle::one_of(NOTIFICATION, &[]).or_others(),
        ]]),
    ),
    (
        "create-subscription",
        elements(&[&[
            Particle::optional(NOTIFICATION, &[("stream", value(Simple::Text))]),
            Particle::optional(NOTIFICATION, &[("filter", FILTER)]),
            Particle::optional(NOTIFICATION, &[("startTime", value(Simple::DateTime))]),
            Particle::optional(NOTIFICATION, &[("stopTime", value(Simple::DateTime))]),
        ]]),
    ),
];

const PARTIAL: List = &[
    (
        "partial-lock",
        elements(&[&[Particle::one_of(PARTIAL_LOCK, &[("select", value(Simple::Text))]).repeated()]]),
    ),
    (
        "partial-unlock",
        elements(&[&[Particle::one_of(PARTIAL_LOCK, &[("lock-id", value(Simple::Number(0)))])]]),
    ),
];

const FILTER: Type = Type::Anything(&[
    attribute("type", Simple::Words(&["subtree", "xpath"]), false),
    attribute("select", Simple::Text, false),
]);

/// `source` or `target`, with one of these, or a datastore of RFC 8342.
const fn place(places: &'static [&'static [Particle]]) -> Type {
    elements(places)
}

const READABLE: &[&[Particle]] = &[&[Particle::one_of(
    BASE,
    &[("candidate", Type::Empty), ("running", Type::Empty), ("startup", Type::Empty)],
)
.or_others()]];

/// A configuration as it is, or somewhere.
const SOURCE: &[&[Particle]] = &[&[Particle::one_of(
    BASE,
    &[
        ("candidate", Type::Empty),
        ("running", Type::Empty),
        ("startup", Type::Empty),
        ("url", value(Simple::Uri)),
        ("config", Type::Anything(&[])),
    ],
)
.or_others()]];

const OPERATIONS: List = &[
    ("get", elements(&[&[Particle::optional(BASE, &[("filter", FILTER)]), AUGMENTED]])),
    (
        "get-config",
        elements(&[&[
            Particle::one_of(BASE, &[("source", place(READABLE))]),
            Particle::optional(BASE, &[("filter", FILTER)]),
            AUGMENTED,
        ]]),
    ),
    (
        "edit-config",
        elements(&[&[
            Particle::one_of(
                BASE,
                &[(
                    "target",
                    place(&[&[Particle::one_of(
                        BASE,
                        &[("candidate", Type::Empty), ("running", Type::Empty)],
                    )
                    .or_others()]]),
                )],
            ),
            Particle::optional(
                BASE,
                &[("default-operation", value(Simple::Words(&words(&DefaultOperation::WORDS))))],
            ),
            Particle::optional(BASE, &[("test-option", value(Simple::Words(&words(&TestOption::WORDS))))]),
            Particle::optional(BASE, &[("error-option", value(Simple::Words(&words(&ErrorOption::WORDS))))]),
            Particle::one_of(BASE, &[("config", Type::Anything(&[])), ("url", value(Simple::Uri))]),
            AUGMENTED,
        ]]),
    ),
    (
        "copy-config",
        elements(&[&[
            Particle::one_of(
                BASE,
                &[(
                    "target",
                    place(&[&[Particle::one_of(
                        BASE,
                        &[
                            ("candidate", Type::Empty),
                            ("running", Type::Empty),
                            ("startup", Type::Empty),
                            ("url", value(Simple::Uri)),
                        ],
                    )
                    .or_others()]]),
                )],
            ),
            Particle::one_of(BASE, &[("source", place(SOURCE))]),
            AUGMENTED,
        ]]),
    ),
    (
        "delete-config",
        elements(&[&[Particle::one_of(
            BASE,
            &[(
                "target",
                elements(&[&[Particle::one_of(
                    BASE,
                    &[("startup", Type::Empty), ("url", value(Simple::Uri))],
                )]]),
            )],
        )]]),
    ),
    ("lock", elements(&[&[Particle::one_of(BASE, &[("target", place(READABLE))])]])),
    ("unlock", elements(&[&[Particle::one_of(BASE, &[("target", place(READABLE))])]])),
    ("close-session", Type::Empty),
    ("kill-session", elements(&[&[Particle::one_of(BASE, &[("session-id", value(Simple::Number(1)))])]])),
    (
        "commit",
        elements(&[&[
            Particle::optional(BASE, &[("confirmed", Type::Empty)]),
            Particle::optional(BASE, &[("confirm-timeout", value(Simple::Number(1)))]),
            Particle::optional(BASE, &[("persist", value(Simple::Text))]),
            Particle::optional(BASE, &[("persist-id", value(Simple::Text))]),
        ]]),
    ),
    ("cancel-commit", elements(&[&[Particle::optional(BASE, &[("persist-id", value(Simple::Text))])]])),
    ("discard-changes", Type::Empty),
    ("validate", elements(&[&[Particle::one_of(BASE, &[("source", place(SOURCE))])]])),
];

const ERROR: List = &[(
    "rpc-error",
    elements(&[&[
        Particle::one_of(BASE, &[("error-type", value(Simple::Words(&Layer::NAMES)))]),
        Particle::one_of(BASE, &[("error-tag", value(Simple::Words(&Tag::NAMES)))]),
        Particle::one_of(BASE, &[("error-severity", value(Simple::Words(&["error", "warning"])))]),
        Particle::optional(BASE, &[("error-app-tag", value(Simple::Text))]),
        Particle::optional(BASE, &[("error-path", value(Simple::Text))]),
        Particle::optional(
            BASE,
            &[(
                "error-message",
                Type::Value(
                    Simple::Text,
                    &[Attribute {
                        namespace: XML,
                        name: "lang",
                        simple: Simple::Language,
                        is_required: false,
                    }],
                ),
            )],
        ),
        Particle::optional(
            BASE,
            &[(
                "error-info",
                elements(&[
                    &[Particle::one_of(BASE, &[("session-id", value(Simple::Number(0)))]), AUGMENTED],
                    &[
                        Particle::optional(
                            BASE,
                            &[
                                ("bad-attribute", value(Simple::Name)),
                                ("bad-element", value(Simple::Name)),
                                ("ok-element", value(Simple::Name)),
                                ("err-element", value(Simple::Name)),
                                ("noop-element", value(Simple::Name)),
                                ("bad-namespace", value(Simple::Text)),
                            ],
                        )
                        .repeated(),
                        AUGMENTED,
                    ],
                ]),
            )],
        ),
    ]]),
)];
