// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/CommandLine.h"

#include <array>
#include <utility>

#include <QCoreApplication>
#include <QStringView>

namespace attnscope::ui {

namespace {

constexpr std::array<std::pair<ViewName, const char*>, 17> kViews = {{{ViewName::kStart, "start"},
                                                                      {ViewName::kTimeline, "timeline"},
                                                                      {ViewName::kCompare, "compare"},
                                                                      {ViewName::kKernels, "kernels"},
                                                                      {ViewName::kOperators, "operators"},
                                                                      {ViewName::kGroups, "groups"},
                                                                      {ViewName::kMemory, "memory"},
                                                                      {ViewName::kFindings, "findings"},
                                                                      {ViewName::kSlices, "slices"},
                                                                      {ViewName::kSteps, "steps"},
                                                                      {ViewName::kMemoryEvents, "memory-events"},
                                                                      {ViewName::kDistribution, "distribution"},
                                                                      {ViewName::kKinds, "kinds"},
                                                                      {ViewName::kFlame, "flame"},
                                                                      {ViewName::kInside, "inside"},
                                                                      {ViewName::kDetails, "details"},
                                                                      {ViewName::kLab, "lab"}}};

QString tr(const char* text) { return QCoreApplication::translate("attnscope::ui::CommandLine", text); }

tl::unexpected<Error> usage(const QString& what, const QString& remedy) {
  return fail(Error{ErrorKind::kUsage, what.toStdString(), remedy.toStdString(), {}, {}});
}

Result<ViewName> parseView(const QString& text) {
  for (const auto& [view, name] : kViews) {
    if (text == QLatin1String(name)) return view;
  }
  return usage(tr("There is no view %1").arg(text),
               tr("name one of start, timeline, compare, kernels, operators, memory, findings, slices, steps, "
                  "memory-events, distribution, kinds, flame, inside, details, lab"));
}

Result<ThemeChoice> parseTheme(const QString& text) {
  if (text == QLatin1String("light")) return ThemeChoice::kLight;
  if (text == QLatin1String("dark")) return ThemeChoice::kDark;
  if (text == QLatin1String("system")) return ThemeChoice::kSystem;
  return usage(tr("There is no theme %1").arg(text), tr("name light, dark or system"));
}

Result<QSize> parseSize(const QString& text) {
  const qsizetype cross = text.indexOf(u'x', 0, Qt::CaseInsensitive);
  bool widthRead = false;
  bool heightRead = false;
  const int width = cross > 0 ? QStringView(text).left(cross).toInt(&widthRead) : 0;
  const int height = cross > 0 ? QStringView(text).mid(cross + 1).toInt(&heightRead) : 0;
  if (!widthRead || !heightRead || width < 320 || height < 240 || width > 16384 || height > 16384) {
    return usage(tr("%1 is not a size of a window").arg(text), tr("write it as 1280x800"));
  }
  return QSize(width, height);
}

Result<int> parseNumber(const QString& option, const QString& text, int least, int most) {
  bool read = false;
  const int value = text.toInt(&read);
  if (read && value >= least && value <= most) return value;
  return usage(tr("%1 cannot be %2").arg(option, text), tr("write a whole number from %1 to %2").arg(least).arg(most));
}

// Sets the option; nothing or what is wrong.
Result<bool> apply(CommandLine& line, const QString& option, const QString& value) {
  if (option == QLatin1String("--view")) {
    const auto view = parseView(value);
    if (!view) return fail(view.error());
    line.view = *view;
  } else if (option == QLatin1String("--theme")) {
    const auto theme = parseTheme(value);
    if (!theme) return fail(theme.error());
    line.theme = *theme;
  } else if (option == QLatin1String("--size")) {
    const auto size = parseSize(value);
    if (!size) return fail(size.error());
    line.size = *size;
  } else if (option == QLatin1String("--text-scale")) {
    const auto scale = parseNumber(option, value, 100, 200);
    if (!scale) return fail(scale.error());
    line.textScalePercent = *scale;
  } else if (option == QLatin1String("--unpack-ratio")) {
    const auto ratio = parseNumber(option, value, 1, 1000000);
    if (!ratio) return fail(ratio.error());
    line.unpackRatio = *ratio;
  } else if (option == QLatin1String("--capture-after")) {
    const auto after = parseNumber(option, value, 0, 600000);
    if (!after) return fail(after.error());
    line.captureAfterMs = *after;
  } else {
    line.capture = value;
  }
  return true;
}

}  // namespace

QString toString(ViewName view) {
  for (const auto& [each, name] : kViews) {
    if (each == view) return QLatin1String(name);
  }
  return {};
}

Result<CommandLine> parseCommandLine(const QStringList& arguments) {
  static const QStringList kWithValue = {QStringLiteral("--view"),        QStringLiteral("--theme"),
                                         QStringLiteral("--size"),        QStringLiteral("--text-scale"),
                                         QStringLiteral("--capture"),     QStringLiteral("--capture-after"),
                                         QStringLiteral("--unpack-ratio")};
  CommandLine line;
  bool onlyFiles = false;
  for (qsizetype i = 0; i < arguments.size(); ++i) {
    const QString& argument = arguments[i];
    if (onlyFiles || !argument.startsWith(u'-') || argument == QLatin1String("-")) {
      line.files.push_back(argument);
      continue;
    }
    if (argument == QLatin1String("--")) {
      onlyFiles = true;
    } else if (argument == QLatin1String("--help") || argument == QLatin1String("-h")) {
      line.help = true;
    } else if (argument == QLatin1String("--version") || argument == QLatin1String("-V")) {
      line.version = true;
    } else {
      const qsizetype equals = argument.indexOf(u'=');
      const QString option = equals < 0 ? argument : argument.left(equals);
      if (!kWithValue.contains(option)) {
        return usage(tr("There is no option %1").arg(option), tr("attnscope --help lists all"));
      }
      if (equals < 0 && i + 1 >= arguments.size()) {
        return usage(tr("%1 has no value").arg(option), tr("attnscope --help lists what it takes"));
      }
      const QString value = equals < 0 ? arguments[++i] : argument.mid(equals + 1);
      if (const auto set = apply(line, option, value); !set) return fail(set.error());
    }
  }
  if (line.captureAfterMs && line.capture.isEmpty()) {
    return usage(tr("--capture-after says when to draw, and no picture was asked for"), tr("add --capture FILE.png"));
  }
  return line;
}

QString commandLineHelp() {
  return tr(
      "Usage: attnscope [OPTIONS] [FILES]\n"
      "\n"
      "Opens profiler traces side by side and shows where the time and the memory go.\n"
      "FILES are Chrome traces as PyTorch Profiler writes them, plain or packed with gzip, zstd or zip, and sessions "
      "of\n"
      "the lab, .attn; FILE#member names one trace of an archive, - is standard input.\n"
      "\n"
      "  --view NAME           start, timeline, compare, groups, kernels, operators, memory, findings, slices, steps,\n"
      "                        memory-events, distribution, kinds, flame, inside, details or lab\n"
      "  --theme CHOICE        light, dark or system\n"
      "  --size WxH            size of the window in logical pixels, for example 1280x800\n"
      "  --text-scale PERCENT  100 to 200\n"
      "  --capture FILE.png    draw the view when everything is read and settled, then end\n"
      "  --capture-after MS    with --capture: draw after MS milliseconds, ready or not\n"
      "  --unpack-ratio N      packed traces may grow by this factor (200), and to 1 GiB at least\n"
      "  --help                this text\n"
      "  --version             the version\n"
      "\n"
      "Exit codes: 0 done; 2 wrong usage, or a picture that cannot be written; 3 a file could not be read.\n");
}

}  // namespace attnscope::ui
