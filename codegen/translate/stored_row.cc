#include "codegen/translate/stored_row.h"

#include "codegen/translate/expression_values.h"
#include "storage/relation/schema.h"

namespace gnomon::codegen {

namespace {

void bindColumn(CodeContext& context, Scope& scope, sql::Iu unit, uint32_t column, ir::Value values,
                ir::Value null_flags) {
  scope.bindLazy(unit, [&builder = context.builder, unit, column, values, null_flags] {
    const auto offset = static_cast<int64_t>(column * sizeof(storage::Datum));
    SqlValue value{unit->type, builder.load(irTypeOf(unit->type), values, offset), {}, {}};
    if (isPairType(unit->type)) value.hi = builder.load(ir::Type::I64, values, offset + 8);
    value.is_null = builder.ne(builder.load(ir::Type::I8, null_flags, int64_t{column}), builder.constI8(0));
    return value;
  });
}

}  // namespace

void bindStoredRow(CodeContext& context, Scope& scope, const std::deque<sql::InformationUnit>& units, ir::Value values,
                   ir::Value null_flags) {
  for (const sql::InformationUnit& unit : units) bindColumn(context, scope, &unit, unit.id, values, null_flags);
}

void bindStoredRow(CodeContext& context, Scope& scope, const std::vector<sql::Iu>& units, ir::Value values,
                   ir::Value null_flags) {
  for (uint32_t column = 0; column < units.size(); ++column)
    bindColumn(context, scope, units[column], column, values, null_flags);
}

}  // namespace gnomon::codegen
