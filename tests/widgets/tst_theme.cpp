// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme.h"

#include <QFontInfo>
#include <QFontMetricsF>
#include <QPalette>
#include <QtTest>

#include <set>

using namespace partita;
using namespace partita::ui;

namespace {

template <class E> std::vector<FillStyle> stylesOf(const Theme& theme)
{
    std::vector<FillStyle> styles;
    for (const Name<E>& name : Names<E>::table) {
        styles.push_back(theme.categoryStyle(name.value));
    }
    return styles;
}

} // namespace

class TestTheme : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { loadFonts(); }

    void theBundledFontIsUsed()
    {
        const QFont font = Theme::light().fontOf(TextRole::Value);
        QCOMPARE(QFontInfo(font).family(), QStringLiteral("DejaVu Sans"));
        QVERIFY(QFontInfo(font).bold());
    }

    void textIsReadable_data()
    {
        QTest::addColumn<int>("which");
        QTest::newRow("light") << 0;
        QTest::newRow("dark") << 1;
        QTest::newRow("paper") << 2;
    }
    void textIsReadable()
    {
        QFETCH(int, which);
        const Theme theme = which == 0 ? Theme::light() : which == 1 ? Theme::darkMode() : Theme::paper();
        for (const QColor& color : {theme.text, theme.mutedText, theme.bad, theme.good}) {
            QVERIFY(contrast(color, theme.card) >= 4.5); // WCAG 2 AA
        }
        std::vector<FillStyle> styles = stylesOf<MemoryKind>(theme);
        const auto times = stylesOf<TimeKind>(theme);
        styles.insert(styles.end(), times.begin(), times.end());
        for (const FillStyle& style : styles) {
            QVERIFY(contrast(style.ink, style.fill) >= 4.5);
            QVERIFY(style.fill != style.edge);
        }
    }

    void noTwoCategoriesLookTheSame()
    {
        const auto distinct = [](const std::vector<FillStyle>& styles) {
            std::set<std::pair<QRgb, Hatch>> looks;
            for (const FillStyle& style : styles) {
                looks.emplace(style.fill.rgb(), style.hatch);
            }
            return looks.size();
        };
        QCOMPARE(distinct(stylesOf<MemoryKind>(Theme::paper())), Names<MemoryKind>::table.size());
        QCOMPARE(distinct(stylesOf<TimeKind>(Theme::paper())), Names<TimeKind>::table.size());
    }

    void neighboursInAStackDifferWithoutColour()
    {
        // In a grey print: another pattern, or a lightness that differs visibly.
        const auto styles = stylesOf<MemoryKind>(Theme::paper());
        for (std::size_t i = 1; i < styles.size(); ++i) {
            QVERIFY(styles[i].hatch != styles[i - 1].hatch || contrast(styles[i].fill, styles[i - 1].fill) > 1.3);
        }
    }

    void opsDifferWithoutColour()
    {
        const Theme theme = Theme::paper();
        const FillStyle f = theme.opStyle(OpKind::Forward);
        const FillStyle b = theme.opStyle(OpKind::BackwardInput);
        const FillStyle w = theme.opStyle(OpKind::BackwardWeight);
        const auto marks = [](const FillStyle& style) { return std::pair(style.hatch, style.footer); };
        QVERIFY(marks(f) != marks(b) && marks(b) != marks(w) && marks(f) != marks(w));
    }

    void laterChunksAreLighter()
    {
        const Theme theme = Theme::paper();
        for (int chunk = 1; chunk < 4; ++chunk) {
            QVERIFY(contrast(theme.opStyle(OpKind::Forward, chunk, 4).fill, Qt::black)
                    > contrast(theme.opStyle(OpKind::Forward, chunk - 1, 4).fill, Qt::black));
        }
    }

    void rampsGrowLighterAllTheWay()
    {
        for (const Ramp ramp : {Ramp::Viridis, Ramp::Cividis}) {
            Theme theme = Theme::paper();
            theme.ramp = ramp;
            double before = 0;
            for (int i = 0; i <= 100; ++i) {
                const double lightness = contrast(theme.rampColor(i / 100.0), Qt::black);
                QVERIFY(lightness > before);
                before = lightness;
            }
            QCOMPARE(theme.rampColor(-1), theme.rampColor(0));
            QCOMPARE(theme.rampColor(2), theme.rampColor(1));
        }
    }

    void followsThePalette()
    {
        QPalette palette;
        palette.setColor(QPalette::Window, QColor(20, 20, 20));
        QVERIFY(Theme::fromPalette(palette).dark);
        palette.setColor(QPalette::Window, QColor(240, 240, 240));
        QVERIFY(!Theme::fromPalette(palette).dark);
    }

    void typeGrowsWithTheScale()
    {
        Theme theme = Theme::light();
        const double before = QFontMetricsF(theme.fontOf(TextRole::Label)).height();
        theme.scale = 2;
        QVERIFY(QFontMetricsF(theme.fontOf(TextRole::Label)).height() > 1.8 * before);
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
