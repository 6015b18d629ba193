#pragma once

#include <string>
#include <vector>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// Rows that a virtual relation makes when the execution starts; `columns` are those that are read.
struct VirtualScan final : Operator {
  struct Column {
    uint32_t index;  ///< in VirtualRelation::columns
    Iu iu;
  };
  VirtualScan() : Operator(Kind::VirtualScan) {}
  VirtualRelationPtr relation;
  std::string alias;
  std::vector<Column> columns;
  [[nodiscard]] std::vector<Iu> units() const override;
};

}  // namespace gnomon::sql
