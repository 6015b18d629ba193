#include "sql/catalog/routine_entry.h"

#include <algorithm>

namespace gnomon::sql {

std::vector<const RoutineEntry::Parameter*> RoutineEntry::inputs() const {
  std::vector<const Parameter*> found;
  for (const Parameter& parameter : parameters)
    if (parameter.isInput()) found.push_back(&parameter);
  return found;
}

std::vector<const RoutineEntry::Parameter*> RoutineEntry::outputs() const {
  std::vector<const Parameter*> found;
  for (const Parameter& parameter : parameters)
    if (parameter.isOutput()) found.push_back(&parameter);
  return found;
}

bool RoutineEntry::isVariadic() const {
  return std::ranges::any_of(parameters,
                             [](const Parameter& parameter) { return parameter.mode == Parameter::Mode::Variadic; });
}

bool RoutineEntry::isPolymorphic() const {
  return result.isPolymorphic() ||
         std::ranges::any_of(parameters, [](const Parameter& parameter) { return parameter.type.isPolymorphic(); });
}

uint32_t typeOidOf(const RoutineEntry::Parameter& parameter) {
  return parameter.domain != 0 ? parameter.domain : parameter.type.oid();
}

std::string routineKeyPrefix(std::string_view name) {
  return std::string(name) + '\0';
}

std::string routineKey(std::string_view name, std::span<const uint32_t> input_types) {
  std::string key = routineKeyPrefix(name);
  for (const uint32_t oid : input_types) key.append(std::to_string(oid)).append(",");
  return key;
}

std::string routineKey(const RoutineEntry& routine) {
  std::vector<uint32_t> types;
  for (const RoutineEntry::Parameter* parameter : routine.inputs()) types.push_back(typeOidOf(*parameter));
  return routineKey(routine.name, types);
}

}  // namespace gnomon::sql
