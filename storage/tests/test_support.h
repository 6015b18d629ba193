#pragma once

#include "base/tests/test_support.h"

/// What the tests of all rooms share stands in base/tests.
namespace gnomon::storage {
namespace testing = ::gnomon::testing;
}  // namespace gnomon::storage
