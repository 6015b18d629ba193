#include "server/copy/copy_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace gnomon::server {
namespace {

/// As PostgreSQL's errcode_for_file_access.
SqlState stateOf(int error) {
  switch (error) {
    case EPERM:
    case EACCES:
    case EROFS:
      return sqlstate::kInsufficientPrivilege;
    case ENOENT:
      return SqlState("58P01");
    case EEXIST:
      return SqlState("58P02");
    case ENOTDIR:
    case EISDIR:
    case ENOTEMPTY:
      return sqlstate::kWrongObjectType;
    case ENOSPC:
      return SqlState("53100");
    case ENFILE:
    case EMFILE:
      return SqlState("53000");
    case EIO:
      return SqlState("58030");
    default:
      return sqlstate::kInternalError;
  }
}

}  // namespace

SqlError fileFailure(int error, const std::string& what) {
  return {stateOf(error), fmt::format("{}: {}", what, std::generic_category().message(error))};
}

namespace {

void requireNoDirectory(const std::string& name, std::FILE* file) {
  struct stat state{};
  if (fstat(fileno(file), &state) != 0) throw fileFailure(errno, fmt::format("could not stat file \"{}\"", name));
  if (S_ISDIR(state.st_mode)) throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is a directory", name));
}

}  // namespace

InputFile::InputFile(const std::string& name, const std::string& folder) : name_(name) {
  file_.reset(std::fopen((std::filesystem::path(folder) / name).c_str(), "rbe"));
  if (!file_)
    throw fileFailure(errno, fmt::format("could not open file \"{}\" for reading", name))
        .hint(
            "COPY FROM instructs the PostgreSQL server process to read a file. You may want a client-side facility "
            "such as psql's \\copy.");
  requireNoDirectory(name, file_.get());
}

size_t InputFile::read(char* data, size_t bytes) {
  const size_t taken = std::fread(data, 1, bytes, file_.get());
  if (taken == 0 && std::ferror(file_.get()) != 0) throw fileFailure(errno, "could not read from COPY file");
  return taken;
}

OutputFile::OutputFile(const std::string& name) : name_(name) {
  if (!std::filesystem::path(name).is_absolute())
    throw SqlError(sqlstate::kInvalidName, "relative path not allowed for COPY to file");
  file_.reset(std::fopen(name.c_str(), "wbe"));
  if (!file_)
    throw fileFailure(errno, fmt::format("could not open file \"{}\" for writing", name))
        .hint(
            "COPY TO instructs the PostgreSQL server process to write a file. You may want a client-side facility "
            "such as psql's \\copy.");
  requireNoDirectory(name, file_.get());
}

void OutputFile::write(std::span<const char> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    throw fileFailure(errno, "could not write to COPY file");
}

void OutputFile::close() {
  if (std::fclose(file_.release()) != 0) throw fileFailure(errno, fmt::format("could not close file \"{}\"", name_));
}

}  // namespace gnomon::server
