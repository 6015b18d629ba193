#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <string>

#include "storage/page.h"

namespace gnomon::storage {

/// Why a data directory cannot be used.
class DirectoryError : public std::exception {
 public:
  enum class Reason {
    NotOurs,        ///< not empty, and without a control file of Gnomon
    Locked,         ///< another server uses it
    FormatVersion,  ///< written by a version with another format
    Unclean,        ///< it is only to be read, and the last server did not shut down cleanly
    Damaged,        ///< the control file does not match its checksum
    NotPermitted,   ///< missing access rights
    Io              ///< any other failure of the file system
  };
  DirectoryError(Reason reason, std::string message) : reason_(reason), message_(std::move(message)) {}
  [[nodiscard]] Reason reason() const { return reason_; }
  /// A sentence for the operator: names the directory and the pid, versions or errno concerned.
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  Reason reason_;
  std::string message_;
};

inline constexpr uint32_t kFormatVersion = 19;

/// What is needed to reopen one relation. The root page never moves while the relation lives.
///
/// Layout: 64 bytes, part of the registry of relations.
struct RelationState {
  /// Beside the number in variable_bytes: it is exact. Without: leaves were freed without being read.
  static constexpr uint64_t kStringsCounted = uint64_t{1} << 63;

  PageId root;
  uint64_t next_tuple_id;  ///< ids from here on have never been visible
  uint64_t tuple_count;    ///< tuples in leaves, deleted ones included
  uint64_t deleted_count;  ///< of those, flagged deleted
  uint64_t leaf_count;
  uint64_t variable_bytes;  ///< string bytes in leaves, for the capacity of the next leaf; with kStringsCounted
  uint64_t is_estimate;     ///< 1: after a crash, what is counted is not exact
  uint64_t spare;
};
static_assert(sizeof(RelationState) == 64);

/// The contents of the control file.
///
/// Layout, 64 bytes:    0  magic "GNOMONDB"     8  checksum (XXH3 of bytes 16 to the end)
///                     16  format version      20  state
///                     24  spare, zero
struct ControlData {
  /// Creating: nothing in the directory is worth keeping yet. Running: recovery begins with the log.
  enum class State : uint32_t { Running = 1, Clean = 2, Creating = 3 };
  std::array<char, 8> magic;
  uint64_t checksum;
  uint32_t format_version;
  State state;
  uint64_t spare[5];
};
static_assert(sizeof(ControlData) == 64);
static_assert(offsetof(ControlData, format_version) == 16);

/// The data directory: its lock, and its control file `gnomon.control`.
///
/// The lock is an flock on `gnomon.pid`, which holds the pid in text; the kernel drops it when the process ends.
/// The control file is replaced atomically (written aside, synced, renamed, directory synced).
/// Invariants:  C1  state Clean on disk: every page, the free lists and the registry are on disk, and the log has
/// nothing
///                  that is not
/// Threads: one at a time.
class ControlFile {
 public:
  /// Locks `directory` and reads its control file, or creates both when it is missing or empty. The state on disk is
  /// as found; markRunning() is the next step. Failure: DirectoryError; the directory is unchanged.
  explicit ControlFile(std::filesystem::path directory);
  ~ControlFile();
  ControlFile(const ControlFile&) = delete;
  ControlFile& operator=(const ControlFile&) = delete;

  /// Whether the directory is being created: what it holds is to be removed.
  [[nodiscard]] bool isNew() const { return is_new_; }
  [[nodiscard]] const ControlData& data() const { return data_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

  /// Whether the last server shut down cleanly.
  [[nodiscard]] bool wasClean() const { return was_clean_; }
  /// Failure: DirectoryError, when it did not.
  void requireClean() const;

  /// From here on a directory found in this state needs recovery.
  void markRunning() { mark(ControlData::State::Running); }
  /// Everything is on disk; a later start needs no recovery.
  void markClean() { mark(ControlData::State::Clean); }

 private:
  void lock();
  void read();
  void write();
  void mark(ControlData::State state);
  [[noreturn]] void raise(DirectoryError::Reason reason, const std::string& what) const;
  [[noreturn]] void raiseErrno(const std::string& what) const;

  const std::filesystem::path directory_;
  int lock_descriptor_ = -1;
  bool is_new_ = false;
  bool was_clean_ = false;
  ControlData data_{};
};

}  // namespace gnomon::storage
