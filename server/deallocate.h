#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gnomon::server {

/// DEALLOCATE [PREPARE] {name | ALL}: drivers send it to be rid of the statements they prepared by protocol messages.
/// Prepared statements are the session's alone, so the binder knows nothing of it.
struct Deallocate {
  std::string name;  ///< folded as identifiers are; empty: ALL
};

/// The statement as such; none when it is another. `statement` has passed the grammar.
std::optional<Deallocate> readDeallocate(std::string_view statement);

}  // namespace gnomon::server
