#include "server/large_object_files.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <filesystem>

namespace gnomon::server {
namespace {

std::FILE* opened(const std::string& path, int flags, const char* mode) {
  constexpr mode_t kRights = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, kRights);
  return descriptor < 0 ? nullptr : ::fdopen(descriptor, mode);
}

}  // namespace

LargeObjectSource::LargeObjectSource(const std::string& name, const std::string& folder) : name_(name) {
  file_.reset(opened(std::filesystem::path(folder) / name, O_RDONLY, "rb"));
  if (!file_) throw fileFailure(errno, fmt::format("could not open server file \"{}\"", name));
}

std::string LargeObjectSource::next() {
  std::string piece(static_cast<size_t>(kPieceBytes), '\0');
  piece.resize(std::fread(piece.data(), 1, piece.size(), file_.get()));
  if (piece.empty() && std::ferror(file_.get()) != 0)
    throw fileFailure(errno, fmt::format("could not read server file \"{}\"", name_));
  return piece;
}

LargeObjectTarget::LargeObjectTarget(const std::string& name, const std::string& folder) : name_(name) {
  file_.reset(opened(std::filesystem::path(folder) / name, O_CREAT | O_WRONLY | O_TRUNC, "wb"));
  if (!file_) throw fileFailure(errno, fmt::format("could not create server file \"{}\"", name));
}

void LargeObjectTarget::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    throw fileFailure(errno, fmt::format("could not write server file \"{}\"", name_));
}

void LargeObjectTarget::finish() {
  if (std::fclose(file_.release()) != 0) throw fileFailure(errno, fmt::format("could not close file \"{}\"", name_));
}

}  // namespace gnomon::server
