#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_value.h"
#include "sql/catalog/user_types.h"

namespace gnomon::sql {

/// The fields of rows that are filled.
struct PopulatedShape {
  uint32_t definition = 0;  ///< the catalog's entry whose rows they are; 0: of none
  std::string names;        ///< as records of no entry have them
  std::vector<RecordField> fields;
};
/// That of a type with a definition.
PopulatedShape populatedShape(uint32_t definition);
/// That of a record which says itself what it is made of.
PopulatedShape populatedShape(StringValue record);

/// The record that has the values of the object's fields of its names, and all others of `base`; null: NULLs. Objects
/// in fields that are rows fill these likewise. Rules of domains are not tested.
/// Failure: 22023, 22P02, those of the fields' types.
std::string populateRecord(const PopulatedShape& shape, const StringValue* base, std::string_view object);

}  // namespace gnomon::sql
