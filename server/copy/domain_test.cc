#include "server/copy/domain_test.h"

#include "codegen/executor/check_evaluator.h"
#include "server/planner.h"
#include "sql/catalog/domain_violation.h"
#include "sql/catalog/user_types.h"
#include "sql/types/array_value.h"
#include "sql/types/cast.h"

namespace gnomon::server {

DomainTest::DomainTest(SessionContext& session, uint32_t column, const sql::DomainRules& rules, MemoryAccount& memory)
    : column_(column), rules_(rules) {
  if (rules.oid != 0) type_ = sql::findTypeEntry(rules.oid)->columns.front().type;
  if (rules.of_elements) of_elements_ = std::make_unique<const DomainTest>(session, 0, *rules.of_elements, memory);
  if (rules.checks.usual)
    checker_ = codegen::compileChecks(rules.checks, executionPolicy(session.settings), byteaOutput(session.settings),
                                      memory, &session.services);
}

void DomainTest::require(storage::Datum value, bool is_null) const {
  if (of_elements_ && !is_null) {
    const sql::ArrayView array(rules_.element, value.lo, value.hi);
    for (size_t i = 0; i < array.size(); ++i) {
      const sql::RegisterPair element = array.at(i);
      of_elements_->require(array.isNull(i) ? sql::Value::null(array.element())
                                            : sql::fromRegisters(array.element(), element.lo, element.hi));
    }
  }
  if (is_null && rules_.is_not_null) throw sql::domainNullViolation(rules_.name, rules_.oid);
  if (!checker_) return;
  const uint8_t null_flag = is_null ? 1 : 0;
  const uint32_t violated = checker_->firstViolation(&value, &null_flag);
  if (violated != sql::RowChecker::kNone)
    throw sql::domainCheckViolation(rules_.name, rules_.oid, rules_.check_names[violated]);
}

void DomainTest::require(const sql::Value& value) const {
  if (value.is_null) return require({}, true);
  const bool is_other = value.type.kind == sql::TypeKind::Numeric;
  const sql::Value held = is_other ? sql::castValue(value, type_, false) : value;
  const sql::RegisterPair words = sql::toRegisters(held);
  require({words.lo, words.hi}, false);
}

}  // namespace gnomon::server
