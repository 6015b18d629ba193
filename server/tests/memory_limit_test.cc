#include "server/memory_limit.h"

#include <gtest/gtest.h>

#include <fstream>

namespace gnomon::server {
namespace {

namespace fs = std::filesystem;

class MemoryLimit : public testing::Test {
 protected:
  MemoryLimit() : root_(fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
  }
  ~MemoryLimit() override { fs::remove_all(root_); }
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  [[nodiscard]] uint64_t limit() const { return usableMemoryBytes(root_ / "proc", root_ / "cgroup"); }

 private:
  fs::path root_;
};

TEST_F(MemoryLimit, IsTheMachinesWithoutControlGroups) {
  EXPECT_GT(limit(), uint64_t{1} << 27);
}

TEST_F(MemoryLimit, IsTheLeastOfAGroupAndThoseAboveIt) {
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("cgroup/outer/memory.max", "67108864\n");
  write("cgroup/outer/inner/memory.max", "max\n");
  EXPECT_EQ(limit(), uint64_t{64} << 20);
  write("cgroup/outer/inner/memory.max", "33554432\n");
  EXPECT_EQ(limit(), uint64_t{32} << 20);
}

TEST_F(MemoryLimit, KnowsVersionOne) {
  write("proc/self/cgroup", "5:cpu:/x\n4:memory:/x\n");
  write("cgroup/memory/x/memory.limit_in_bytes", "16777216\n");
  EXPECT_EQ(limit(), uint64_t{16} << 20);
}

}  // namespace
}  // namespace gnomon::server
