#include "storage/double_write.h"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/failpoint.h"

namespace gnomon::storage {

namespace {

constexpr size_t kHeaderBytes = kIoAlignment;
/// Room for a usual batch; a larger page makes the file grow for a while.
constexpr off_t kKeptBytes = kHeaderBytes + (off_t{8} << 20);

uint64_t headerChecksum(const DoubleWriteArea::Header& header) {
  constexpr size_t kStart = offsetof(DoubleWriteArea::Header, count);
  return XXH3_64bits(reinterpret_cast<const std::byte*>(&header) + kStart, sizeof(header) - kStart);
}

bool isSound(const DoubleWriteArea::Header& header) {
  return header.magic == DoubleWriteArea::Header::kMagic && header.count <= DoubleWriteArea::kPagesMax &&
         header.checksum == headerChecksum(header);
}

bool isSound(const std::byte* page, PageId id) {
  const auto& header = *reinterpret_cast<const PageHeader*>(page);
  return header.page_id == id && header.checksum == checksumOf(page, pageBytes(id.sizeClass()));
}

}  // namespace

uint64_t checksumOf(const std::byte* page, uint64_t page_bytes) {
  constexpr size_t kStart = sizeof(PageHeader::checksum);
  return XXH3_64bits(page + kStart, page_bytes - kStart);
}

std::filesystem::path DoubleWriteArea::filePath(const std::filesystem::path& directory) {
  return directory / "gnomon.doublewrite";
}

DoubleWriteArea::DoubleWriteArea(const std::filesystem::path& directory, FileIo& io)
    : path_(filePath(directory)),
      io_(io),
      descriptor_(openDirect(path_, O_CREAT)),
      header_memory_(allocateAligned(kHeaderBytes)) {
  if (descriptor_ < 0) raiseIoError("open", path_, 0, errno);
  // A full disk must not keep dirty pages from being written.
  if (::fallocate(descriptor_, 0, 0, kKeptBytes) != 0 && errno != EOPNOTSUPP) {
    const int error = errno;
    ::close(descriptor_);
    raiseIoError("extend", path_, 0, error);
  }
}

DoubleWriteArea::~DoubleWriteArea() {
  ::close(descriptor_);
}

void DoubleWriteArea::transfer(bool is_write, std::byte* memory, uint64_t bytes, uint64_t offset) {
  using Operation = IoRequest::Operation;
  IoRequest request{.descriptor = descriptor_,
                    .operation = is_write ? Operation::Write : Operation::Read,
                    .memory = memory,
                    .bytes = bytes,
                    .offset = offset};
  io_.perform({&request, 1});
  if (request.error != 0)
    raiseIoError(is_write ? "write" : "read", path_, offset,
                 request.error == IoRequest::kEndOfFile ? EIO : request.error);
}

/// What is known to be stable, and no pages.
DoubleWriteArea::Header& DoubleWriteArea::beginHeader() {
  std::memset(header_memory_.get(), 0, kHeaderBytes);
  auto& header = *reinterpret_cast<Header*>(header_memory_.get());
  header.magic = Header::kMagic;
  header.stable = stable_;
  return header;
}

void DoubleWriteArea::write(std::span<const PageImage> images, std::span<const Gsn> stable) {
  CHECK(images.size() <= kPagesMax && stable.size() <= stable_.size(), "the header holds all entries");
  std::ranges::copy(stable, stable_.begin());
  Header& header = beginHeader();
  header.count = images.size();
  std::vector<IoRequest> requests;
  uint64_t offset = kHeaderBytes;
  for (size_t i = 0; i < images.size(); ++i) {
    header.page_ids[i] = images[i].id.value;
    const uint64_t bytes = pageBytes(images[i].id.sizeClass());
    auto* memory = const_cast<std::byte*>(images[i].bytes);
    const bool continues = !requests.empty() && requests.back().memory + requests.back().bytes == memory;
    if (continues)
      requests.back().bytes += bytes;
    else
      requests.push_back({.descriptor = descriptor_,
                          .operation = IoRequest::Operation::Write,
                          .memory = memory,
                          .bytes = bytes,
                          .offset = offset});
    offset += bytes;
  }
  header.checksum = headerChecksum(header);
  requests.push_back({.descriptor = descriptor_,
                      .operation = IoRequest::Operation::Write,
                      .memory = header_memory_.get(),
                      .bytes = kHeaderBytes});
  io_.perform(requests);
  for (const IoRequest& request : requests)
    if (request.error != 0) raiseIoError("write", path_, request.offset, request.error);
  FAILPOINT("doublewrite.written");
  syncOrDie(descriptor_, path_);
}

size_t DoubleWriteArea::recover(const Files& files) {
  const off_t end = ::lseek(descriptor_, 0, SEEK_END);
  if (end < static_cast<off_t>(kHeaderBytes)) return 0;
  transfer(false, header_memory_.get(), kHeaderBytes, 0);
  const auto& header = *reinterpret_cast<const Header*>(header_memory_.get());
  size_t repaired = 0;
  // A header that is not whole was being written: no page of its batch has gone home yet.
  if (isSound(header)) {
    stable_ = header.stable;
    uint64_t offset = kHeaderBytes;
    for (size_t i = 0; i < header.count; ++i) {
      const PageId id = PageId::fromPacked(header.page_ids[i]);
      if (id.isNone() || id.sizeClass().index >= kSizeClassCount) break;
      const uint64_t bytes = pageBytes(id.sizeClass());
      if (offset + bytes > static_cast<uint64_t>(end)) break;
      if (repair(files, id, offset)) ++repaired;
      FAILPOINT("doublewrite.repaired");
      offset += bytes;
    }
    for (const auto& file : files) file->sync();
  }
  clear();
  return repaired;
}

bool DoubleWriteArea::repair(const Files& files, PageId id, uint64_t offset) {
  const uint64_t bytes = pageBytes(id.sizeClass());
  DataFile& file = *files[id.sizeClass().index];
  const AlignedMemory page = allocateAligned(bytes);
  IoRequest home = file.readRequest(id, page.get());
  io_.perform({&home, 1});
  if (home.error == 0 && isSound(page.get(), id)) return false;
  transfer(false, page.get(), bytes, offset);
  // Its image is not whole either: the batch was still being written here, and the page at home is as it ever was.
  if (!isSound(page.get(), id)) return false;
  IoRequest write = file.writeRequest(id, page.get());
  io_.perform({&write, 1});
  file.check(write);
  return true;
}

DoubleWriteArea::StableRecords DoubleWriteArea::readStable(const std::filesystem::path& directory) {
  Header header{};
  const std::filesystem::path path = filePath(directory);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return {};
  if (descriptor < 0) raiseIoError("open", path, 0, errno);
  const ssize_t count = ::pread(descriptor, &header, sizeof(header), 0);
  const int error = errno;
  ::close(descriptor);
  if (count < 0) raiseIoError("read", path, 0, error);
  return count == ssize_t{sizeof(header)} && isSound(header) ? header.stable : StableRecords{};
}

void DoubleWriteArea::clear() {
  Header& header = beginHeader();
  header.checksum = headerChecksum(header);
  transfer(true, header_memory_.get(), kHeaderBytes, 0);
  if (::lseek(descriptor_, 0, SEEK_END) > kKeptBytes && ::ftruncate(descriptor_, kKeptBytes) != 0)
    raiseIoError("truncate", path_, 0, errno);
  syncOrDie(descriptor_, path_);
}

}  // namespace gnomon::storage
