#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "base/sql_error.h"

namespace gnomon::server {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// What is said of a file that cannot be used, with the SQLSTATE of errno.
SqlError fileFailure(int error, const std::string& what);

/// A file on the server that COPY reads, with the rights of who runs it. Failure: SqlError as PostgreSQL's.
class InputFile {
 public:
  /// A relative name counts from `folder`.
  InputFile(const std::string& name, const std::string& folder);
  /// Up to `bytes`; 0: there are no more.
  size_t read(char* data, size_t bytes);

 private:
  const std::string name_;
  std::unique_ptr<std::FILE, FileCloser> file_;
};

/// One that it writes, anew.
class OutputFile {
 public:
  explicit OutputFile(const std::string& name);
  void write(std::span<const char> bytes);
  /// All of it is written then.
  void close();

 private:
  const std::string name_;
  std::unique_ptr<std::FILE, FileCloser> file_;
};

}  // namespace gnomon::server
