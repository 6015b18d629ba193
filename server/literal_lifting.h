#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/session_context.h"
#include "server/statement_source.h"
#include "sql/bound_statement.h"

namespace gnomon::server {

/// A statement's text with parameters in the place of literals.
struct LiftedText {
  struct Literal {
    sql::Type type;    ///< integer or bigint; Unknown: a string
    std::string text;  ///< what it stands for, without quotes
  };
  std::string text;
  std::vector<Literal> literals;  ///< $1, $2, ...
};

/// Lifts whole numbers and plain strings out of a SELECT, INSERT, UPDATE or DELETE, where a parameter of the same type
/// means the same: behind comparisons, behind + and -, in lists of IN and VALUES. None: it is none of these, or several
/// statements, or has no such literal, or something else in it is not simple.
std::optional<LiftedText> liftLiterals(std::string_view text);

/// Lets simple queries that differ in literals alone share a plan, as if the client had prepared them: clients that put
/// values into their texts would have each compiled.
///
/// A text's second coming with other literals compiles its lifted form; it is used where its plan touches few rows
/// whatever the values are, and means the same. Threads: the session's.
class LiteralLifting {
 public:
  explicit LiteralLifting(SessionContext& session) : session_(session) {}

  /// Executes the text by way of a lifted plan. False: there is none; the text is to be executed as it stands.
  /// Failure: as Portal.
  bool run(const std::shared_ptr<const std::string>& text);

 private:
  enum class State : uint8_t { Seen, Compiled, NotFit };
  /// A cast of a parameter: of a literal PostgreSQL makes it before any row is looked at.
  struct Cast {
    uint32_t parameter;
    sql::Type type;
    bool is_explicit;
  };
  struct Form {
    State state = State::Seen;
    std::vector<Cast> casts;
  };
  std::shared_ptr<const CompiledQuery> compile(const StatementSource& source, const LiftedText& lifted,
                                               const std::shared_ptr<const std::string>& text, Form& form);
  static bool findCasts(sql::BoundStatement& bound, std::vector<Cast>& casts);
  static std::vector<sql::Value> readLiterals(const LiftedText& lifted, const sql::BoundStatement& bound,
                                              const Form& form);

  static constexpr size_t kTextBytesMax = 4096;
  static constexpr size_t kTextsMax = 512;
  SessionContext& session_;
  std::unordered_map<std::string, Form> forms_;  ///< by lifted text and types
};

}  // namespace gnomon::server
