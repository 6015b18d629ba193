#include "sql/plpgsql/scopes.h"

#include "base/assert.h"

namespace gnomon::sql::plpgsql {
namespace {

using Kind = Scopes::Entry::Kind;

bool isLabel(const Scopes::Entry& entry) {
  return entry.kind <= Kind::Cursor;
}

}  // namespace

ScopeId Scopes::push(Entry::Kind kind, std::string_view label) {
  ASSERT(kind <= Kind::Cursor, "a level begins with a label");
  add(kind, kNoDatum, label);
  return top_;
}

void Scopes::pop() {
  ScopeId id = top_;
  while (!isLabel(entry(id))) id = entry(id).previous;
  top_ = entry(id).previous;
}

void Scopes::add(Entry::Kind kind, DatumId datum, std::string_view name) {
  entries_.push_back({kind, top_, datum, std::string(name)});
  top_ = ScopeId(static_cast<uint32_t>(entries_.size() - 1));
  ASSERT(entries_.back().previous == kNoScope || entries_.back().previous < top_, "P1");
}

std::optional<Scopes::Found> Scopes::find(ScopeId from, std::string_view first, std::string_view second,
                                          std::string_view third) const {
  while (from != kNoScope) {
    const ScopeId level = from;
    for (; !isLabel(entry(from)); from = entry(from).previous) {
      const Entry& candidate = entry(from);
      const bool is_record = candidate.kind == Kind::Record;
      if (candidate.name == first && (second.empty() || is_record)) return Found{candidate.datum, 1, is_record};
    }
    if (!second.empty() && entry(from).name == first) {
      for (ScopeId id = level; !isLabel(entry(id)); id = entry(id).previous) {
        const Entry& candidate = entry(id);
        const bool is_record = candidate.kind == Kind::Record;
        if (candidate.name == second && (third.empty() || is_record)) return Found{candidate.datum, 2, is_record};
      }
    }
    from = entry(from).previous;
  }
  return std::nullopt;
}

bool Scopes::isDeclaredHere(std::string_view name) const {
  for (ScopeId id = top_; !isLabel(entry(id)); id = entry(id).previous)
    if (entry(id).name == name) return true;
  return false;
}

std::optional<ScopeId> Scopes::findLabel(std::string_view name) const {
  for (ScopeId id = top_; id != kNoScope; id = entry(id).previous)
    if (isLabel(entry(id)) && entry(id).name == name) return id;
  return std::nullopt;
}

std::optional<ScopeId> Scopes::nearestLoop() const {
  for (ScopeId id = top_; id != kNoScope; id = entry(id).previous)
    if (entry(id).kind == Kind::Loop) return id;
  return std::nullopt;
}

}  // namespace gnomon::sql::plpgsql
