#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sql/parse/ast_expression.h"

/// What statements say of partitions.
namespace gnomon::sql::ast {

/// PARTITION BY.
struct PartitionSpecification {
  enum class Strategy : uint8_t { Range, List, Hash };
  struct Part {
    std::string column;  ///< empty: an expression
    ExpressionPtr expression;
    std::string expression_text;         ///< as written
    std::string operator_class;          ///< empty: none is named
    std::vector<std::string> collation;  ///< empty: none is named
    int32_t position = -1;
  };
  Strategy strategy = Strategy::Range;
  std::vector<Part> parts;
  int32_t position = -1;
};

/// FOR VALUES or DEFAULT of a partition.
struct PartitionBound {
  PartitionSpecification::Strategy strategy = PartitionSpecification::Strategy::Range;
  bool is_default = false;
  int32_t modulus = 0, remainder = 0;
  std::vector<ExpressionPtr> values;    ///< IN
  std::vector<ExpressionPtr> from, to;  ///< FROM, TO; MINVALUE and MAXVALUE are columns of these names
  int32_t position = -1;
};

}  // namespace gnomon::sql::ast
