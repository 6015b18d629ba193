set(GNOMON_ROOM_LIBRARIES gnomon_llvm OpenSSL::Crypto)
