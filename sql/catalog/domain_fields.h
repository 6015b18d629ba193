#pragma once

#include "sql/types/type.h"

namespace gnomon::sql {

/// Whether values of it are rows, or arrays of rows, with fields that are of domains, however deep.
bool hasDomainFields(Type type);

}  // namespace gnomon::sql
