// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Everything about the selected slice: what it is, what launched it, how its calls spread, its partner in the other
// runs, its arguments when asked for. One column beside the timelines, three in the lower area. GUI thread; what reads
// the whole trace or the file runs in a worker, and a newer selection replaces an older request.

#include <memory>

#include <QWidget>

#include "ui/bridge/Session.h"
#include "ui/shell/SliceFacts.h"
#include "ui/theme/Theme.h"

class QScrollArea;
class QTimer;
class QVBoxLayout;

namespace attnscope::ui {

class Jobs;
class LinkButton;
class TextLabel;

class Details : public QWidget {
  Q_OBJECT

 public:
  Details(Session& session, const Theme& theme, QWidget* parent = nullptr);
  ~Details() override;

  void setSidePanel(bool isSide);  // with a head of its own and a close button
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] QString asText() const;  // empty: nothing selected
  [[nodiscard]] QByteArray asJson() const;
  [[nodiscard]] const SliceFacts& facts() const { return m_facts; }
  [[nodiscard]] const Arguments& arguments() const { return m_arguments; }
  void requestArguments();

 Q_SIGNALS:
  void closeRequested();
  void showRequested(int run, attnscope::SliceId slice);      // fit it
  void runShapeRequested(int run, attnscope::SliceId slice);  // an attention call, in the lab

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void rebuild();
  void buildColumns(QWidget* content);
  void addHead(QVBoxLayout* column);
  void addChain(QVBoxLayout* column);
  void addFacts(QVBoxLayout* column, const QString& title, const std::vector<Fact>& facts);
  void addCalls(QVBoxLayout* column);
  void addPartners(QVBoxLayout* column);
  void addArguments(QVBoxLayout* column);
  void addFullName(QVBoxLayout* column);
  TextLabel* addSectionTitle(QVBoxLayout* column, const QString& title);
  QWidget* makeEmpty();
  QWidget* makeHead();
  void startCalls();
  void step(int direction);  // to the previous or next call of this name
  [[nodiscard]] int columnCount() const;
  [[nodiscard]] int lead() const { return m_session.selection().leadRun; }

  struct Partner {
    int run = -1;
    SliceId slice = kNoSlice;
    std::int64_t durationNs = 0;
    std::uint64_t calls = 0;
  };
  struct Called {
    CallStatistics calls;
    std::vector<Partner> partners;
    SliceId previous = kNoSlice;
    SliceId next = kNoSlice;
  };

  Session& m_session;
  const Theme& m_theme;
  std::unique_ptr<Jobs> m_jobs;
  QWidget* m_head = nullptr;
  QScrollArea* m_scroll = nullptr;
  QTimer* m_later = nullptr;
  bool m_isSide = false;
  int m_columns = 0;
  std::shared_ptr<const RunFacts> m_run;
  SliceId m_slice = kNoSlice;
  SliceFacts m_facts;
  Called m_called;
  bool m_hasCalls = false;
  Arguments m_arguments;
  bool m_hasArguments = false;
  bool m_isReading = false;
};

}  // namespace attnscope::ui
