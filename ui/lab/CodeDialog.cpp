// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/CodeDialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/lab/LabSegment.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

constexpr int kWidth = 620;
constexpr int kHeight = 420;

// What stands there at first: attention that runs, to be changed.
const char* const kExample =
    "def attention(q, k, v, mask: Optional[Tensor], scale: float):\n"
    "    # q [B, Hq, N, D], k [B, Hk, M, D], v [B, Hk, M, V]\n"
    "    # mask is added to the scores; None without a mask\n"
    "    groups = q.size(1) // k.size(1)\n"
    "    k = k.repeat_interleave(groups, 1)\n"
    "    v = v.repeat_interleave(groups, 1)\n"
    "    scores = torch.matmul(q, k.transpose(-2, -1)) * scale\n"
    "    if mask is not None:\n"
    "        scores = scores + mask\n"
    "    return torch.matmul(torch.softmax(scores, -1), v)\n";

}  // namespace

CodeDialog::CodeDialog(const Theme& theme, const UserCode& code, QWidget* parent)
    : QDialog(parent),
      m_theme(theme),
      m_code(code),
      m_source(
          new LabSegment(theme, {tr("TorchScript"), tr("Module (.pt)"), tr("Package (.pt2)")}, tr("Kind of code"))),
      m_stack(new QStackedWidget),
      m_hint(new TextLabel(theme, {}, {FontRole::kData, QFont::Normal, "text.secondary"})),
      m_allowed(new QCheckBox(tr("I trust this code: it runs in the runner with my rights"))) {
  setWindowTitle(tr("Your code"));
  m_hint->setWrapped(true);
  m_stack->addWidget(makeEditor());
  m_stack->addWidget(makeFile());
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  m_use = buttons->addButton(tr("Use this code"), QDialogButtonBox::AcceptRole);
  auto* head = new QHBoxLayout;
  head->addWidget(m_source);
  head->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setSpacing(m_theme.scaled(10));
  column->addLayout(head);
  column->addWidget(m_hint);
  column->addWidget(m_stack, 1);
  column->addWidget(m_allowed);
  column->addWidget(buttons);
  resize(m_theme.scaled(kWidth), m_theme.scaled(kHeight));

  const bool hasModule = code.script.empty() && !code.scriptFile.empty();
  const bool hasPackage = !code.packageFile.empty() && code.script.empty() && !hasModule;
  m_source->setCurrent(hasPackage ? kPackage : hasModule ? kModule : kTyped);
  m_text->setPlainText(code.script.empty() ? QString::fromLatin1(kExample) : QString::fromStdString(code.script));
  m_module->setText(QString::fromStdString(code.scriptFile));
  m_package->setText(QString::fromStdString(code.packageFile));
  // The yes was to what stood there: another text needs another.
  const auto changed = [this] {
    m_allowed->setChecked(false);
    refresh();
  };
  connect(m_source, &LabSegment::chosen, this, changed);
  connect(m_text, &QPlainTextEdit::textChanged, this, changed);
  connect(m_module, &QLineEdit::textChanged, this, changed);
  connect(m_package, &QLineEdit::textChanged, this, changed);
  connect(m_allowed, &QCheckBox::toggled, this, &CodeDialog::refresh);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  refresh();
}

QWidget* CodeDialog::makeEditor() {
  m_text = new QPlainTextEdit;
  m_text->setAccessibleName(tr("TorchScript source"));
  m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
  m_text->setTabChangesFocus(true);  // TorchScript is indented by spaces here, and Tab leads on
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(m_theme.font(FontRole::kData).pointSizeF());
  if (const int pixels = m_theme.font(FontRole::kData).pixelSize(); pixels > 0) font.setPixelSize(pixels);
  m_text->setFont(font);
  return m_text;
}

QWidget* CodeDialog::makeFile() {
  auto* page = new QWidget;
  m_module = new QLineEdit;
  m_module->setAccessibleName(tr("TorchScript module"));
  m_module->setPlaceholderText(tr("attention.pt"));
  m_package = new QLineEdit;
  m_package->setAccessibleName(tr("Package of AOTInductor"));
  m_package->setPlaceholderText(tr("attention.pt2"));
  auto* browse = new QPushButton(tr("Choose…"));
  auto* line = new QHBoxLayout;
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(m_module, 1);
  line->addWidget(m_package, 1);
  line->addWidget(browse);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(line);
  column->addStretch(1);
  connect(browse, &QPushButton::clicked, this, &CodeDialog::browse);
  return page;
}

CodeDialog::Source CodeDialog::source() const { return static_cast<Source>(m_source->current()); }

void CodeDialog::browse() {
  const bool isPackage = source() == kPackage;
  auto* dialog = new QFileDialog(this, isPackage ? tr("Choose a package") : tr("Choose a module"), QString(),
                                 isPackage ? tr("Packages of AOTInductor (*.pt2)") : tr("TorchScript modules (*.pt)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, isPackage ? m_package : m_module, &QLineEdit::setText);
  dialog->open();
}

void CodeDialog::refresh() {
  const Source from = source();
  m_stack->setCurrentIndex(from == kTyped ? 0 : 1);
  m_module->setVisible(from == kModule);
  m_package->setVisible(from == kPackage);
  switch (from) {
    case kTyped:
      m_hint->setText(tr("A function named attention. It is given, as far as it takes them: q, k, v, mask, scale."));
      break;
    case kModule:
      m_hint->setText(tr("A saved TorchScript module with a method attention or forward that takes q, k and v."));
      break;
    case kPackage:
      m_hint->setText(tr("A model compiled by AOTInductor for this CPU, called with q, k and v. It is machine code."));
      break;
  }
  const UserCode now = code();
  const std::string& chosen = from == kTyped ? now.script : from == kModule ? now.scriptFile : now.packageFile;
  m_allowed->setEnabled(!chosen.empty());
  m_use->setEnabled(!chosen.empty() && m_allowed->isChecked());
}

UserCode CodeDialog::code() const {
  UserCode code = m_code;
  switch (source()) {
    case kTyped:
      code.script = m_text->toPlainText().trimmed().isEmpty() ? std::string() : m_text->toPlainText().toStdString();
      code.scriptFile.clear();
      break;
    case kModule:
      code.scriptFile = m_module->text().trimmed().toStdString();
      code.script.clear();
      break;
    case kPackage:
      code.packageFile = m_package->text().trimmed().toStdString();
      break;
  }
  code.allowed = m_allowed->isChecked();
  return code;
}

QString CodeDialog::implementation() const {
  return source() == kPackage ? QStringLiteral("byo.package") : QStringLiteral("byo.script");
}

}  // namespace attnscope::ui
