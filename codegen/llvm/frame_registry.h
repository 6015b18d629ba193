#pragma once

#include <cstddef>
#include <span>

namespace gnomon::codegen::jit {

/// What an exception needs to pass through the frames of machine code: the unwind descriptions (FDE) of its functions,
/// by their addresses.
///
/// The C++ runtime keeps a list of what is told it by __register_frame, and goes through it for every frame of every
/// exception, whatever code that frame is of: with some thousand modules an error takes a millisecond. So it is told
/// nothing, and asks here: its function that looks for a description is replaced.
/// Threads: any.

/// `section`: .eh_frame of a module, in memory until it is taken back. Failure: std::runtime_error for what LLVM is not
/// known to write.
void addFrames(std::span<const std::byte> section);
/// The same section, before its memory goes. Nobody runs the code.
void removeFrames(std::span<const std::byte> section);

}  // namespace gnomon::codegen::jit
