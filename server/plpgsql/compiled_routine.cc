#include "server/plpgsql/compiled_routine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "server/planner.h"
#include "server/text_style_setting.h"
#include "server/value_rows.h"
#include "sql/bind/routine_body.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/ast.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/parser.h"
#include "sql/plpgsql/catalog_types.h"
#include "sql/plpgsql/fragment_binder.h"
#include "sql/plpgsql/parser.h"
#include "sql/plpgsql/routine_signature.h"
#include "sql/types/record_value.h"

namespace gnomon::server {
namespace {

using namespace sql::plpgsql;

/// Types as the catalog has them, but those that the routine was first compiled with.
class KeptTypes final : public RoutineCatalog {
 public:
  KeptTypes(const sql::CatalogView& catalog, FirstCompilation& first) : types_(catalog), first_(first) {}

  VariableType typeOf(const sql::ast::TypeName& name) override { return types_.typeOf(name); }

  std::optional<VariableType> columnType(std::string_view schema, std::string_view relation,
                                         std::string_view column) override {
    const std::string written = fmt::format("{}.{}.{}", schema, relation, column);
    if (const auto kept = first_.column_types.find(written); kept != first_.column_types.end()) return kept->second;
    const std::optional<VariableType> type = types_.columnType(schema, relation, column);
    // What users define may be gone.
    if (type && type->domain == 0 && !type->type.isDefined()) first_.column_types.emplace(written, *type);
    return type;
  }

  VariableType rowType(std::string_view schema, std::string_view relation) override {
    const std::string written = fmt::format("{}.{}", schema, relation);
    try {
      VariableType type = types_.rowType(schema, relation);
      first_.row_types.insert(written);
      return type;
    } catch (const SqlError& error) {
      // That is found out by what uses it.
      if (error.state() != sqlstate::kUndefinedTable || !first_.row_types.contains(written)) throw;
      return variableOf(sql::Type::recordOf(0));
    }
  }

  void requireCollation(std::span<const std::string> names) override { types_.requireCollation(names); }
  [[nodiscard]] const std::vector<sql::TablePtr>& used() const { return types_.used(); }

 private:
  CatalogTypes types_;
  FirstCompilation& first_;
};

/// `used`: gets what declarations are taken from.
std::shared_ptr<const Routine> parsed(const SessionContext& session, const std::string& body,
                                      const Signature& signature, FirstCompilation& first,
                                      std::vector<sql::TablePtr>& used) try {
  KeptTypes types(session.transaction.catalog(), first);
  std::shared_ptr<const Routine> routine =
      parseRoutine(body, signature, types, {.checks_sql = false, .conflict = first.conflict, .is_called = true});
  used = types.used();
  for (const Datum& datum : routine->datums)
    for (const uint32_t oid : {datum.type.domain, datum.type.type.isDefined() ? datum.type.type.definition() : 0U})
      if (const sql::TablePtr entry = oid != 0 ? sql::findTypeEntry(oid) : nullptr) used.push_back(entry);
  return routine;
} catch (SqlError& error) {
  if (error.position() >= 0) throw error.internalQuery(body);
  throw;
}

/// `table`: of a trigger; null: none.
Signature signatureFor(const sql::RoutineEntry& routine, const sql::TablePtr& table) {
  Signature signature = signatureOf(routine);
  if (table) signature.trigger_row = variableOf(sql::typeOfEntry(*table));
  return signature;
}

/// record.* in VALUES: each of its fields.
void expandRecords(std::vector<sql::ast::ExpressionPtr>& row, const FrameNames& names) {
  std::vector<sql::ast::ExpressionPtr> expanded;
  for (sql::ast::ExpressionPtr& item : row) {
    const bool is_star = item->kind == sql::ast::Expression::Kind::Column && item->is_star && !item->names.empty();
    const std::vector<std::string> fields = is_star ? names.fieldsOf(item->names) : std::vector<std::string>{};
    if (fields.empty()) expanded.push_back(std::move(item));
    for (const std::string& field : fields) {
      auto column = std::make_unique<sql::ast::Expression>();
      column->kind = sql::ast::Expression::Kind::Column;
      column->names = item->names;
      column->names.push_back(field);
      column->position = item->position;
      expanded.push_back(std::move(column));
    }
  }
  row = std::move(expanded);
}

/// Definitions and commands have no parameters.
bool seesVariables(const sql::ast::Statement& statement) {
  const auto& body = statement.body;
  return std::holds_alternative<sql::ast::QueryPtr>(body) || std::holds_alternative<sql::ast::Insert>(body) ||
         std::holds_alternative<sql::ast::Update>(body) || std::holds_alternative<sql::ast::Delete>(body) ||
         std::holds_alternative<sql::ast::Merge>(body) || std::holds_alternative<sql::ast::CreateTableAs>(body) ||
         std::holds_alternative<sql::ast::Explain>(body) || std::holds_alternative<sql::ast::Call>(body) ||
         std::holds_alternative<sql::ast::DeclareCursor>(body);
}

const char* refusalOf(const sql::BoundStatement& bound) {
  const auto isOfClient = [](const auto* copy) { return copy != nullptr && copy->file.empty(); };
  if (isOfClient(std::get_if<sql::CopyFromStatement>(&bound.body)) ||
      isOfClient(std::get_if<sql::CopyToStatement>(&bound.body)))
    return "cannot COPY to/from client in PL/pgSQL";
  if (std::holds_alternative<sql::TransactionStatement>(bound.body))
    return "unsupported transaction command in PL/pgSQL";
  return nullptr;
}

codegen::RoutineResult resultOf(const sql::TablePtr& entry, FrameLayout& layout) {
  if (!entry || layout.routine().output != kNoDatum) return {};
  const sql::RoutineEntry& routine = *entry->routine;
  if (routine.result.kind == sql::TypeKind::Void || routine.result.kind == sql::TypeKind::Trigger ||
      routine.result.isRecord())
    return {};
  const ValueTarget target{sql::heldInRecord(routine.result), routine.result_domain};
  return {target, layout.addSlot(target.type)};
}

}  // namespace

FirstCompilation::FirstCompilation(const Settings& settings)
    : prints_strict_parameters(settings.show("plpgsql.print_strict_params") == "on") {
  const std::string wanted = settings.show("plpgsql.variable_conflict");
  if (wanted == "use_variable") conflict = VariableConflict::UseVariable;
  if (wanted == "use_column") conflict = VariableConflict::UseColumn;
}

LanguageChecks::LanguageChecks(const Settings& settings)
    : asserts(settings.show("plpgsql.check_asserts") == "on"),
      warnings(extraChecks(settings.show("plpgsql.extra_warnings"))),
      errors(extraChecks(settings.show("plpgsql.extra_errors"))) {}

CompiledRoutine::CompiledRoutine(SessionContext& session, sql::TablePtr entry, std::shared_ptr<FirstCompilation> first,
                                 sql::TablePtr table, Transitions transitions)
    : entry_(std::move(entry)),
      table_(std::move(table)),
      transitions_(std::move(transitions)),
      name_(sql::shownRoutine(session.transaction.catalog(), *entry_)),
      first_(first ? std::move(first) : std::make_shared<FirstCompilation>(session.settings)),
      is_first_(!std::exchange(first_->is_made, true)),
      catalog_version_(session.server.catalog.version()),
      routine_(parsed(session, entry_->routine->body, signatureFor(*entry_->routine, table_), *first_, used_)),
      layout_(std::make_shared<FrameLayout>(routine_)),
      checks_(session.settings),
      checks_version_(session.settings.version()) {
  compile(session);
}

CompiledRoutine::CompiledRoutine(SessionContext& session, std::string body)
    : name_("inline_code_block"),
      first_(std::make_shared<FirstCompilation>(session.settings)),
      catalog_version_(session.server.catalog.version()),
      routine_(parsed(session, body, blockSignature(), *first_, used_)),
      layout_(std::make_shared<FrameLayout>(routine_)),
      checks_(session.settings),
      checks_version_(session.settings.version()) {
  compile(session);
}

const LanguageChecks& CompiledRoutine::checks(const Settings& settings) {
  if (checks_version_ != settings.version()) {
    checks_ = LanguageChecks(settings);
    checks_version_ = settings.version();
  }
  return checks_;
}

void CompiledRoutine::compile(SessionContext& session) {
  policy_ = executionPolicy(session.settings);
  search_path_ = session.settings.text(SettingId::SearchPath);
  time_zone_ = session.settings.text(SettingId::TimeZone);
  text_style_ = textStyleOf(session.settings);
  bytea_output_ = byteaOutput(session.settings);
  resources_.bytea_output = bytea_output_;
  settings_version_ = session.settings.version();
  actors_ = session.transaction.catalog().actors();
  result_ = resultOf(entry_, *layout_);
  const StatementSource none{
      .text = std::make_shared<const std::string>(), .parsed = {}, .parameter_types = {}, .transitions = transitions_};
  const sql::BindContext context = Planner(session).bindContext(none, {.unlimited_numerics = true});
  FragmentBinder binder(*layout_, context);
  // The rows of statements are known where they can be bound now.
  const auto rowsOf = [&](const Fragment& fragment,
                          const FrameNames::ShapeNow& shape_now) -> std::optional<std::vector<sql::RecordField>> {
    try {
      const auto piece =
          bind(session, fragment.scope, selectText(*routine_, fragment), shape_now, Piece::Rows::All, kNoDatum, false);
      if (!piece->is_query) return std::nullopt;
      std::vector<sql::RecordField> fields;
      for (const ResultColumn& column : piece->statement->columns()) fields.push_back({column.name, column.type});
      return fields;
    } catch (const SqlError&) {
      return std::nullopt;
    }
  };
  codegen::ir::Module module = codegen::translateRoutine(*layout_, binder, result_, rowsOf, resources_);
  code_ = std::make_unique<codegen::RoutineCode>(std::move(module), policy_);
  used_.insert(used_.end(), binder.used().begin(), binder.used().end());
}

bool CompiledRoutine::isCurrent(const SessionContext& session) {
  const Settings& settings = session.settings;
  if (settings_version_ != settings.version()) {
    const bool is_same = policy_ == executionPolicy(settings) && search_path_ == settings.text(SettingId::SearchPath) &&
                         time_zone_ == settings.text(SettingId::TimeZone) && text_style_ == textStyleOf(settings) &&
                         bytea_output_ == byteaOutput(settings);
    if (!is_same) return false;
    settings_version_ = settings.version();
  }
  const auto& catalog = session.transaction.catalog();
  if (catalog.actors() != actors_) return false;
  if (catalog_version_ == session.server.catalog.version() && catalog.isEmpty()) return true;
  if (entry_ && !sql::isCurrent(catalog, entry_)) return false;
  return std::ranges::all_of(used_, [&](const sql::TablePtr& used) { return sql::isCurrent(catalog, used); });
}

PiecePtr CompiledRoutine::bind(SessionContext& session, ScopeId scope, const std::string& text,
                               const FrameNames::ShapeNow& shape_now, Piece::Rows rows, DatumId compared,
                               bool is_cursor) {
  auto names = std::make_shared<FrameNames>(*layout_, scope, FrameNames::Numbering::Dense, shape_now);
  names->setExtra(compared);
  std::vector<sql::ParsedStatement> statements = sql::parse(text);
  if (statements.size() != 1) throw SqlError(sqlstate::kSyntaxError, "a piece of SQL is one statement");
  if (statements[0].rejection) throw SqlError(*statements[0].rejection);
  const auto* const query = std::get_if<sql::ast::QueryPtr>(&statements[0].tree->body);
  const sql::ast::Expression* const only = query != nullptr ? sql::onlyExpression(**query) : nullptr;
  const bool is_plain = only != nullptr && !sql::hasSubquery(*only);
  const bool has_parameters = seesVariables(*statements[0].tree);
  if (auto* const insert = std::get_if<sql::ast::Insert>(&statements[0].tree->body); insert != nullptr && insert->query)
    for (auto& row : insert->query->rows) expandRecords(row, *names);
  StatementSource source{.text = std::make_shared<const std::string>(text),
                         .parsed = std::move(statements[0]),
                         .parameter_types = {},
                         .variables = has_parameters ? names : nullptr,
                         .transitions = transitions_,
                         .is_positioned = is_cursor};
  const auto bound = Planner(session).bind(source);
  names->fix(layout_);
  const PiecePtr piece(std::make_unique<Piece>());
  piece->text = text;
  piece->names = names;
  piece->reads_records = !names->records().empty();
  piece->is_plain = is_plain;
  piece->is_query = std::holds_alternative<sql::QueryStatement>(bound->body);
  piece->is_change = piece->is_query && !bound->written.empty();
  piece->refusal = refusalOf(*bound);
  source.parameter_types = bound->parameters;
  piece->statement = std::make_shared<DescribedStatement>(std::move(source), bound);
  piece->statement->has_name = true;
  if (rows == Piece::Rows::All || !bound->locking.empty())
    piece->format = valueFormat(piece->statement->columns());
  else
    piece->format.framing = codegen::OutputFormat::Framing::FirstRow;
  return piece;
}

bool CompiledRoutine::isCurrent(SessionContext& session, Piece& piece) {
  const Planner planner(session);
  const KeptPlan& kept = piece.statement->kept;
  if (piece.catalog_version == kept.catalog_version && planner.stands(kept)) return true;
  if (!piece.is_query || !planner.isAllowed(*piece.statement->bound)) return false;
  const uint64_t version = session.server.catalog.version();
  if (piece.catalog_version == version && session.transaction.catalog().isEmpty()) return true;
  if (!planner.isCurrent(*piece.statement->bound)) return false;
  piece.catalog_version = version;
  return true;
}

bool CompiledRoutine::mayHaveRun(const Fragment& fragment) const {
  return !is_first_ || (fragment.number < pieces_.size() && !pieces_[fragment.number].empty());
}

PiecePtr CompiledRoutine::piece(SessionContext& session, const Fragment& fragment, const std::string& text,
                                const FrameNames::ShapeNow& shape_now, Piece::Rows rows, DatumId compared,
                                bool is_cursor) {
  PiecePtr bound = bind(session, fragment.scope, text, shape_now, rows, compared, is_cursor);
  if (fragment.number >= pieces_.size()) pieces_.resize(fragment.number + 1);
  std::vector<PiecePtr>& known = pieces_[fragment.number];
  // Records whose rows are of another kind each time are rare.
  static constexpr size_t kKnownMax = 8;
  if (known.size() >= kKnownMax) known.clear();
  return known.emplace_back(std::move(bound));
}

}  // namespace gnomon::server
