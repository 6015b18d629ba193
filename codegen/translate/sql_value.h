#pragma once

#include "codegen/ir/builder.h"
#include "sql/types/type.h"

namespace gnomon::codegen {

/// A SQL value in generated code.
///
/// Shape of lo and hi by Type::physical():
///   Bool I1; Int16, Int32, Int64, Int128: the IR integer; Float32 and Float64: F64 (a float32 is always rounded);
///   String (also Big numerics): lo and hi, both I64, the halves of a StringValue;
///   Interval: lo I64 microseconds, hi I64 days | months << 32
/// A NULL has is_null set; lo and hi are then some value of the type that is safe to compute with (zero).
struct SqlValue {
  sql::Type type;
  ir::Value lo;
  ir::Value hi;             ///< String and Interval only
  ir::Value is_null;        ///< I1; invalid: never NULL
  bool is_durable = false;  ///< a string whose bytes live as long as the execution: it need not be copied

  [[nodiscard]] bool isNullable() const { return is_null.isValid(); }
  [[nodiscard]] bool isPair() const { return hi.isValid(); }
};

/// The IR type of SqlValue::lo.
ir::Type irTypeOf(const sql::Type& type);

}  // namespace gnomon::codegen
