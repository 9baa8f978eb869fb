// SPDX-License-Identifier: GPL-3.0-or-later
// The form: a problem goes in and comes out the same, and what is typed wrong is said and blocks.

#include <gtest/gtest.h>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/problem/Presets.h"
#include "tests/unit/lab/LabTest.h"
#include "ui/lab/MaskField.h"
#include "ui/lab/NumberField.h"
#include "ui/lab/ProblemForm.h"

namespace attnscope::ui {
namespace {

NumberField* fieldOf(ProblemForm& form, const char* name) {
  for (NumberField* field : form.findChildren<NumberField*>()) {
    if (field->accessibleName() == QLatin1String(name)) return field;
  }
  return nullptr;
}

void retype(NumberField* field, const QString& text) {
  field->selectAll();
  QTest::keyClick(field, Qt::Key_Delete);
  QTest::keyClicks(field, text);
}

TEST(ProblemForm, GivesEveryPresetBack) {
  ProblemForm form(labTheme());
  for (const Preset& preset : presets()) {
    form.setProblem(preset.problem);
    EXPECT_TRUE(form.problem() == preset.problem) << preset.id;
    EXPECT_TRUE(form.isValid()) << preset.id << ": " << form.blockedBy().toStdString();
  }
}

TEST(ProblemForm, KeepsAScaleThatItHasNoFieldFor) {
  Problem problem;
  problem.scale = 0.25;
  problem.softcap = 30;
  problem.sink = true;
  problem.layout = Layout::kBnhd;
  problem.pass = Pass::kForwardBackward;
  problem.dtype = DataType::kFloat64;
  problem.mask = DocumentsMask{{512, 512}, InsideDocument::kCausal};
  problem.seed = 9;
  ProblemForm form(labTheme());
  form.setProblem(problem);
  EXPECT_TRUE(form.problem() == problem);
}

TEST(ProblemForm, GivesMasksAndLengthsBack) {
  ProblemForm form(labTheme());
  Problem problem;
  problem.keyValueLength = 4096;
  for (const CausalAlignment alignment : {CausalAlignment::kTopLeft, CausalAlignment::kBottomRight}) {
    problem.mask = CausalMask{alignment};
    form.setProblem(problem);
    EXPECT_TRUE(form.problem() == problem);
    problem.mask = WindowMask{300, alignment};
    form.setProblem(problem);
    EXPECT_TRUE(form.problem() == problem);
  }
}

TEST(ProblemForm, GivesPatternsAndLatentsBack) {
  ProblemForm form(labTheme());
  Problem problem;
  for (const Mask& mask : {Mask{PrefixMask{64}}, Mask{DocumentsMask{{512, 500, 12}, InsideDocument::kFull}},
                           Mask{chunksOf(300, problem.queryLength)}}) {
    problem.mask = mask;
    form.setProblem(problem);
    EXPECT_TRUE(form.problem() == problem) << describe(mask);
    EXPECT_TRUE(form.isValid()) << describe(mask) << ": " << form.blockedBy().toStdString();
  }
  problem.mask = NoMask{};
  problem.latentSize = 128;
  problem.ropeSize = 16;
  form.setProblem(problem);
  EXPECT_TRUE(form.problem() == problem);
}

void choosePattern(ProblemForm& form, MaskField::Pattern pattern) {
  for (auto* combo : form.findChildren<QComboBox*>()) {
    if (combo->accessibleName() != QLatin1String("Mask")) continue;
    combo->setCurrentIndex(combo->findText(MaskField::patterns().at(pattern)));
    Q_EMIT combo->activated(combo->currentIndex());
  }
}

QLineEdit* patternText(ProblemForm& form) { return form.findChild<MaskField*>()->findChild<QLineEdit*>(); }

TEST(ProblemForm, PatternsAreTyped) {
  ProblemForm form(labTheme());
  form.show();
  choosePattern(form, MaskField::kDocuments);
  patternText(form)->clear();
  QTest::keyClicks(patternText(form), QStringLiteral("600, 424"));
  form.validateNow();
  EXPECT_TRUE(form.isValid()) << form.blockedBy().toStdString();
  EXPECT_TRUE(form.problem().mask == Mask(DocumentsMask{{600, 424}, InsideDocument::kFull}));
  QTest::keyClicks(patternText(form), QStringLiteral(", x"));
  form.validateNow();
  EXPECT_FALSE(form.isValid());
  EXPECT_TRUE(form.remarkOf(ProblemField::kMask).contains(QLatin1String("whole numbers")))
      << qPrintable(form.remarkOf(ProblemField::kMask));
  choosePattern(form, MaskField::kChunks);
  patternText(form)->clear();
  QTest::keyClicks(patternText(form), QStringLiteral("256"));
  form.validateNow();
  EXPECT_TRUE(form.problem().mask == Mask(chunksOf(256, 1024)));
  // Lengths that do not add up are said where they are typed.
  choosePattern(form, MaskField::kCausalDocuments);
  patternText(form)->clear();
  QTest::keyClicks(patternText(form), QStringLiteral("100 100"));
  form.validateNow();
  EXPECT_FALSE(form.isValid());
  EXPECT_FALSE(form.remarkOf(ProblemField::kMask).isEmpty());
}

TEST(ProblemForm, AMaskFromAFileIsReadOrRefused) {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("mask.npy"));
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  QByteArray header("{'descr': '|b1', 'fortran_order': False, 'shape': (4, 4), }");
  header = header.leftJustified(117, ' ') + '\n';
  file.write(QByteArray("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' + header + QByteArray(16, '\1'));
  file.close();

  ProblemForm form(labTheme());
  form.show();
  Problem problem;
  problem.queryLength = problem.keyValueLength = 4;
  problem.mask = FileMask{path.toStdString()};
  form.setProblem(problem);
  auto* field = form.findChild<MaskField*>();
  ASSERT_TRUE(waitUntil([&] { return !field->isReading(); }));
  form.validateNow();
  EXPECT_TRUE(form.isValid()) << form.blockedBy().toStdString();
  ASSERT_TRUE(tableOf(form.problem().mask));
  EXPECT_EQ(tableOf(form.problem().mask)->keys, 4);
  QTest::keyClicks(patternText(form), QStringLiteral(".gone"));
  ASSERT_TRUE(waitUntil([&] { return !field->isReading(); }));
  form.validateNow();
  EXPECT_FALSE(form.isValid());
  EXPECT_FALSE(form.remarkOf(ProblemField::kMask).isEmpty());
}

TEST(ProblemForm, GivesSettingsBack) {
  ProblemForm form(labTheme());
  form.setMachine(QStringLiteral("AVX2"), 8, QStringLiteral("no CUDA"));
  const RunSettings settings{4, 100, CacheState::kCold};
  form.setSettings(settings);
  EXPECT_TRUE(form.settings() == settings);
  EXPECT_TRUE(form.isValid());
}

TEST(ProblemForm, LinkedSizesFollowUntilTyped) {
  ProblemForm form(labTheme());
  retype(fieldOf(form, "Length"), QStringLiteral("2048"));
  EXPECT_EQ(form.problem().keyValueLength, 2048);
  retype(fieldOf(form, "Key length"), QStringLiteral("512"));
  retype(fieldOf(form, "Length"), QStringLiteral("256"));
  EXPECT_EQ(form.problem().keyValueLength, 512);
  retype(fieldOf(form, "Heads"), QStringLiteral("16"));
  EXPECT_EQ(form.problem().keyValueHeads, 16);
}

TEST(ProblemForm, SaysWhatIsWrongAfterAMomentAndBlocks) {
  ProblemForm form(labTheme());
  QSignalSpy settled(&form, &ProblemForm::settled);
  retype(fieldOf(form, "KV heads"), QStringLiteral("3"));
  EXPECT_TRUE(form.isPending());
  EXPECT_EQ(settled.count(), 0);
  ASSERT_TRUE(waitUntil([&] { return !form.isPending(); }, 3'000));
  EXPECT_EQ(settled.count(), 1);
  EXPECT_FALSE(form.isValid());
  EXPECT_EQ(form.blockedBy(), QStringLiteral("Correct KV heads to run"));
  EXPECT_EQ(form.remarkOf(ProblemField::kKeyValueHeads),
            QStringLiteral("3 does not divide 8 heads. Use 1, 2, 4 or 8."));
  EXPECT_TRUE(fieldOf(form, "KV heads")->isInvalid());
  EXPECT_EQ(fieldOf(form, "KV heads")->accessibleDescription(), form.remarkOf(ProblemField::kKeyValueHeads));
  retype(fieldOf(form, "KV heads"), QStringLiteral("4"));
  form.validateNow();
  EXPECT_TRUE(form.isValid());
  EXPECT_FALSE(fieldOf(form, "KV heads")->isInvalid());
}

TEST(ProblemForm, TextThatIsNoNumberIsSaid) {
  ProblemForm form(labTheme());
  retype(fieldOf(form, "Length"), QStringLiteral("1k"));
  form.validateNow();
  EXPECT_EQ(form.remarkOf(ProblemField::kQueryLength), QStringLiteral("1k is not a whole number."));
  EXPECT_FALSE(form.isValid());
  retype(fieldOf(form, "Length"), QString());
  form.validateNow();
  EXPECT_EQ(form.remarkOf(ProblemField::kQueryLength), QStringLiteral("Type a whole number."));
}

TEST(ProblemForm, AWarningDoesNotBlock) {
  ProblemForm form(labTheme());
  Problem problem;
  problem.keyValueLength = 2048;
  form.setProblem(problem);
  EXPECT_FALSE(form.remarkOf(ProblemField::kMask).isEmpty());
  EXPECT_TRUE(form.isValid());
}

TEST(ProblemForm, MoreThreadsThanThereAreBlock) {
  ProblemForm form(labTheme());
  form.setMachine({}, 8, {});
  form.setSettings({9, 40, CacheState::kHot});
  EXPECT_EQ(form.blockedBy(), QStringLiteral("Correct Threads to run"));
}

TEST(NumberField, StepsByKeysOntoMultiples) {
  NumberField field(labTheme(), 64);
  QSignalSpy edited(&field, &NumberField::edited);
  field.setValue(100);
  EXPECT_EQ(edited.count(), 0);
  QTest::keyClick(&field, Qt::Key_Up);
  EXPECT_EQ(field.value(), 128);
  QTest::keyClick(&field, Qt::Key_Down);
  EXPECT_EQ(field.value(), 64);
  QTest::keyClick(&field, Qt::Key_Down);
  EXPECT_EQ(field.value(), 1);
  EXPECT_EQ(edited.count(), 3);
}

}  // namespace
}  // namespace attnscope::ui
