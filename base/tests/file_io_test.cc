#include "base/file_io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/tests/test_support.h"

namespace gnomon {
namespace {

using Operation = IoRequest::Operation;

class FileIoByMethod : public ::testing::TestWithParam<IoMethod> {};

TEST_P(FileIoByMethod, ReadsWhatWasWrittenAndTellsOfErrors) {
  const testing::TemporaryDirectory directory;
  const auto io = FileIo::create(GetParam());
  EXPECT_EQ(io->method(), GetParam());
  const int descriptor = ::open((directory.path() / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(descriptor, 0);
  // More than fit into the ring at once, of unaligned sizes.
  std::string text(200 * 777, '\0');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 31 + i / 777);
  std::vector<IoRequest> requests;
  for (uint64_t i = 0; i < 200; ++i)
    requests.push_back({.descriptor = descriptor,
                        .operation = Operation::Write,
                        .memory = reinterpret_cast<std::byte*>(text.data()) + i * 777,
                        .bytes = 777,
                        .offset = i * 777});
  io->perform(requests);
  for (const IoRequest& request : requests) EXPECT_EQ(request.error, 0);
  IoRequest syncs[] = {{.descriptor = descriptor, .operation = Operation::SyncData},
                       {.descriptor = descriptor, .operation = Operation::Sync},
                       {.descriptor = -1, .operation = Operation::SyncData}};
  io->perform(syncs);
  EXPECT_EQ(syncs[0].error, 0);
  EXPECT_EQ(syncs[1].error, 0);
  EXPECT_EQ(syncs[2].error, EBADF);
  std::string read(text.size(), '\0');
  IoRequest reads[] = {
      {.descriptor = descriptor, .memory = reinterpret_cast<std::byte*>(read.data()), .bytes = read.size()},
      {.descriptor = descriptor,
       .memory = reinterpret_cast<std::byte*>(read.data()),
       .bytes = 10,
       .offset = text.size() - 5}};
  io->perform({reads, 1});
  EXPECT_EQ(reads[0].error, 0);
  EXPECT_TRUE(read == text);
  io->perform({reads + 1, 1});
  EXPECT_EQ(reads[1].error, IoRequest::kEndOfFile);
  ::close(descriptor);
}

INSTANTIATE_TEST_SUITE_P(IoMethods, FileIoByMethod, ::testing::Values(IoMethod::IoUring, IoMethod::Pread));

}  // namespace
}  // namespace gnomon
