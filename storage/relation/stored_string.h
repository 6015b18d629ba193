#pragma once

#include <cstdint>

#include "base/string_value.h"
#include "storage/relation/schema.h"

namespace gnomon::storage {

/// The bytes that a text of this header keeps outside the header, in the leaf's variable part; 0: it is inline (or
/// null).
inline uint32_t outsideBytes(const Datum& header) {
  const auto length = static_cast<uint32_t>(header.lo);
  return length > StringValue::kInlineBytesMax ? length : 0;
}
/// Where in the leaf the text of a stored header begins (V2). Only when it keeps bytes outside.
inline uint64_t storedOffset(const Datum& stored) {
  return stored.hi & StringValue::kAddressMask;
}
/// The bytes of a text that is given to a leaf. Only when it keeps bytes outside.
inline const char* givenBytes(const Datum& given) {
  return reinterpret_cast<const char*>(given.hi & StringValue::kAddressMask);
}
/// The `hi` of a stored header: class transient, so that adding the page's address makes it a finished StringValue.
inline uint64_t storedPlace(uint64_t offset) {
  return uint64_t{static_cast<uint8_t>(StringValue::Storage::Transient)} << StringValue::kStorageShift | offset;
}

}  // namespace gnomon::storage
