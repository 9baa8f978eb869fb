// SPDX-License-Identifier: Apache-2.0
#include "core/import/ReadShaped.h"

namespace attnscope {

template const char* EventParser::readShaped<Avx2Bytes>(const char*);

}  // namespace attnscope
