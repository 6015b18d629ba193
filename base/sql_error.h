#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace gnomon {

/// A five-character SQLSTATE code, for example "22012".
class SqlState {
 public:
  constexpr explicit SqlState(const char (&code)[6]) : code_{code[0], code[1], code[2], code[3], code[4], 0} {}
  [[nodiscard]] constexpr const char* text() const { return code_; }
  constexpr bool operator==(const SqlState& other) const {
    return std::string_view(code_) == std::string_view(other.code_);
  }

 private:
  char code_[6];
};

/// The SQLSTATEs Gnomon raises, by PostgreSQL's condition names.
namespace sqlstate {
inline constexpr SqlState kFeatureNotSupported("0A000");
inline constexpr SqlState kProtocolViolation("08P01");
inline constexpr SqlState kCardinalityViolation("21000");
inline constexpr SqlState kStringDataRightTruncation("22001");
inline constexpr SqlState kNumericValueOutOfRange("22003");
inline constexpr SqlState kInvalidDatetimeFormat("22007");
inline constexpr SqlState kDatetimeFieldOverflow("22008");
inline constexpr SqlState kSubstringError("22011");
inline constexpr SqlState kDivisionByZero("22012");
inline constexpr SqlState kInvalidPrecedingOrFollowingSize("22013");
inline constexpr SqlState kInvalidArgumentForNtile("22014");
inline constexpr SqlState kIntervalFieldOverflow("22015");
inline constexpr SqlState kInvalidArgumentForNthValue("22016");
inline constexpr SqlState kInvalidArgumentForLogarithm("2201E");
inline constexpr SqlState kInvalidArgumentForPowerFunction("2201F");
inline constexpr SqlState kInvalidArgumentForWidthBucketFunction("2201G");
inline constexpr SqlState kInvalidRegularExpression("2201B");
inline constexpr SqlState kNullValueNotAllowed("22004");
inline constexpr SqlState kInvalidRowCountInLimitClause("2201W");
inline constexpr SqlState kInvalidRowCountInOffsetClause("2201X");
inline constexpr SqlState kArraySubscriptError("2202E");
inline constexpr SqlState kCharacterNotInRepertoire("22021");
inline constexpr SqlState kInvalidParameterValue("22023");
inline constexpr SqlState kInvalidEscapeSequence("22025");
inline constexpr SqlState kInvalidTextRepresentation("22P02");
inline constexpr SqlState kInvalidBinaryRepresentation("22P03");
inline constexpr SqlState kBadCopyFileFormat("22P04");
inline constexpr SqlState kUntranslatableCharacter("22P05");
inline constexpr SqlState kNotNullViolation("23502");
inline constexpr SqlState kForeignKeyViolation("23503");
inline constexpr SqlState kCheckViolation("23514");
inline constexpr SqlState kInvalidSqlStatementName("26000");
inline constexpr SqlState kInvalidAuthorizationSpecification("28000");
inline constexpr SqlState kInvalidCursorName("34000");
inline constexpr SqlState kInvalidCatalogName("3D000");
inline constexpr SqlState kInvalidSchemaName("3F000");
inline constexpr SqlState kSyntaxError("42601");
inline constexpr SqlState kDuplicateColumn("42701");
inline constexpr SqlState kAmbiguousColumn("42702");
inline constexpr SqlState kUndefinedColumn("42703");
inline constexpr SqlState kInsufficientPrivilege("42501");
inline constexpr SqlState kUndefinedObject("42704");
inline constexpr SqlState kDuplicateObject("42710");
inline constexpr SqlState kDuplicateAlias("42712");
inline constexpr SqlState kAmbiguousFunction("42725");
inline constexpr SqlState kGroupingError("42803");
inline constexpr SqlState kDatatypeMismatch("42804");
inline constexpr SqlState kWrongObjectType("42809");
inline constexpr SqlState kInvalidForeignKey("42830");
inline constexpr SqlState kCannotCoerce("42846");
inline constexpr SqlState kUndefinedFunction("42883");
inline constexpr SqlState kInvalidName("42602");
inline constexpr SqlState kWindowingError("42P20");
inline constexpr SqlState kUndefinedTable("42P01");
inline constexpr SqlState kUndefinedParameter("42P02");
inline constexpr SqlState kDuplicateCursor("42P03");
inline constexpr SqlState kDuplicatePreparedStatement("42P05");
inline constexpr SqlState kDuplicateTable("42P07");
inline constexpr SqlState kInvalidColumnReference("42P10");
inline constexpr SqlState kInvalidRecursion("42P19");
inline constexpr SqlState kInvalidTableDefinition("42P16");
inline constexpr SqlState kInvalidObjectDefinition("42P17");
inline constexpr SqlState kIndeterminateDatatype("42P18");
inline constexpr SqlState kDiskFull("53100");
inline constexpr SqlState kOutOfMemory("53200");
inline constexpr SqlState kTooManyConnections("53300");
inline constexpr SqlState kProgramLimitExceeded("54000");
inline constexpr SqlState kStatementTooComplex("54001");
inline constexpr SqlState kTooManyColumns("54011");
inline constexpr SqlState kTooManyArguments("54023");
inline constexpr SqlState kObjectNotInPrerequisiteState("55000");
inline constexpr SqlState kObjectInUse("55006");
inline constexpr SqlState kDependentObjectsStillExist("2BP01");
inline constexpr SqlState kUniqueViolation("23505");
inline constexpr SqlState kLockNotAvailable("55P03");
inline constexpr SqlState kSerializationFailure("40001");
inline constexpr SqlState kDeadlockDetected("40P01");
inline constexpr SqlState kActiveSqlTransaction("25001");
inline constexpr SqlState kReadOnlySqlTransaction("25006");
inline constexpr SqlState kNoActiveSqlTransaction("25P01");
inline constexpr SqlState kInFailedSqlTransaction("25P02");
inline constexpr SqlState kIdleInTransactionTimeout("25P03");
inline constexpr SqlState kInvalidSavepoint("3B001");
inline constexpr SqlState kCantChangeRuntimeParam("55P02");
inline constexpr SqlState kQueryCanceled("57014");
inline constexpr SqlState kIdleSessionTimeout("57P05");
inline constexpr SqlState kAdminShutdown("57P01");
inline constexpr SqlState kCannotConnectNow("57P03");
inline constexpr SqlState kIoError("58030");
inline constexpr SqlState kInternalError("XX000");
inline constexpr SqlState kDataCorrupted("XX001");
}  // namespace sqlstate

/// A failure that the client is told: SQLSTATE, message, and what PostgreSQL's error fields carry besides.
///
/// Thrown, and passes through generated frames; generated code owns nothing, so unwinding frees everything.
class SqlError : public std::exception {
 public:
  SqlError(SqlState state, std::string message) : state_(state), message_(std::move(message)) {}

  SqlError& detail(std::string text) {
    detail_ = std::move(text);
    return *this;
  }
  SqlError& hint(std::string text) {
    hint_ = std::move(text);
    return *this;
  }
  SqlError& context(std::string text) {
    context_ = std::move(text);
    return *this;
  }
  /// Byte offset (from 0) of the offending token in the statement's text; negative: none. An earlier position stays.
  SqlError& position(int32_t byte_offset) {
    if (position_ < 0) position_ = byte_offset;
    return *this;
  }
  /// Names of the schema, the table and the column concerned, PostgreSQL's fields s, t and c.
  SqlError& table(std::string schema, std::string name) {
    schema_ = std::move(schema);
    table_ = std::move(name);
    return *this;
  }
  SqlError& column(std::string name) {
    column_ = std::move(name);
    return *this;
  }

  /// Name of the constraint concerned, PostgreSQL's field n.
  SqlError& constraint(std::string name) {
    constraint_ = std::move(name);
    return *this;
  }

  /// Name of the data type concerned, PostgreSQL's field d.
  SqlError& datatype(std::string name) {
    datatype_ = std::move(name);
    return *this;
  }
  /// Another line of the context: what called what stands there already.
  SqlError& addContext(std::string_view line) {
    if (!context_.empty()) context_.push_back('\n');
    context_ += line;
    return *this;
  }
  /// The statement was no client's: the position is one in this text, PostgreSQL's fields q and p.
  SqlError& internalQuery(std::string text) {
    internal_query_ = std::move(text);
    internal_position_ = position_;
    position_ = -1;
    return *this;
  }

  [[nodiscard]] const SqlState& state() const { return state_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const std::string& detail() const { return detail_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }
  [[nodiscard]] const std::string& context() const { return context_; }
  [[nodiscard]] const std::string& schema() const { return schema_; }
  [[nodiscard]] const std::string& table() const { return table_; }
  [[nodiscard]] const std::string& column() const { return column_; }
  [[nodiscard]] const std::string& constraint() const { return constraint_; }
  [[nodiscard]] const std::string& datatype() const { return datatype_; }
  [[nodiscard]] const std::string& internalQuery() const { return internal_query_; }
  [[nodiscard]] int32_t internalPosition() const { return internal_position_; }
  SqlError& dropPosition() {
    position_ = -1;
    return *this;
  }
  [[nodiscard]] int32_t position() const { return position_; }
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  SqlState state_;
  std::string message_, detail_, hint_, context_, schema_, table_, column_, constraint_, datatype_, internal_query_;
  int32_t position_ = -1;
  int32_t internal_position_ = -1;
};

/// The error for what Gnomon does not do: SQLSTATE 0A000, "<feature> is not supported"; "are" after a plural in -s.
[[noreturn]] void throwNotSupported(std::string_view feature, int32_t position = -1);

}  // namespace gnomon
