#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace gnomon {

/// One thing to be done with an open file: `bytes` bytes at `offset` are read or written, or what was written before is
/// brought to stable storage. Without O_DIRECT any memory, size and offset will do; with it, multiples of kIoAlignment.
struct IoRequest {
  enum class Operation : uint8_t {
    Read,
    Write,
    SyncData,  ///< fdatasync; memory, bytes and offset are not looked at
    Sync       ///< fsync
  };
  static constexpr int kEndOfFile = -1;

  int descriptor = -1;
  Operation operation = Operation::Read;
  std::byte* memory = nullptr;
  uint64_t bytes = 0;
  uint64_t offset = 0;
  /// Set by perform(): 0, an errno, or kEndOfFile when the file is too short.
  int error = 0;

  [[nodiscard]] bool isWrite() const { return operation == Operation::Write; }
};

/// What O_DIRECT asks for on all usual devices.
constexpr size_t kIoAlignment = 4096;

/// Opens for reading and writing, with O_DIRECT where the file system has it. Returns -1 and sets errno.
int openDirect(const std::filesystem::path& path, int flags);

enum class IoMethod : uint8_t { Auto, IoUring, Pread };

/// How batches of reads, writes and syncs go to the disk and come back.
///
/// Threads: perform() from any, at once.
class FileIo {
 public:
  /// Auto: io_uring where the kernel allows it, else pread and pwrite. Failure: 58030 when io_uring is asked for by
  /// name and not to be had.
  static std::unique_ptr<FileIo> create(IoMethod method);
  virtual ~FileIo() = default;

  /// Performs all requests, in any order, and returns when all have ended. A sync is not ordered after writes of the
  /// same batch. What was transferred in part is carried on with.
  virtual void perform(std::span<IoRequest> requests) = 0;
  [[nodiscard]] virtual IoMethod method() const = 0;
};

/// 53100 for a full disk, else 58030: "could not `action` file ...".
[[noreturn]] void raiseIoError(const char* action, const std::filesystem::path& path, uint64_t offset, int error);
/// Whether an errno says that there is no room: ENOSPC, EDQUOT, EFBIG.
bool isDiskFull(int error);

}  // namespace gnomon
