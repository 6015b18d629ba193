#pragma once

#include <memory>
#include <vector>

#include "base/cancel.h"
#include "base/memory_account.h"
#include "codegen/executor/index_source.h"
#include "sql/catalog/inverted_keys.h"

namespace gnomon::codegen {

/// Tuples that may satisfy all searches of an inverted index, each once, in the order of their ids.
///
/// Each key that has to be there, and each set of keys of which one has to be, is a list of tuple ids. Lists are read a
/// piece of each in turn until one is at its end, and the others not much further: those that end as well are
/// intersected with it, of longer ones nothing more is read. The scan's filters look at the tuples.
/// Threads: as TupleSource; the lists are read by whoever claims first.
class InvertedSource final : public BoundedSource {
 public:
  InvertedSource(txn::Table& table, const txn::Snapshot& snapshot, std::shared_ptr<txn::TableIndex> index,
                 IndexRangeShape shape, double estimated_rows, std::vector<uint32_t> columns, const CancelToken& cancel,
                 MemoryAccount& memory);
  ~InvertedSource() override;
  bool park() override;

 private:
  class List;
  bool claim(std::vector<storage::TupleId>& ids) override;
  void open();
  bool addLists(size_t number, std::vector<std::unique_ptr<List>>& lists);
  void read(std::vector<std::unique_ptr<List>>& lists);
  bool readUpTo(List& list, size_t count);

  const CancelToken& cancel_;
  MemoryAccount& memory_;
  bool is_open_ = false;
  FoundTuples found_;
};

/// Reads an index as the shape says: a range of an ordered one, or keys of an inverted one.
std::unique_ptr<BoundedSource> makeBoundedSource(txn::Table& table, std::shared_ptr<txn::TableIndex> index,
                                                 const IndexRangeShape& shape, double estimated_rows,
                                                 std::vector<uint32_t> columns, ExecutionState& state);

}  // namespace gnomon::codegen
