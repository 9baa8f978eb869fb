// SPDX-License-Identifier: Apache-2.0
#include "core/import/ZipMembers.h"

#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace attnscope {

namespace {

constexpr zip_int64_t kMostMembers = 100'000;
constexpr std::size_t kMostListed = 20;
constexpr std::size_t kPiece = 1 << 20;

tl::unexpected<Error> refused(ErrorKind kind, std::string what, std::string remedy) {
  return fail({.kind = kind, .what = std::move(what), .remedy = std::move(remedy), .byte = {}, .event = {}});
}

// Folders, and what file managers of other systems put beside every file.
bool isByTheWay(std::string_view name) {
  const std::string_view last = name.substr(name.find_last_of('/') + 1);
  return last.empty() || last.front() == '.' || name.rfind("__MACOSX/", 0) == 0;
}

struct FileCloser {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

}  // namespace

void ZipMembers::Close::operator()(zip* archive) const { zip_discard(archive); }

Result<ZipMembers> ZipMembers::open(const FileHandle& file) {
  const int descriptor = ::dup(file.descriptor());
  int code = 0;
  zip* archive = descriptor < 0 ? nullptr : zip_fdopen(descriptor, 0, &code);
  if (archive == nullptr) {
    if (descriptor >= 0) ::close(descriptor);
    return refused(ErrorKind::kInput,
                   "this is a zip archive that is cut or damaged: its list of members cannot be read",
                   "copy or download it again");
  }
  ZipMembers result;
  result.m_archive.reset(archive);
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  if (count > kMostMembers)
    return refused(ErrorKind::kInput, "this zip archive has more than 100,000 members", "unpack it and open a trace");
  std::vector<ZipMember> all;
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto position = static_cast<zip_uint64_t>(i);
    zip_stat_t status;
    if (zip_stat_index(archive, position, 0, &status) != 0 || (status.valid & ZIP_STAT_NAME) == 0) continue;
    if (isByTheWay(status.name)) continue;
    all.push_back({status.name, (status.valid & ZIP_STAT_SIZE) != 0 ? status.size : 0, position});
  }
  std::copy_if(all.begin(), all.end(), std::back_inserter(result.m_traces),
               [&](const ZipMember& member) { return result.beginsAsTrace(member); });
  if (result.m_traces.empty() && all.size() == 1) result.m_traces = std::move(all);
  if (result.m_traces.empty())
    return refused(ErrorKind::kInput,
                   all.empty() ? "this zip archive is empty"
                               : "this zip archive holds no trace, but " + std::to_string(all.size()) +
                                     " other files, the first of them " + all.front().name,
                   "choose the archive or the file that has the trace");
  return result;
}

bool ZipMembers::beginsAsTrace(const ZipMember& member) const {
  const std::unique_ptr<zip_file_t, FileCloser> file(zip_fopen_index(m_archive.get(), member.position, 0));
  // One that is encrypted is named, and refused when it is read.
  if (!file) return zip_error_code_zip(zip_get_error(m_archive.get())) == ZIP_ER_NOPASSWD;
  char head[64];
  const zip_int64_t count = zip_fread(file.get(), head, sizeof(head));
  if (count <= 0) return false;
  std::string_view text(head, static_cast<std::size_t>(count));
  if (text.rfind("\x1f\x8b", 0) == 0 || text.rfind("\x28\xb5\x2f\xfd", 0) == 0) return true;
  if (text.rfind("\xEF\xBB\xBF", 0) == 0) text.remove_prefix(3);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  return !text.empty() && (text.front() == '{' || text.front() == '[');
}

namespace {

std::string listed(const std::string& file, const std::vector<ZipMember>& members) {
  std::string words;
  for (std::size_t i = 0; i < std::min(members.size(), kMostListed); ++i)
    words += (words.empty() ? "" : ", ") + file + "#" + members[i].name;
  if (members.size() > kMostListed) words += " and " + std::to_string(members.size() - kMostListed) + " more";
  return words;
}

}  // namespace

Result<ZipMember> ZipMembers::find(const std::string& file, const std::string& name) const {
  const auto found =
      std::find_if(m_traces.begin(), m_traces.end(), [&](const ZipMember& member) { return member.name == name; });
  if (found != m_traces.end()) return *found;
  return refused(ErrorKind::kUsage, "the archive has no trace \"" + name + "\"",
                 "name one of " + listed(file, m_traces));
}

Result<ZipMember> ZipMembers::only(const std::string& file) const {
  if (m_traces.size() == 1) return m_traces.front();
  return refused(ErrorKind::kUsage, "this is an archive of " + std::to_string(m_traces.size()) + " traces",
                 "name one of " + listed(file, m_traces));
}

Result<bool> ZipMembers::read(const ZipMember& member,
                              const std::function<Result<void>(std::string_view)>& take) const {
  const std::unique_ptr<zip_file_t, FileCloser> file(zip_fopen_index(m_archive.get(), member.position, 0));
  if (!file) {
    const int code = zip_error_code_zip(zip_get_error(m_archive.get()));
    if (code == ZIP_ER_NOPASSWD)
      return refused(ErrorKind::kInput, "the member " + member.name + " is encrypted", "unpack it with unzip");
    if (code == ZIP_ER_COMPNOTSUPP)
      return refused(ErrorKind::kInput, "the member " + member.name + " is packed in a way that is not known",
                     "unpack it with the program that made the archive");
    return refused(ErrorKind::kInput, "the member " + member.name + " cannot be read: the archive is damaged",
                   "copy or download it again");
  }
  std::string piece(kPiece, '\0');
  for (;;) {
    const zip_int64_t count = zip_fread(file.get(), piece.data(), piece.size());
    if (count == 0) return true;
    if (count < 0) return false;
    if (auto taken = take({piece.data(), static_cast<std::size_t>(count)}); !taken)
      return tl::unexpected<Error>(taken.error());
  }
}

}  // namespace attnscope
