// SPDX-License-Identifier: GPL-3.0-or-later
// Sorting and filtering of a table in a worker, and what the GUI thread pays for the result.
//
//   bench_tables [ROWS]   1 000 000 unless given
//
// Rows as slices of a trace have them: 5 000 names, few categories and tracks, start and duration in ns. CPU time of
// the thread that works; of several repeats the fastest and the median stand, and the median must hold.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include <QCoreApplication>

#include "ui/tables/RowTable.h"

namespace attnscope::ui {
namespace {

constexpr int kRepeats = 9;
constexpr std::uint32_t kNames = 5'000;

double cpuMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

std::shared_ptr<TableRows> generate(std::size_t count) {
  auto rows = std::make_shared<TableRows>();
  rows->rowCount = count;
  const auto add = [&](const char* title, ColumnRole role) {
    Column column;
    column.title = QString::fromLatin1(title);
    column.role = role;
    column.sum = column.isText() ? SumRule::kNone : SumRule::kSum;
    return rows->addColumn(column);
  };
  const auto name = static_cast<std::size_t>(add("Slice", ColumnRole::kName));
  const auto category = static_cast<std::size_t>(add("Category", ColumnRole::kText));
  const auto start = static_cast<std::size_t>(add("Start", ColumnRole::kTime));
  const auto duration = static_cast<std::size_t>(add("Duration", ColumnRole::kTimeWithBar));
  rows->columns[duration].timeUnit = format::TimeUnit::kUs;
  std::mt19937_64 random(3);
  QStringList names;
  for (std::uint32_t i = 0; i < kNames; ++i)
    names << QStringLiteral("aten::generated_operator_%1<float, 128, 64>").arg(i);
  const QStringList categories{QStringLiteral("cpu_op"), QStringLiteral("kernel"), QStringLiteral("cuda_runtime")};
  std::lognormal_distribution<double> length(10, 2);
  double at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    rows->texts[name].add(names[static_cast<qsizetype>(random() % kNames)]);
    rows->texts[category].add(categories[static_cast<qsizetype>(random() % 3)]);
    at += std::floor(length(random) / 4);
    rows->numbers[start].push_back(at);
    rows->numbers[duration].push_back(std::floor(length(random)));
  }
  return rows;
}

struct Figures {
  double best;
  double median;
};

Figures measure(const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    const double before = cpuMs();
    work();
    times.push_back(cpuMs() - before);
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2]};
}

bool print(const char* what, Figures figures, double must, double aim) {
  const bool holds = figures.median <= must;
  std::printf("  %-44s %8.1f %8.1f %8.0f %8.0f  %s\n", what, figures.best, figures.median, must, aim,
              holds ? (figures.median <= aim ? "aim" : "must") : "MISSED");
  return holds;
}

TableOrder sortedBy(std::initializer_list<int> columns) {
  TableOrder order;
  for (const int column : columns) {
    if (order.column < 0) {
      order.column = column;
    } else {
      order.then.push_back({column, Qt::AscendingOrder});
    }
  }
  return order;
}

TableOrder filteredBy(const char* text, const TableRows& rows) {
  TableOrder order;
  auto filter = RowFilter::parse(QString::fromUtf8(text), rows);
  if (!filter) {
    std::fprintf(stderr, "bench_tables: %s: %s\n", text, filter.error().message().c_str());
    std::exit(2);
  }
  order.filter = std::move(*filter);
  return order;
}

int run(std::size_t count) {
  const auto rows = generate(count);
  std::printf("%zu rows, 4 columns, %u names; CPU ms of the worker, best and median of %d\n", count, kNames, kRepeats);
  std::printf("  %-44s %8s %8s %8s %8s\n", "", "best", "median", "must", "aim");
  bool holds = true;
  const auto arranged = [&](const TableOrder& order) {
    return measure([&] {
      const Arrangement arrangement = arrange(*rows, order);
      if (arrangement.shownRows > rows->rowCount) std::abort();
    });
  };
  const auto sorts = [&](const char* what, std::initializer_list<int> columns) {
    holds = print(what, arranged(sortedBy(columns)), 150, 60) && holds;
  };
  sorts("sort by start", {2});
  sorts("sort by duration", {3});
  sorts("sort by name", {0});
  sorts("sort by category, name, duration", {1, 0, 3});
  const auto filters = [&](const char* text) {
    holds = print(text, arranged(filteredBy(text, *rows)), 100, 40) && holds;
  };
  filters("operator_42");
  filters("generated 42 cpu_op");
  filters("duration > 100us");
  filters("duration > 10us and name ~ operator_4");
  filters("not (category = kernel or duration < 5us)");
  // What the GUI thread pays when an arrangement arrives: the model is reset, and each row's line noted.
  RowTable table;
  table.setRows(rows);
  while (!table.isSettled()) QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
  double gui = 0;
  for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
    table.setOrder(3, order);
    while (!table.isSettled()) {
      const double before = cpuMs();
      QCoreApplication::processEvents(QEventLoop::AllEvents);
      gui = std::max(gui, cpuMs() - before);
    }
  }
  holds = print("longest turn of the GUI thread meanwhile", {gui, gui}, 33, 16) && holds;
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace attnscope::ui

int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  const long count = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1'000'000;
  if (count <= 0) {
    std::fprintf(stderr, "bench_tables: %s is no number of rows: write a whole number above 0\n", argv[1]);
    return 2;
  }
  return attnscope::ui::run(static_cast<std::size_t>(count));
}
