// SPDX-License-Identifier: Apache-2.0
// In the fuzzer's place: runs a target over files, or over all files of folders. Ends with 1 where there are none.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** words) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < count; ++i) {
    if (!std::filesystem::is_directory(words[i])) {
      files.emplace_back(words[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(words[i]))
      if (entry.is_regular_file()) files.push_back(entry.path());
  }
  for (const std::filesystem::path& path : files) {
    std::printf("%s\n", path.filename().c_str());
    std::fflush(stdout);  // names the file that the target fails on
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
