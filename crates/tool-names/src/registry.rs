//! The table under all tables: entries, their names, and who clashes with whom.

use std::cmp::Ordering;
use std::collections::hash_map::Entry as MapEntry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::digest::{LONG_HEX, SHORT_HEX};
use crate::entry::{Entry, EntryKind};
use crate::name::ToolName;
use crate::profile::{Clash, NameProfile, first};

/// One thing to be named, before it has a name.
#[derive(Debug)]
pub(crate) struct Raw<'a> {
    pub(crate) kind: EntryKind,
    pub(crate) identifier: &'a str,
    pub(crate) label: Option<&'a str>,
}

#[derive(Clone, Debug)]
pub(crate) struct Registry {
    profile: NameProfile,
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
    /// The slots of each server, sorted by kind and identifier.
    servers: BTreeMap<Arc<str>, Vec<usize>>,
    groups: HashMap<ToolName, Group>,
    /// Names with a suffix.
    suffixed: HashMap<ToolName, usize>,
    /// Entries that did not get their base.
    pending: BTreeSet<usize>,
    /// Every suffixed name that was considered: a new base among them means naming the pending again.
    tried: HashSet<ToolName>,
}

#[derive(Clone, Debug)]
struct Slot {
    entry: Entry,
    plain: bool,
}

/// All entries of one base.
#[derive(Clone, Debug)]
struct Group {
    members: Members,
    /// The one that is called by the base itself.
    winner: Option<usize>,
    /// Whether the group waits for [`Registry::settle`].
    touched: bool,
}

#[derive(Clone, Debug)]
enum Members {
    One(usize),
    Many(BTreeSet<usize>),
}

impl Members {
    fn iter(&self) -> impl Iterator<Item = usize> {
        let (one, many) = match self {
            Self::One(id) => (Some(*id), None),
            Self::Many(ids) => (None, Some(ids)),
        };
        one.into_iter().chain(many.into_iter().flatten().copied())
    }

    fn add(&mut self, id: usize) {
        match self {
            Self::One(first) => *self = Self::Many(BTreeSet::from([*first, id])),
            Self::Many(ids) => {
                ids.insert(id);
            }
        }
    }

    /// `None` when nobody is left.
    fn without(mut self, id: usize) -> Option<Self> {
        if let Self::Many(ids) = &mut self {
            ids.remove(&id);
            return match (ids.first().copied(), ids.len()) {
                (Some(last), 1) => Some(Self::One(last)),
                _ => Some(self),
            };
        }
        None
    }
}

impl Registry {
    pub(crate) fn new(profile: &NameProfile) -> Self {
        Self {
            profile: profile.clone(),
            slots: Vec::new(),
            free: Vec::new(),
            servers: BTreeMap::new(),
            groups: HashMap::new(),
            suffixed: HashMap::new(),
            pending: BTreeSet::new(),
            tried: HashSet::new(),
        }
    }

    pub(crate) fn build<'a>(
        profile: &NameProfile,
        items: impl IntoIterator<Item = (&'a str, Raw<'a>)>,
    ) -> Self {
        let mut by_server: HashMap<&str, Vec<Raw<'_>>> = HashMap::new();
        let mut items = items.into_iter().peekable();
        while let Some((server, raw)) = items.next() {
            let raws = by_server.entry(server).or_default();
            raws.push(raw);
            // Lists come server by server, as a rule.
            while let Some((_, raw)) = items.next_if(|(next, _)| *next == server) {
                raws.push(raw);
            }
        }
        let mut registry = Self::new(profile);
        let many = by_server.values().map(Vec::len).sum();
        registry.slots.reserve(many);
        registry.groups.reserve(many);
        let mut touched = Vec::with_capacity(many);
        for (server, raws) in by_server {
            registry.replace(server, raws, &mut touched);
        }
        registry.settle(&touched);
        registry
    }

    pub(crate) fn update<'a>(&mut self, server: &str, items: impl IntoIterator<Item = Raw<'a>>) {
        let mut touched = Vec::new();
        self.replace(server, items.into_iter().collect(), &mut touched);
        self.settle(&touched);
    }

    pub(crate) fn profile(&self) -> &NameProfile {
        &self.profile
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The entries in no order to rely on.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.slots.iter().flatten().map(|slot| &slot.entry)
    }

    pub(crate) fn sorted(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.entries().collect();
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        entries
    }

    pub(crate) fn server(&self, server: &str) -> impl Iterator<Item = &Entry> {
        let ids = self.servers.get(server).map_or(&[][..], Vec::as_slice);
        ids.iter().filter_map(|&id| self.entry(id))
    }

    pub(crate) fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(|server| &**server)
    }

    pub(crate) fn by_name(&self, name: &str) -> Option<&Entry> {
        let id = match self.groups.get(name).and_then(|group| group.winner) {
            Some(id) => id,
            None => *self.suffixed.get(name)?,
        };
        self.entry(id)
    }

    pub(crate) fn by_identifier(
        &self,
        server: &str,
        kind: EntryKind,
        identifier: &str,
    ) -> Option<&Entry> {
        let ids = self.servers.get(server)?;
        let found = ids.binary_search_by(|&id| self.order(id, kind, identifier));
        self.entry(*ids.get(found.ok()?)?)
    }

    fn entry(&self, id: usize) -> Option<&Entry> {
        Some(&self.slots.get(id)?.as_ref()?.entry)
    }

    fn order(&self, id: usize, kind: EntryKind, identifier: &str) -> Ordering {
        self.entry(id).map_or(Ordering::Less, |entry| {
            (entry.kind, &*entry.identifier).cmp(&(kind, identifier))
        })
    }

    /// Makes `raws` all that `server` has; bases that gained or lost an entry go to `touched`.
    fn replace(&mut self, server: &str, mut raws: Vec<Raw<'_>>, touched: &mut Vec<ToolName>) {
        raws.sort_by(|a, b| (a.kind, a.identifier).cmp(&(b.kind, b.identifier)));
        let (server, old) = match self.servers.remove_entry(server) {
            Some(found) => found,
            None => (Arc::from(server), Vec::new()),
        };
        let server_part = self.profile.part(&server);
        let mut ids = Vec::with_capacity(raws.len());
        let mut old = old.into_iter().peekable();
        let mut raws = raws.into_iter().peekable();
        while let Some(raw) = raws.next() {
            // Of exact repeats the last one counts, as when a list is read into a map.
            if let Some(next) = raws.peek()
                && (next.kind, next.identifier) == (raw.kind, raw.identifier)
            {
                continue;
            }
            let mut kept = None;
            while let Some(&id) = old.peek() {
                match self.order(id, raw.kind, raw.identifier) {
                    Ordering::Greater => break,
                    Ordering::Equal if self.has_label(id, &raw) => {
                        kept = old.next();
                        break;
                    }
                    _ => {
                        old.next();
                        self.remove(id, touched);
                    }
                }
            }
            ids.push(match kept {
                Some(id) => id,
                None => self.insert(&server, &server_part, &raw, touched),
            });
        }
        for id in old {
            self.remove(id, touched);
        }
        if !ids.is_empty() {
            self.servers.insert(server, ids);
        }
    }

    fn has_label(&self, id: usize, raw: &Raw<'_>) -> bool {
        self.entry(id)
            .is_some_and(|entry| entry.label.as_deref() == raw.label)
    }

    fn insert(
        &mut self,
        server: &Arc<str>,
        server_part: &str,
        raw: &Raw<'_>,
        touched: &mut Vec<ToolName>,
    ) -> usize {
        let label = raw.label.unwrap_or(raw.identifier);
        let kind = (raw.kind != EntryKind::Tool).then(|| raw.kind.as_str());
        let base = self.profile.base(server, server_part, label, || {
            let parts = kind.into_iter().chain([&**server, raw.identifier]);
            crate::digest::hex(parts)
        });
        let slot = Slot {
            entry: Entry {
                kind: raw.kind,
                server: Arc::clone(server),
                identifier: raw.identifier.into(),
                label: raw.label.map(Into::into),
                name: base.name.clone(),
                base: base.name.clone(),
            },
            plain: base.plain,
        };
        let id = self.free.pop().unwrap_or(self.slots.len());
        match self.slots.get_mut(id) {
            Some(free) => *free = Some(slot),
            None => self.slots.push(Some(slot)),
        }
        match self.groups.entry(base.name.clone()) {
            MapEntry::Vacant(vacant) => {
                vacant.insert(Group {
                    members: Members::One(id),
                    winner: None,
                    touched: true,
                });
                touched.push(base.name);
            }
            MapEntry::Occupied(mut occupied) => {
                let group = occupied.get_mut();
                group.members.add(id);
                if !std::mem::replace(&mut group.touched, true) {
                    touched.push(base.name);
                }
            }
        }
        id
    }

    fn remove(&mut self, id: usize, touched: &mut Vec<ToolName>) {
        let Some(slot) = self.slots.get_mut(id).and_then(Option::take) else {
            return;
        };
        self.free.push(id);
        self.pending.remove(&id);
        let MapEntry::Occupied(mut occupied) = self.groups.entry(slot.entry.base) else {
            return;
        };
        let base = occupied.key().clone();
        let group = occupied.get_mut();
        if !std::mem::replace(&mut group.touched, true) {
            touched.push(base);
        }
        let members = std::mem::replace(&mut group.members, Members::One(id));
        match members.without(id) {
            Some(members) => group.members = members,
            None => {
                occupied.remove();
            }
        }
    }

    /// Names whatever the touched bases changed.
    fn settle(&mut self, touched: &[ToolName]) {
        let mut again = false;
        for base in touched {
            again |= self.tried.contains(base);
            let Some(group) = self.groups.get_mut(base) else {
                continue;
            };
            group.touched = false;
            group.winner = winner(&self.profile, &self.slots, base, &group.members);
            for id in group.members.iter() {
                let Some(Some(slot)) = self.slots.get_mut(id) else {
                    continue;
                };
                if group.winner == Some(id) {
                    if self.pending.remove(&id) {
                        slot.entry.name = base.clone();
                        again = true;
                    }
                } else {
                    again |= self.pending.insert(id);
                }
            }
        }
        // A pending entry that left still has its name here.
        again |= self.suffixed.len() != self.pending.len();
        if again {
            self.name_pending();
        }
    }

    /// Gives each pending entry the shortest suffix that no other entry wants or has.
    fn name_pending(&mut self) {
        self.suffixed.clear();
        self.tried.clear();
        let mut rest: Vec<(usize, String)> = self
            .pending
            .iter()
            .filter_map(|&id| Some((id, self.entry(id)?.digest(0))))
            .collect();
        for hex_digits in [SHORT_HEX, LONG_HEX] {
            let mut wanted: HashMap<ToolName, Vec<(usize, String)>> = HashMap::new();
            for (id, digest) in rest.drain(..) {
                if let Some(name) = self.candidate(id, first(&digest, hex_digits)) {
                    wanted.entry(name).or_default().push((id, digest));
                }
            }
            let mut won = Vec::new();
            for (name, mut claims) in wanted {
                match claims.pop() {
                    Some((id, _)) if claims.is_empty() && self.is_free(&name) => {
                        won.push((name.clone(), id));
                    }
                    last => rest.extend(claims.into_iter().chain(last)),
                }
                self.tried.insert(name);
            }
            for (name, id) in won {
                self.grant(id, name);
            }
        }
        // Only names made to clash come this far. Each failed round uses up a name that somebody else has,
        // so the rounds of all together are no more than the entries there are.
        rest.sort_by(|(a, _), (b, _)| self.key(*a).cmp(&self.key(*b)));
        for (id, _) in rest {
            for round in 1.. {
                let digest = self.entry(id).map(|entry| entry.digest(round));
                let digest = digest.unwrap_or_default();
                let Some(name) = self.candidate(id, first(&digest, LONG_HEX)) else {
                    break;
                };
                self.tried.insert(name.clone());
                if self.is_free(&name) {
                    self.grant(id, name);
                    break;
                }
            }
        }
    }

    fn key(&self, id: usize) -> Option<(EntryKind, &str, &str)> {
        self.entry(id)
            .map(|entry| (entry.kind, &*entry.server, &*entry.identifier))
    }

    fn candidate(&self, id: usize, suffix: &str) -> Option<ToolName> {
        let base = &self.entry(id)?.base;
        let name = self.profile.suffixed(base.as_str(), suffix);
        Some(ToolName::from_made(&name))
    }

    fn is_free(&self, name: &ToolName) -> bool {
        !self.groups.contains_key(name)
            && !self.suffixed.contains_key(name)
            && !self.profile.is_reserved(name.as_str())
    }

    fn grant(&mut self, id: usize, name: ToolName) {
        if let Some(Some(slot)) = self.slots.get_mut(id) {
            slot.entry.name = name.clone();
            self.suffixed.insert(name, id);
        }
    }
}

fn winner(
    profile: &NameProfile,
    slots: &[Option<Slot>],
    base: &ToolName,
    members: &Members,
) -> Option<usize> {
    if profile.is_reserved(base.as_str()) {
        return None;
    }
    match (members, profile.clash()) {
        (Members::One(id), _) => Some(*id),
        (_, Clash::SuffixAll) => None,
        (_, Clash::KeepPlain | Clash::SuffixChanged) => {
            let mut plain = members.iter().filter(|&id| {
                let slot = slots.get(id).and_then(Option::as_ref);
                slot.is_some_and(|slot| slot.plain)
            });
            plain.next().filter(|_| plain.next().is_none())
        }
    }
}
