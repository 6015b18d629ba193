#include "base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/failpoint.h"

namespace gnomon {

namespace {

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags, mode_t mode = 0)
      : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }
  [[noreturn]] void raise(const char* action) const {
    throw std::system_error(errno, std::generic_category(), std::string(action) + " \"" + path_.string() + "\"");
  }

 private:
  const std::filesystem::path& path_;
  int descriptor_;
};

}  // namespace

void replaceFile(const std::filesystem::path& directory, const std::string& name, std::string_view contents) {
  const std::filesystem::path aside = directory / (name + ".new");
  {
    const Descriptor file(aside, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file.get() < 0) file.raise("could not create");
    while (!contents.empty()) {
      const ssize_t written = ::write(file.get(), contents.data(), contents.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) file.raise("could not write");
      contents.remove_prefix(static_cast<size_t>(written));
    }
    if (::fsync(file.get()) != 0) file.raise("could not sync");
  }
  FAILPOINT("file.written");
  std::filesystem::rename(aside, directory / name);
  FAILPOINT("file.named");
  syncFolder(directory);
}

void syncFolder(const std::filesystem::path& folder) {
  const Descriptor descriptor(folder, O_RDONLY | O_DIRECTORY);
  if (descriptor.get() < 0) descriptor.raise("could not open");
  if (::fsync(descriptor.get()) != 0) descriptor.raise("could not sync");
}

void makeFolders(const std::filesystem::path& folder) {
  const std::filesystem::path absolute = std::filesystem::absolute(folder);
  const std::filesystem::path above = absolute.parent_path();
  if (std::filesystem::exists(absolute) || above == absolute) return;
  makeFolders(above);
  std::filesystem::create_directory(absolute);
  syncFolder(above);
}

std::optional<std::string> readFile(const std::filesystem::path& path) {
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0) {
    if (errno == ENOENT) return std::nullopt;
    file.raise("could not open");
  }
  std::string contents;
  char buffer[65536];
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) file.raise("could not read");
    if (count == 0) return contents;
    contents.append(buffer, static_cast<size_t>(count));
  }
}

}  // namespace gnomon
