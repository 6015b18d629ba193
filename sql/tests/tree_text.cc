#include "sql/tests/tree_text.h"

#include <fmt/format.h>

#include <array>

#include "sql/algebra/change_operators.h"
#include "sql/algebra/function_scan.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/virtual_scan.h"
#include "sql/algebra/window.h"

namespace gnomon::sql {
namespace {

template <typename List, typename Print>
std::string joined(const List& list, Print print) {
  std::string text;
  for (const auto& element : list) {
    if (!text.empty()) text += ", ";
    text += print(element);
  }
  return text;
}

std::string expressions(const std::vector<ExpressionPtr>& list) {
  return joined(list, [](const ExpressionPtr& expression) { return expression->toString(); });
}

std::string aggregates(const Aggregation& op) {
  static constexpr std::array kNames = {"count(*)", "count", "sum", "avg", "min", "max"};
  return joined(op.aggregates, [](const Aggregation::Aggregate& aggregate) {
    std::string name = kNames[static_cast<size_t>(aggregate.function)];
    if (!aggregate.argument) return name;
    return fmt::format("{}({}{})", name, aggregate.distinct ? "distinct " : "", aggregate.argument->toString());
  });
}

std::string describe(const Operator& op) {
  switch (op.kind) {
    case Operator::Kind::TableScan:
      return "scan " + static_cast<const TableScan&>(op).alias;
    case Operator::Kind::VirtualScan:
      return "virtual scan " + static_cast<const VirtualScan&>(op).alias;
    case Operator::Kind::FunctionScan:
      return "function scan " + joined(static_cast<const FunctionScan&>(op).calls, [](const FunctionScan::Call& call) {
               return call.name + "(" + expressions(call.arguments) + ")";
             });
    case Operator::Kind::ProjectSet:
      return "project set " + joined(static_cast<const ProjectSet&>(op).calls, [](const SetCall& call) {
               return call.name + "(" + expressions(call.arguments) + ")";
             });
    case Operator::Kind::Selection:
      return "select " + expressions(static_cast<const Selection&>(op).conditions);
    case Operator::Kind::Map:
      return "map " + joined(static_cast<const Map&>(op).computed, [](const Map::Computed& computed) {
               return computed.iu->name + "=" + computed.expression->toString();
             });
    case Operator::Kind::Join: {
      const auto& join = static_cast<const Join&>(op);
      static constexpr std::string_view kKinds[] = {"", "left ", "full ", "single ", "semi ", "anti ", "mark "};
      return fmt::format("{}{}join {}{}", join.is_dependent ? "dependent " : "",
                         kKinds[static_cast<size_t>(join.join_kind)], expressions(join.conditions),
                         join.compared ? " compared " + join.compared->toString() : "");
    }
    case Operator::Kind::Aggregation: {
      const auto& aggregation = static_cast<const Aggregation&>(op);
      const std::string keys =
          joined(aggregation.keys, [](const Aggregation::Key& key) { return key.expression->toString(); });
      return fmt::format("group [{}] [{}]", keys, aggregates(aggregation));
    }
    case Operator::Kind::Window: {
      const auto& window = static_cast<const Window&>(op);
      return fmt::format("window [{}] [{}] {}", expressions(window.partition),
                         joined(window.order, [](const SortKey& key) { return key.expression->toString(); }),
                         window.functions.size());
    }
    case Operator::Kind::Sort:
      return "sort " + joined(static_cast<const Sort&>(op).keys, [](const SortKey& key) {
               return key.expression->toString() + (key.descending ? " desc" : "") +
                      (key.nulls_first ? " nulls first" : "");
             });
    case Operator::Kind::Limit: {
      const auto& limit = static_cast<const Limit&>(op);
      return fmt::format("limit {} offset {}", limit.limit ? limit.limit->toString() : "-",
                         limit.offset ? limit.offset->toString() : "-");
    }
    case Operator::Kind::Values:
      return "values " +
             joined(static_cast<const Values&>(op).rows, [](const auto& row) { return "(" + expressions(row) + ")"; });
    case Operator::Kind::Union:
      return "union " + joined(static_cast<const Union&>(op).values,
                               [](const auto& values) { return "(" + expressions(values) + ")"; });
    case Operator::Kind::SharedScan:
      return "shared scan " + static_cast<const SharedScan&>(op).source->name;
    case Operator::Kind::Recursion:
      return "recursion " + static_cast<const Recursion&>(op).name;
    case Operator::Kind::WorkingScan:
      return "working scan " + static_cast<const WorkingScan&>(op).recursion->name;
    case Operator::Kind::Insert: {
      const auto& insert = static_cast<const Insert&>(op);
      return fmt::format("insert {} ({})", insert.table->name, expressions(insert.values));
    }
    case Operator::Kind::Update: {
      const auto& update = static_cast<const Update&>(op);
      return fmt::format("update {} {}", update.table->name, joined(update.columns, [&](uint32_t column) {
                           return update.table->columns[column].name + "=" + update.row[column]->toString();
                         }));
    }
    case Operator::Kind::Delete:
      return "delete " + static_cast<const Delete&>(op).table->name;
    case Operator::Kind::Merge:
      return "merge " + static_cast<const Merge&>(op).table->name;
    case Operator::Kind::Output:
      return "output " + joined(static_cast<const Output&>(op).columns, [](const Output::Column& column) {
               return fmt::format("{}:{}{}", column.name, column.iu->type.name(), column.iu->nullable ? "?" : "");
             });
  }
  return {};
}

void appendTree(const Operator& op, size_t depth, std::string& text) {
  text.append(depth * 2, ' ').append(describe(op)).append("\n");
  for (const OperatorPtr& input : op.inputs) appendTree(*input, depth + 1, text);
}

}  // namespace

std::string treeText(const Plan& plan) {
  std::string text;
  appendTree(*plan.root, 0, text);
  return text;
}

}  // namespace gnomon::sql
