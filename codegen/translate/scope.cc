#include "codegen/translate/scope.h"

#include "base/assert.h"

namespace gnomon::codegen {

SqlValue Scope::get(sql::Iu unit) {
  const auto found = entries_.find(unit);
  CHECK(found != entries_.end(), "every unit is produced below its reader");
  if (!found->second.loaded) {
    const SqlValue value = found->second.loader();
    found->second.value = value;
    found->second.loaded = true;
    loaded_.push_back(unit);
    return value;
  }
  return found->second.value;
}

bool Scope::isReadFreely(sql::Iu unit) const {
  const auto found = entries_.find(unit);
  CHECK(found != entries_.end(), "every unit is produced below its reader");
  return found->second.loaded || !found->second.is_computed;
}

Scope::Binding::Binding(Scope& scope, sql::Iu unit, const SqlValue& value)
    : scope_(scope), unit_(unit), before_(scope.entries_.extract(unit)) {
  scope.bind(unit, value);
}

Scope::Binding::~Binding() {
  scope_.entries_.erase(unit_);
  if (before_) scope_.entries_.insert(std::move(before_));
}

Scope::Level::~Level() {
  while (scope_.loaded_.size() > loaded_before_) {
    const auto found = scope_.entries_.find(scope_.loaded_.back());
    if (found != scope_.entries_.end() && found->second.loader) found->second.loaded = false;
    scope_.loaded_.pop_back();
  }
}

}  // namespace gnomon::codegen
