#include "base/language_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/custom_settings.h"
#include "base/name_list.h"
#include "base/settings.h"
#include "base/sql_error.h"

namespace gnomon {
namespace {

constexpr std::string_view kPrefix = "plpgsql.";
constexpr LanguageSetting kSettings[] = {
    {"plpgsql.check_asserts", LanguageSetting::Kind::Boolean, "on"},
    {"plpgsql.extra_errors", LanguageSetting::Kind::Checks, "none"},
    {"plpgsql.extra_warnings", LanguageSetting::Kind::Checks, "none"},
    {"plpgsql.print_strict_params", LanguageSetting::Kind::Boolean, "off"},
    {"plpgsql.variable_conflict", LanguageSetting::Kind::Conflict, "error"},
};
constexpr std::string_view kConflicts[] = {"error", "use_variable", "use_column"};
/// In the order of ExtraChecks.
constexpr std::string_view kChecks[] = {"shadowed_variables", "too_many_rows", "strict_multi_assignment"};

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

SqlError invalid(const LanguageSetting& setting, std::string_view value) {
  return {sqlstate::kInvalidParameterValue,
          fmt::format("invalid value for parameter \"{}\": \"{}\"", setting.name, value)};
}

void requireChecks(const LanguageSetting& setting, std::string_view value) {
  if (lowered(value) == "all" || lowered(value) == "none") return;
  const auto words = splitNameList(value);
  if (!words) throw invalid(setting, value).detail("List syntax is invalid.");
  for (const std::string& word : *words) {
    if (word == "all" || word == "none")
      throw invalid(setting, value)
          .detail(fmt::format("Key word \"{}\" cannot be combined with other key words.", word));
    if (std::ranges::find(kChecks, word) == std::end(kChecks))
      throw invalid(setting, value).detail(fmt::format("Unrecognized key word: \"{}\".", word));
  }
}

}  // namespace

std::span<const LanguageSetting> languageSettings() {
  return kSettings;
}

ExtraChecks extraChecks(std::string_view value) {
  const std::string wanted = lowered(value);
  if (wanted == "all") return {true, true, true};
  ExtraChecks checks;
  if (wanted == "none") return checks;
  for (const std::string& word : splitNameList(value).value_or(std::vector<std::string>{})) {
    checks.shadowed_variables |= word == kChecks[0];
    checks.too_many_rows |= word == kChecks[1];
    checks.strict_multi_assignment |= word == kChecks[2];
  }
  return checks;
}

std::string checkedCustomValue(std::string_view name, std::string_view value) {
  CustomSettings::checkName(name);
  const std::string wanted = lowered(name);
  if (!wanted.starts_with(kPrefix)) return std::string(value);
  const auto known = std::ranges::find(kSettings, wanted, &LanguageSetting::name);
  if (known == std::end(kSettings))
    throw SqlError(sqlstate::kInvalidName, fmt::format("invalid configuration parameter name \"{}\"", name))
        .detail("\"plpgsql\" is a reserved prefix.");
  switch (known->kind) {
    case LanguageSetting::Kind::Boolean: {
      bool flag = false;
      if (!parseBoolean(value, flag))
        throw SqlError(sqlstate::kInvalidParameterValue,
                       fmt::format("parameter \"{}\" requires a Boolean value", known->name));
      return flag ? "on" : "off";
    }
    case LanguageSetting::Kind::Conflict:
      if (std::ranges::find(kConflicts, lowered(value)) == std::end(kConflicts))
        throw invalid(*known, value).hint("Available values: error, use_variable, use_column.");
      return lowered(value);
    case LanguageSetting::Kind::Checks:
      requireChecks(*known, value);
      break;
  }
  return std::string(value);
}

}  // namespace gnomon
