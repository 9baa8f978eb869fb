// SPDX-License-Identifier: Apache-2.0
#include "app/cli/CommandLine.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "app/cli/SessionMembers.h"
#include "core/compare/Alignment.h"
#include "core/problem/Cards.h"
#include "core/problem/ProblemOptions.h"

namespace attnscope::cli {

namespace {

struct Planned {
  const char* name;
  const char* title;
};
constexpr std::array<Planned, 3> kPlanned = {{{"sweep", "run over several sequence lengths"},
                                              {"report", "one portable file"},
                                              {"check", "exit 1 when a limit is broken"}}};

constexpr const char* kProgramExamples =
    "Not there yet:\n"
    "  sweep, report, check\n"
    "\n"
    "Examples:\n"
    "  attnscope-cli info trace.json.gz\n"
    "  attnscope-cli operators trace.json.gz --by-shape --top 20\n"
    "  attnscope-cli kernels trace.json.gz --json\n"
    "  attnscope-cli findings trace.json.gz\n"
    "  attnscope-cli compare naive.json.gz flash.json.gz --align step\n"
    "  attnscope-cli run --impl naive.plain,sdpa.flash --seq 1024 --causal -o runs.attn\n"
    "\n"
    "Exit codes: 0 done, 1 a check failed, 2 wrong usage, 3 an input could not be read,\n"
    "4 a run failed, 130 interrupted. COMMAND --help says more of each.";

// CLI11 knows none of these: core/problem reads them, so that they mean the same wherever a problem is named.
constexpr const char* kProblemOptions =
    "Problem options:\n"
    "  --batch B --heads H --kv-heads H --seq N --kv-seq M --head-dim D --value-head-dim D\n"
    "  --dtype float32|bfloat16|float16|float64 --causal[=top-left|bottom-right] --window W\n"
    "  --mask none|prefix:N|documents:N,N|FILE --softcap C --sink --alibi --dropout P\n"
    "  --backward --block --layout bhnd|bnhd --preset NAME --seed S\n"
    "\n";

bool isFile(const std::string& name) {
  std::error_code error;
  return std::filesystem::is_regular_file(name, error);
}

// CLI11 takes -1 for a large number where one without a sign is wanted.
CLI::Validator isCount() {
  return CLI::Validator(
      [](const std::string& text) {
        const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        return digits ? std::string() : text + " is no count";
      },
      "", "count");
}

// Builds the commands of CLI11 around one Options.
class Parser {
 public:
  explicit Parser(const Problem& problem = {})
      : m_app("Compares attention implementations through profiler traces.", "attnscope-cli") {
    m_app.footer(kProgramExamples);
    m_app.set_version_flag("--version", std::string("attnscope-cli ") + ATTNSCOPE_VERSION);
    m_app.require_subcommand(1);
    m_options.problem = problem;
    m_app.add_flag("--quiet", m_options.quiet, "no progress on standard error");
    addCommands();
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const CLI::App* command : m_app.get_subcommands({})) names.push_back(command->get_name());
    return names;
  }

  std::variant<Options, Ending> parse(std::vector<std::string> arguments) {
    try {
      std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
      m_app.parse(arguments);
    } catch (const CLI::CallForHelp&) {
      return Ending{kDone, helpText(), {}};
    } catch (const CLI::CallForVersion&) {
      return Ending{kDone, m_app.version() + "\n", {}};
    } catch (const CLI::ParseError& error) {
      return Ending{kWrongUsage, {}, usageLine(error)};
    }
    m_options.command = m_app.get_subcommands().front()->get_name();
    const bool aloneIsEnough = m_options.files.size() != 1 || isSessionFile(m_options.files.front());
    if (m_options.command == "compare" && !aloneIsEnough) {
      return Ending{kWrongUsage, {}, "compare: one file is no comparison: give BASE and at least one OTHER"};
    }
    if (!deviceKindOf(m_options.device)) {
      return Ending{
          kWrongUsage,
          {},
          fmt::format("{}: --device {} is not known: use cpu or cuda:N", m_options.command, m_options.device)};
    }
    if (!parseAlignment(m_options.align)) {
      return Ending{kWrongUsage,
                    {},
                    fmt::format("compare: --align {}: use step, annotation:NAME, start, first-kernel or wall-clock",
                                m_options.align)};
    }
    m_options.cache = m_cache == "cold" ? CacheState::kCold : CacheState::kHot;
    m_options.form = m_json       ? OutputForm::kJson
                     : m_csv      ? OutputForm::kCsv
                     : m_markdown ? OutputForm::kMarkdown
                                  : OutputForm::kText;
    return m_options;
  }

 private:
  CLI::App* add(const char* name, const char* title, const char* examples) {
    CLI::App* command = m_app.add_subcommand(name, title);
    command->footer(std::string("Examples:\n") + examples);
    command->add_flag("--quiet", m_options.quiet, "no progress on standard error");
    return command;
  }
  CLI::Option* addFile(CLI::App* command) {
    addUnpacking(command);
    return command->add_option("FILE", m_options.files, "a trace, plain or packed; FILE#member; - for standard input")
        ->required()
        ->expected(1);
  }
  void addUnpacking(CLI::App* command) {
    command
        ->add_option("--unpack-ratio", m_options.unpack.ratio,
                     "packed traces may grow by this factor (200), and to 1 GiB at least")
        ->type_name("N")
        ->check(isCount());
  }
  CLI::Option* addJson(CLI::App* command) {
    return command->add_flag("--json", m_json, "one JSON document, schema attnscope/1");
  }
  CLI::Option* addCsv(CLI::App* command, CLI::Option* json) {
    return command->add_flag("--csv", m_csv, "comma-separated values, exact numbers")->excludes(json);
  }
  void addTable(CLI::App* command) { addCsv(command, addJson(command)); }
  void addSelection(CLI::App* command) {
    command->add_option("--name", m_options.name, "only names in which this regular expression is found")
        ->type_name("REGEX");
    command->add_option("--category", m_options.category, "only this category")->type_name("C");
    command->add_option("--track", m_options.track, "only the track with this id (info lists them)")
        ->type_name("ID")
        ->check(isCount());
    command->add_option("--from", m_options.fromNs, "only what ends after this time")->type_name("NS");
    command->add_option("--to", m_options.toNs, "only what begins before this time")->type_name("NS");
    command->add_option("--limit", m_options.limit, "only the first N")->type_name("N")->check(isCount());
  }
  void addSorting(CLI::App* command) {
    command->add_option("--sort", m_options.sortColumn, "column by its name in JSON; numbers downwards, texts upwards")
        ->type_name("COLUMN");
    command->add_option("--top", m_options.top, "only the first N rows")->type_name("N")->check(isCount());
  }
  void addMachine(CLI::App* command) {
    command->add_option("--device", m_options.device, "cpu or cuda:N")->type_name("D");
    command->add_option("--threads", m_options.threads, "threads that a call may use")
        ->type_name("T")
        ->check(CLI::Range(1, 1024));
  }
  void addCommands();
  void addLabCommands();

  [[nodiscard]] std::string helpText() const {
    for (CLI::App* command : m_app.get_subcommands()) return command->help();
    return m_app.help();
  }
  [[nodiscard]] std::string usageLine(const CLI::ParseError& error) const {
    std::string what = error.what();
    what = what.substr(0, what.find('\n'));
    const auto chosen = m_app.get_subcommands();
    if (chosen.empty()) return what + ": see attnscope-cli --help";
    const std::string name = chosen.front()->get_name();
    return fmt::format("{}: {}: see attnscope-cli {} --help", name, what, name);
  }

  Options m_options;
  bool m_json = false;
  bool m_csv = false;
  bool m_markdown = false;
  std::string m_cache = "hot";
  CLI::App m_app;
};

void Parser::addCommands() {
  CLI::App* info = add("info", "what a file is and what is in it",
                       "  attnscope-cli info trace.json.gz\n  attnscope-cli info trace.json.gz --json");
  addFile(info);
  addJson(info);

  CLI::App* slices = add("slices", "the slices, in order of start",
                         "  attnscope-cli slices trace.json --name softmax --limit 20\n"
                         "  attnscope-cli slices trace.json --category kernel --json");
  addFile(slices);
  addTable(slices);
  addSelection(slices);

  CLI::App* instants =
      add("instants", "the instants, in order of time", "  attnscope-cli instants trace.json --name memory --limit 20");
  addFile(instants);
  addTable(instants);
  addSelection(instants);

  CLI::App* counters = add("counters", "the counters and their samples", "  attnscope-cli counters trace.json --json");
  addFile(counters);
  addTable(counters);
  counters->add_option("--name", m_options.name, "only names in which this regular expression is found")
      ->type_name("REGEX");

  CLI::App* operators = add("operators", "host operators as PyTorch's key_averages() counts them",
                            "  attnscope-cli operators trace.json --by-shape --top 20\n"
                            "  attnscope-cli operators trace.json --leaf --sort device_self_ns");
  addFile(operators);
  addTable(operators);
  operators->add_flag("--by-shape", m_options.byShape, "a row for each name and input shapes");
  operators->add_flag("--leaf", m_options.leaf, "only operators without operators under them");
  addSorting(operators);

  CLI::App* kernels = add("kernels", "kernels by name, and how busy the devices were",
                          "  attnscope-cli kernels trace.json --top 10\n"
                          "  attnscope-cli kernels trace.json --by-launch --sort max_ns");
  addFile(kernels);
  addTable(kernels);
  kernels->add_flag("--by-launch", m_options.byLaunch, "a row for each name and launch shape");
  addSorting(kernels);

  CLI::App* memory = add("memory", "allocated bytes over time, the peak and who holds it",
                         "  attnscope-cli memory trace.json\n  attnscope-cli memory trace.json --series 1000 --json");
  addFile(memory);
  addTable(memory);
  memory->add_option("--series", m_options.seriesPoints, "at most N points of each series, extremes kept; 0: none")
      ->type_name("N")
      ->check(isCount());

  CLI::App* attention = add("attention", "calls of attention and the time of their stages",
                            "  attnscope-cli attention trace.json.gz\n  attnscope-cli attention trace.json.gz --json");
  addFile(attention);
  addJson(attention);

  CLI::App* findings = add("findings", "what could be faster or smaller, why, and what to change",
                           "  attnscope-cli findings trace.json.gz --min-severity warning\n"
                           "  attnscope-cli findings trace.json.gz --rule sync.in-step --json");
  addFile(findings);
  addJson(findings);
  findings->add_option("--rule", m_options.rule, "one rule alone, by its id")->type_name("ID");
  findings->add_option("--min-severity", m_options.leastSeverity, "leave out what is less")
      ->type_name("info|warning|problem")
      ->check([](const std::string& text) {
        return text == "info" || text == "warning" || text == "problem" ? std::string()
                                                                        : text + ": use info, warning or problem";
      });

  CLI::App* compare = add("compare", "two or more runs side by side",
                          "  attnscope-cli compare naive.json.gz flash.json.gz\n"
                          "  attnscope-cli compare a.json b.json c.json --align step --top 15 --markdown\n"
                          "  attnscope-cli compare before/ after/ --normalize step");
  compare->add_option("FILES", m_options.files, "BASE OTHER...")->required()->type_name("BASE OTHER...");
  addUnpacking(compare);
  CLI::Option* json = addJson(compare);
  CLI::Option* csv = addCsv(compare, json);
  compare->add_flag("--markdown", m_markdown, "a Markdown table")->excludes(json)->excludes(csv);
  compare
      ->add_option("--align", m_options.align,
                   "what is compared and where time 0 is: step, annotation:NAME, start (whole trace), first-kernel, "
                   "wall-clock")
      ->type_name("HOW");
  compare
      ->add_option("--threshold", m_options.thresholdPercent,
                   "changes under P per cent do not matter: verdicts call them within noise (2 without it), and groups "
                   "that differ by less than P per cent of the base are one row")
      ->type_name("P")
      ->check(CLI::Range(0.0, 100.0));
  compare
      ->add_option("--baseline", m_options.baseline,
                   "the run that the others are compared with: its letter or its file")
      ->type_name("RUN");
  compare->add_option("--normalize", m_options.normalize, "times of the whole run, a step, or a call")
      ->type_name("run|step|call")
      ->check([](const std::string& text) {
        return text == "run" || text == "step" || text == "call" ? std::string() : text + ": use run, step or call";
      });
  compare->add_flag("--all-steps", m_options.allSteps, "with --align step: the first of many steps is not left out");
  compare->add_flag("--force", m_options.force,
                    "figures even where the runs do different work; the refusal stays beside");
  compare->add_option("--top", m_options.top, "only the N largest differences; the others are one row")
      ->type_name("N")
      ->check(isCount());

  CLI::App* convert = add("convert", "a clean Chrome trace that other viewers open",
                          "  attnscope-cli convert damaged.json -o clean.json.gz\n"
                          "  attnscope-cli convert large.json.gz --from 1000000 --to 2000000 -o to-share.json.gz");
  addFile(convert);
  convert->add_option("-o,--output", m_options.output, "where to: .json, or .json.gz to pack it")
      ->required()
      ->type_name("OUT");
  convert->add_option("--from", m_options.fromNs, "only what ends after this time, and what that needs")
      ->type_name("NS");
  convert->add_option("--to", m_options.toNs, "only what begins before this time, and what that needs")
      ->type_name("NS");
  convert->add_flag("--keep-personal", m_options.keepPersonal,
                    "keep home folders, names of users and machines, and tokens, which are left out otherwise");
  addLabCommands();
}

void Parser::addLabCommands() {
  CLI::App* implementations =
      add("implementations", "what can be run of a problem, what it computes and how much memory it takes",
          "  attnscope-cli implementations --seq 4096 --causal\n"
          "  attnscope-cli implementations --preset gpt2-medium --json");
  implementations->footer(kProblemOptions + implementations->get_footer());
  addTable(implementations);
  addMachine(implementations);

  CLI::App* run =
      add("run", "time implementations against each other and record a trace of each",
          "  attnscope-cli run --impl naive.plain,sdpa.flash --seq 1024 --causal -o runs.attn\n"
          "  attnscope-cli run --impl sdpa.math,sdpa.flash --preset bert-base --quick -o quick.attn --json");
  run->footer(kProblemOptions + run->get_footer());
  run->add_option("--impl", m_options.implementations, "ids in order; the first is the baseline")
      ->required()
      ->type_name("ID,ID...");
  run->add_option("-o,--output", m_options.output, "the session file that is written")
      ->required()
      ->type_name("OUT.attn");
  addJson(run);
  addMachine(run);
  run->add_option("--pairs", m_options.pairs, "timed rounds; 40 without it, 12 with --quick")
      ->type_name("R")
      ->check(CLI::Range(1, 100000));
  run->add_option("--cache", m_cache, "cold: the last level cache is flushed before each sample")
      ->type_name("hot|cold")
      ->check([](const std::string& text) {
        return text == "hot" || text == "cold" ? std::string() : text + ": use hot or cold";
      });
  run->add_flag("--no-profile", m_options.noProfile, "times alone, no traces");
  run->add_flag("--quick", m_options.quick, "a first look in seconds: short samples, wide intervals");
  run->add_option("--cpus", m_options.cpus, "the CPUs that the runner is kept to")
      ->delimiter(',')
      ->type_name("N,N")
      ->check(CLI::Range(0, 65535));
  run->add_flag("--over-budget", m_options.overBudget, "try what does not fit the free memory by what is predicted");
  run->add_option("--script", m_options.script, "your attention for byo.script: TorchScript source, or a module (.pt)")
      ->type_name("FILE");
  run->add_option("--package", m_options.package, "your attention for byo.package, by AOTInductor (.pt2)")
      ->type_name("FILE");
  run->add_flag("--allow-code", m_options.allowCode,
                "yes, run the code of --script or --package: it has all your rights");
  run->add_option("--host", m_options.host, "run on another machine, where attnscope-runner is in the PATH or named")
      ->type_name("ssh:NAME[:RUNNER]");
}

std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// A first word that is no command: a file, a command to come, or a slip.
Ending unknownCommand(const std::string& word, std::vector<std::string> names) {
  for (const Planned& planned : kPlanned) {
    if (word == planned.name) {
      return {kWrongUsage, {}, fmt::format("{} ({}) is not there yet: see attnscope-cli --help", word, planned.title)};
    }
    names.emplace_back(planned.name);
  }
  if (isFile(word)) {
    return {kWrongUsage, {}, fmt::format("{}: a file without a command: write attnscope-cli info {}", word, word)};
  }
  const std::string nearest = nearestWord(word, names);
  if (nearest.empty()) return {kWrongUsage, {}, fmt::format("{} is no command: see attnscope-cli --help", word)};
  return {kWrongUsage, {}, fmt::format("{} is no command: did you mean {}?", word, nearest)};
}

}  // namespace

std::string nearestWord(const std::string& text, const std::vector<std::string>& words) {
  std::string nearest;
  std::size_t fewest = text.size() / 2 + 2;
  for (const std::string& word : words) {
    if (!text.empty() && (word.starts_with(text) || text.starts_with(word))) return word;
    const std::size_t count = edits(text, word);
    if (count >= fewest) continue;
    fewest = count;
    nearest = word;
  }
  return nearest;
}

std::variant<Options, Ending> parseCommandLine(const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = Parser().names();
  const auto first = std::find_if(arguments.begin(), arguments.end(),
                                  [](const std::string& argument) { return !argument.starts_with('-'); });
  if (first != arguments.end() && std::find(names.begin(), names.end(), *first) == names.end()) {
    return unknownCommand(*first, names);
  }
  if (arguments.empty()) return Ending{kWrongUsage, {}, "no command: see attnscope-cli --help"};
  const bool takesProblem = first != arguments.end() && (*first == "run" || *first == "implementations");
  if (!takesProblem) return Parser().parse(arguments);

  const std::string command = *first;
  for (const std::string& argument : arguments) {  // help answers before anything is checked
    if (argument == "--help" || argument == "-h") return Parser().parse({command, "--help"});
  }
  const auto problem = parseProblemOptions(arguments);
  if (!problem) return Ending{kWrongUsage, {}, command + ": " + problem.error().message()};
  return Parser(problem->problem).parse(problem->rest);
}

}  // namespace attnscope::cli
