# Compiler flags shared by every room.
# Clones and work trees in different folders share what ccache keeps: paths are taken relative to the tree.
find_program(CCACHE ccache)
if(CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror)
# Hashing uses the CRC32 instruction, tagged pointers a popcount: every x86-64 since 2009 has both.
add_compile_options(-march=x86-64-v2 -fno-omit-frame-pointer -fdiagnostics-color=always)
add_link_options(-fuse-ld=lld)

if(GNOMON_ASAN)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()
if(GNOMON_TSAN)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
if(GNOMON_TIDY)
  set(CMAKE_CXX_CLANG_TIDY clang-tidy-19)
endif()
add_compile_definitions($<$<CONFIG:Debug>:GNOMON_DEBUG=1>)
