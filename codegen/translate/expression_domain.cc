#include "codegen/translate/expression_domain.h"

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
void emitElementChecks(CodeContext& context, const SqlValue& array, uint32_t domain) {
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
  emitDomainCheck(context, emitElement(context, array, index), domain);
  b.addIncoming(index, b.add(index, b.constI64(1)), b.currentBlock());
  b.br(header);
  b.setBlock(done);
}

}  // namespace

bool callsRoutines(uint32_t domain) {
  for (uint32_t oid = domain; oid != 0;) {
    const sql::TablePtr entry = sql::findTypeEntry(sql::domainOid(oid));
    if (!entry) break;
    const auto isUnbound = [](const sql::CheckExpressions::Check& check) { return check.condition == nullptr; };
    if (entry->check_expressions && std::ranges::any_of(entry->check_expressions->checks, isUnbound)) return true;
    oid = entry->type->base_domain;
  }
  return false;
}

SqlValue emitDomainCheck(CodeContext& context, const SqlValue& value, uint32_t domain) {
  std::vector<sql::TablePtr> chain;  // from the domain downward
  for (uint32_t oid = domain; oid != 0; oid = chain.back()->type->base_domain) {
    if (sql::isDomainArray(oid)) {
      emitElementChecks(context, value, sql::domainOid(oid));
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
    const std::shared_ptr<const sql::CheckExpressions> bound = sql::domainChecks(*entry);
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
