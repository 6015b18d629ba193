#pragma once

#include <string>

namespace gnomon::server {

/// As in CMakeLists.txt.
inline constexpr const char* kVersion = "0.1";

/// What the setting server_version says: "15.0 (Gnomon 0.1)". Drivers read the number and skip the parenthesis.
inline std::string serverVersion() {
  return std::string("15.0 (Gnomon ") + kVersion + ")";
}
/// What version() answers.
inline std::string versionText() {
  return "PostgreSQL " + serverVersion() + " on x86_64-pc-linux-gnu, compiled by clang " + __clang_version__ +
         ", 64-bit";
}

}  // namespace gnomon::server
