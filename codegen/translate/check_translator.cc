#include "codegen/translate/check_translator.h"

#include <memory>

#include "base/sql_error.h"
#include "codegen/translate/expression_translator.h"

namespace gnomon::codegen {

ir::Value keepName(CodeContext& context, const std::string& name) {
  return context.builder.constPtr(context.resources.keep(std::make_unique<std::string>(name)));
}

void emitChecks(CodeContext& context, Scope& scope, const sql::CheckExpressions& checks,
                std::span<const uint32_t> tested, const std::function<void(uint32_t check)>& violated) {
  ir::Builder& builder = context.builder;
  for (const uint32_t check : tested) {
    if (!checks.checks[check].condition)
      throwNotSupported("check constraint \"" + checks.checks[check].name + "\" where no statement has bound it");
    const ir::Block violation = builder.createBlock("violated");
    const ir::Block passed = builder.createBlock("");
    ExpressionTranslator(context, scope).branchIfFalse(*checks.checks[check].condition, violation, passed);
    builder.setBlock(violation);
    {
      const Scope::Level level(scope);
      violated(check);
    }
    builder.setBlock(passed);
  }
}

}  // namespace gnomon::codegen
