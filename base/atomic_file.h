#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gnomon {

/// Replaces the file `name` in `directory` so that after a crash at any point it has either the old or the new
/// contents: written aside, synced, renamed, directory synced. Failure: std::system_error; the old file is intact.
void replaceFile(const std::filesystem::path& directory, const std::string& name, std::string_view contents);

/// The whole file; nothing when there is none. Failure: std::system_error.
std::optional<std::string> readFile(const std::filesystem::path& path);

}  // namespace gnomon
