#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace gnomon::storage {

/// Reads or writes `bytes` bytes at `offset`. Memory, size and offset are multiples of kIoAlignment.
struct IoRequest {
  static constexpr int kEndOfFile = -1;

  int descriptor = -1;
  bool is_write = false;
  std::byte* memory = nullptr;
  uint64_t bytes = 0;
  uint64_t offset = 0;
  /// Set by perform(): 0, an errno, or kEndOfFile when the file is too short.
  int error = 0;
};

/// What O_DIRECT asks for on all usual devices.
constexpr size_t kIoAlignment = 4096;

enum class IoMethod : uint8_t { Auto, IoUring, Pread };

/// How batches of pages go to the disk and come back.
///
/// Threads: perform() from any, at once.
class PageIo {
 public:
  /// Auto: io_uring where the kernel allows it, else pread and pwrite. Failure: 58030 when io_uring is asked for by
  /// name and not to be had.
  static std::unique_ptr<PageIo> create(IoMethod method);
  virtual ~PageIo() = default;

  /// Performs all requests, in any order, and returns when all have ended.
  virtual void perform(std::span<IoRequest> requests) = 0;
  [[nodiscard]] virtual IoMethod method() const = 0;
};

}  // namespace gnomon::storage
