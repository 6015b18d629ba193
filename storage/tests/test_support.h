#pragma once

#include "base/tests/test_support.h"

/// What the tests of all rooms share stands in base/tests.
namespace gnomon::storage::testing {
using gnomon::testing::errorOf;
using gnomon::testing::FullDisk;
using gnomon::testing::kMiB;
using gnomon::testing::TemporaryDirectory;
using gnomon::testing::testSeed;
}  // namespace gnomon::storage::testing
