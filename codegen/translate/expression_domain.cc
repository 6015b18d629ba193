#include "codegen/translate/expression_domain.h"

#include <array>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

#include "base/sql_error.h"
#include "codegen/runtime/domain_functions.h"
#include "codegen/translate/check_translator.h"
#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_values.h"
#include "sql/bind/check_definition.h"
#include "sql/catalog/domain_fields.h"
#include "sql/catalog/user_types.h"

namespace gnomon::codegen {
namespace {

void emitNullCheck(CodeContext& context, const SqlValue& value, const std::string& shown, uint32_t domain) {
  if (!value.isNullable()) return;
  ir::Builder& b = context.builder;
  const ir::Block null = b.createBlock("null");
  const ir::Block present = b.createBlock("");
  b.condBr(value.is_null, null, present);
  b.setBlock(null);
  b.call(RUNTIME_FUNCTION(rt::domainNullViolation),
         {keepName(context, shown), b.constI32(static_cast<int32_t>(domain))});
  b.unreachable();
  b.setBlock(present);
}

/// Of an array, which may be null.
template <typename Emit>
void emitForElements(CodeContext& context, const SqlValue& array, Emit&& emit) {
  ir::Builder& b = context.builder;
  const ir::Block header = b.createBlock();
  const ir::Block body = b.createBlock();
  const ir::Block done = b.createBlock();
  if (array.isNullable()) {
    const ir::Block present = b.createBlock();
    b.condBr(array.is_null, done, present);
    b.setBlock(present);
  }
  const ir::Value size = emitArraySize(context, array);
  const ir::Block before = b.currentBlock();
  b.br(header);
  b.setBlock(header);
  const ir::Value index = b.phi(ir::Type::I64);
  b.addIncoming(index, b.constI64(0), before);
  b.condBr(b.icmp(ir::IntPredicate::Ult, index, size), body, done);
  b.setBlock(body);
  emit(emitElement(context, array, index));
  b.addIncoming(index, b.add(index, b.constI64(1)), b.currentBlock());
  b.br(header);
  b.setBlock(done);
}

/// Of a row, or of the rows in an array, which may be null.
void emitFieldChecks(CodeContext& context, const SqlValue& value) {
  if (!sql::hasDomainFields(value.type)) return;
  if (value.type.isArray())
    return emitForElements(context, value, [&](const SqlValue& row) { emitFieldChecks(context, row); });
  ir::Builder& b = context.builder;
  const ir::Block done = b.createBlock();
  if (value.isNullable()) {
    const ir::Block present = b.createBlock();
    b.condBr(value.is_null, done, present);
    b.setBlock(present);
  }
  SqlValue row = value;
  row.is_null = {};
  const std::vector<sql::RecordField> fields = sql::recordFields(value.type.definition());
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].domain == 0 && !sql::hasDomainFields(fields[i].type)) continue;
    SqlValue number;
    number.type = sql::Type::of(sql::TypeKind::Integer);
    number.lo = b.constI32(static_cast<int32_t>(i));
    const SqlValue field =
        emitArrayCall(context, sql::FunctionId::RecordField, fields[i].type, std::array{row, number});
    emitFieldChecks(context, field);
    emitDomainCheck(context, field, fields[i].domain);
  }
  b.br(done);
  b.setBlock(done);
}

}  // namespace

SqlValue emitFieldDomainChecks(CodeContext& context, const SqlValue& value) {
  emitFieldChecks(context, value);
  return value;
}

SqlValue emitDomainCheck(CodeContext& context, const SqlValue& value, uint32_t domain) {
  std::vector<sql::TablePtr> chain;  // from the domain downward
  for (uint32_t oid = domain; oid != 0; oid = chain.back()->type->base_domain) {
    if (sql::isDomainArray(oid)) {
      emitForElements(context, value,
                      [&](const SqlValue& element) { emitDomainCheck(context, element, sql::domainOid(oid)); });
      break;
    }
    chain.push_back(sql::findTypeEntry(oid));
    if (!chain.back()) throwNotSupported("a domain that is gone");
  }
  if (chain.empty()) return value;
  const std::string name = sql::userTypeName(domain);
  for (const sql::TablePtr& entry : chain)
    if (entry->columns.front().not_null) {
      emitNullCheck(context, value, name, domain);
      break;
    }
  for (const sql::TablePtr& entry : chain | std::views::reverse) {
    const std::shared_ptr<const sql::CheckExpressions> bound = sql::sessionChecks(*entry);
    if (!bound) continue;
    const sql::CheckExpressions& checks = *bound;
    context.resources.keep(std::make_unique<std::shared_ptr<const sql::CheckExpressions>>(bound));
    Scope scope;
    scope.bind(&checks.units.front(), value);
    std::vector<uint32_t> tested(checks.checks.size());
    std::iota(tested.begin(), tested.end(), 0);
    emitChecks(context, scope, checks, tested, [&](uint32_t check) {
      context.builder.call(RUNTIME_FUNCTION(rt::domainCheckViolation),
                           {keepName(context, name), context.builder.constI32(static_cast<int32_t>(domain)),
                            keepName(context, checks.checks[check].name)});
      context.builder.unreachable();
    });
  }
  return value;
}

}  // namespace gnomon::codegen
