#include "sql/functions/overload.h"

#include <algorithm>

#include "sql/types/cast.h"

namespace gnomon::sql {
namespace {

using Arguments = std::span<const TypeKind>;

bool fits(Arguments actual, Arguments declared) {
  if (actual.size() != declared.size()) return false;
  for (size_t i = 0; i < actual.size(); ++i)
    if (!coercesImplicitly(actual[i], declared[i])) return false;
  return true;
}

/// PostgreSQL's func_select_candidate: `remaining` are indexes of argument lists that fit.
class Selection {
 public:
  Selection(std::span<const Arguments> candidates, Arguments actual, std::vector<size_t> remaining)
      : candidates_(candidates), actual_(actual), remaining_(std::move(remaining)) {}

  bool run(size_t& index) {
    keepBest([&](TypeKind declared, TypeKind given) { return declared == given; });
    if (unique(index)) return true;
    keepBest([&](TypeKind declared, TypeKind given) {
      return declared == given || (categoryOf(declared) == categoryOf(given) && isPreferred(declared));
    });
    if (unique(index)) return true;
    if (std::ranges::count(actual_, TypeKind::Unknown) == 0) return false;
    resolveUnknowns();
    if (unique(index)) return true;
    return assumeSameType(index);
  }

 private:
  bool unique(size_t& index) const {
    if (remaining_.size() != 1) return false;
    index = remaining_.front();
    return true;
  }

  /// Keeps the candidates with the most known arguments for which `matches` holds.
  template <typename Matches>
  void keepBest(Matches matches) {
    std::vector<size_t> best;
    int best_count = -1;
    for (const size_t candidate : remaining_) {
      int count = 0;
      for (size_t i = 0; i < actual_.size(); ++i)
        if (actual_[i] != TypeKind::Unknown && matches(candidates_[candidate][i], actual_[i])) ++count;
      if (count > best_count) best.clear();
      best_count = std::max(best_count, count);
      if (count == best_count) best.push_back(candidate);
    }
    remaining_ = std::move(best);
  }

  /// For unknown literals: strings when a candidate takes them, or the one category that all candidates share there.
  void resolveUnknowns() {
    std::vector<TypeCategory> categories(actual_.size(), TypeCategory::Unknown);
    std::vector<bool> has_preferred(actual_.size(), false);
    for (size_t i = 0; i < actual_.size(); ++i) {
      if (actual_[i] != TypeKind::Unknown) continue;
      bool conflict = false;
      for (const size_t candidate : remaining_) {
        const TypeKind kind = candidates_[candidate][i];
        const TypeCategory category = categoryOf(kind);
        if (category == categories[i]) {
          if (isPreferred(kind)) has_preferred[i] = true;
        } else if (categories[i] == TypeCategory::Unknown || category == TypeCategory::String) {
          categories[i] = category;
          has_preferred[i] = isPreferred(kind);
        } else {
          conflict = true;
        }
      }
      if (conflict && categories[i] != TypeCategory::String) return;
    }
    std::vector<size_t> kept;
    for (const size_t candidate : remaining_) {
      bool keep = true;
      for (size_t i = 0; i < actual_.size(); ++i) {
        if (actual_[i] != TypeKind::Unknown) continue;
        const TypeKind kind = candidates_[candidate][i];
        if (categoryOf(kind) != categories[i] || (has_preferred[i] && !isPreferred(kind))) keep = false;
      }
      if (keep) kept.push_back(candidate);
    }
    if (!kept.empty()) remaining_ = std::move(kept);
  }

  /// When all known arguments have one type, the unknown ones may have it too.
  bool assumeSameType(size_t& index) const {
    TypeKind known = TypeKind::Unknown;
    for (const TypeKind kind : actual_) {
      if (kind == TypeKind::Unknown) continue;
      if (known != TypeKind::Unknown && kind != known) return false;
      known = kind;
    }
    if (known == TypeKind::Unknown) return false;
    const std::vector<TypeKind> assumed(actual_.size(), known);
    size_t found = 0;
    for (const size_t candidate : remaining_) {
      if (!fits(assumed, candidates_[candidate])) continue;
      ++found;
      index = candidate;
    }
    return found == 1;
  }

  std::span<const Arguments> candidates_;
  Arguments actual_;
  std::vector<size_t> remaining_;
};

std::vector<Arguments> argumentLists(std::span<const Signature> signatures) {
  std::vector<Arguments> lists;
  lists.reserve(signatures.size());
  for (const Signature& signature : signatures) lists.push_back(signature.argumentKinds());
  return lists;
}

const Signature* findExact(std::span<const Signature> signatures, Arguments actual) {
  for (const Signature& signature : signatures)
    if (std::ranges::equal(signature.argumentKinds(), actual)) return &signature;
  return nullptr;
}

}  // namespace

TypeCategory categoryOf(TypeKind kind) {
  if (isArrayKind(kind)) return TypeCategory::Array;
  switch (kind) {
    case TypeKind::Boolean:
      return TypeCategory::Boolean;
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
    case TypeKind::Numeric:
    case TypeKind::Real:
    case TypeKind::Double:
    case TypeKind::Money:
    case TypeKind::Oid:
    case TypeKind::Regclass:
    case TypeKind::Regtype:
    case TypeKind::Regproc:
    case TypeKind::Regprocedure:
    case TypeKind::Regoper:
    case TypeKind::Regoperator:
    case TypeKind::Regcollation:
    case TypeKind::Regnamespace:
    case TypeKind::Regrole:
      return TypeCategory::Number;
    case TypeKind::Int2Vector:
    case TypeKind::OidVector:
      return TypeCategory::Array;
    case TypeKind::InternalChar:
    case TypeKind::NodeTree:
      return TypeCategory::Internal;
    case TypeKind::Name:
    case TypeKind::Text:
    case TypeKind::Varchar:
    case TypeKind::Char:
      return TypeCategory::String;
    case TypeKind::Date:
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
    case TypeKind::Time:
    case TypeKind::TimeTz:
      return TypeCategory::DateTime;
    case TypeKind::Interval:
      return TypeCategory::Timespan;
    case TypeKind::Bit:
    case TypeKind::VarBit:
      return TypeCategory::BitString;
    case TypeKind::Inet:
    case TypeKind::Cidr:
      return TypeCategory::Network;
    case TypeKind::Bytea:
    case TypeKind::Uuid:
    case TypeKind::Xid:
    case TypeKind::AclItem:
    case TypeKind::MacAddr:
    case TypeKind::MacAddr8:
    case TypeKind::PgLsn:
    case TypeKind::Xid8:
    case TypeKind::Tid:
    case TypeKind::Json:
    case TypeKind::Jsonb:
    case TypeKind::JsonPath:
    case TypeKind::Refcursor:
      return TypeCategory::UserDefined;
    case TypeKind::Enum:
      return TypeCategory::Enum;
    case TypeKind::Void:
    case TypeKind::Trigger:
    case TypeKind::Record:
    case TypeKind::Polymorphic:
      return TypeCategory::Pseudo;
    case TypeKind::Unknown:
      break;
  }
  return TypeCategory::Unknown;
}

bool isPreferred(TypeKind kind) {
  return kind == TypeKind::Boolean || kind == TypeKind::Double || kind == TypeKind::Text ||
         kind == TypeKind::TimestampTz || kind == TypeKind::Interval || kind == TypeKind::Oid ||
         kind == TypeKind::VarBit || kind == TypeKind::Inet;
}

bool coercesImplicitly(TypeKind from, TypeKind to) {
  return from == to || from == TypeKind::Unknown || to == TypeKind::Polymorphic ||
         castContext(from, to) == CastContext::Implicit;
}

OverloadOutcome chooseOverload(std::span<const Arguments> candidates, Arguments actual, size_t& index) {
  std::vector<size_t> fitting;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (std::ranges::equal(candidates[i], actual)) {
      index = i;
      return OverloadOutcome::Found;
    }
    if (fits(actual, candidates[i])) fitting.push_back(i);
  }
  if (fitting.empty()) return OverloadOutcome::None;
  if (fitting.size() == 1) {
    index = fitting.front();
    return OverloadOutcome::Found;
  }
  return Selection(candidates, actual, std::move(fitting)).run(index) ? OverloadOutcome::Found
                                                                      : OverloadOutcome::Ambiguous;
}

OverloadOutcome chooseOperator(std::span<const Signature> signatures, Arguments actual, const Signature*& chosen) {
  if (actual.size() == 2 && (actual[0] == TypeKind::Unknown) != (actual[1] == TypeKind::Unknown)) {
    const TypeKind known = actual[0] == TypeKind::Unknown ? actual[1] : actual[0];
    chosen = findExact(signatures, std::array{known, known});
    if (chosen != nullptr) return OverloadOutcome::Found;
  }
  return chooseFunction(signatures, actual, chosen);
}

OverloadOutcome chooseFunction(std::span<const Signature> signatures, Arguments actual, const Signature*& chosen) {
  size_t index = 0;
  const OverloadOutcome outcome = chooseOverload(argumentLists(signatures), actual, index);
  if (outcome == OverloadOutcome::Found) chosen = &signatures[index];
  return outcome;
}

}  // namespace gnomon::sql
