// SPDX-License-Identifier: Apache-2.0
// The person's own code: what is said of what is wrong with it, and that it runs after a yes alone.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "ProblemMatrix.h"
#include "core/engine/Work.h"
#include "core/engine/implementations/Registry.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

constexpr const char* kMasked = R"(
def attention(q, k, v, mask: Optional[Tensor], scale: float):
    scores = torch.matmul(q, k.transpose(-2, -1)) * scale
    if mask is not None:
        scores = scores + mask
    return torch.matmul(torch.softmax(scores, -1), v)
)";

UserCode codeOf(const std::string& script) {
  UserCode code;
  code.script = script;
  code.allowed = true;
  return code;
}

double errorOf(const Problem& problem, const UserCode& code) {
  const SharedInputs inputs = makeSharedInputs(problem);
  const CallResult result = Work(problem, inputs, findImplementation("byo.script", code)->make(problem)).call();
  return distanceOf(result, *expectedResult(problem, inputs, Definition::kSoftmax, {})).relativeL2;
}

std::string faultOf(const UserCode& code) {
  try {
    static_cast<void>(errorOf(problemOf({1, 2, 2, 8, 8, 4, 4}), code));
  } catch (const std::exception& exception) {
    return exception.what();
  }
  return {};
}

TEST(YourCode, IsAttentionWhereItIs) {
  int checked = 0;
  for (const Mask& mask : checkedMasks({1, 2, 2, 31, 31, 8, 8})) {
    for (const Pass pass : {Pass::kForward, Pass::kForwardBackward}) {
      Problem problem = maskedProblem({1, 2, 2, 31, 31, 8, 8}, mask);
      problem.pass = pass;
      EXPECT_LE(errorOf(problem, codeOf(kMasked)), errorLimit(problem.dtype)) << describe(problem);
      ++checked;
    }
  }
  EXPECT_GE(checked, 16);
}

TEST(YourCode, MayTakeQueriesKeysAndValuesAlone) {
  const UserCode code = codeOf("def attention(q, k, v):\n    return torch.scaled_dot_product_attention(q, k, v)\n");
  EXPECT_LE(errorOf(problemOf({1, 2, 2, 16, 16, 8, 8}), code), 1e-5);
  // What it is not told of is missing.
  EXPECT_GT(errorOf(maskedProblem({1, 2, 2, 16, 16, 8, 8}, CausalMask{}), code), 1e-2);
}

TEST(YourCode, SaysWhereItsSourceIsWrong) {
  const std::string fault = faultOf(codeOf("def attention(q, k, v):\n    return torch.no_such_thing(q)\n"));
  EXPECT_NE(fault.find("no_such_thing"), std::string::npos) << fault;
  EXPECT_NE(fault.find("~"), std::string::npos) << "the place is marked: " << fault;
  EXPECT_NE(faultOf(codeOf("def other(q):\n    return q\n")).find("no function `attention`"), std::string::npos);
  EXPECT_NE(faultOf(codeOf("def attention(q):\n    return q\n")).find("takes 1 argument"), std::string::npos);
  EXPECT_NE(faultOf(codeOf("def attention(q, k, v):\n    return 3\n")).find("no tensor"), std::string::npos);
}

TEST(YourCode, FilesThatAreNoneAreSaidSo) {
  UserCode code;
  code.allowed = true;
  code.scriptFile = "/nowhere/module.pt";
  EXPECT_FALSE(faultOf(code).empty());
  code.packageFile = "/nowhere/package.pt2";
  const Problem problem = problemOf({1, 2, 2, 8, 8, 4, 4});
  EXPECT_THROW(static_cast<void>(findImplementation("byo.package", code)->make(problem)), std::runtime_error);
}

// A package of AOTInductor holds a library that needs these by name; LibTorch's folder has no libtorch.so.
TEST(YourCode, WhatPackagesNeedIsLoaded) {
  for (const char* name : {"libtorch.so", "libtorch_cpu.so", "libc10.so"}) {
    EXPECT_NE(dlopen(name, RTLD_LAZY | RTLD_NOLOAD), nullptr) << name;
  }
}

TEST(YourCode, RunsAfterAYesAlone) {
  const Problem problem = problemOf({1, 2, 2, 8, 8, 4, 4});
  UserCode code = codeOf(kMasked);
  EXPECT_FALSE(refusalHere("byo.script", problem, "cpu", code).has_value());
  code.allowed = false;
  EXPECT_NE(refusalHere("byo.script", problem, "cpu", code).value_or("").find("your yes"), std::string::npos);
  EXPECT_NE(refusalHere("byo.script", problem, "cpu").value_or("").find("Needs your code"), std::string::npos);
  code.packageFile = "p.pt2";
  EXPECT_NE(refusalHere("byo.package", problem, "cpu", code).value_or("").find("your yes"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::engine
