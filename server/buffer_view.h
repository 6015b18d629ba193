#pragma once

#include <vector>

#include "base/metrics.h"
#include "sql/catalog/virtual_relation.h"
#include "storage/buffer_manager.h"

namespace gnomon::server {

/// The system view gnomon_buffer: what the buffer manager, which outlives it, holds and has counted, a row for each
/// size class that the pool has room for. Counts grow from 0 at the server's start.
sql::VirtualRelation bufferView(storage::BufferManager& buffers);

/// The same for the metrics, but for the number of dirty frames, which takes a look at each.
void sampleBuffers(const storage::BufferManager& buffers, std::vector<MetricSample>& samples);

}  // namespace gnomon::server
