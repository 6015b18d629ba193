set(GNOMON_ROOM_LIBRARIES gnomon_llvm OpenSSL::Crypto gnomon_re2)
