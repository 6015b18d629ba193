#include "txn/version_store.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "storage/frame.h"

namespace gnomon::txn {
namespace {

/// A transaction may end while a page of its is freed: its memory goes when it finds its version in no chain, but not
/// while the page's chain is still taken apart.
TEST(VersionStore, VersionsStayUntilTheChainsOfAFreedPageAreTakenApart) {
  constexpr int kRounds = 200;
  constexpr size_t kVersions = 50;
  for (int round = 0; round < kRounds; ++round) {
    EpochManager epochs;
    VersionStore store(epochs);
    storage::Frame frame;
    VersionMap& map = store.mapOf(frame);
    std::vector<Version*> versions;
    for (size_t i = 0; i < kVersions; ++i) {
      versions.push_back(new Version(kTransactionIdMin + i, 1, Version::Kind::Updated, TupleId{7}));
      map.add(*versions.back());
    }
    std::thread ending([&] {
      // The newest is taken out first.
      for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
        while ((*version)->map.load(std::memory_order_acquire) != nullptr) std::this_thread::yield();
        epochs.retire([gone = *version] { delete gone; });
      }
    });
    store.hooks().discard(frame.version_map.exchange(nullptr));
    ending.join();
    epochs.collect();
    EXPECT_EQ(store.mapCount(), 0u);
  }
}

}  // namespace
}  // namespace gnomon::txn
