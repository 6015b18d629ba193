# The C++ runtime asks codegen/llvm/frame_registry.cc in the place of its own.
set(GNOMON_ROOM_LIBRARIES gnomon_llvm OpenSSL::Crypto -Wl,--export-dynamic-symbol=_Unwind_Find_FDE)
