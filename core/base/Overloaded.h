// SPDX-License-Identifier: Apache-2.0
#pragma once

// Several lambdas as one callable, for std::visit: one for each alternative.

namespace attnscope {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace attnscope
