set(GNOMON_ROOM_LIBRARIES fmt::fmt spdlog::spdlog TBB::tbb Threads::Threads PkgConfig::URING)
