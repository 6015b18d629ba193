#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "codegen/ir/function.h"
#include "codegen/translate/code_context.h"
#include "sql/plpgsql/fragment_binder.h"
#include "sql/plpgsql/frame_layout.h"

namespace gnomon::codegen {

/// What a routine in PL/pgSQL returns.
struct RoutineResult {
  /// Values of this type go into the slot, or to the set; none: rows, which the host makes, or nothing.
  std::optional<sql::plpgsql::ValueTarget> value;
  uint32_t slot = 0;
};

/// The fields of the rows that a fragment gives as a statement; none: it is not known before it is executed.
using FragmentRows = std::function<std::optional<std::vector<sql::RecordField>>(
    const sql::plpgsql::Fragment& fragment, const sql::plpgsql::FrameNames::ShapeNow& shape_now)>;

/// Translates a routine: its control flow and the expressions over its variables. The rest is calls of RoutineHost.
///
/// Shape: function 0 is the routine, i32(GlobalState*, LocalState*), as are the bodies of loops and of blocks with
/// handlers, which are functions of their own; what they return is a RoutineOutcome or a leaveCode(). slots[0] of the
/// global state is the RoutineFrame, of the local state its RoutinePlace. Variables are never held in registers from
/// one statement to the next: a loop may go on in other code, and a handler finds them as they were. Failure: 54001 for
/// too much code. The routine and the layout outlive the code, and the resources do.
ir::Module translateRoutine(sql::plpgsql::FrameLayout& layout, sql::plpgsql::FragmentBinder& binder,
                            const RoutineResult& result, const FragmentRows& rows_of, ProgramResources& resources);

}  // namespace gnomon::codegen
