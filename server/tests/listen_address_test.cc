#include "server/listen_address.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>

namespace gnomon::server {
namespace {

TEST(ParseListenAddress, TakesLoopbackAddressesOnly) {
  EXPECT_EQ(parseListenAddress("127.0.0.1:5433").port, 5433);
  EXPECT_EQ(parseListenAddress("localhost:0").host, "127.0.0.1");
  EXPECT_EQ(parseListenAddress("[::1]:5432").host, "::1");
  EXPECT_EQ(parseListenAddress("127.9.9.9:1").host, "127.9.9.9");
  for (const char* refused : {"0.0.0.0:5432", "192.168.0.1:5432", "[::]:5432", "example.org:5432", "127.0.0.1",
                              "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x", "[::1]", ":5432", ""})
    EXPECT_THROW(parseListenAddress(refused), std::invalid_argument) << refused;
}

TEST(ListenOn, SaysWhichPortTheSystemChose) {
  ListenAddress address = parseListenAddress("127.0.0.1:0");
  const int descriptor = listenOn(address);
  EXPECT_NE(address.port, 0);
  close(descriptor);
}

}  // namespace
}  // namespace gnomon::server
