#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

#include "server/pgwire/byte_buffer.h"
#include "server/pgwire/client_socket.h"

namespace gnomon::server {

/// Sends replies that sessions hold back while they answer messages that have arrived already, once they are late:
/// whatever the session does meanwhile, and wherever it waits, its client gets what is ready.
///
/// Its thread starts with the first reply held back. Threads: any; a parcel is its session's and the courier's.
class ReplyCourier {
 public:
  /// Within about twice this a reply that is held back is on its way.
  static constexpr std::chrono::microseconds kLate{1000};

  /// What one session holds back.
  class Parcel {
   public:
    /// Both outlive the parcel.
    Parcel(ReplyCourier& courier, ClientSocket& socket) : courier_(courier), socket_(socket) {}
    ~Parcel();
    Parcel(const Parcel&) = delete;
    Parcel& operator=(const Parcel&) = delete;

    /// Behind what is in it. The bytes go out unless take() takes them first.
    void add(std::string_view bytes);
    /// What has not been sent, to the end of `bytes`. The parcel is empty then.
    void take(ByteBuffer& bytes);

   private:
    friend class ReplyCourier;
    /// False: it is empty.
    bool sendWhenLate(std::chrono::steady_clock::time_point now);

    ReplyCourier& courier_;
    ClientSocket& socket_;
    std::mutex mutex_;
    ByteBuffer bytes_;
    std::chrono::steady_clock::time_point since_;  ///< it has not been empty
    bool is_listed_ = false;                       ///< in the courier's list, under its mutex
    std::list<Parcel*>::iterator place_;
  };

  ReplyCourier() = default;
  /// There are no parcels any more.
  ~ReplyCourier();
  ReplyCourier(const ReplyCourier&) = delete;
  ReplyCourier& operator=(const ReplyCourier&) = delete;

 private:
  void list(Parcel& parcel);
  void forget(Parcel& parcel);
  void run();

  // Taken before a parcel's.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Parcel*> parcels_;  ///< that have something in them, or had
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace gnomon::server
