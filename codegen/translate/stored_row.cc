#include "codegen/translate/stored_row.h"

#include "codegen/translate/expression_values.h"
#include "storage/relation/schema.h"

namespace gnomon::codegen {

void bindStoredRow(CodeContext& context, Scope& scope, const std::deque<sql::InformationUnit>& units, ir::Value values,
                   ir::Value null_flags) {
  for (const sql::InformationUnit& unit : units) {
    scope.bindLazy(&unit, [&builder = context.builder, &unit, values, null_flags] {
      const auto offset = static_cast<int64_t>(unit.id * sizeof(storage::Datum));
      SqlValue value{unit.type, builder.load(irTypeOf(unit.type), values, offset), {}, {}};
      if (isPairType(unit.type)) value.hi = builder.load(ir::Type::I64, values, offset + 8);
      value.is_null = builder.ne(builder.load(ir::Type::I8, null_flags, int64_t{unit.id}), builder.constI8(0));
      return value;
    });
  }
}

}  // namespace gnomon::codegen
