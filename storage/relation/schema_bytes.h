#pragma once

#include <string>
#include <string_view>

#include "storage/relation/schema.h"

namespace gnomon::storage {

/// A schema for the registry of relations.
///
/// Layout: whether NaN is held (1 byte), leaf class (1), number of columns (4); of each column kind (1), flags (1:
/// 1 nullable, 2 the greatest value is NaN), since (4), nullable since (4), what is missing (1): 0 NULL, 1 a datum
/// (16), 2 a text, its length (4) and bytes.
std::string serialiseSchema(const RelationSchema& schema);
/// Failure: XX001.
RelationSchema parseSchema(std::string_view bytes);

}  // namespace gnomon::storage
