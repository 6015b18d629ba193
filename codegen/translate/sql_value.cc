#include "codegen/translate/sql_value.h"

namespace gnomon::codegen {

ir::Type irTypeOf(const sql::Type& type) {
  switch (type.physical()) {
    case sql::Physical::Bool:
      return ir::Type::I1;
    case sql::Physical::Int16:
      return ir::Type::I16;
    case sql::Physical::Int32:
      return ir::Type::I32;
    case sql::Physical::Int64:
      return ir::Type::I64;
    case sql::Physical::Int128:
      return ir::Type::I128;
    case sql::Physical::Float32:
    case sql::Physical::Float64:
      return ir::Type::F64;
    case sql::Physical::String:
    case sql::Physical::Interval:
      return ir::Type::I64;
  }
  return ir::Type::Void;
}

}  // namespace gnomon::codegen
