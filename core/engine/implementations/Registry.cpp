// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/Registry.h"

#include "core/engine/implementations/NaivePlain.h"
#include "core/engine/implementations/SdpaFlash.h"

namespace attnscope::engine {

std::vector<ImplementationEntry> implementations() { return {naivePlain(), sdpaFlash()}; }

}  // namespace attnscope::engine
