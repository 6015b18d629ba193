#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/custom_settings.h"
#include "base/setting_quantity.h"

namespace gnomon {

enum class SettingKind : uint8_t { Boolean, Integer, Enumeration, Text };
/// Who may change a setting.
enum class SettingContext : uint8_t {
  Internal,  ///< nobody: the server computes it
  Start,     ///< the command line
  Session,   ///< the startup packet and SET
};
/// Who is changing a setting. Command line and startup packet also change what RESET returns to.
enum class SettingSource : uint8_t { CommandLine, StartupPacket, Session };

enum class SettingId : uint8_t {
  ApplicationName,
  AutoBulkRows,
  BufferPool,
  BulkWrite,
  ByteaOutput,
  CheckFunctionBodies,
  ClientEncoding,
  ClientMinMessages,
  DataDirectory,
  DateStyle,
  DeadlockTimeout,
  DefaultTableAccessMethod,
  DefaultTablespace,
  DefaultToastCompression,
  DefaultTransactionDeferrable,
  DefaultTransactionIsolation,
  DefaultTransactionReadOnly,
  DoubleWrite,
  ExecutionMode,
  ExtraFloatDigits,
  IdleInTransactionSessionTimeout,
  IdleSessionTimeout,
  InHotStandby,
  IntegerDatetimes,
  IntervalStyle,
  IoMethod,
  IsSuperuser,
  Jit,
  LastStatementCompileUs,
  LcCollate,
  LcCtype,
  LcMessages,
  LcMonetary,
  LcNumeric,
  LcTime,
  ListenAddresses,
  LlvmOptimisation,
  LoCompatPrivileges,
  LockTimeout,
  LogMinDurationStatement,
  MaxConnections,
  MaxIdentifierLength,
  MaxIndexKeys,
  MaxWalSize,
  MetricsListenAddress,
  PasswordEncryption,
  PlanCacheMode,
  Port,
  QueryMemory,
  Role,
  RowSecurity,
  SearchPath,
  ServerEncoding,
  ServerVersion,
  ServerVersionNum,
  SessionAuthorization,
  StandardConformingStrings,
  StatementTimeout,
  SynchronizeSeqscans,
  SynchronousCommit,
  TempFileLimit,
  TimeZone,
  TransactionDeferrable,
  TransactionIsolation,
  TransactionReadOnly,
  UnixSocketDirectories,
  VersionMemoryLimit,
  WalSyncMethod,
  WorkMem,
  WorkerCount,
  XmlOption,
  Count
};

/// One setting: what it is called, what it may be and who may change it.
struct SettingDescription {
  SettingId id;
  std::string_view name;  ///< as SHOW prints it; looked up without regard to case
  SettingKind kind;
  SettingUnit unit = SettingUnit::None;
  SettingContext context = SettingContext::Session;
  bool is_reported = false;           ///< the client is told of its value and of changes (ParameterStatus)
  std::string_view default_text;      ///< canonical
  int64_t minimum = 0, maximum = 1;   ///< Integer, Boolean: what PostgreSQL allows
  std::string_view choices = {};      ///< Enumeration: allowed values, separated by ", "
  std::string_view unsupported = {};  ///< values PostgreSQL allows and Gnomon refuses with 0A000, separated by ", "
  std::string_view description;
  /// Text and special integers: the canonical form of a value, or an error. Null: any.
  std::string (*canonicalise)(const SettingDescription&, std::string_view) = nullptr;
};

/// Every setting that exists, in the order of SettingId, which is the alphabetical order of their names.
std::span<const SettingDescription> settingDescriptions();

/// The setting of that name; throws 42704 `unrecognized configuration parameter "x"`.
const SettingDescription& findSetting(std::string_view name);

/// A value of each setting: the server's, and for each session a copy that SET changes, and settings of its own.
///
/// Threads: one at a time. Failure: SqlError, nothing changed: 42704 unknown, 42602 no name for a setting of users',
/// 22023 bad value, 55P02 not to be changed, 0A000 a value PostgreSQL has and Gnomon does not.
class Settings {
 public:
  Settings();
  /// What a session of a server with these settings begins with: RESET returns to the values as they are now.
  [[nodiscard]] Settings forSession() const;

  void set(std::string_view name, std::string_view value, SettingSource source);
  void reset(std::string_view name);
  void resetAll();
  /// Takes the values of a former state. Settings that users have made since stay, without a value.
  void restore(const Settings& former);
  /// What the server computed; no rights are asked. Also the new reset value.
  void setInternal(SettingId id, std::string_view value);
  /// The same of a number that is measured all the time: it is no change that version() tells of.
  void setMeasured(SettingId id, int64_t value);
  /// Two settings with the same number, one a former state or a copy of the other, have the same values.
  [[nodiscard]] uint64_t version() const { return version_; }

  /// A setting's value, to be put back.
  struct Kept {
    std::string name, text, reset_text;
    int64_t number = 0, reset_number = 0;
  };
  /// Failure: 42704 for one that is none of users'.
  [[nodiscard]] Kept keep(std::string_view name) const;
  void putBack(const Kept& kept);
  /// All values are again what they were with this version.
  void returnTo(uint64_t version) { version_ = version; }
  /// The version that the setting's last change has made. Failure: as keep().
  [[nodiscard]] uint64_t changeOf(std::string_view name) const;

  /// As SHOW prints it: numbers with the largest unit that divides them.
  [[nodiscard]] std::string show(SettingId id) const;
  /// The same by name, and of users' settings. Failure: 42704.
  [[nodiscard]] std::string show(std::string_view name) const;
  /// As the setting's column is called. Failure: 42704.
  [[nodiscard]] std::string shownName(std::string_view name) const;
  [[nodiscard]] const std::string& text(SettingId id) const { return current_[index(id)].text; }
  [[nodiscard]] int64_t integer(SettingId id) const { return current_[index(id)].number; }
  /// What RESET returns to, without unit.
  [[nodiscard]] const std::string& resetText(SettingId id) const { return reset_[index(id)].text; }
  [[nodiscard]] bool flag(SettingId id) const { return current_[index(id)].number != 0; }

 private:
  struct SettingValue {
    std::string text;     ///< canonical, without unit
    int64_t number = 0;   ///< Boolean and Integer; Enumeration: index of the choice
    uint64_t change = 0;  ///< as changeOf() says
  };
  using Values = std::array<SettingValue, static_cast<size_t>(SettingId::Count)>;

  static size_t index(SettingId id) { return static_cast<size_t>(id); }
  static SettingValue parse(const SettingDescription& setting, std::string_view value);

  uint64_t noteChange();

  Values current_;
  Values reset_;
  CustomSettings custom_;
  uint64_t version_ = 0;
};

/// PostgreSQL's spelling of truth: on/off, true/false, yes/no, 1/0 and unique prefixes. False: `text` is none of them.
bool parseBoolean(std::string_view text, bool& value);

}  // namespace gnomon
