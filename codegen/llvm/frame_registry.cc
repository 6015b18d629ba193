#include "codegen/llvm/frame_registry.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string_view>

#include "base/assert.h"

namespace gnomon::codegen::jit {

/// As libgcc has it (struct dwarf_eh_bases).
struct UnwindBases {
  void* text;
  void* data;
  void* function;
};

}  // namespace gnomon::codegen::jit

using gnomon::codegen::jit::UnwindBases;

/// In the place of the runtime's. `at`: in the function; returns its description, null: it has none.
extern "C" [[gnu::visibility("default")]] const void* _Unwind_Find_FDE(void* at, UnwindBases* bases);  // NOLINT

namespace {

using Bytes = std::span<const std::byte>;
using Find = decltype(&_Unwind_Find_FDE);

/// A function, from its first byte, which is the key, to behind its last one.
struct Description {
  uintptr_t end;
  const std::byte* bytes;
};

[[noreturn]] void refuse(const char* what) {
  throw std::runtime_error(std::string("unwind information of machine code: ") + what);
}

/// Reads the fields of a record, one after another.
class Reader {
 public:
  explicit Reader(const std::byte* at) : at_(at) {}

  template <typename Number>
  Number plain() {
    Number number;
    std::memcpy(&number, at_, sizeof(number));
    at_ += sizeof(number);
    return number;
  }
  uint64_t unsignedNumber() {
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = plain<uint8_t>();
      number |= uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) == 0) return number;
    }
  }
  std::string_view text() {
    const std::string_view found(reinterpret_cast<const char*>(at_));
    at_ += found.size() + 1;
    return found;
  }
  void skip(size_t bytes) { at_ += bytes; }
  [[nodiscard]] const std::byte* at() const { return at_; }

 private:
  const std::byte* at_;
};

// DWARF exception header encodings (LSB core specification, 10.5.1): the low half is the format, then what it is
// relative to.
constexpr uint8_t kPointer = 0x00, kUnsigned4 = 0x03, kUnsigned8 = 0x04, kSigned4 = 0x0b, kSigned8 = 0x0c;
constexpr uint8_t kFormatMask = 0x0f, kRelative = 0x10, kRelationMask = 0xf0;

size_t widthOf(uint8_t encoding) {
  const uint8_t format = encoding & kFormatMask;
  if (format == kUnsigned4 || format == kSigned4) return 4;
  if (format == kPointer || format == kUnsigned8 || format == kSigned8) return 8;
  refuse("an encoding of pointers");
}

uint64_t number(Reader& reader, uint8_t encoding) {
  if (widthOf(encoding) == 8) return reader.plain<uint64_t>();
  return (encoding & kFormatMask) == kSigned4 ? static_cast<uint64_t>(int64_t{reader.plain<int32_t>()})
                                              : reader.plain<uint32_t>();
}

/// How the descriptions that refer to this common part (CIE) write their function's address.
uint8_t pointerEncoding(const std::byte* common) {
  Reader reader(common);
  reader.skip(8);  // length, mark
  const auto version = reader.plain<uint8_t>();
  const std::string_view augmentation = reader.text();
  if (augmentation.empty()) return kPointer;
  if (augmentation.front() != 'z') refuse("an augmentation");
  reader.unsignedNumber();  // of code
  reader.unsignedNumber();  // of data
  if (version == 1)
    reader.skip(1);  // the return address
  else
    reader.unsignedNumber();
  reader.unsignedNumber();  // bytes that follow
  for (const char each : augmentation.substr(1)) {
    if (each == 'R') return reader.plain<uint8_t>();
    if (each == 'L')
      reader.skip(1);
    else if (each == 'P')
      reader.skip(widthOf(reader.plain<uint8_t>()));
    else if (each != 'S')
      refuse("an augmentation");
  }
  return kPointer;
}

/// Calls `each` with first address and description of every function.
template <typename Each>
void forEachFunction(Bytes section, Each&& each) {
  const std::byte* const end = section.data() + section.size();
  for (const std::byte* record = section.data(); record + 4 <= end;) {
    Reader reader(record);
    const auto length = reader.plain<uint32_t>();
    if (length == 0) return;
    if (length == UINT32_MAX) refuse("a long record");
    const std::byte* const place = reader.at();
    if (const auto common_distance = reader.plain<uint32_t>(); common_distance != 0) {
      const uint8_t encoding = pointerEncoding(place - common_distance);
      const std::byte* const field = reader.at();
      uint64_t first = number(reader, encoding);
      if ((encoding & kRelationMask) == kRelative)
        first += reinterpret_cast<uintptr_t>(field);
      else if ((encoding & kRelationMask) != 0)
        refuse("an encoding of addresses");
      const uint64_t bytes = number(reader, encoding & kFormatMask);
      each(first, Description{first + bytes, record});
    }
    record = place + length;
  }
}

/// Of the process. Never destroyed: exceptions may be thrown until it ends.
class Registry {
  using Functions = std::map<uintptr_t, Description>;

 public:
  static Registry& instance() {
    static Registry& made = *new Registry;
    return made;
  }
  /// Nothing is thrown while the mutex is held: that would look for frames.
  void add(Bytes section) {
    Functions made;
    forEachFunction(section, [&](uintptr_t first, const Description& description) { made[first] = description; });
    if (made.empty()) return;
    const uintptr_t lowest = made.begin()->first, end = made.rbegin()->second.end;
    const std::unique_lock lock(mutex_);
    functions_.merge(made);
    lowest_.store(std::min(lowest, lowest_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
    end_.store(std::max(end, end_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
  }
  void remove(Bytes section) {
    const std::unique_lock lock(mutex_);
    forEachFunction(section, [&](uintptr_t first, const Description&) { functions_.erase(first); });
  }
  const void* find(uintptr_t at, UnwindBases& bases) const {
    if (at < lowest_.load(std::memory_order_relaxed) || at >= end_.load(std::memory_order_relaxed)) return nullptr;
    const std::shared_lock lock(mutex_);
    auto found = functions_.upper_bound(at);
    if (found == functions_.begin()) return nullptr;
    --found;
    if (at >= found->second.end) return nullptr;
    bases = {nullptr, nullptr, reinterpret_cast<void*>(found->first)};
    return found->second.bytes;
  }

 private:
  /// Whether the runtime asks here: that is a matter of how the program was linked.
  [[nodiscard]] static bool isAsked() {
    return dlsym(RTLD_DEFAULT, "_Unwind_Find_FDE") == reinterpret_cast<void*>(&_Unwind_Find_FDE);
  }
  Registry() { CHECK(isAsked(), "the program exports _Unwind_Find_FDE"); }

  mutable std::shared_mutex mutex_;
  Functions functions_;
  // All that were ever there are between: most frames are the program's own, and far from them.
  std::atomic<uintptr_t> lowest_{UINTPTR_MAX}, end_{0};
};

Find runtimeFind() {
  static const Find find = reinterpret_cast<Find>(dlsym(RTLD_NEXT, "_Unwind_Find_FDE"));
  return find;
}

}  // namespace

void gnomon::codegen::jit::addFrames(std::span<const std::byte> section) {
  Registry::instance().add(section);
}

void gnomon::codegen::jit::removeFrames(std::span<const std::byte> section) {
  Registry::instance().remove(section);
}

const void* _Unwind_Find_FDE(void* at, UnwindBases* bases) {  // NOLINT
  if (const void* const found = Registry::instance().find(reinterpret_cast<uintptr_t>(at), *bases)) return found;
  return runtimeFind()(at, bases);
}
