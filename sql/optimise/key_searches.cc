#include "sql/optimise/key_searches.h"

#include <string_view>

#include "sql/algebra/rewrite.h"
#include "sql/catalog/inverted_keys.h"
#include "sql/json/json_functions.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

/// What an operator asks of its left side, and of its right side.
struct Asked {
  std::optional<KeySearch> left, right;
};

Asked askedOfJson(std::string_view name) {
  if (name == "@>") return {KeySearch::Contains, std::nullopt};
  if (name == "<@") return {std::nullopt, KeySearch::Contains};
  if (name == "?") return {KeySearch::HasKey, std::nullopt};
  if (name == "?|") return {KeySearch::HasAnyKey, std::nullopt};
  if (name == "?&") return {KeySearch::HasAllKeys, std::nullopt};
  return {};
}

Asked askedBy(const Expression& filter) {
  if (filter.children.size() != 2) return {};
  if (filter.kind == Kind::Call && filter.function == FunctionId::Equal && filter.children[0]->type.isArray())
    return {KeySearch::Equal, KeySearch::Equal};
  if (filter.kind != Kind::ArrayCall) return {};
  if (isJsonFunction(filter.function))
    return filter.children[0]->type.kind == TypeKind::Jsonb ? askedOfJson(jsonFunction(filter.function).name) : Asked{};
  if (filter.function == FunctionId::ArrayContains) return {KeySearch::Contains, KeySearch::ContainedBy};
  if (filter.function == FunctionId::ArrayContainedBy) return {KeySearch::ContainedBy, KeySearch::Contains};
  if (filter.function == FunctionId::ArrayOverlaps) return {KeySearch::Overlaps, KeySearch::Overlaps};
  return {};
}

/// Whether keys can be found in such a value as they are in those of the part.
bool fits(const KeyCondition& condition, Type part) {
  switch (condition.how) {
    case KeySearch::HasKey:
    case KeySearch::HasAnyKey:
    case KeySearch::HasAllKeys:
      return part.kind == TypeKind::Jsonb;
    default:
      return condition.value->type.kind == part.kind;
  }
}

}  // namespace

std::optional<KeyCondition> keyCondition(const Expression& filter) {
  const Asked asked = askedBy(filter);
  if ((!asked.left && !asked.right) || filter.isVolatile()) return std::nullopt;
  const Expression& left = *filter.children[0];
  const Expression& right = *filter.children[1];
  if (asked.left && readsNone(right) && !readsNone(left)) return KeyCondition{&left, *asked.left, &right};
  if (asked.right && readsNone(left) && !readsNone(right)) return KeyCondition{&right, *asked.right, &left};
  return std::nullopt;
}

bool isContainment(const Expression& filter) {
  if (filter.kind != Kind::ArrayCall) return false;
  const Asked asked = askedBy(filter);
  return asked.left || asked.right;
}

std::vector<MatchedKeys> matchKeys(const IndexShape& shape, const TableScan& scan) {
  std::vector<MatchedKeys> result;
  if (shape.index->storage == nullptr) return result;
  const InvertedKeys& keys = InvertedKeys::of(*shape.index->storage);
  for (const ExpressionPtr& filter : scan.filters) {
    const auto condition = keyCondition(*filter);
    if (!condition) continue;
    for (size_t part = 0; part < shape.parts.size(); ++part) {
      if (!shape.isPart(part, *condition->subject) || !keys.part(part).serves(condition->how) ||
          !fits(*condition, shape.parts[part]->type))
        continue;
      result.push_back({part, *condition, filter.get()});
      break;
    }
  }
  return result;
}

}  // namespace gnomon::sql
