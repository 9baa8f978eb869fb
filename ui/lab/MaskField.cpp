// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/MaskField.h"

#include <array>
#include <optional>
#include <vector>

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>

namespace attnscope::ui {

namespace {

constexpr const char* kFirstLength = "128";
const QString kReadKey = QStringLiteral("read");

tl::unexpected<Error> usage(const QString& what, const QString& remedy) {
  return fail(
      {.kind = ErrorKind::kUsage, .what = what.toStdString(), .remedy = remedy.toStdString(), .byte = {}, .event = {}});
}

// "512, 512 100" as numbers over 0; none where a word is none.
std::optional<std::vector<std::int64_t>> lengthsOf(QString text) {
  std::vector<std::int64_t> lengths;
  for (const QString& word : text.replace(u',', u' ').split(u' ', Qt::SkipEmptyParts)) {
    bool isNumber = false;
    const qlonglong length = word.toLongLong(&isNumber);
    if (!isNumber || length < 1) return std::nullopt;
    lengths.push_back(length);
  }
  if (lengths.empty()) return std::nullopt;
  return lengths;
}

QString joined(const std::vector<std::int64_t>& lengths) {
  QStringList words;
  for (const std::int64_t length : lengths) words << QString::number(length);
  return words.join(QStringLiteral(", "));
}

}  // namespace

QStringList MaskField::patterns() {
  return {tr("Prefix"), tr("Documents"), tr("Causal documents"), tr("Causal chunks"), tr("From a file…")};
}

MaskField::MaskField(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_text(new QLineEdit), m_browse(new QToolButton) {
  m_browse->setAccessibleName(tr("Choose the mask's file"));
  m_browse->setToolTip(m_browse->accessibleName());
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(m_theme.scaled(6));
  line->addWidget(m_text, 1);
  line->addWidget(m_browse);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setFocusProxy(m_text);
  connect(m_text, &QLineEdit::textEdited, this, &MaskField::onText);
  connect(m_browse, &QToolButton::clicked, this, &MaskField::browse);
  connect(&m_theme, &Theme::changed, this, &MaskField::refresh);
  m_text->setText(QString::fromLatin1(kFirstLength));
  refresh();
}

QString MaskField::label() const {
  switch (m_pattern) {
    case kPrefix:
      return tr("Prefix");
    case kDocuments:
    case kCausalDocuments:
      return tr("Lengths");
    case kChunks:
      return tr("Chunk");
    case kFile:
      break;
  }
  return tr("File");
}

void MaskField::setPattern(Pattern pattern) {
  if (pattern == m_pattern) return;
  // A path is no length, and lengths are no path.
  if (pattern == kFile) m_text->clear();
  if (m_pattern == kFile) m_text->setText(QString::fromLatin1(kFirstLength));
  m_pattern = pattern;
  refresh();
}

void MaskField::setMask(const Mask& mask) {
  if (const auto* prefix = std::get_if<PrefixMask>(&mask)) {
    m_pattern = kPrefix;
    m_text->setText(QString::number(prefix->length));
  } else if (const auto* documents = std::get_if<DocumentsMask>(&mask)) {
    m_pattern = documents->inside == InsideDocument::kCausal ? kCausalDocuments : kDocuments;
    m_text->setText(joined(documents->lengths));
  } else if (const auto* file = std::get_if<FileMask>(&mask)) {
    m_pattern = kFile;
    m_text->setText(QString::fromStdString(file->path));
    if (file->table != nullptr) {
      m_read = file->path;
      m_table = file->table;
    } else {
      read();
    }
  }
  refresh();
}

Result<Mask> MaskField::mask(std::int64_t queryLength) const {
  if (m_pattern == kFile) {
    const std::string path = m_text->text().trimmed().toStdString();
    if (path.empty()) return usage(tr("No file is chosen."), tr("Choose a .npy file of booleans or of a bias."));
    if (path != m_read) return usage(tr("The file is being read."), tr("Wait a moment."));
    if (!m_table) return fail(m_table.error());
    return FileMask{path, *m_table};
  }
  auto lengths = lengthsOf(m_text->text());
  const bool isOne = m_pattern == kPrefix || m_pattern == kChunks;
  if (isOne && (!lengths || lengths->size() != 1)) {
    return usage(tr("This is no length."), tr("Type a whole number of tokens."));
  }
  if (!lengths) return usage(tr("These are no lengths."), tr("Type whole numbers of tokens: 512, 384, 128."));
  switch (m_pattern) {
    case kPrefix:
      return PrefixMask{lengths->front()};
    case kChunks:
      return chunksOf(lengths->front(), queryLength);
    default:
      return DocumentsMask{std::move(*lengths),
                           m_pattern == kDocuments ? InsideDocument::kFull : InsideDocument::kCausal};
  }
}

void MaskField::onText() {
  if (m_pattern == kFile) read();
  Q_EMIT edited();
}

void MaskField::browse() {
  auto* dialog = new QFileDialog(this, tr("Choose a mask"), QString(), tr("NumPy arrays (*.npy);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    m_text->setText(path);
    onText();
  });
  dialog->open();
}

void MaskField::read() {
  const std::string path = m_text->text().trimmed().toStdString();
  m_read.clear();
  m_jobs.cancelAll();
  if (path.empty()) return;
  m_jobs.start(
      kReadKey, [path](std::stop_token) { return readMaskTable(path); },
      [this, path](Result<std::shared_ptr<const MaskTable>> table) {
        m_read = path;
        m_table = std::move(table);
        Q_EMIT edited();
      });
}

void MaskField::refresh() {
  const bool isFile = m_pattern == kFile;
  m_browse->setVisible(isFile);
  m_browse->setIcon(m_theme.icon(QStringLiteral("open")));
  m_text->setPlaceholderText(isFile ? tr("mask.npy") : QString());
  static const std::array<const char*, 5> kNames = {
      QT_TR_NOOP("Tokens that all see"), QT_TR_NOOP("Lengths of the documents"), QT_TR_NOOP("Lengths of the documents"),
      QT_TR_NOOP("Tokens of a chunk"), QT_TR_NOOP("File of the mask")};
  m_text->setAccessibleName(tr(kNames[static_cast<std::size_t>(m_pattern)]));
  m_text->setToolTip(m_text->accessibleName());
}

}  // namespace attnscope::ui
