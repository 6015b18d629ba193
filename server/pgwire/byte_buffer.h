#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace gnomon::server {

/// Bytes that grow at the end and are taken from the front. New space is not initialised, so what is announced but
/// never arrives costs nothing. Threads: one.
class ByteBuffer {
 public:
  ByteBuffer() = default;
  ~ByteBuffer() { std::free(memory_); }
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  ByteBuffer(ByteBuffer&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)),
        begin_(std::exchange(other.begin_, 0)),
        end_(std::exchange(other.end_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}

  [[nodiscard]] const char* data() const { return memory_ + begin_; }
  [[nodiscard]] char* data() { return memory_ + begin_; }
  [[nodiscard]] size_t size() const { return end_ - begin_; }
  [[nodiscard]] bool empty() const { return begin_ == end_; }
  [[nodiscard]] std::string_view view() const { return {data(), size()}; }

  /// Room for `bytes` more at the end: where they go, and how many fit (at least `bytes`). Moves what is held.
  char* reserve(size_t bytes) {
    if (capacity_ - end_ < bytes) [[unlikely]]
      makeRoom(bytes);
    return memory_ + end_;
  }
  [[nodiscard]] size_t room() const { return capacity_ - end_; }
  /// `bytes` were written at what reserve() returned.
  void extend(size_t bytes) { end_ += bytes; }
  void append(const char* bytes, size_t count) {
    if (count == 0) return;  // the bytes may be nowhere
    std::memcpy(reserve(count), bytes, count);
    end_ += count;
  }
  void append(std::string_view bytes) { append(bytes.data(), bytes.size()); }
  void removeFront(size_t bytes) {
    begin_ += bytes;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  /// Keeps the first `bytes`.
  void truncate(size_t bytes) { end_ = begin_ + bytes; }
  void clear() { begin_ = end_ = 0; }
  /// Gives memory over `bytes` back when the buffer is empty.
  void shrink(size_t bytes) {
    if (!empty() || capacity_ <= bytes) return;
    std::free(std::exchange(memory_, nullptr));
    begin_ = end_ = capacity_ = 0;
  }

 private:
  void makeRoom(size_t bytes) {
    const size_t held = size();
    if (begin_ > 0 && capacity_ - held >= bytes && begin_ >= held) {
      std::memcpy(memory_, memory_ + begin_, held);
    } else {
      size_t capacity = capacity_ ? capacity_ : kFirstCapacityBytes;
      while (capacity - held < bytes) capacity *= 2;
      auto* memory = static_cast<char*>(std::malloc(capacity));
      if (!memory) throw std::bad_alloc();
      if (held) std::memcpy(memory, memory_ + begin_, held);
      std::free(memory_);
      memory_ = memory;
      capacity_ = capacity;
    }
    begin_ = 0;
    end_ = held;
  }

  static constexpr size_t kFirstCapacityBytes = 8192;

  char* memory_ = nullptr;
  size_t begin_ = 0, end_ = 0, capacity_ = 0;
};

}  // namespace gnomon::server
