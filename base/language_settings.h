#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gnomon {

/// A setting with a dot that is a language's: it is there from the beginning, and may not be everything.
struct LanguageSetting {
  /// Checks: `all`, `none` or a list of what is looked for.
  enum class Kind : uint8_t { Boolean, Conflict, Checks };
  std::string_view name;
  Kind kind;
  std::string_view default_text;
};

std::span<const LanguageSetting> languageSettings();

/// What `plpgsql.extra_warnings` or `plpgsql.extra_errors` looks for.
struct ExtraChecks {
  bool shadowed_variables = false;
  bool too_many_rows = false;
  bool strict_multi_assignment = false;
};
/// `value`: one that the setting may have.
ExtraChecks extraChecks(std::string_view value);

/// The value as it is kept of a setting whose name has a dot. Failure: 42602 for what is no name, or one that a
/// language keeps for itself; 22023.
std::string checkedCustomValue(std::string_view name, std::string_view value);

}  // namespace gnomon
