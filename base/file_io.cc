#include "base/file_io.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/sql_error.h"

namespace gnomon {

namespace {

/// The kernel transfers less than 2 GiB at a time.
constexpr uint64_t kTransferBytesMax = uint64_t{1} << 30;

class PreadIo final : public FileIo {
 public:
  void perform(std::span<IoRequest> requests) override {
    for (IoRequest& request : requests) request.error = transfer(request);
  }
  [[nodiscard]] IoMethod method() const override { return IoMethod::Pread; }

 private:
  static int transfer(const IoRequest& request) {
    if (request.operation == IoRequest::Operation::SyncData) return ::fdatasync(request.descriptor) == 0 ? 0 : errno;
    if (request.operation == IoRequest::Operation::Sync) return ::fsync(request.descriptor) == 0 ? 0 : errno;
    for (uint64_t done = 0; done < request.bytes;) {
      const size_t bytes = std::min(request.bytes - done, kTransferBytesMax);
      const auto offset = static_cast<off_t>(request.offset + done);
      const ssize_t count = request.isWrite() ? ::pwrite(request.descriptor, request.memory + done, bytes, offset)
                                              : ::pread(request.descriptor, request.memory + done, bytes, offset);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno;
      if (count == 0) return IoRequest::kEndOfFile;
      done += static_cast<uint64_t>(count);
    }
    return 0;
  }
};

/// Each batch has a ring of its own while it lasts; rings are kept for the next one.
class UringIo final : public FileIo {
 public:
  static constexpr unsigned kQueueDepth = 64;

  /// Null where the kernel refuses.
  static std::unique_ptr<UringIo> tryCreate() {
    auto io = std::make_unique<UringIo>();
    auto first = io->tryOpenRing();
    if (!first) return nullptr;
    io->idle_.push_back(std::move(first));
    return io;
  }

  void perform(std::span<IoRequest> requests) override {
    std::unique_ptr<Ring> ring = take();
    if (!ring) return fallback_.perform(requests);
    Batch(*ring, requests).run();
    const std::scoped_lock guard(mutex_);
    idle_.push_back(std::move(ring));
  }
  [[nodiscard]] IoMethod method() const override { return IoMethod::IoUring; }

 private:
  struct Ring {
    io_uring ring{};
    const bool is_open;
    Ring() : is_open(io_uring_queue_init(kQueueDepth, &ring, 0) == 0) {}
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring() {
      if (is_open) io_uring_queue_exit(&ring);
    }
  };

  class Batch {
   public:
    Batch(Ring& ring, std::span<IoRequest> requests) : ring_(ring.ring), requests_(requests), done_(requests.size()) {}

    void run() {
      while (next_ < requests_.size() || in_flight_ > 0) {
        while (next_ < requests_.size() && in_flight_ < kQueueDepth) submit(next_++);
        const int result = io_uring_submit_and_wait(&ring_, 1);
        if (result < 0 && result != -EINTR && result != -EAGAIN && result != -EBUSY)
          throw SqlError(sqlstate::kIoError, fmt::format("io_uring failed: {}", std::strerror(-result)));
        reap();
      }
    }

   private:
    void submit(size_t index) {
      IoRequest& request = requests_[index];
      const uint64_t done = done_[index];
      const auto bytes = static_cast<unsigned>(std::min(request.bytes - done, kTransferBytesMax));
      io_uring_sqe* entry = io_uring_get_sqe(&ring_);
      switch (request.operation) {
        case IoRequest::Operation::Read:
          io_uring_prep_read(entry, request.descriptor, request.memory + done, bytes, request.offset + done);
          break;
        case IoRequest::Operation::Write:
          io_uring_prep_write(entry, request.descriptor, request.memory + done, bytes, request.offset + done);
          break;
        case IoRequest::Operation::SyncData:
          io_uring_prep_fsync(entry, request.descriptor, IORING_FSYNC_DATASYNC);
          break;
        case IoRequest::Operation::Sync:
          io_uring_prep_fsync(entry, request.descriptor, 0);
          break;
      }
      io_uring_sqe_set_data64(entry, index);
      ++in_flight_;
    }

    void reap() {
      io_uring_cqe* completion;
      while (io_uring_peek_cqe(&ring_, &completion) == 0) {
        const auto index = static_cast<size_t>(io_uring_cqe_get_data64(completion));
        const int result = completion->res;
        io_uring_cqe_seen(&ring_, completion);
        --in_flight_;
        IoRequest& request = requests_[index];
        if (result > 0) {
          done_[index] += static_cast<uint64_t>(result);
          if (done_[index] < request.bytes) submit(index);
        } else if (result == -EINTR || result == -EAGAIN) {
          submit(index);
        } else if (result < 0) {
          request.error = -result;
        } else if (request.operation == IoRequest::Operation::Read || request.isWrite()) {
          request.error = request.bytes == 0 ? 0 : IoRequest::kEndOfFile;
        }
      }
    }

    io_uring& ring_;
    std::span<IoRequest> requests_;
    std::vector<uint64_t> done_;
    size_t next_ = 0;
    size_t in_flight_ = 0;
  };

  static std::unique_ptr<Ring> tryOpenRing() {
    auto ring = std::make_unique<Ring>();
    return ring->is_open ? std::move(ring) : nullptr;
  }

  std::unique_ptr<Ring> take() {
    {
      const std::scoped_lock guard(mutex_);
      if (!idle_.empty()) {
        auto ring = std::move(idle_.back());
        idle_.pop_back();
        return ring;
      }
    }
    return tryOpenRing();
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Ring>> idle_;
  PreadIo fallback_;  ///< when the limit on locked memory or on descriptors refuses one more ring
};

}  // namespace

int openDirect(const std::filesystem::path& path, int flags) {
  const int opened = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_DIRECT | flags, 0600);
  return opened >= 0 || errno != EINVAL ? opened : ::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
}

bool isDiskFull(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

void raiseIoError(const char* action, const std::filesystem::path& path, uint64_t offset, int error) {
  throw SqlError(
      isDiskFull(error) ? sqlstate::kDiskFull : sqlstate::kIoError,
      fmt::format("could not {} file \"{}\" at offset {}: {}", action, path.string(), offset, std::strerror(error)));
}

std::unique_ptr<FileIo> FileIo::create(IoMethod method) {
  if (method != IoMethod::Pread) {
    if (auto io = UringIo::tryCreate()) return io;
    if (method == IoMethod::IoUring) throw SqlError(sqlstate::kIoError, "io_uring is not available");
  }
  return std::make_unique<PreadIo>();
}

}  // namespace gnomon
