#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/stored_body.h"
#include "sql/parse/ast_body.h"

namespace gnomon::sql {

/// The statements of a routine in LANGUAGE sql as they are bound wherever it is called, and what their names mean.
class BodyText {
 public:
  /// The routine outlives it. Failure: XX001.
  explicit BodyText(const RoutineEntry& routine);
  BodyText(const BodyText&) = delete;
  BodyText& operator=(const BodyText&) = delete;

  [[nodiscard]] std::string_view sql() const { return references_ ? references_->sql() : text_; }
  /// Null: names mean what the session finds.
  [[nodiscard]] const StoredReferences* references() const { return references_ ? &*references_ : nullptr; }

 private:
  const std::string_view text_;
  std::optional<StoredBody> stored_;
  std::optional<StoredReferences> references_;
};

/// The inputs of a routine as parameters of the statements in its body.
std::vector<ExpressionPtr> inputsOf(const RoutineEntry& routine);

/// RETURN and BEGIN ATOMIC: `routine` has no body yet. `used` gets what the body uses. Failure: 42P13 for polymorphic
/// parameters; 0A000 for statements that are neither queries nor changes; those of the statements.
StoredBody bindStandardBody(BindState& state, const ast::StandardBody& body, const RoutineEntry& routine,
                            std::vector<TablePtr>& used);

}  // namespace gnomon::sql
