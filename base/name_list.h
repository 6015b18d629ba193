#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon {

/// Names with commas between them, each in quotes or folded to lower case and cut to 63 bytes, as PostgreSQL's
/// SplitIdentifierString reads them. None: the text is no such list; empty: it is blank.
std::optional<std::vector<std::string>> splitNameList(std::string_view text);

}  // namespace gnomon
