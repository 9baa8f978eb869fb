// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The form of a problem and of how it is run: presets on top, every field free to type, what is wrong said under its
// field 300 ms after the last key, and the estimated peak at the foot. What the form has no field for (scale, a latent,
// a mask of documents...) is kept from the problem it was given. GUI thread only; the theme outlives it.

#include <array>
#include <optional>
#include <vector>

#include <QTimer>
#include <QWidget>

#include "core/problem/Problem.h"
#include "core/problem/Validation.h"
#include "core/session/RunPlan.h"
#include "ui/theme/Theme.h"

class QComboBox;
class QToolButton;
class QVBoxLayout;

namespace attnscope::ui {

class FormRow;
class TextLabel;
class LabSegment;
class MaskField;
class NumberField;

// How the problem is run.
struct RunSettings {
  int threads = 1;
  int rounds = 40;
  CacheState cache = CacheState::kHot;
  bool operator==(const RunSettings&) const = default;
};

class ProblemForm : public QWidget {
  Q_OBJECT

 public:
  explicit ProblemForm(const Theme& theme, QWidget* parent = nullptr);

  // `from`: where the shape was recorded; empty: nowhere in particular.
  void setProblem(const Problem& problem, const QString& from = {});
  void setSettings(const RunSettings& settings);
  // As typed; what is no number counts as 0, which no size may be.
  [[nodiscard]] Problem problem() const;
  [[nodiscard]] RunSettings settings() const;

  [[nodiscard]] bool isPending() const { return m_settle.isActive(); }  // typed, not yet validated
  [[nodiscard]] bool isValid() const { return m_blocked.isEmpty(); }
  [[nodiscard]] const QString& blockedBy() const { return m_blocked; }  // "Correct KV heads to run"
  [[nodiscard]] QString remarkOf(ProblemField field) const;
  void validateNow();

  void setMachine(const QString& cpu, int threads, const QString& cudaRefusal);  // 0 threads: not known
  void setSeen(const QString& words);  // what so many pairs saw here; empty: not known
  void setEstimate(const QString& words, const QString& warning);

 Q_SIGNALS:
  void edited();   // at each key
  void settled();  // validated, 300 ms after it

 private:
  // A size that follows another until it is typed into.
  struct Linked {
    NumberField* field = nullptr;
    QToolButton* button = nullptr;
    NumberField* source = nullptr;
  };
  enum MaskWord : int { kNone, kCausal, kWindow, kOther /* and a pattern of MaskField */ };

  QWidget* makeHead();
  QWidget* makeBody();
  QWidget* makeFoot();
  NumberField* makeNumber(std::int64_t step, const QString& name);
  FormRow* addRow(QVBoxLayout& body, const QString& label, QWidget* field, QWidget* beside = nullptr);
  FormRow* addLinked(QVBoxLayout& body, const QString& label, std::int64_t step, NumberField* source, Linked& linked);
  void onEdited();
  void onPreset(int position);
  void onMask(int word);
  void follow();          // linked fields take their source's text
  void showDependents();  // rows that depend on the mask and the lengths
  void showPreset();
  void showLinks();
  [[nodiscard]] Mask mask() const;
  [[nodiscard]] std::vector<std::pair<FormRow*, QString>> numberProblems() const;
  [[nodiscard]] FormRow* rowOf(ProblemField field) const;

  const Theme& m_theme;
  Problem m_base;  // as given: what has no field is taken from it
  QString m_from;
  QString m_blocked;
  int m_machineThreads = 0;
  bool m_filling = false;
  QTimer m_settle;

  QComboBox* m_preset = nullptr;
  TextLabel* m_fromLabel = nullptr;
  LabSegment* m_workload = nullptr;
  QComboBox* m_pass = nullptr;
  NumberField* m_batch = nullptr;
  NumberField* m_heads = nullptr;
  NumberField* m_length = nullptr;
  NumberField* m_headSize = nullptr;
  Linked m_keyValueHeads;
  Linked m_keyLength;
  Linked m_valueHeadSize;
  NumberField* m_latent = nullptr;
  NumberField* m_rope = nullptr;
  QComboBox* m_type = nullptr;
  QComboBox* m_layout = nullptr;
  QComboBox* m_mask = nullptr;
  NumberField* m_window = nullptr;
  MaskField* m_pattern = nullptr;
  QComboBox* m_alignment = nullptr;
  NumberField* m_softcap = nullptr;
  QComboBox* m_positions = nullptr;
  QComboBox* m_sink = nullptr;
  NumberField* m_dropout = nullptr;  // in percent
  QComboBox* m_device = nullptr;
  NumberField* m_threads = nullptr;
  NumberField* m_rounds = nullptr;
  QComboBox* m_cache = nullptr;
  NumberField* m_seed = nullptr;
  FormRow* m_workloadRow = nullptr;
  FormRow* m_batchRow = nullptr;
  FormRow* m_headsRow = nullptr;
  FormRow* m_keyValueHeadsRow = nullptr;
  FormRow* m_lengthRow = nullptr;
  FormRow* m_keyLengthRow = nullptr;
  FormRow* m_headSizeRow = nullptr;
  FormRow* m_valueHeadSizeRow = nullptr;
  FormRow* m_latentRow = nullptr;
  FormRow* m_ropeRow = nullptr;
  FormRow* m_typeRow = nullptr;
  FormRow* m_layoutRow = nullptr;
  FormRow* m_maskRow = nullptr;
  FormRow* m_windowRow = nullptr;
  FormRow* m_patternRow = nullptr;
  FormRow* m_alignmentRow = nullptr;
  FormRow* m_softcapRow = nullptr;
  FormRow* m_dropoutRow = nullptr;
  FormRow* m_threadsRow = nullptr;
  FormRow* m_roundsRow = nullptr;
  FormRow* m_seedRow = nullptr;
  TextLabel* m_estimate = nullptr;
  TextLabel* m_warning = nullptr;
};

}  // namespace attnscope::ui
