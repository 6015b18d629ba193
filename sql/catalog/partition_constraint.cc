#include "sql/catalog/partition_constraint.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/partitioning.h"
#include "sql/parse/identifier.h"
#include "sql/types/text_io.h"

namespace gnomon::sql {
namespace {

using End = PartitionBound::End;

std::string joined(const std::vector<std::string>& conditions, std::string_view word) {
  if (conditions.size() == 1) return conditions.front();
  std::string text;
  for (const std::string& condition : conditions)
    text.append(text.empty() ? "" : fmt::format(" {} ", word)).append("(" + condition + ")");
  return text;
}

std::string literalOf(const Value& value) {
  std::string quoted = "'";
  for (const char c : toText(value)) quoted.append(c == '\'' ? "''" : std::string(1, c));
  return quoted + "'::" + value.type.name();
}

/// The conditions of one partition of a table.
class BoundConditions {
 public:
  BoundConditions(const TableEntry& parent, const PartitionKey& key) : parent_(parent), key_(key) {}

  [[nodiscard]] std::vector<std::string> of(const TableEntry& partition) const {
    const PartitionBound& bound = partition.partition->bound;
    if (key_.strategy == PartitionStrategy::List) return ofList(bound);
    if (bound.is_default) return ofRangeDefault();
    std::vector<std::string> conditions = notNull();
    addRange(bound, conditions);
    return conditions;
  }

  /// As PostgreSQL calls it.
  [[nodiscard]] std::string ofHash(const PartitionBound& bound) const {
    std::string parts;
    for (size_t i = 0; i < key_.parts.size(); ++i) parts += ", " + part(i);
    return fmt::format("satisfies_hash_partition('{}'::oid, {}, {}{})", parent_.oid, bound.modulus, bound.remainder,
                       parts);
  }

 private:
  [[nodiscard]] std::string part(size_t index) const {
    const IndexColumn& part = key_.parts[index];
    return part.column == IndexColumn::kExpression ? "(" + part.expression + ")"
                                                   : quotedIdentifier(parent_.columns[part.column].name);
  }
  [[nodiscard]] std::string compare(size_t index, std::string_view op, const Value& value) const {
    return fmt::format("{} {} {}", part(index), op, literalOf(value));
  }
  [[nodiscard]] std::vector<std::string> notNull() const {
    std::vector<std::string> conditions;
    for (size_t i = 0; i < key_.parts.size(); ++i) conditions.push_back(part(i) + " IS NOT NULL");
    return conditions;
  }

  [[nodiscard]] std::vector<std::string> ofList(const PartitionBound& bound) const {
    std::vector<Value> values = bound.values;
    if (bound.is_default) {
      values.clear();
      for (const TablePtr& other : parent_.partitioning->partitions())
        for (const Value& value : other->partition->bound.values) values.push_back(value);
      if (values.empty()) return {};
    }
    const bool has_null = std::ranges::any_of(values, &Value::is_null);
    std::erase_if(values, [](const Value& value) { return value.is_null; });
    std::vector<std::string> conditions = {part(0) + (has_null ? " IS NULL" : " IS NOT NULL")};
    if (values.size() == 1) conditions.push_back(compare(0, "=", values.front()));
    if (values.size() > 1) {
      std::string elements;
      for (const Value& value : values) elements.append(elements.empty() ? "" : ", ").append(literalOf(value));
      conditions.push_back(fmt::format("{} = ANY (ARRAY[{}])", part(0), elements));
    }
    if (has_null) conditions = {joined(conditions, "OR")};
    if (bound.is_default) conditions = {fmt::format("NOT ({})", joined(conditions, "AND"))};
    return conditions;
  }

  /// All that is in no other partition.
  [[nodiscard]] std::vector<std::string> ofRangeDefault() const {
    std::vector<std::string> others;
    for (const TablePtr& other : parent_.partitioning->partitions()) {
      if (other->partition->bound.is_default) continue;
      std::vector<std::string> conditions;
      addRange(other->partition->bound, conditions);
      others.push_back(conditions.empty() ? "true" : joined(conditions, "AND"));
    }
    if (others.empty()) return {};
    std::vector<std::string> all = notNull();
    all.push_back(joined(others, "OR"));
    return {fmt::format("NOT ({})", joined(all, "AND"))};
  }

  /// Parts that both ends fix, then what each end says of the others.
  void addRange(const PartitionBound& bound, std::vector<std::string>& conditions) const {
    size_t fixed = 0;
    for (; fixed < bound.from.size(); ++fixed) {
      const End& low = bound.from[fixed];
      const End& high = bound.to[fixed];
      if (low.kind != End::Kind::Value || high.kind != End::Kind::Value) break;
      if (low.value.lo != high.value.lo || low.value.hi != high.value.hi || low.value.bytes != high.value.bytes) break;
      // The last part never is: the range would be empty.
      conditions.push_back(compare(fixed, "=", low.value));
    }
    for (const bool is_low : {true, false}) {
      const std::vector<std::string> arms = armsOf(is_low ? bound.from : bound.to, fixed, is_low);
      if (!arms.empty()) conditions.push_back(joined(arms, "OR"));
    }
  }

  /// An end says: the first part is beyond it, or is it and the second one is beyond it, and so on.
  [[nodiscard]] std::vector<std::string> armsOf(const std::vector<End>& ends, size_t fixed, bool is_low) const {
    std::vector<std::string> arms;
    const End::Kind open = is_low ? End::Kind::Minimum : End::Kind::Maximum;
    for (size_t last = fixed; last < ends.size() && ends[last].kind == End::Kind::Value; ++last) {
      std::vector<std::string> arm;
      for (size_t i = fixed; i < last; ++i) arm.push_back(compare(i, "=", ends[i].value));
      const bool is_last = last + 1 == ends.size();
      const bool takes_all = is_last ? is_low : ends[last + 1].kind == open;
      arm.push_back(compare(last, is_low ? (takes_all ? ">=" : ">") : (takes_all ? "<=" : "<"), ends[last].value));
      arms.push_back(joined(arm, "AND"));
    }
    return arms;
  }

  const TableEntry& parent_;
  const PartitionKey& key_;
};

}  // namespace

std::vector<PartitionCondition> partitionConditions(const CatalogView& catalog, const TableEntry& table) {
  if (!table.partition) return {};
  const TablePtr parent = findTable(catalog, table.partition->parent);
  if (!parent || !parent->partitioning) return {};
  std::vector<PartitionCondition> result = partitionConditions(catalog, *parent);
  const BoundConditions conditions(*parent, parent->partitioning->key());
  if (parent->partitioning->key().strategy == PartitionStrategy::Hash) {
    result.push_back({conditions.ofHash(table.partition->bound), true});
    return result;
  }
  for (std::string& condition : conditions.of(table)) result.push_back({std::move(condition)});
  return result;
}

std::vector<uint32_t> routingColumns(const TableEntry& table) {
  std::vector<uint32_t> columns = table.partitioning->key().columns();
  for (const TablePtr& below : table.partitioning->descendants())
    if (below->partitioning) std::ranges::copy(below->partitioning->key().columns(), std::back_inserter(columns));
  std::ranges::sort(columns);
  columns.erase(std::ranges::unique(columns).begin(), columns.end());
  return columns;
}

}  // namespace gnomon::sql
