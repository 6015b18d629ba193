#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/page_record.h"

namespace gnomon::storage {

/// Does to a page what a record's part says. Failure: XX001 when the operations are none for such a page.
void applyOperations(std::byte* page, uint64_t page_bytes, wal::Bytes operations);

}  // namespace gnomon::storage
