// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/run_program.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

using program_test::partita;
using program_test::Run;
using program_test::words;

namespace {

const QString scenario = QStringLiteral(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita");

QByteArray contents(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestCliReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsExportedOpensAgainWithTheSameNumbers()
    {
        const QString out = m_folder.filePath(QStringLiteral("charts"));
        const Run run = partita({QStringLiteral("export"), scenario, QStringLiteral("--out"), out,
                                 QStringLiteral("--chart"), QStringLiteral("all")});
        QCOMPARE(run.code, 0);
        const QByteArray expected = partita({QStringLiteral("evaluate"), scenario, QStringLiteral("--json")}).out;
        QVERIFY(expected.contains("step_time_s"));
        for (const char* name : {"memory.svg", "gantt.png", "heatmap.pdf", "memory.csv"}) {
            const QString path = out + QLatin1Char('/') + QString::fromUtf8(name);
            QCOMPARE(partita({QStringLiteral("evaluate"), path, QStringLiteral("--json")}).out, expected);
        }
    }

    void aPlainLineExportsTheScenarioThatPartitaOpensWith()
    {
        const QString out = m_folder.filePath(QStringLiteral("plain"));
        for (const QStringList& named : {QStringList(), QStringList(scenario)}) {
            const QString folder = out + QString::number(named.size());
            QCOMPARE(partita(QStringList{QStringLiteral("export"), QStringLiteral("--out"), folder,
                                         QStringLiteral("--chart=memory"), QStringLiteral("--format=svg")}
                             + named)
                         .code,
                     0);
        }
        QFile plain(out + QStringLiteral("0/memory.svg"));
        QFile named(out + QStringLiteral("1/memory.svg"));
        QVERIFY(plain.open(QIODevice::ReadOnly) && named.open(QIODevice::ReadOnly));
        QCOMPARE(plain.readAll(), named.readAll());
    }

    void sizesAndPalettesShowInTheFile()
    {
        const QString out = m_folder.filePath(QStringLiteral("slides"));
        QCOMPARE(
            partita({QStringLiteral("export"), scenario, QStringLiteral("--out"), out, QStringLiteral("--size=slide"),
                     QStringLiteral("--palette=dark"), QStringLiteral("--format=png"), QStringLiteral("--scale=1"),
                     QStringLiteral("--chart=memory")})
                .code,
            0);
        const QImage slide(out + QStringLiteral("/memory.png"));
        QCOMPARE(slide.size(), QSize(1280, 720));
        QVERIFY(slide.pixelColor(2, 2).lightness() < 80);
        const QString column = m_folder.filePath(QStringLiteral("column"));
        QCOMPARE(partita({QStringLiteral("export"), scenario, QStringLiteral("--out"), column,
                          QStringLiteral("--size=column"), QStringLiteral("--format=png"), QStringLiteral("--scale=4")})
                     .code,
                 0);
        for (const char* name : {"memory", "step-time", "gantt", "heatmap"}) {
            const QImage picture(QStringLiteral("%1/%2.png").arg(column, QString::fromUtf8(name)));
            QCOMPARE(picture.width(), 1288); // 85 mm at 384 dpi, in whole units of 4
        }
    }

    void whatIsNotASizeIsNamed()
    {
        const Run run =
            partita({QStringLiteral("export"), scenario, QStringLiteral("--out"), m_folder.path(),
                     QStringLiteral("--size=poster"), QStringLiteral("--scale=9"), QStringLiteral("--palette=pink")});
        QCOMPARE(run.code, 1);
        QCOMPARE(run.problems().size(), 4); // and where help is
        QVERIFY(run.err.contains("slide") && run.err.contains("1 to 4") && run.err.contains("paper"));
    }

    void reportsAreWrittenAndOpenAgain()
    {
        const QByteArray expected = partita({QStringLiteral("evaluate"), scenario, QStringLiteral("--json")}).out;
        for (const char* name : {"report.html", "report.pdf"}) {
            const QString path = m_folder.filePath(QString::fromUtf8(name));
            const Run run = partita({QStringLiteral("report"), scenario, QStringLiteral("--out"), path});
            QCOMPARE(run.code, 0);
            QVERIFY(contents(path).size() > 20000);
            QCOMPARE(partita({QStringLiteral("evaluate"), path, QStringLiteral("--json")}).out, expected);
        }
        const QString again = m_folder.filePath(QStringLiteral("again.html"));
        partita({QStringLiteral("report"), scenario, QStringLiteral("--out"), again});
        QCOMPARE(contents(again), contents(m_folder.filePath(QStringLiteral("report.html"))));
    }

    void scenariosAreComparedInReportsAndCharts()
    {
        const QString other = m_folder.filePath(QStringLiteral("other.partita"));
        QByteArray text = contents(scenario);
        QVERIFY(text.contains("\"pp\": 4"));
        text.replace("\"pp\": 4", "\"pp\": 2").replace("\"dp\": 2", "\"dp\": 4");
        QFile file(other);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        file.close();

        const QString html = m_folder.filePath(QStringLiteral("compared.html"));
        QCOMPARE(partita({QStringLiteral("report"), scenario, QStringLiteral("--compare"), other,
                          QStringLiteral("--out"), html})
                     .code,
                 0);
        const QByteArray page = contents(html);
        QVERIFY(page.contains("<h2>Comparison</h2>") && page.contains("From A to B")
                && page.contains("Pipelines of A and B"));
        QCOMPARE(partita({QStringLiteral("evaluate"), html, QStringLiteral("--json")}).out,
                 partita({QStringLiteral("evaluate"), scenario, QStringLiteral("--json")}).out);

        const QString charts = m_folder.filePath(QStringLiteral("compared"));
        QCOMPARE(partita({QStringLiteral("export"), scenario, QStringLiteral("--compare"), other,
                          QStringLiteral("--chart=compare"), QStringLiteral("--format=csv"), QStringLiteral("--out"),
                          charts})
                     .code,
                 0);
        QCOMPARE(QDir(charts).entryList({QStringLiteral("*.csv")}).size(), 5);
        const QByteArray differences = contents(charts + QStringLiteral("/compare-differences.csv"));
        QVERIFY2(differences.contains("pp,layout.pp,,4,2\r\n"), differences);
        QVERIFY2(!differences.contains("GiB") && differences.contains("peak memory,memory.peak_bytes,bytes,"),
                 differences);
        const QByteArray way = contents(charts + QStringLiteral("/compare-step-time-ab.csv"));
        QVERIFY2(way.startsWith("term,unit,A ") && way.contains("\r\ntotal,s,"), way);
        QCOMPARE(way.count("\r\n# partita-scenario"), qsizetype{2});
    }

    void allIsWhatTheScenarioHasAndBasicWhatIsQuick()
    {
        const auto written = [this](const char* options, const char* folder) {
            const QString out = m_folder.filePath(QString::fromLatin1(folder));
            const Run run = partita(QStringList{QStringLiteral("export"), scenario, QStringLiteral("--format=csv"),
                                                QStringLiteral("--out"), out}
                                    + words(options));
            return run.code == 0
                ? QDir(out).entryList(QDir::Files, QDir::Name).join(u' ').remove(QStringLiteral(".csv"))
                : QString::fromUtf8(run.err);
        };
        QCOMPARE(written("", "everything"),
                 QStringLiteral("gantt heatmap memory placement published-runs scaling search sensitivity step-time"));
        QCOMPARE(written("--chart basic", "basic"), QStringLiteral("gantt heatmap memory step-time"));
        QCOMPARE(written("--chart basic --serve --batch 8", "served"),
                 QStringLiteral("gantt heatmap memory serving-curve serving-room serving-token step-time"));
        const QByteArray room = contents(m_folder.filePath(QStringLiteral("served/serving-room.csv")));
        QVERIFY2(!room.left(room.indexOf('#')).contains("e+"), room);
        const QJsonObject again =
            partita({QStringLiteral("serve"), m_folder.filePath(QStringLiteral("served/serving-room.csv")),
                     QStringLiteral("--json")})
                .json();
        QCOMPARE(again[QStringLiteral("batch")].toDouble(), 8.0);
        QVERIFY(written("--batch 8", "never").contains(QStringLiteral("--serve")));
    }

    void aReportTellsOfServingWhereItIsAsked()
    {
        const QString html = m_folder.filePath(QStringLiteral("served.html"));
        QCOMPARE(partita(QStringList{QStringLiteral("report"), scenario, QStringLiteral("--out"), html}
                         + words("--serve --prompt 3000"))
                     .code,
                 0);
        QVERIFY(contents(html).contains("<h2>Serving</h2>"));
        QCOMPARE(partita(QStringList{QStringLiteral("report"), scenario, QStringLiteral("--out"), html}
                         + words("--prompt 3000"))
                     .code,
                 1);
    }

    void whatCannotBeComparedIsNamed()
    {
        QCOMPARE(partita(words("report --compare missing.partita --out never.html")).code, 3);
        const Run alone = partita({QStringLiteral("export"), scenario, QStringLiteral("--out"), m_folder.path(),
                                   QStringLiteral("--chart=compare")});
        QCOMPARE(alone.code, 1);
        QVERIFY(alone.err.contains("--compare FILE"));
        QStringList many{QStringLiteral("report"), scenario, QStringLiteral("--out"), QStringLiteral("never.html")};
        for (int i = 0; i < 4; ++i) {
            many << QStringLiteral("--compare") << scenario;
        }
        QCOMPARE(partita(many).code, 1);
    }

    void aReportNeedsALegalLayoutAndAName()
    {
        QCOMPARE(partita(words("report --out r.txt")).code, 1);
        QCOMPARE(partita(words("report")).code, 1);
        QCOMPARE(partita(words("report --out r.pdf --paper a3")).code, 1);
        QCOMPARE(partita(words("report --tp 7 --out never.html")).code, 2);
        QVERIFY(!QFile::exists(QStringLiteral("never.html")));
    }

private:
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestCliReport)
#include "tst_cli_report.moc"
