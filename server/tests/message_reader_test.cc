#include "server/pgwire/message_reader.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <string>
#include <thread>

#include "server/pgwire/message_body.h"
#include "server/pgwire/message_writer.h"
#include "server/pgwire/wire_number.h"

namespace gnomon::server {
namespace {

/// A connected pair: the server's end as a session has it, the client's as a bare descriptor.
class Connection {
 public:
  Connection() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    client_ = ends[1];
    socket_ = std::make_unique<ClientSocket>(ends[0], interrupts_);
  }
  ~Connection() { closeClient(); }
  void closeClient() {
    if (client_ >= 0) ::close(client_);
    client_ = -1;
  }
  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  [[nodiscard]] int client() const { return client_; }
  ClientSocket& socket() { return *socket_; }
  Interrupts& interrupts() { return interrupts_; }

 private:
  Interrupts interrupts_;
  std::unique_ptr<ClientSocket> socket_;
  int client_ = -1;
};

std::string message(char type, std::string_view body) {
  std::string bytes(1, type);
  char length[4];
  writeBigEndian(length, static_cast<uint32_t>(body.size() + 4));
  return bytes.append(length, 4).append(body);
}

TEST(MessageReader, CutsMessagesHoweverTheyArrive) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::vector<std::string> bodies;
  std::string stream;
  for (int i = 0; i < 300; ++i) {
    bodies.emplace_back(random() % (i % 50 == 0 ? 300000 : 300), static_cast<char>('a' + i % 26));
    stream += message("QPBd"[i % 4], bodies.back());
  }
  Connection connection;
  std::thread client([&] {
    for (size_t at = 0; at < stream.size();) {
      const size_t piece = std::min<size_t>(1 + random() % 5000, stream.size() - at);
      connection.send(std::string_view(stream).substr(at, piece));
      at += piece;
    }
  });
  MessageReader reader(connection.socket());
  for (size_t i = 0; i < bodies.size(); ++i) {
    const Message found = reader.next();
    EXPECT_EQ(found.type, "QPBd"[i % 4]);
    ASSERT_EQ(found.body, bodies[i]);
  }
  client.join();
}

TEST(MessageReader, GathersCopyDataAndStopsAtTheNextOtherMessage) {
  Connection connection;
  std::string expected;
  std::string stream;
  for (int i = 0; i < 2000; ++i) {
    const std::string line = std::to_string(i) + "|x\n";
    expected += line;
    stream += message('d', line);
  }
  stream += message('c', "");
  std::thread client([&] { connection.send(stream); });
  MessageReader reader(connection.socket());
  ByteBuffer data;
  while (reader.readCopyData(data, 1000)) {
  }
  EXPECT_EQ(data.view(), expected);
  EXPECT_EQ(reader.next().type, 'c');
  client.join();
}

TEST(MessageReader, PassesOverTheRestOfACopyMessageNobodyWants) {
  Connection connection;
  connection.send(message('d', std::string(5000, 'x')) + message('S', ""));
  MessageReader reader(connection.socket());
  ByteBuffer data;
  EXPECT_TRUE(reader.readCopyData(data, 10));
  EXPECT_EQ(reader.next().type, 'S');
}

TEST(MessageReader, EndsTheConnectionOnGarbage) {
  const std::string cases[] = {
      std::string("\x16\x03\x01\x00\x00", 5), std::string("Q\x00\x00\x00\x03", 5), std::string("Q\xff\xff\xff\xff", 5),
      std::string("S\x00\x00\xff\xff", 5),    std::string("Q\x3f\xff\xff\xff", 5), std::string("!\x00\x00\x00\x04", 5),
  };
  for (const std::string& bytes : cases) {
    Connection connection;
    connection.send(bytes);
    MessageReader reader(connection.socket());
    EXPECT_THROW(reader.next(), FatalProtocolError);
  }
}

TEST(MessageReader, TakesNoMemoryForWhatWasOnlyAnnounced) {
  Connection connection;
  connection.send(std::string("Q\x3f\xff\xff\xfe", 5) + "select");
  connection.closeClient();
  MessageReader reader(connection.socket());
  EXPECT_THROW(reader.next(), ConnectionLost);
}

TEST(MessageReader, IsWokenByTermination) {
  Connection connection;
  MessageReader reader(connection.socket());
  std::thread other([&] { connection.interrupts().requestTermination(); });
  EXPECT_THROW(reader.next(), SqlError);
  other.join();
}

TEST(MessageWriter, LosesNothingWhenACancelInterruptsSending) {
  Connection connection;
  txn::TransactionManager transactions;
  ReplyCourier courier(transactions);
  MessageWriter writer(connection.socket(), courier);
  connection.interrupts().beginStatement();
  const std::string large = message('D', std::string(8 << 20, 'x'));
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    connection.interrupts().requestCancel();
  });
  EXPECT_THROW(writer.write(large), SqlError);
  canceller.join();
  connection.interrupts().endStatement();
  writer.putEmpty('Z');
  std::string received;
  std::thread client([&] {
    char bytes[65536];
    while (received.size() < large.size() + 5) {
      const ssize_t count = recv(connection.client(), bytes, sizeof(bytes), 0);
      if (count <= 0) return;
      received.append(bytes, static_cast<size_t>(count));
    }
  });
  writer.flush();
  client.join();
  EXPECT_EQ(received, large + message('Z', ""));
}

/// What arrives at the client until there are `bytes`.
std::string receive(const Connection& connection, size_t bytes) {
  std::string received(bytes, '\0');
  const ssize_t count = recv(connection.client(), received.data(), bytes, MSG_WAITALL);
  received.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  return received;
}

TEST(MessageWriter, SendsWhatItHoldsBackWhenThatIsLate) {
  Connection connection;
  txn::TransactionManager transactions;
  ReplyCourier courier(transactions);
  MessageWriter writer(connection.socket(), courier);
  // Nobody flushes: the first one again and again, so that the courier sleeps in between.
  for (const char type : {'A', 'B', 'C'}) {
    writer.putEmpty(type);
    writer.flushSoon();
    EXPECT_EQ(receive(connection, 5), message(type, ""));
  }
}

TEST(MessageWriter, KeepsTheOrderOfWhatItHoldsBack) {
  Connection connection;
  txn::TransactionManager transactions;
  ReplyCourier courier(transactions);
  MessageWriter writer(connection.socket(), courier);
  std::string expected, received;
  std::thread client([&] {
    char bytes[65536];
    ssize_t count = 0;
    while ((count = recv(connection.client(), bytes, sizeof(bytes), 0)) > 0)
      received.append(bytes, static_cast<size_t>(count));
  });
  for (int round = 0; round < 20'000; ++round) {
    const std::string text =
        message('D', std::to_string(round) + std::string(round % 97 == 0 ? 70'000 : round % 50, 'x'));
    expected += text;
    writer.write(text);
    if (round % 3 == 0) writer.flushSoon();
    if (round % 31 == 0) writer.flush();
    if (round % 1009 == 0) std::this_thread::sleep_for(2 * ReplyCourier::kLate);
    if (round % 57 == 0) writer.flushHeld();
  }
  writer.putEmpty('Z');
  writer.flushLast(std::chrono::milliseconds(10'000));
  shutdown(connection.client(), SHUT_RD);
  client.join();
  EXPECT_EQ(received, expected + message('Z', ""));
}

TEST(MessageReader, KnowsWhetherAMessageIsThere) {
  Connection connection;
  MessageReader reader(connection.socket());
  const std::string text = message('Q', "first") + message('Q', "second");
  connection.send(text.substr(0, text.size() - 1));
  EXPECT_FALSE(reader.hasNext());
  EXPECT_EQ(reader.next().body, "first");
  EXPECT_FALSE(reader.hasNext());
  connection.send(text.substr(text.size() - 1) + message('S', ""));
  EXPECT_EQ(reader.next().body, "second");
  EXPECT_TRUE(reader.hasNext());
  EXPECT_FALSE(reader.hasNextBehindSync());
  connection.send(message('B', "third"));
  EXPECT_EQ(reader.next().type, 'S');
  EXPECT_FALSE(reader.hasNext());
  EXPECT_EQ(reader.next().type, 'B');
  connection.send(message('S', "") + message('B', "fourth") + message('S', ""));
  connection.send(message('C', "fifth"));
  EXPECT_EQ(reader.next().type, 'S');
  EXPECT_TRUE(reader.hasNextBehindSync());
  EXPECT_EQ(reader.next().type, 'B');
  EXPECT_TRUE(reader.hasNextBehindSync());
}

TEST(MessageBody, RefusesTruncatedFields) {
  EXPECT_THROW(MessageBody("abc").takeNumber<int32_t>(), SqlError);
  EXPECT_THROW(MessageBody("abc").takeString(), SqlError);
  MessageBody body(std::string_view("ab\0\x00\x07", 5));
  EXPECT_EQ(body.takeString(), "ab");
  EXPECT_EQ(body.takeNumber<int16_t>(), 7);
  EXPECT_NO_THROW(body.finish());
}

}  // namespace
}  // namespace gnomon::server
