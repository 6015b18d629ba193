#include "sql/bind/explain_options.h"

#include <fmt/format.h>

#include <optional>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

/// An option without a value is on.
bool isOn(const ast::Option& option) {
  if (!option.value) return true;
  const std::string& value = *option.value;
  if (value == "true" || value == "on" || value == "1") return true;
  if (value == "false" || value == "off" || value == "0") return false;
  throw SqlError(sqlstate::kSyntaxError, option.name + " requires a Boolean value");
}

ExplainOptions::Format readFormat(const ast::Option& option) {
  const std::string value = option.value.value_or("");
  if (value == "text") return ExplainOptions::Format::Text;
  if (value == "json") return ExplainOptions::Format::Json;
  if (value == "xml" || value == "yaml") throwNotSupported("EXPLAIN format " + value, option.position);
  throw SqlError(sqlstate::kInvalidParameterValue,
                 fmt::format("unrecognized value for EXPLAIN option \"format\": \"{}\"", value))
      .position(option.position);
}

class OptionReader {
 public:
  void read(const ast::Option& option) {
    if (option.name == "analyze")
      result_.analyze = isOn(option);
    else if (option.name == "pipelines" || option.name == "ir")
      readWhat(option);
    else if (option.name == "verbose")
      result_.options.verbose = isOn(option);
    else if (option.name == "costs")
      result_.options.estimates = isOn(option) ? ExplainOptions::Estimates::All : ExplainOptions::Estimates::None;
    else if (option.name == "buffers")
      result_.options.buffers = isOn(option);
    else if (option.name == "timing")
      timing_ = isOn(option);
    else if (option.name == "summary")
      summary_ = isOn(option);
    else if (option.name == "format")
      result_.options.format = readFormat(option);
    else if (option.name == "settings")
      result_.options.settings = isOn(option);
    else if (option.name == "wal")
      result_.options.wal = isOn(option);
    else
      throw SqlError(sqlstate::kSyntaxError, fmt::format("unrecognized EXPLAIN option \"{}\"", option.name))
          .position(option.position);
  }
  ExplainStatement finish() {
    if (result_.options.wal && !result_.analyze)
      throw SqlError(sqlstate::kInvalidParameterValue, "EXPLAIN option WAL requires ANALYZE");
    if (timing_.value_or(false) && !result_.analyze)
      throw SqlError(sqlstate::kInvalidParameterValue, "EXPLAIN option TIMING requires ANALYZE");
    if (result_.what == ExplainStatement::What::Ir && result_.analyze) throwNotSupported("EXPLAIN ANALYZE of IR");
    if (result_.what != ExplainStatement::What::Plan && result_.options.format != ExplainOptions::Format::Text)
      throwNotSupported("EXPLAIN of pipelines or IR as JSON");
    result_.options.timing = timing_.value_or(true);
    result_.summary = summary_.value_or(result_.analyze);
    return std::move(result_);
  }

 private:
  void readWhat(const ast::Option& option) {
    if (!isOn(option)) return;
    result_.what = option.name == "ir" ? ExplainStatement::What::Ir : ExplainStatement::What::Pipelines;
  }
  ExplainStatement result_;
  std::optional<bool> timing_, summary_;
};

}  // namespace

ExplainStatement readExplainOptions(const std::vector<ast::Option>& options) {
  OptionReader reader;
  for (const ast::Option& option : options) reader.read(option);
  return reader.finish();
}

}  // namespace gnomon::sql
