#include "sql/catalog/routine_rows.h"

#include <array>
#include <bit>

#include "base/sql_error.h"
#include "sql/catalog/catalog_row.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/stored_schema.h"
#include "sql/catalog/user_types.h"
#include "sql/types/polymorphic.h"
#include "txn/write_statement.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;
using Parameter = RoutineEntry::Parameter;

enum RoutineField : uint32_t {
  kRoutineOid,
  kRoutineName,
  kRoutineForm,
  kRoutineLanguage,
  kRoutineFlags,
  kRoutineResult,
  kRoutineCost,
  kRoutineRows,
  kRoutineBody,
  kRoutineSettings,
  kRoutineFields
};
enum ParameterField : uint32_t {
  kParameterRoutine,
  kParameterNumber,
  kParameterName,
  kParameterType,
  kParameterMode,
  kParameterDefault,
  kParameterFields
};

constexpr int32_t kSetFlag = 1;
constexpr int32_t kStrictFlag = 2;
constexpr int32_t kLeakproofFlag = 4;
constexpr int32_t kDefinerFlag = 8;
constexpr int kVolatilityShift = 8;
constexpr int kParallelShift = 12;
constexpr int32_t kFlagPartMask = 3;

[[noreturn]] void raiseDamaged() {
  throw SqlError(sqlstate::kDataCorrupted, "the catalog has a routine without a name, or of an unknown form");
}

int32_t flagsOf(const RoutineEntry& routine) {
  return (routine.returns_set ? kSetFlag : 0) | (routine.is_strict ? kStrictFlag : 0) |
         (routine.is_leakproof ? kLeakproofFlag : 0) | (routine.is_security_definer ? kDefinerFlag : 0) |
         static_cast<int32_t>(routine.volatility) << kVolatilityShift |
         static_cast<int32_t>(routine.parallel) << kParallelShift;
}

/// Names and values, a zero byte behind each.
std::string settingsText(const RoutineEntry& routine) {
  std::string text;
  for (const auto& [name, value] : routine.settings) text.append(name).append(1, '\0').append(value).append(1, '\0');
  return text;
}

void readSettings(std::string_view text, RoutineEntry& routine) {
  const auto take = [&text] {
    const size_t end = text.find('\0');
    if (end == std::string_view::npos) raiseDamaged();
    std::string part(text.substr(0, end));
    text.remove_prefix(end + 1);
    return part;
  };
  while (!text.empty()) {
    std::string name = take();
    routine.settings.emplace_back(std::move(name), take());
  }
}

Datum real(float value) {
  return {std::bit_cast<uint64_t>(double{value}), 0};
}

float readReal(const storage::RowCursor& row, uint32_t column) {
  return static_cast<float>(std::bit_cast<double>(row.value(column).lo));
}

/// The number as one of an enum's from `first` to `last`.
template <typename Enum>
Enum inRange(int32_t number, Enum first, Enum last) {
  if (number < static_cast<int32_t>(first) || number > static_cast<int32_t>(last)) raiseDamaged();
  return static_cast<Enum>(number);
}

/// Gives a type by the oid of it, of a domain, or of an array of one.
void readType(uint32_t oid, const std::map<uint32_t, std::shared_ptr<TableEntry>>& entries, Type& type,
              uint32_t& domain) {
  const auto found = entries.find(domainOid(oid));
  const bool is_domain =
      found != entries.end() && found->second->type && found->second->type->form == TypeEntry::Form::Domain;
  domain = is_domain ? oid : 0;
  if (is_domain) {
    type = found->second->columns.at(0).type;
    if (isDomainArray(oid)) type = type.array();
  } else if (!polymorphicFromOid(oid, type)) {
    type = storedType(oid, -1);
  }
}

}  // namespace

txn::RelationSchema routinesSchema() {
  return {{StoredKind::Int32, false},   {StoredKind::String, false},  {StoredKind::Int16, false},
          {StoredKind::Int16, false},   {StoredKind::Int32, false},   {StoredKind::Int32, false},
          {StoredKind::Float32, false}, {StoredKind::Float32, false}, {StoredKind::String, false},
          {StoredKind::String, true}};
}

txn::RelationSchema routineParametersSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::Int16, false}, {StoredKind::String, true},
          {StoredKind::Int32, false}, {StoredKind::Int16, false}, {StoredKind::String, true}};
}

void recordRoutine(const TableEntry& entry, txn::Table& routines, txn::Table& parameters,
                   const txn::WriteContext& context) {
  const RoutineEntry& routine = *entry.routine;
  const std::string settings = settingsText(routine);
  txn::WriteStatement routine_rows(routines, context);
  const std::array<Datum, kRoutineFields> values{
      number(entry.oid),
      text(routine.name),
      number(static_cast<int64_t>(routine.form)),
      number(static_cast<int64_t>(routine.language)),
      number(flagsOf(routine)),
      number(routine.result_domain != 0 ? routine.result_domain : routine.result.oid()),
      real(routine.cost),
      real(routine.rows),
      text(routine.body),
      text(settings)};
  std::array<uint8_t, kRoutineFields> nulls{};
  nulls[kRoutineSettings] = settings.empty();
  routine_rows.append(values.data(), nulls.data());
  txn::WriteStatement parameter_rows(parameters, context);
  for (size_t i = 0; i < routine.parameters.size(); ++i) {
    const Parameter& parameter = routine.parameters[i];
    const std::array<Datum, kParameterFields> row{number(entry.oid),
                                                  number(static_cast<int64_t>(i) + 1),
                                                  text(parameter.name),
                                                  number(typeOidOf(parameter)),
                                                  number(static_cast<int64_t>(parameter.mode)),
                                                  text(parameter.default_text)};
    std::array<uint8_t, kParameterFields> row_nulls{};
    row_nulls[kParameterName] = parameter.name.empty();
    row_nulls[kParameterDefault] = parameter.default_text.empty();
    parameter_rows.append(row.data(), row_nulls.data());
  }
  parameter_rows.finish();
  routine_rows.finish();
}

void loadRoutines(txn::Table& routines, txn::Table& parameters,
                  std::map<uint32_t, std::shared_ptr<TableEntry>>& entries) {
  using Mode = Parameter::Mode;
  std::map<uint32_t, std::shared_ptr<RoutineEntry>> made;
  storage::RowCursor row(routines.relation(), routines.readBound());
  while (row.next()) {
    const auto oid = static_cast<uint32_t>(readNumber(row, kRoutineOid));
    if (!entries.contains(oid)) raiseDamaged();
    auto routine = std::make_shared<RoutineEntry>();
    routine->name = readText(row, kRoutineName);
    routine->form = inRange(readNumber(row, kRoutineForm), RoutineEntry::Form::Function, RoutineEntry::Form::Procedure);
    routine->language =
        inRange(readNumber(row, kRoutineLanguage), RoutineEntry::Language::Sql, RoutineEntry::Language::Plpgsql);
    const int32_t flags = readNumber(row, kRoutineFlags);
    routine->returns_set = (flags & kSetFlag) != 0;
    routine->is_strict = (flags & kStrictFlag) != 0;
    routine->is_leakproof = (flags & kLeakproofFlag) != 0;
    routine->is_security_definer = (flags & kDefinerFlag) != 0;
    routine->volatility =
        inRange(flags >> kVolatilityShift & kFlagPartMask, Volatility::Immutable, Volatility::Volatile);
    routine->parallel =
        inRange(flags >> kParallelShift & kFlagPartMask, RoutineEntry::Parallel::Unsafe, RoutineEntry::Parallel::Safe);
    readType(static_cast<uint32_t>(readNumber(row, kRoutineResult)), entries, routine->result, routine->result_domain);
    routine->cost = readReal(row, kRoutineCost);
    routine->rows = readReal(row, kRoutineRows);
    routine->body = readText(row, kRoutineBody);
    readSettings(readText(row, kRoutineSettings), *routine);
    made[oid] = std::move(routine);
  }
  storage::RowCursor parameter(parameters.relation(), parameters.readBound());
  while (parameter.next()) {
    const auto routine = made.find(static_cast<uint32_t>(readNumber(parameter, kParameterRoutine)));
    if (routine == made.end() ||
        readNumber(parameter, kParameterNumber) != static_cast<int32_t>(routine->second->parameters.size()) + 1)
      raiseDamaged();
    Parameter read;
    read.name = readText(parameter, kParameterName);
    readType(static_cast<uint32_t>(readNumber(parameter, kParameterType)), entries, read.type, read.domain);
    read.mode = inRange(readNumber(parameter, kParameterMode), Mode::In, Mode::Table);
    read.default_text = readText(parameter, kParameterDefault);
    routine->second->parameters.push_back(std::move(read));
  }
  for (auto& [oid, routine] : made) entries[oid]->routine = std::move(routine);
}

}  // namespace gnomon::sql
