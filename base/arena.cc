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

void Arena::clear() {
  if (blocks_.empty()) return;
  for (const Block& block : blocks_) {
    if (block.bytes >= kHugePageBytes) {
      freeLarge(block.memory, block.bytes);
    } else {
      ::operator delete(block.memory, std::align_val_t{64});
    }
  }
  if (account_) account_->release(reserved_bytes_);
  blocks_.clear();
  next_ = end_ = nullptr;
  reserved_bytes_ = 0;
  next_block_bytes_ = first_block_bytes_;
}

}  // namespace gnomon
