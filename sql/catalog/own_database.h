#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace gnomon::sql {

/// How a name is told of.
enum class NameKind : uint8_t { Relation, Other };

/// The parts of the name without the first where that says the session's own database, which is in no other. Failure:
/// 0A000 where it says another one; 42601 for more parts than three.
std::span<const std::string> withoutDatabase(std::span<const std::string> parts, NameKind kind, int32_t position = -1);

/// The same of a column's, which has a part more.
std::span<const std::string> withoutDatabaseOfColumn(std::span<const std::string> parts, int32_t position);

}  // namespace gnomon::sql
