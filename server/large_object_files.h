#pragma once

#include <string>
#include <string_view>

#include "server/copy/copy_file.h"

namespace gnomon::server {

/// A file on the server that lo_import() reads. Failure: SqlError as PostgreSQL's.
class LargeObjectSource {
 public:
  static constexpr int64_t kPieceBytes = 1 << 20;
  /// A relative name counts from `folder`.
  LargeObjectSource(const std::string& name, const std::string& folder);
  /// The next piece; empty: there is none.
  std::string next();

 private:
  const std::string name_;
  std::unique_ptr<std::FILE, FileCloser> file_;
};

/// One that lo_export() writes, anew, for its owner to change and for all to read.
class LargeObjectTarget {
 public:
  LargeObjectTarget(const std::string& name, const std::string& folder);
  void write(std::string_view bytes);
  /// All of it is written then.
  void finish();

 private:
  const std::string name_;
  std::unique_ptr<std::FILE, FileCloser> file_;
};

}  // namespace gnomon::server
