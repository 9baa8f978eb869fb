// SPDX-License-Identifier: Apache-2.0
#include "core/import/ReadShaped.h"

namespace attnscope {

template const char* EventParser::readShaped<SseBytes>(const char*);

}  // namespace attnscope
