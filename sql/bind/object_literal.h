#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sql/catalog/object_path.h"

namespace gnomon::sql {

/// What literals of regclass, regtype and regproc say in a text that is stored, '"@oid".name', so that they mean the
/// same object whatever it is called later. Nothing: `content` is another.
std::optional<ObjectPath> readObjectLiteral(std::string_view content);
/// The oid in it.
std::optional<uint32_t> oidOfLiteral(std::string_view content);

}  // namespace gnomon::sql
