#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "base/sql_error.h"

namespace gnomon::testing {

/// A directory that is removed when the test ends.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gnomon_test_XXXXXX").string();
    if (!::mkdtemp(pattern.data())) std::abort();
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A limit on file sizes stands in for a full disk.
class FullDisk {
 public:
  explicit FullDisk(uint64_t file_bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    if (::getrlimit(RLIMIT_FSIZE, &before_) != 0) std::abort();
    rlimit limit = before_;
    limit.rlim_cur = file_bytes;
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::abort();
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

/// The seed of a randomised test: printed, and taken from GNOMON_TEST_SEED to repeat a run.
inline uint64_t testSeed() {
  const char* given = std::getenv("GNOMON_TEST_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  ::testing::Test::RecordProperty("seed", std::to_string(seed));
  std::printf("GNOMON_TEST_SEED=%lu\n", static_cast<unsigned long>(seed));
  return seed;
}

/// The SqlError that `action` throws; fails the test when it throws none.
template <typename Action>
SqlError errorOf(Action&& action) {
  try {
    action();
  } catch (const SqlError& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return {sqlstate::kInternalError, "none"};
}

inline constexpr uint64_t kMiB = uint64_t{1} << 20;

}  // namespace gnomon::testing
