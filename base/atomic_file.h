#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gnomon {

/// Replaces the file `name` in `directory` so that after a crash at any point it has either the old or the new
/// contents: written aside, synced, renamed, directory synced. Failure: std::system_error; the old file is intact.
void replaceFile(const std::filesystem::path& directory, const std::string& name, std::string_view contents);

/// What was made, renamed or removed in the folder is on stable storage when it returns. Failure: std::system_error.
void syncFolder(const std::filesystem::path& folder);
/// Makes the folder and those above it that are missing; they are on stable storage when it returns. Failure:
/// std::system_error.
void makeFolders(const std::filesystem::path& folder);

/// The whole file; nothing when there is none. Failure: std::system_error.
std::optional<std::string> readFile(const std::filesystem::path& path);

}  // namespace gnomon
