#include "base/arena.h"

#include <algorithm>
#include <new>

#include "base/large_memory.h"

namespace gnomon {

void* Arena::allocateSlow(size_t bytes) {
  const size_t block_bytes = std::max(bytes, next_block_bytes_);
  if (account_) account_->charge(block_bytes);
  void* const taken = block_bytes >= kHugePageBytes ? allocateLarge(block_bytes)
                                                    : ::operator new(block_bytes, std::align_val_t{64}, std::nothrow);
  char* memory = static_cast<char*>(taken);
  if (!memory) {
    if (account_) account_->release(block_bytes);
    throw SqlError(sqlstate::kOutOfMemory, "out of memory");
  }
  blocks_.push_back({memory, block_bytes});
  reserved_bytes_ += block_bytes;
  next_block_bytes_ = std::min(next_block_bytes_ * 2, kBlockBytesMax);
  // A large request gets a block of its own when the current block still has more room.
  if (block_bytes - bytes >= static_cast<size_t>(end_ - next_)) {
    next_ = memory + bytes;
    end_ = memory + block_bytes;
  }
  return memory;
}

void Arena::release(size_t blocks_kept) {
  if (!blocks_.empty() && blocks_[0].bytes != first_block_bytes_) blocks_kept = 0;
  size_t bytes = 0;
  while (blocks_.size() > blocks_kept) {
    const Block& block = blocks_.back();
    if (block.bytes >= kHugePageBytes) {
      freeLarge(block.memory, block.bytes);
    } else {
      ::operator delete(block.memory, std::align_val_t{64});
    }
    bytes += block.bytes;
    blocks_.pop_back();
  }
  if (account_ && bytes > 0) account_->release(bytes);
  reserved_bytes_ -= bytes;
  next_ = blocks_.empty() ? nullptr : blocks_[0].memory;
  end_ = blocks_.empty() ? nullptr : next_ + first_block_bytes_;
  next_block_bytes_ = blocks_.empty() ? first_block_bytes_ : std::min(first_block_bytes_ * 2, kBlockBytesMax);
}

}  // namespace gnomon
