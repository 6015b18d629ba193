#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/ir/builder.h"
#include "codegen/runtime/routine_frame.h"
#include "codegen/translate/routine_translator.h"

/// What the sources of the translation of routines share.
namespace gnomon::codegen::routine {

using sql::plpgsql::Assignment;
using sql::plpgsql::Block;
using sql::plpgsql::Branch;
using sql::plpgsql::Case;
using sql::plpgsql::Datum;
using sql::plpgsql::DatumId;
using sql::plpgsql::ExecuteDynamic;
using sql::plpgsql::ExecuteSql;
using sql::plpgsql::Fetch;
using sql::plpgsql::ForCursor;
using sql::plpgsql::ForEach;
using sql::plpgsql::ForQuery;
using sql::plpgsql::ForRange;
using sql::plpgsql::Fragment;
using sql::plpgsql::FragmentBinder;
using sql::plpgsql::FrameLayout;
using sql::plpgsql::FrameNames;
using sql::plpgsql::If;
using sql::plpgsql::kNoDatum;
using sql::plpgsql::Leave;
using sql::plpgsql::Loop;
using sql::plpgsql::Return;
using sql::plpgsql::ReturnNext;
using sql::plpgsql::Routine;
using sql::plpgsql::ScopeId;
using sql::plpgsql::Statement;
using sql::plpgsql::Statements;
using sql::plpgsql::ValueTarget;
using sql::plpgsql::While;

using ShapeId = FrameLayout::ShapeId;
using Bound = std::optional<FragmentBinder::Bound>;

inline int32_t codeOf(RoutineOutcome outcome) {
  return static_cast<int32_t>(outcome);
}

/// What EXIT and CONTINUE of a block or loop lead to in the function at hand.
struct Label {
  ScopeId scope;
  ir::Block exit;
  std::optional<ir::Block> next_round;  ///< of loops
};

/// A function that is being made.
struct Function {
  Function(ir::Module& module, ir::FunctionId function, ProgramResources& resources)
      : id(function),
        builder(module, function),
        context{builder, builder.parameter(0), builder.parameter(1), resources} {
    frame = context.globalSlot(0);
    place = context.localSlot(0);
  }
  const ir::FunctionId id;
  ir::Builder builder;
  CodeContext context;
  ir::Value frame;  ///< RoutineFrame*
  ir::Value place;  ///< RoutinePlace*
  std::vector<Label> labels;
  std::set<int32_t> outcomes;  ///< that it may return beside Done
};

struct Made {
  uint32_t function;
  std::set<int32_t> outcomes;
};

class RoutineEmitter {
 public:
  RoutineEmitter(FrameLayout& layout, FragmentBinder& binder, const RoutineResult& result, const FragmentRows& rows_of,
                 ProgramResources& resources)
      : layout_(layout),
        routine_(layout.routine()),
        binder_(binder),
        result_(result),
        rows_of_(rows_of),
        resources_(resources),
        shapes_(routine_.datums.size(), FrameLayout::kNoShape),
        module_("routine") {}

  ir::Module translate() {
    makeFunction("main", [&] { emitStatement(routine_.main); });
    return std::move(module_);
  }

 private:
  /// The body of a block or loop as a function.
  template <typename Emit>
  Made makeFunction(const char* name, Emit&& emit);
  ir::Builder& code() { return f_->builder; }
  /// Goes on behind a call of a function that may return these: its code decides where.
  void follow(ir::Value outcome, const std::set<int32_t>& outcomes);
  void leave(int32_t outcome);

  void emitStatements(const Statements& statements) {
    for (const Statement& statement : statements) {
      if (code().isTerminated()) return;
      emitStatement(statement);
    }
  }
  void emitStatement(const Statement& statement);
  void emit(const Statement& statement, const Block& block);
  void emit(const Statement& statement, const Assignment& assignment);
  void emit(const Statement& statement, const If& choice);
  void emit(const Statement& statement, const Case& choice);
  void emit(const Statement& statement, const Loop& loop);
  void emit(const Statement& statement, const While& loop);
  void emit(const Statement& statement, const ForRange& loop);
  void emit(const Statement& statement, const ForQuery& loop);
  void emit(const Statement& statement, const ForCursor& loop);
  void emit(const Statement& statement, const ForEach& loop);
  void emit(const Statement& statement, const Leave& leave);
  void emit(const Statement& statement, const Return& value);
  void emit(const Statement& statement, const ReturnNext& value);
  void emit(const Statement& statement, const ExecuteSql& execute);
  void emit(const Statement& statement, const ExecuteDynamic& execute);
  void emit(const Statement& statement, const Fetch& fetch);
  /// What the host does alone.
  template <typename Other>
  void emit(const Statement& statement, const Other& /*other*/) {
    callHost(statement);
  }

  void emitElement(const Datum& target, uint32_t slot, const sql::Expression& assigned);
  void emitBlockBody(const Block& block);
  void emitDeclared(DatumId id);
  void emitGuarded(const Block& block);
  void emitBranches(const std::vector<Branch>& branches, const Statements& otherwise, DatumId compared,
                    const std::function<void()>& emit_otherwise);
  template <typename Emit>
  void emitRowLoop(const Statement& statement, ScopeId label, Emit&& emit_body);
  template <typename Emit>
  Made makeLoop(ScopeId label, Emit&& emit_round);
  ir::Value callLoop(const Made& loop);
  template <typename Emit>
  void emitLoop(ScopeId label, Emit&& emit_round);

  void emitReturned(uint32_t slot);
  void callHost(const Statement& statement);
  void leaveIfFailed(ir::Value outcome);
  void place(const Statement& statement);
  void placeIn(const char* phase, uint32_t line);
  ir::Value slotAddress(uint32_t slot);
  SqlValue loadVariable(uint32_t slot) { return loadSlot(f_->context, layout_.typeOf(slot), slotAddress(slot)); }
  void store(uint32_t slot, const SqlValue& value);
  void storeNull(uint32_t slot);
  void storeWord(uint32_t slot, ir::Value word);
  void setFound(ir::Value is_found);
  void set(DatumId variable, const SqlValue& value);
  void setPlain(const Datum& datum, uint32_t slot, const SqlValue& value);

  SqlValue translated(const sql::Expression& expression);
  /// Branches to `otherwise` unless the records have these shapes.
  void requireShapes(const FragmentBinder::Bound& bound, ir::Block otherwise);
  SqlValue emitValue(const Fragment& fragment, ValueTarget target, DatumId compared = kNoDatum);
  SqlValue emitBound(const Bound& bound, const Fragment& fragment, const ValueTarget& target, DatumId compared);
  void emitLate(const Fragment& fragment, const ValueTarget& target, DatumId compared, ir::Value slot);
  ir::Value emitTruth(const Fragment& fragment, DatumId compared = kNoDatum);
  ir::Value emitBoundOf(const Fragment& fragment, const char* which);

  [[nodiscard]] FrameNames::ShapeNow shapeNow() const {
    return [this](DatumId record) { return shapes_[record.value]; };
  }
  /// The statement gives rows of this kind to a record, as far as it is known.
  void predict(DatumId target, const Fragment* fragment);

  FrameLayout& layout_;
  const Routine& routine_;
  FragmentBinder& binder_;
  const RoutineResult& result_;
  const FragmentRows& rows_of_;
  ProgramResources& resources_;
  std::vector<ShapeId> shapes_;  ///< of records, where code is being made
  ir::Module module_;
  Function* f_ = nullptr;
};

template <typename Emit>
Made RoutineEmitter::makeFunction(const char* name, Emit&& emit) {
  const ir::FunctionId id = module_.addFunction(std::string(name) + std::to_string(module_.functionCount()),
                                                ir::Type::I32, {ir::Type::Ptr, ir::Type::Ptr});
  Function function(module_, id, resources_);
  Function* const outer = std::exchange(f_, &function);
  emit();
  if (!code().isTerminated()) code().ret(code().constI32(codeOf(RoutineOutcome::Done)));
  f_ = outer;
  return {id.index, std::move(function.outcomes)};
}

}  // namespace gnomon::codegen::routine
