// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/Registry.h"

#include "core/engine/implementations/BlockwiseAten.h"
#include "core/engine/implementations/ChunkedPlain.h"
#include "core/engine/implementations/DecodeCat.h"
#include "core/engine/implementations/DecodePaged.h"
#include "core/engine/implementations/DecodePreallocated.h"
#include "core/engine/implementations/HashedReformer.h"
#include "core/engine/implementations/LatentAbsorbed.h"
#include "core/engine/implementations/LatentPlain.h"
#include "core/engine/implementations/LinearElu.h"
#include "core/engine/implementations/NaiveFp32.h"
#include "core/engine/implementations/NaiveInplace.h"
#include "core/engine/implementations/NaivePlain.h"
#include "core/engine/implementations/OwnDecode.h"
#include "core/engine/implementations/OwnFused.h"
#include "core/engine/implementations/RingThreads.h"
#include "core/engine/implementations/SdpaFlash.h"
#include "core/engine/implementations/SdpaMath.h"
#include "core/engine/implementations/SparseBlocks.h"
#include "core/engine/implementations/WindowBlocks.h"
#include "core/engine/implementations/YourPackage.h"
#include "core/engine/implementations/YourScript.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {

std::vector<ImplementationEntry> implementations(const UserCode& code) {
  return {naivePlain(),  naiveInplace(), naiveFp32(),      sdpaMath(),       sdpaFlash(),    blockwiseAten(),
          ownFused(),    ownDecode(),    windowBlocks(),   sparseBlocks(),   chunkedPlain(), linearElu(),
          lshReformer(), mlaAbsorbed(),  mlaPlain(),       gqaRepeat(),      decodeCat(),    decodePreallocated(),
          decodePaged(), ringThreads(),  yourScript(code), yourPackage(code)};
}

std::optional<ImplementationEntry> findImplementation(std::string_view id, const UserCode& code) {
  for (const ImplementationEntry& entry : implementations(code)) {
    if (entry.id == id) return entry;
  }
  return std::nullopt;
}

std::optional<std::string> refusalHere(std::string_view id, const Problem& problem, std::string_view device,
                                       const UserCode& code) {
  const Card* card = findCard(id);
  if (card == nullptr) return "No implementation has this id. See attnscope-cli implementations.";
  const std::optional<DeviceKind> kind = deviceKindOf(device);
  if (!kind) return "No device has this name. Choose cpu.";
  if (auto reason = refusalOf(*card, problem, *kind)) return reason;
  if (*kind != DeviceKind::kCpu) return "This runner was built without CUDA. Choose the device cpu.";
  const std::optional<ImplementationEntry> entry = findImplementation(id, code);
  if (!entry) return "This runner was built without it.";
  return entry->refusal ? entry->refusal(problem) : std::nullopt;
}

}  // namespace attnscope::engine
