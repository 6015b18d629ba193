#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/language_settings.h"
#include "base/text_style.h"
#include "codegen/executor/routine_code.h"
#include "codegen/runtime/routine_frame.h"
#include "codegen/translate/routine_translator.h"
#include "server/plpgsql/piece.h"
#include "server/session_context.h"
#include "sql/plpgsql/datum.h"
#include "sql/plpgsql/frame_layout.h"
#include "sql/plpgsql/frame_names.h"

namespace gnomon::server {

/// What a session compiled a routine for when it first did: as PostgreSQL does, it keeps to that until the routine is
/// defined anew, whatever settings say and columns are meanwhile.
struct FirstCompilation {
  explicit FirstCompilation(const Settings& settings);

  sql::plpgsql::VariableConflict conflict = sql::plpgsql::VariableConflict::Error;
  bool prints_strict_parameters = false;
  std::map<std::string, sql::plpgsql::VariableType> column_types;  ///< of name%TYPE, by what is written
  std::set<std::string> row_types;                                 ///< name%ROWTYPE that there were
  bool is_made = false;                                            ///< a later compilation is another one
};

/// What the session says of routines that are executed: plpgsql.check_asserts, extra_warnings and extra_errors.
struct LanguageChecks {
  explicit LanguageChecks(const Settings& settings);

  bool asserts = true;
  ExtraChecks warnings, errors;
};

/// A routine in PL/pgSQL as a session executes it: parsed, laid out, compiled, and the pieces of SQL that it has
/// executed so far.
///
/// Threads: the session's. Ownership: calls share it, since OR REPLACE may come between.
class CompiledRoutine {
 public:
  /// Names of transition tables, and what they stand for.
  using Transitions = std::shared_ptr<const std::vector<sql::VirtualRelationPtr>>;
  /// `table`: of the trigger whose function it is; null: it is none. Failure: the parser's.
  /// `first`: of an earlier one for the same entry; null: there was none.
  CompiledRoutine(SessionContext& session, sql::TablePtr entry, std::shared_ptr<FirstCompilation> first,
                  sql::TablePtr table = nullptr, Transitions transitions = nullptr);
  /// DO.
  CompiledRoutine(SessionContext& session, std::string body);
  CompiledRoutine(const CompiledRoutine&) = delete;
  CompiledRoutine& operator=(const CompiledRoutine&) = delete;

  [[nodiscard]] const sql::plpgsql::Routine& routine() const { return *routine_; }
  [[nodiscard]] sql::plpgsql::FrameLayout& layout() { return *layout_; }
  [[nodiscard]] codegen::RoutineCode& code() { return *code_; }
  [[nodiscard]] const codegen::RoutineResult& result() const { return result_; }
  /// That of the last call that is over.
  [[nodiscard]] codegen::RoutineFrame::Memory& frameMemory() { return frame_memory_; }
  /// The same of what its pieces were given.
  [[nodiscard]] std::vector<codegen::ParameterSlot>& parameterMemory() { return parameter_memory_; }
  [[nodiscard]] const sql::TablePtr& entry() const { return entry_; }  ///< null: of DO
  [[nodiscard]] std::string_view name() const { return name_; }        ///< as contexts have it: f(integer)
  [[nodiscard]] bool isProcedure() const {
    return !entry_ || entry_->routine->form == sql::RoutineEntry::Form::Procedure;
  }
  [[nodiscard]] const sql::TablePtr& table() const { return table_; }  ///< null: of no trigger
  [[nodiscard]] const Transitions& transitions() const { return transitions_; }
  /// Whether what was compiled is still what would be compiled.
  [[nodiscard]] bool isCurrent(const SessionContext& session);
  [[nodiscard]] const std::shared_ptr<FirstCompilation>& first() const { return first_; }
  const LanguageChecks& checks(const Settings& settings);

  /// Whether the piece has been executed, for records of whatever shapes, or may have been before the routine was
  /// compiled anew.
  [[nodiscard]] bool mayHaveRun(const sql::plpgsql::Fragment& fragment) const;
  /// The piece that is known for records of the shapes that they have now (sql::plpgsql::FrameNames::ShapeNow); null:
  /// there is none, or it is no longer good.
  template <typename ShapeNow>
  PiecePtr knownPiece(SessionContext& session, const sql::plpgsql::Fragment& fragment, const ShapeNow& shape_now) {
    if (fragment.number >= pieces_.size()) return {};
    std::vector<PiecePtr>& known = pieces_[fragment.number];
    const auto isShaped = [&](const auto& read) { return shape_now(read.first) == read.second; };
    for (auto place = known.begin(); place != known.end(); ++place) {
      if ((*place)->reads_records && !std::ranges::all_of((*place)->names->records(), isShaped)) continue;
      if (isCurrent(session, **place)) return *place;
      known.erase(place);
      return {};
    }
    return {};
  }
  /// Another one, made and known from now on. Failure: that of binding.
  PiecePtr piece(SessionContext& session, const sql::plpgsql::Fragment& fragment, const std::string& text,
                 const sql::plpgsql::FrameNames::ShapeNow& shape_now, Piece::Rows rows,
                 sql::plpgsql::DatumId compared = sql::plpgsql::kNoDatum, bool is_cursor = false);

 private:
  void compile(SessionContext& session);
  static bool isCurrent(SessionContext& session, Piece& piece);
  PiecePtr bind(SessionContext& session, sql::plpgsql::ScopeId scope, const std::string& text,
                const sql::plpgsql::FrameNames::ShapeNow& shape_now, Piece::Rows rows, sql::plpgsql::DatumId compared,
                bool is_cursor);

  const sql::TablePtr entry_;
  const sql::TablePtr table_;
  const Transitions transitions_;
  const std::string name_;
  const std::shared_ptr<FirstCompilation> first_;
  const bool is_first_ = true;
  uint64_t catalog_version_;         ///< with which what it uses was the catalog's
  std::vector<sql::TablePtr> used_;  ///< by declarations and the code's expressions
  const std::shared_ptr<const sql::plpgsql::Routine> routine_;
  const std::shared_ptr<sql::plpgsql::FrameLayout> layout_;
  codegen::ProgramResources resources_;
  codegen::RoutineResult result_;
  std::unique_ptr<codegen::RoutineCode> code_;
  codegen::RoutineFrame::Memory frame_memory_;
  std::vector<codegen::ParameterSlot> parameter_memory_;
  // What it was compiled for.
  uint64_t settings_version_ = 0;  ///< with which this was what they say
  codegen::ExecutionPolicy policy_;
  std::string search_path_, time_zone_;
  TextStyle text_style_;
  sql::Actors actors_;
  sql::ByteaOutput bytea_output_;
  LanguageChecks checks_;
  uint64_t checks_version_ = 0;                ///< with which they were what the settings say
  std::vector<std::vector<PiecePtr>> pieces_;  ///< by the numbers of their fragments, for each shape of their records
};

}  // namespace gnomon::server
