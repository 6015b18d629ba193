#include "server/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/logging.h"
#include "codegen/executor/background_compiler.h"
#include "codegen/executor/key_evaluator.h"
#include "server/activity_view.h"
#include "server/buffer_view.h"
#include "server/listen_address.h"
#include "server/lock_view.h"
#include "server/memory_limit.h"
#include "server/metrics_endpoint.h"
#include "server/session_threads.h"
#include "server/session_views.h"
#include "server/statistics_views.h"
#include "server/storage_views.h"
#include "server/unix_socket.h"
#include "server/version.h"
#include "sql/catalog/system_tables.h"
#include "sql/pg_catalog/relations.h"
#include "txn/database_storage.h"

namespace gnomon::server {
namespace {

constexpr size_t kPlanCacheEntries = 512;

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {
    if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "cannot get a file descriptor");
  }
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_;
};

/// Takes SIGTERM and SIGINT from all threads; they are read from the descriptor.
int catchSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

/// Null: none is wanted, or nobody has asked for one and it cannot be had.
std::unique_ptr<UnixSocket> unixSocket(const ServeOptions& options, uint16_t port) {
  const std::string directory = options.socket_directory.value_or("/tmp");
  if (directory.empty()) return nullptr;
  try {
    return std::make_unique<UnixSocket>(directory, port);
  } catch (const std::system_error& error) {
    if (options.socket_directory) throw;
    logLine(LogLevel::Warning, "{}", error.what());
    return nullptr;
  }
}

Settings serverSettings(const ServeOptions& options, const ListenAddress& address, const UnixSocket* local) {
  Settings settings;
  const auto set = [&](SettingId id, const std::string& value) {
    settings.set(settingDescriptions()[static_cast<size_t>(id)].name, value, SettingSource::CommandLine);
  };
  const uint64_t memory = usableMemoryBytes();
  constexpr uint64_t kMiB = 1 << 20;
  set(SettingId::BufferPool,
      options.buffer_pool.empty() ? std::to_string(memory / 2 / kMiB * kMiB) : options.buffer_pool);
  set(SettingId::VersionMemoryLimit,
      options.version_memory_limit.empty() ? std::to_string(memory / 4 / kMiB * kMiB) : options.version_memory_limit);
  set(SettingId::IoMethod, options.io_method);
  set(SettingId::DoubleWrite, options.double_write ? "on" : "off");
  set(SettingId::MaxWalSize, options.max_wal_size);
  set(SettingId::WalSyncMethod, options.wal_sync_method);
  settings.setInternal(SettingId::QueryMemory, std::to_string(memory / 4 / kMiB * kMiB));
  settings.setInternal(SettingId::WorkMem, std::to_string(std::clamp<uint64_t>(memory / 16 / 1024, 64, INT32_MAX)));
  set(SettingId::DataDirectory, std::filesystem::absolute(options.data_directory).lexically_normal().string());
  set(SettingId::ListenAddresses, address.host);
  set(SettingId::Port, std::to_string(address.port));
  if (local != nullptr) set(SettingId::UnixSocketDirectories, local->path().parent_path().string());
  set(SettingId::MetricsListenAddress, options.metrics_listen);
  set(SettingId::MaxConnections, std::to_string(options.connections_max));
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  set(SettingId::WorkerCount, std::to_string(options.workers ? options.workers : cores));
  settings.setInternal(SettingId::ServerVersion, serverVersion());
  return settings;
}

storage::BufferOptions bufferOptions(const Settings& settings) {
  using storage::IoMethod;
  const std::string& method = settings.text(SettingId::IoMethod);
  return {.pool_bytes = static_cast<uint64_t>(settings.integer(SettingId::BufferPool)),
          .io_method = method == "io_uring" ? IoMethod::IoUring
                       : method == "pread"  ? IoMethod::Pread
                                            : IoMethod::Auto,
          .double_write = settings.text(SettingId::DoubleWrite) == "on"};
}

txn::LogOptions logOptions(const Settings& settings, const ServeOptions& started_with) {
  using wal::SyncMethod;
  const std::string& method = settings.text(SettingId::WalSyncMethod);
  txn::LogOptions options{.wal = {}, .log_bytes_max = static_cast<uint64_t>(settings.integer(SettingId::MaxWalSize))};
  options.redo_workers = static_cast<unsigned>(settings.integer(SettingId::WorkerCount));
  options.wal.segment_bytes = started_with.wal_segment_bytes;
  // Each log is a file that every round of group commit may have to sync: where that is waited for, or processors are
  // busy with messages, few are better.
  const size_t cores = std::thread::hardware_concurrency();
  const auto countOf = [&](size_t usual) {
    return std::clamp<size_t>(started_with.wal_logs != 0 ? started_with.wal_logs : usual, 1, 32);
  };
  options.wal.logs_max = countOf(cores);
  options.wal.shared_logs_max = countOf(cores / 2);
  options.wal.io_method = bufferOptions(settings).io_method;
  options.wal.sync_method = method == "fsync"           ? SyncMethod::Fsync
                            : method == "open_sync"     ? SyncMethod::OpenSync
                            : method == "open_datasync" ? SyncMethod::OpenDatasync
                                                        : SyncMethod::Fdatasync;
  return options;
}

void acceptConnection(int listener, SessionThreads& sessions) {
  const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection >= 0) {
    sessions.start(connection);
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
    logLine(LogLevel::Warning, "could not accept a connection: {}", std::generic_category().message(errno));
    // It stays in the queue: without a pause this would spin until a descriptor is free.
    ::poll(nullptr, 0, 100);
  }
}

/// Where clients come in.
struct Listeners {
  Descriptor network;
  std::unique_ptr<UnixSocket> local;  ///< null: there is none
};

/// Accepts connections until a signal comes.
void acceptConnections(const Listeners& listeners, int signals, SessionThreads& sessions) {
  constexpr int kReapIntervalMs = 1000;
  while (true) {
    // poll() passes over what is below 0.
    pollfd waits[3] = {{signals, POLLIN, 0},
                       {listeners.network.get(), POLLIN, 0},
                       {listeners.local ? listeners.local->descriptor() : -1, POLLIN, 0}};
    ::poll(waits, 3, kReapIntervalMs);
    if (waits[0].revents) return;
    sessions.reap();
    for (const pollfd& wait : std::span(waits).subspan(1))
      if (wait.fd >= 0 && wait.revents) acceptConnection(wait.fd, sessions);
  }
}

/// Null: nobody wants metrics.
std::unique_ptr<MetricsEndpoint> metricsEndpoint(const Settings& settings) {
  const std::string& wanted = settings.text(SettingId::MetricsListenAddress);
  if (wanted.empty()) return nullptr;
  const ListenAddress address = parseListenAddress(wanted);
  auto endpoint = std::make_unique<MetricsEndpoint>(address);
  logLine(LogLevel::Log, "serving metrics on {}, port {}", address.host, endpoint->port());
  return endpoint;
}

void serveConnections(const Settings& settings, txn::DatabaseStorage& storage, Listeners& listeners, int signals) {
  WorkerPool workers(static_cast<unsigned>(settings.integer(SettingId::WorkerCount)));
  const auto catalog = sql::Catalog::open(storage, codegen::compileKeyExpressions);
  storage.dropUnclaimed();
  sql::pg_catalog::addRelations(*catalog);
  for (const auto& each : catalog->cluster().catalogs()) sql::createSystemTables(*each, storage.transactions());
  catalog->addVirtual(bufferView(storage.buffers()));
  PlanCache plans(kPlanCacheEntries);
  const auto connections_max = static_cast<size_t>(settings.integer(SettingId::MaxConnections));
  SessionRegistry registry(connections_max);
  catalog->addVirtual(activityView(registry));
  catalog->addVirtual(gssapiView(registry));
  catalog->addVirtual(sslView(registry));
  catalog->addVirtual(lockView(catalog->cluster(), storage.transactions().locks()));
  catalog->addVirtual(transactionView(storage.transactions()));
  catalog->addVirtual(walView(storage));
  catalog->addVirtual(cursorsView());
  catalog->addVirtual(preparedStatementsView());
  for (sql::VirtualRelation& view : statisticsViews(catalog->cluster(), storage, registry))
    catalog->addVirtual(std::move(view));
  const auto registration = Metrics::instance().addSource([&](std::vector<MetricSample>& samples) {
    sampleBuffers(storage.buffers(), samples);
    sampleSessions(registry, samples);
    sampleTransactions(storage.transactions(), samples);
    sampleCheckpoints(storage, samples);
  });
  StatementTimers timers;
  ReplyCourier courier(storage.transactions());
  NotificationHub notifications;
  ServerContext context{*catalog, storage, storage.transactions(), workers,  plans,         registry,
                        timers,   courier, notifications,          settings, versionText(), unixTimeUs()};
  SessionThreads sessions(context, 2 * connections_max);
  logLine(LogLevel::Log, "listening on {}, port {}", settings.text(SettingId::ListenAddresses),
          settings.integer(SettingId::Port));
  if (listeners.local) logLine(LogLevel::Log, "listening on Unix socket \"{}\"", listeners.local->path().string());
  logLine(LogLevel::Log, "database system is ready to accept connections on port {}",
          settings.integer(SettingId::Port));
  acceptConnections(listeners, signals, sessions);
  logLine(LogLevel::Log, "shutting down: {} sessions are ended", registry.sessionCount());
  listeners.network.close();
  if (listeners.local) listeners.local->close();
  sessions.endAll();
  for (const auto& each : catalog->cluster().catalogs()) each->settleSequences();
  codegen::BackgroundCompiler::instance().stop();
}

ExitCode serveChecked(const ServeOptions& options) {
  const Descriptor signals(catchSignals());
  ListenAddress address = parseListenAddress(options.listen);
  Listeners listeners{.network = Descriptor(listenOn(address)), .local = nullptr};
  listeners.local = unixSocket(options, address.port);
  const Settings settings = serverSettings(options, address, listeners.local.get());
  logLine(LogLevel::Log, "starting Gnomon {} with a buffer pool of {} and {} workers", kVersion,
          settings.show(SettingId::BufferPool), settings.integer(SettingId::WorkerCount));
  const auto metrics = metricsEndpoint(settings);
  const auto storage =
      txn::DatabaseStorage::open(options.data_directory, bufferOptions(settings), logOptions(settings, options));
  storage->transactions().versionMemory().setLimit(
      static_cast<uint64_t>(settings.integer(SettingId::VersionMemoryLimit)));
  storage->collectInBackground();
  serveConnections(settings, *storage, listeners, signals.get());
  storage->checkpointAndClose();
  logLine(LogLevel::Log, "database system is shut down");
  return ExitCode::Clean;
}

}  // namespace

ExitCode serve(const ServeOptions& options) {
  return runCommand([&] { return serveChecked(options); });
}

}  // namespace gnomon::server
