#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>

#include "server/pgwire/byte_buffer.h"
#include "server/pgwire/client_socket.h"
#include "txn/transaction.h"

namespace gnomon::server {

/// Sends replies that sessions hold back while they answer messages that have arrived already, once they are late:
/// whatever the session does meanwhile, and wherever it waits, its client gets what is ready. What a reply tells of is
/// on stable storage before: the courier has late ones synced, while their sessions go on.
///
/// Its thread starts with the first reply held back. Threads: any; a parcel is its session's and the courier's.
class ReplyCourier {
 public:
  /// Within about twice this a reply that is held back is on its way.
  static constexpr std::chrono::microseconds kLate{3000};

  /// What one session holds back.
  class Parcel {
   public:
    /// Both outlive the parcel.
    Parcel(ReplyCourier& courier, ClientSocket& socket) : courier_(courier), socket_(socket) {}
    ~Parcel();
    Parcel(const Parcel&) = delete;
    Parcel& operator=(const Parcel&) = delete;

    /// Behind what is in it. The bytes go out, once what `ticket` says is stable, unless take() takes them first.
    /// Returns how many there are.
    size_t add(std::string_view bytes, const wal::CommitTicket& ticket);
    /// What has not been sent, to the end of `bytes`, and what it waits for to `ticket`. The parcel is empty then.
    void take(ByteBuffer& bytes, wal::CommitTicket& ticket);

   private:
    friend class ReplyCourier;
    /// Bytes that wait for the same.
    struct Part {
      size_t bytes;
      wal::CommitTicket ticket;
    };
    /// False: it is empty. What late bytes wait for is joined to `awaited`.
    bool sendWhenLate(std::chrono::steady_clock::time_point now, wal::CommitTicket& awaited);
    [[nodiscard]] size_t stableBytes() const;
    void removeSent(size_t bytes);

    ReplyCourier& courier_;
    ClientSocket& socket_;
    std::mutex mutex_;
    ByteBuffer bytes_;
    std::deque<Part> parts_;                       ///< of which they are
    std::chrono::steady_clock::time_point since_;  ///< it has not been empty
    bool is_listed_ = false;                       ///< in the courier's list, under its mutex
    std::list<Parcel*>::iterator place_;
  };

  /// `transactions` outlives it.
  explicit ReplyCourier(txn::TransactionManager& transactions) : transactions_(transactions) {}
  /// There are no parcels any more.
  ~ReplyCourier();
  ReplyCourier(const ReplyCourier&) = delete;
  ReplyCourier& operator=(const ReplyCourier&) = delete;

  /// Of those whose replies it carries.
  [[nodiscard]] txn::TransactionManager& transactions() { return transactions_; }

 private:
  void list(Parcel& parcel);
  void forget(Parcel& parcel);
  /// Under the mutex. Returns what parcels that are late wait for.
  [[nodiscard]] wal::CommitTicket sendLate();
  void run();

  txn::TransactionManager& transactions_;

  // Taken before a parcel's.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Parcel*> parcels_;  ///< that have something in them, or had
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace gnomon::server
