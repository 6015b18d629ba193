#include "sql/functions/parameter_names.h"

#include <algorithm>

namespace gnomon::sql {
namespace {

/// The parameters of functions that have names, with their defaults; one row for each list.
struct ParameterList {
  std::string_view function;
  std::string_view parameters;  ///< name or name=default, one blank between them
};
/// Of the functions of paths.
constexpr std::string_view kPathParameters = "target path vars={} silent=false";

constexpr ParameterList kLists[] = {
    {"aclexplode", "acl"},
    {"json_array_element", "from_json element_index"},
    {"json_array_element_text", "from_json element_index"},
    {"json_array_elements", "from_json"},
    {"json_array_elements_text", "from_json"},
    {"json_each", "from_json"},
    {"json_each_text", "from_json"},
    {"json_object_field", "from_json field_name"},
    {"json_object_field_text", "from_json field_name"},
    {"json_populate_record", "base from_json use_json_as_text=false"},
    {"json_populate_recordset", "base from_json use_json_as_text=false"},
    {"jsonb_array_element", "from_json element_index"},
    {"jsonb_array_element_text", "from_json element_index"},
    {"jsonb_array_elements", "from_json"},
    {"jsonb_array_elements_text", "from_json"},
    {"jsonb_each", "from_json"},
    {"jsonb_each_text", "from_json"},
    {"jsonb_insert", "jsonb_in path replacement insert_after=false"},
    {"jsonb_object_field", "from_json field_name"},
    {"jsonb_object_field_text", "from_json field_name"},
    {"jsonb_path_exists", kPathParameters},
    {"jsonb_path_exists_tz", kPathParameters},
    {"jsonb_path_match", kPathParameters},
    {"jsonb_path_match_tz", kPathParameters},
    {"jsonb_path_query", kPathParameters},
    {"jsonb_path_query_array", kPathParameters},
    {"jsonb_path_query_array_tz", kPathParameters},
    {"jsonb_path_query_first", kPathParameters},
    {"jsonb_path_query_first_tz", kPathParameters},
    {"jsonb_path_query_tz", kPathParameters},
    {"jsonb_set", "jsonb_in path replacement create_if_missing=true"},
    {"jsonb_set_lax", "jsonb_in path replacement create_if_missing=true null_value_treatment=use_json_null"},
    {"make_date", "year month day"},
    {"make_interval", "years=0 months=0 weeks=0 days=0 hours=0 mins=0 secs=0"},
    {"make_time", "hour min sec"},
    {"make_timestamp", "year month mday hour min sec"},
    {"make_timestamptz", "year month mday hour min sec"},
    {"make_timestamptz", "year month mday hour min sec timezone"},
    {"parse_ident", "str strict=true"},
    {"pg_options_to_table", "options_array"},
    {"pg_partition_ancestors", "partitionid"},
    {"pg_partition_tree", "rootrelid"},
    {"pg_terminate_backend", "pid timeout=0"},
};

std::optional<std::vector<ArgumentPlace>> placeIn(std::string_view parameters, std::span<const std::string> names) {
  std::vector<ArgumentPlace> places;
  size_t given = 0;
  bool lacks_one = false;
  while (!parameters.empty()) {
    const std::string_view parameter = parameters.substr(0, parameters.find(' '));
    parameters.remove_prefix(std::min(parameter.size() + 1, parameters.size()));
    const size_t equals = parameter.find('=');
    const std::string_view name = parameter.substr(0, equals);
    const size_t number = places.size();
    ArgumentPlace place;
    if (number < names.size() && names[number].empty()) {
      place.argument = static_cast<int32_t>(number);
    } else if (const auto found = std::ranges::find(names, name); found != names.end()) {
      place.argument = static_cast<int32_t>(found - names.begin());
    } else if (equals != std::string_view::npos) {
      place.default_text = parameter.substr(equals + 1);
    } else {
      lacks_one = true;
    }
    if (place.argument >= 0) ++given;
    places.push_back(place);
  }
  if (lacks_one || given != names.size()) return std::nullopt;
  while (!places.empty() && places.back().argument < 0) places.pop_back();
  return places;
}

}  // namespace

std::optional<std::vector<ArgumentPlace>> placeNamedArguments(std::string_view function,
                                                              std::span<const std::string> names) {
  for (const ParameterList& list : kLists) {
    if (list.function != function) continue;
    if (auto places = placeIn(list.parameters, names)) return places;
  }
  return std::nullopt;
}

}  // namespace gnomon::sql
