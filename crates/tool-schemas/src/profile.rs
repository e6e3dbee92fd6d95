/// What a model API accepts. The default takes any object schema as it is.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct SchemaProfile {
    /// Whether the root must have `properties`, be they empty. Default: no.
    pub requires_properties: bool,
    /// What becomes of `anyOf`, `oneOf` and `allOf` at the root. Default: they stay.
    pub root_combinators: RootCombinators,
    /// What becomes of `$ref`. Default: it stays.
    pub references: References,
    /// The names that properties may have. Default: any.
    pub property_names: Option<PropertyNames>,
    /// Keywords that are left out everywhere. Default: none.
    pub dropped_keywords: Vec<String>,
    /// How many schemas may lie in one another; deeper ones become open. Default: any number.
    pub max_depth: Option<usize>,
    /// How long the schema may be as JSON; a longer one loses its texts, then its depth. Default: any length.
    pub max_bytes: Option<usize>,
}

/// What becomes of alternatives at the root of a schema.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum RootCombinators {
    /// They stay.
    Keep,
    /// All of their properties are offered, none is required for it, and the rule is told in the description.
    Merge,
}

/// What becomes of `$ref`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum References {
    /// It stays, and so do the definitions.
    Keep,
    /// It is replaced with what it points to; recursion ends in an open schema.
    Inline,
}

/// Which names properties may have: ASCII letters, digits and a few more characters.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct PropertyNames {
    /// What is allowed beside letters and digits. Default: `_.-`.
    pub extra: String,
    /// The longest name, in bytes. Default: 64.
    pub max_bytes: usize,
}

impl PropertyNames {
    /// Sets [`extra`](Self::extra).
    #[must_use]
    pub fn with_extra(mut self, extra: impl Into<String>) -> Self {
        self.extra = extra.into();
        self
    }

    /// Sets [`max_bytes`](Self::max_bytes); at least 8.
    #[must_use]
    pub fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes.max(8);
        self
    }

    /// The rule as a regular expression.
    #[must_use]
    pub fn pattern(&self) -> String {
        format!("^[a-zA-Z0-9{}]{{1,{}}}$", self.extra, self.max_bytes)
    }

    pub(crate) fn accepts(&self, name: &str) -> bool {
        !name.is_empty() && name.len() <= self.max_bytes && name.chars().all(|c| self.allows(c))
    }

    pub(crate) fn allows(&self, c: char) -> bool {
        c.is_ascii_alphanumeric() || (c.is_ascii() && self.extra.contains(c))
    }
}

impl Default for PropertyNames {
    fn default() -> Self {
        Self {
            extra: "_.-".to_owned(),
            max_bytes: 64,
        }
    }
}

impl Default for SchemaProfile {
    fn default() -> Self {
        Self {
            requires_properties: false,
            root_combinators: RootCombinators::Keep,
            references: References::Keep,
            property_names: None,
            dropped_keywords: Vec::new(),
            max_depth: None,
            max_bytes: None,
        }
    }
}

impl SchemaProfile {
    /// For APIs that insist on `properties`, such as function calling without its strict mode.
    #[must_use]
    pub fn openai() -> Self {
        Self::default()
            .with_properties()
            .with_root_combinators(RootCombinators::Merge)
    }

    /// For APIs that refuse alternatives at the root, and odd names of properties.
    #[must_use]
    pub fn anthropic() -> Self {
        Self::default()
            .with_root_combinators(RootCombinators::Merge)
            .with_property_names(PropertyNames::default())
    }

    /// For APIs that do not know `$ref`.
    #[must_use]
    pub fn inline_refs() -> Self {
        Self::default().with_references(References::Inline)
    }

    /// Sets [`requires_properties`](Self::requires_properties).
    #[must_use]
    pub fn with_properties(mut self) -> Self {
        self.requires_properties = true;
        self
    }

    /// Sets [`root_combinators`](Self::root_combinators).
    #[must_use]
    pub fn with_root_combinators(mut self, combinators: RootCombinators) -> Self {
        self.root_combinators = combinators;
        self
    }

    /// Sets [`references`](Self::references).
    #[must_use]
    pub fn with_references(mut self, references: References) -> Self {
        self.references = references;
        self
    }

    /// Sets [`property_names`](Self::property_names).
    #[must_use]
    pub fn with_property_names(mut self, names: PropertyNames) -> Self {
        self.property_names = Some(names);
        self
    }

    /// Sets [`dropped_keywords`](Self::dropped_keywords).
    #[must_use]
    pub fn with_dropped_keywords<T: Into<String>>(
        mut self,
        keywords: impl IntoIterator<Item = T>,
    ) -> Self {
        self.dropped_keywords = keywords.into_iter().map(Into::into).collect();
        self
    }

    /// Sets [`max_depth`](Self::max_depth).
    #[must_use]
    pub fn with_max_depth(mut self, depth: usize) -> Self {
        self.max_depth = Some(depth);
        self
    }

    /// Sets [`max_bytes`](Self::max_bytes).
    #[must_use]
    pub fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = Some(bytes);
        self
    }
}
