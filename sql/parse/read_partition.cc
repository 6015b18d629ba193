#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {
namespace {

using Strategy = ast::PartitionSpecification::Strategy;

std::string lowered(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return text;
}

Strategy boundStrategy(std::string_view letter) {
  return letter == "h" ? Strategy::Hash : letter == "l" ? Strategy::List : Strategy::Range;
}

}  // namespace

ast::PartitionSpecification TreeReader::readPartitionSpecification(const PgQuery__PartitionSpec& node) {
  ast::PartitionSpecification result;
  result.position = node.location;
  const std::string strategy = lowered(node.strategy);
  if (strategy == "list")
    result.strategy = Strategy::List;
  else if (strategy == "hash")
    result.strategy = Strategy::Hash;
  else if (strategy != "range")
    throw SqlError(sqlstate::kInvalidParameterValue,
                   "unrecognized partitioning strategy \"" + std::string(node.strategy) + "\"")
        .position(node.location);
  for (size_t i = 0; i < node.n_part_params; ++i) {
    const PgQuery__PartitionElem& element = *node.part_params[i]->partition_elem;
    ast::PartitionSpecification::Part part;
    if (element.n_opclass > 0) part.operator_class = textOf(*element.opclass[element.n_opclass - 1]);
    part.column = element.name;
    part.collation = textsOf(element.n_collation, element.collation);
    part.position = element.location;
    part.expression = readExpression(element.expr);
    if (part.expression) part.expression_text = deparseExpression(*element.expr);
    result.parts.push_back(std::move(part));
  }
  return result;
}

ast::PartitionBound TreeReader::readPartitionBound(const PgQuery__PartitionBoundSpec& node) {
  ast::PartitionBound result;
  result.position = node.location;
  result.is_default = node.is_default;
  if (node.is_default) return result;
  result.strategy = boundStrategy(node.strategy);
  result.modulus = node.modulus;
  result.remainder = node.remainder;
  result.values = readExpressions(node.n_listdatums, node.listdatums);
  result.from = readExpressions(node.n_lowerdatums, node.lowerdatums);
  result.to = readExpressions(node.n_upperdatums, node.upperdatums);
  return result;
}

}  // namespace gnomon::sql
