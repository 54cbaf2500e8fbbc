// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lessons/lesson_list.h"
#include "core/lessons/lesson_play.h"
#include "core/lessons/lesson_values.h"
#include "core/serving/serve.h"
#include "core/training/evaluate.h"
#include "tests/core/explain/recomputed.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QtTest>

using namespace partita;

namespace {

const Catalogue& catalogue()
{
    static const Catalogue loaded = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    return loaded;
}

const LoadedLessons& shipped()
{
    static const LoadedLessons loaded = loadLessons({PARTITA_SOURCE_DIR "/presets"}, catalogue());
    return loaded;
}

const Lesson& lesson(const char* id)
{
    const auto found = std::find_if(shipped().lessons.begin(), shipped().lessons.end(),
                                    [id](const Lesson& each) { return each.id == id; });
    return found == shipped().lessons.end() ? shipped().lessons.front() : *found;
}

QByteArray fileOf(const char* id)
{
    QFile file(QStringLiteral(PARTITA_SOURCE_DIR "/presets/lessons/%1.json").arg(QLatin1String(id)));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

const std::vector<ComparableRun> noRuns;

QJsonObject theBubble()
{
    return QJsonDocument::fromJson(fileOf("03-the-bubble")).object();
}

/// place: "pages[1].task.hints". Undefined takes it away.
QJsonValue changed(const QJsonValue& whole, const QStringList& place, const QJsonValue& value)
{
    if (place.isEmpty()) {
        return value;
    }
    const QString& step = place.front();
    bool isIndex = false;
    const int index = step.toInt(&isIndex);
    if (isIndex) {
        QJsonArray list = whole.toArray();
        list[index] = changed(list.at(index), place.mid(1), value);
        return list;
    }
    QJsonObject object = whole.toObject();
    object[step] = changed(object.value(step), place.mid(1), value);
    return object;
}

QJsonObject changed(const QJsonObject& lesson, QString place, const QJsonValue& value)
{
    place.replace(u'[', u'.').remove(u']');
    return changed(QJsonValue(lesson), place.split(u'.'), value).toObject();
}

QByteArray texts(const Problems& problems)
{
    QByteArray all;
    for (const Problem& problem : problems) {
        all += QByteArray::fromStdString(describe(problem)) + '\n';
    }
    return all;
}

/// What a field's control offers, from end to end.
std::vector<std::string> stopsOf(const std::string& field)
{
    std::vector<std::string> stops;
    const auto quoted = [&](const auto& table) {
        for (const auto& name : table) {
            stops.push_back('"' + std::string(name.key) + '"');
        }
    };
    if (field == "layout.schedule") {
        quoted(Names<ScheduleKind>::table);
    } else if (field == "layout.recompute") {
        quoted(Names<Recompute>::table);
    } else if (field == "layout.sequence_parallel") {
        stops = {"false", "true"};
    } else {
        for (int stop = field == "layout.zero_stage" ? 0 : 1; stop <= 4096; stop = stop < 4 ? stop + 1 : stop * 2) {
            stops.push_back(std::to_string(stop));
        }
    }
    return stops;
}

/// With the devices that are left to data parallelism, as controls do.
Scenario movedTo(const Scenario& from, const std::string& field, const std::string& value)
{
    Scenario scenario = withFields(from, {{field, value}}, catalogue()).value.value_or(Scenario());
    const std::int64_t others = static_cast<std::int64_t>(scenario.layout.tp) * scenario.layout.pp * scenario.layout.cp;
    if (field != "layout.dp" && others > 0) {
        scenario.layout.dp = static_cast<int>(scenario.cluster.devices() / others);
    }
    return scenario;
}

} // namespace

class TestLessons : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thereAreAtLeastTwelve()
    {
        QVERIFY2(shipped().problems.empty(), texts(shipped().problems));
        QVERIFY(shipped().lessons.size() >= 12);
    }

    void everyLessonIsRightAndPlayable_data()
    {
        QTest::addColumn<QByteArray>("id");
        for (const Lesson& each : shipped().lessons) {
            QTest::newRow(each.id.c_str()) << QByteArray::fromStdString(each.id);
        }
    }
    void everyLessonIsRightAndPlayable()
    {
        QFETCH(QByteArray, id);
        const Problems problems = checkLesson(lesson(id.constData()), catalogue());
        QVERIFY2(problems.empty(), texts(problems));
        QVERIFY(!lesson(id.constData()).sources.empty());
    }

    /// Closed forms and products that can be done on paper, against what the lessons say.
    void statesWhatPaperSays_data()
    {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<double>("value");
        const auto row = [](const char* id, const char* name, double value) {
            QTest::addRow("%s %s", id, name) << QByteArray(id) << QByteArray(name) << value;
        };
        const double seventy = 70553706496;
        row("01-all-reduce", "message", 67108864);
        row("01-all-reduce", "nvlink", 1.75 * 67108864 / 450e9);
        row("01-all-reduce", "network", 1.75 * 67108864 / 50e9);
        row("01-all-reduce", "sent", 2 * 7. / 8);
        row("02-column-and-row", "all_exchanges", 2 * 2 * 32);
        row("03-the-bubble", "eight", 7. / 15);
        row("03-the-bubble", "thirty_two", 7. / 39);
        row("03-the-bubble", "sixteen_stages", 15. / 79);
        row("04-in-flight", "gpipe_flight", 32); // m
        row("04-in-flight", "one_f_flight", 4); // p
        row("05-interleaving", "one", 7. / 15);
        row("05-interleaving", "two", 7. / 23);
        row("05-interleaving", "hold1", 8);
        row("05-interleaving", "hold2", 8 + 7. / 2); // p (1 + (p - 1) / (p v))
        row("06-sequence-parallelism", "norm_input", 512. * 1024 * 1024);
        row("06-sequence-parallelism", "norm_shared", 64. * 1024 * 1024);
        row("07-zero", "per_parameter", 18);
        row("07-zero", "least", 16);
        const double others = 63. / 64 * 8030261248; // parameters of the other replicas, at equal shares
        row("07-zero", "wire0", others * 2 * 4); // all-reduce in FP32
        row("07-zero", "wire1", others * (4 + 2)); // scatter in FP32, gather in BF16
        // micro-batches * (two gathers, a scatter); the ends of the model, 128256 * 4096 weights each, gather once
        row("07-zero", "wire3", others * 4 * (2 + 2 + 4) - 63.0 / 64 * 4 * 2 * (2.0 * 128256 * 4096));
        row("10-kv-heads", "kv_bytes", 2. * 80 * 8 * 128 * 2);
        row("11-latency-wall", "exchanges", 160);
        row("11-latency-wall", "message", 512 * 1024);
        row("11-latency-wall", "weights", 2 * seventy);
        row("12-zero-bubble", "dual_weights", 2); // but for norms that only one copy has
        row("13-check-the-arithmetic", "norm_right", 512. * 1024 * 1024);
        row("13-check-the-arithmetic", "norm_shared", 64. * 1024 * 1024);
        row("13-check-the-arithmetic", "billion_right", 2e9);
        row("13-check-the-arithmetic", "gradient_right", 2 * seventy / 64);
        row("13-check-the-arithmetic", "trillion_weights", 31.25e9);
        row("13-check-the-arithmetic", "trillion_states", 250e9);
        row("13-check-the-arithmetic", "v1", 7. / 15);
        row("13-check-the-arithmetic", "v2", 7. / 23);
        row("13-check-the-arithmetic", "fast", 1.75 * 67108864 / 450e9);
        row("13-check-the-arithmetic", "slow", 1.75 * 67108864 / 50e9);
        row("13-check-the-arithmetic", "seventy_right", 2 * seventy); // 16 / 8
        row("13-check-the-arithmetic", "four_right", 405853388800. / 4); // 16 / 64
    }
    void statesWhatPaperSays()
    {
        QFETCH(QByteArray, id);
        QFETCH(QByteArray, name);
        QFETCH(double, value);
        const LessonPlay play(lesson(id.constData()), catalogue());
        const Result<double> number = play.number(name.toStdString());
        QVERIFY2(number, texts(number.problems));
        QVERIFY2(std::abs(*number - value) <= 1e-5 * std::abs(value), QByteArray::number(*number, 'g', 15));
    }

    /// What texts say of their numbers in words: longer, less, hides.
    void whatTextsSayOfTheirNumbersHolds_data()
    {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<QByteArray>("claim");
        QTest::addColumn<bool>("solved"); ///< by the lesson's last task
        const auto row = [](const char* id, const char* claim, bool solved) {
            QTest::addRow("%s %s", id, claim) << QByteArray(id) << QByteArray(claim) << solved;
        };
        row("01-all-reduce", "slower < 1.2 and half_outside > half_inside", false);
        row("01-all-reduce", "step_time_s > start.step_time_s", true);
        row("02-column-and-row", "gemm8 > gemm1 and attention8 > attention1 and peak1 > memory.limit_bytes", false);
        row("02-column-and-row",
            "start.time.parts.tp_exposed - time.parts.tp_exposed > start.time.parts.attention - time.parts.attention "
            "and start.time.parts.attention - time.parts.attention > start.time.parts.gemm - time.parts.gemm",
            true);
        row("03-the-bubble", "last > middle and bubble_fraction > formula", true);
        row("04-in-flight",
            "max(bubble_fraction, start.bubble_fraction) - min(bubble_fraction, "
            "start.bubble_fraction) < 1e-6",
            true);
        row("05-interleaving", "memory.peak_bytes > start.memory.peak_bytes", true);
        row("06-sequence-parallelism",
            "exposed_with > exposed_without and step_with <= step_without and halves > whole and sends_with < "
            "sends_without",
            false);
        row("07-zero", "exposed3 > 5*exposed1 and hidden < exposed3/2 and wire1 < wire0", false);
        row("07-zero", "step_time_s > step1 and memory.peak_bytes < peak1", true);
        row("08-experts", "skewed_step > even_step and skewed_peak > even_peak and skewed_sent > even_sent", false);
        row("09-split-what-hurts",
            "undivided > memory.limit_bytes and forgetful_peak < memory.limit_bytes and min(forgetful, halved, "
            "four_stages) > step_time_s",
            true);
        row("10-kv-heads", "serving.kv.copies == 2 and serving.kv.bytes_per_token_per_device == narrow", false);
        row("10-kv-heads", "serving.kv.copies == 1 and held < start.held", true);
        row("11-latency-wall", "wire < one_inside/4 and two > four and four > eight and eight > two/4", false);
        row("12-zero-bubble", "zv < h1 and h1 < plain and dual < plain", false);
        row("13-check-the-arithmetic",
            "norm_claim > 7*norm_right and billion_claim < billion_right and seventy_right > device and alone > "
            "seventy_right and four_right > device and gradient_claim > gradient_here",
            false);
        row("14-recomputation", "full_exposed > none_exposed and hfu.causal > mfu.causal", false);
        row("14-recomputation", "hfu.causal == mfu.causal", true);
    }
    void whatTextsSayOfTheirNumbersHolds()
    {
        QFETCH(QByteArray, id);
        QFETCH(QByteArray, claim);
        QFETCH(bool, solved);
        const Lesson& told = lesson(id.constData());
        LessonPlay play(told, catalogue());
        if (solved) {
            const auto page = std::find_if(told.pages.rbegin(), told.pages.rend(),
                                           [](const LessonPage& each) { return each.task.has_value(); });
            QVERIFY(page != told.pages.rend());
            const Result<Scenario> solution = withFields(told.scenario, page->task->solution, catalogue());
            QVERIFY2(solution, texts(solution.problems));
            play.setScenario(*solution, evaluate(*solution));
        }
        const Result<double> holds = play.number(claim.toStdString());
        QVERIFY2(holds, texts(holds.problems));
        QVERIFY(*holds != 0);
    }

    void aTaskIsSolvedByMovingWhatMayBeMoved()
    {
        const Lesson& bubble = lesson("03-the-bubble");
        const LessonTask& task = *bubble.pages.back().task;
        LessonPlay play(bubble, catalogue());
        QVERIFY(!play.solves(task));
        Scenario scenario = bubble.scenario;
        scenario.layout.globalBatch = 64;
        play.setScenario(scenario, evaluate(scenario));
        QVERIFY(play.solves(task));
        scenario.workload.sequenceLength = 4096;
        play.setScenario(scenario, evaluate(scenario));
        QVERIFY(!play.solves(task)); // right, but by moving what is kept
        QVERIFY(play.movedElsewhere() == std::vector<std::string>{"workload.sequence_length"});
    }

    void textsFollowTheScenario()
    {
        const Lesson& bubble = lesson("03-the-bubble");
        LessonPlay play(bubble, catalogue());
        QCOMPARE(play.text("{m} of {layout.pp|count}, once {start.layout.global_batch|count}"),
                 std::string("8 of 8, once 8"));
        Scenario scenario = bubble.scenario;
        scenario.layout.globalBatch = 32;
        play.setScenario(scenario, evaluate(scenario));
        QCOMPARE(play.text("{m}, {formula}"), std::string("32, 17.9 %"));
        QCOMPARE(play.text("{nothing} and {m|nonsense} and {open"), std::string("— and — and {open"));
        scenario.layout.tp = 7; // not legal: what the report cannot say is a dash, not a wrong number
        play.setScenario(scenario, evaluate(scenario));
        QCOMPARE(play.text("{bubble_fraction|percent}"), std::string("—"));
    }

    void aCountNamesWhatItCounts()
    {
        const Lesson& bubble = lesson("03-the-bubble");
        LessonPlay play(bubble, catalogue());
        QCOMPARE(play.text("{m|count micro-batch/micro-batches}"), std::string("8 micro-batches"));
        Scenario scenario = bubble.scenario;
        scenario.layout.globalBatch = 1;
        play.setScenario(scenario, evaluate(scenario));
        QCOMPARE(play.text("{m|count micro-batch/micro-batches}"), std::string("1 micro-batch"));
        for (const char* wrong :
             {"{m|count micro-batch}", "{m|count /s}", "{m|count s/}", "{m|percent share/shares}"}) {
            QVERIFY2(!play.check(wrong, "text").empty(), wrong);
        }
    }

    /// Each control at its ends and between, other devices taken or left by data parallelism.
    void textsReadWellWhereverControlsAre_data()
    {
        QTest::addColumn<QByteArray>("id");
        for (const Lesson& each : shipped().lessons) {
            QTest::newRow(each.id.c_str()) << QByteArray(each.id.c_str());
        }
    }
    void textsReadWellWhereverControlsAre()
    {
        QFETCH(QByteArray, id);
        const Lesson& told = lesson(id.constData());
        LessonPlay play(told, catalogue());
        int moved = 0;
        for (const std::string& field : told.touch) {
            for (const std::string& value : stopsOf(field)) {
                const Scenario scenario = movedTo(told.scenario, field, value);
                const Report report = evaluate(scenario);
                if (!report.legal()) {
                    continue;
                }
                ++moved;
                play.setScenario(scenario, report);
                for (const LessonPage& page : told.pages) {
                    std::vector<std::string> written{page.text};
                    if (page.task) {
                        written.push_back(page.task->question);
                        written.insert(written.end(), page.task->hints.begin(), page.task->hints.end());
                        if (play.solves(*page.task)) {
                            written.push_back(page.task->solved);
                        }
                    }
                    for (const std::string& text : written) {
                        const QString shown = QString::fromStdString(play.text(text));
                        const QString at = QString::fromStdString(field + " = " + value + ": ") + shown;
                        QVERIFY2(shown.count(QChar(0x2014)) == QString::fromStdString(text).count(QChar(0x2014)),
                                 qPrintable(at));
                        static const QRegularExpression oneOfMany(
                            QStringLiteral("(^|[ (])1 (?!is|was|has|less|as|times)[a-z-]+s\\b|\\b(nan|inf)\\b"));
                        QVERIFY2(!shown.contains(oneOfMany), qPrintable(at));
                    }
                }
            }
        }
        QVERIFY(moved > 1);
    }

    /// From their own text, down to what scenarios and presets state; as the lesson begins and as each question is
    /// left.
    void everyNumberIsDerived_data()
    {
        QTest::addColumn<QByteArray>("id");
        for (const Lesson& each : shipped().lessons) {
            QTest::newRow(each.id.c_str()) << QByteArray(each.id.c_str());
        }
    }
    void everyNumberIsDerived()
    {
        QFETCH(QByteArray, id);
        const Lesson& told = lesson(id.constData());
        LessonPlay play(told, catalogue());
        std::vector<std::string> written;
        std::vector<Scenario> scenarios{told.scenario};
        for (const LessonPage& page : told.pages) {
            written.push_back(page.text);
            if (page.task) {
                written.insert(written.end(), {page.task->question, page.task->solved});
                written.insert(written.end(), page.task->hints.begin(), page.task->hints.end());
                scenarios.push_back(*withFields(told.scenario, page.task->solution, catalogue()));
            }
        }
        int derived = 0;
        for (const Scenario& scenario : scenarios) {
            play.setScenario(scenario, evaluate(scenario));
            const auto values = explainLesson(play, noRuns);
            for (const std::string& text : written) {
                forEachPart(
                    text, [](std::string_view) {},
                    [&](std::string_view placeholder) {
                        const std::string path = pathOfPlaceholder(placeholder);
                        const Result<double> number = play.number(expressionOf(placeholder));
                        const LedgerEntry* entry = values->find(path);
                        QVERIFY2(number && entry != nullptr, path.c_str());
                        QCOMPARE(entry->value, *number);
                        ++derived;
                    });
            }
            const std::string flaw = flawIn(*values, values->reportedValues(), [](const std::string&) { return true; });
            QVERIFY2(flaw.empty(), flaw.c_str());
        }
        QVERIFY(derived > 0);
    }

    void aNumberSaysWhatItIsMadeOf()
    {
        const LessonPlay play(lesson("03-the-bubble"), catalogue());
        const auto values = explainLesson(play, noRuns);
        const auto plain = [&](const char* path) { return QString::fromStdString(values->explain(path)->plain()); };
        QCOMPARE(plain("now.formula"), QString::fromUtf8("(p − 1) / (m + p − 1)"));
        QVERIFY2(plain("now.m").contains(QStringLiteral("gb")), qPrintable(plain("now.m")));
        QVERIFY(values->explain("now.rule")->formula.empty());
        QCOMPARE(values->explain("now.rule")->assumptions.size(), std::size_t{1});
        const LessonPlay wire(lesson("01-all-reduce"), catalogue());
        const Result<Derivation> inside = explainLesson(wire, noRuns)->explain("now.inside");
        QVERIFY(inside && inside->plain().find("max") != std::string::npos);
    }

    void servingAndPresetsAreNamed()
    {
        const Lesson& wall = lesson("11-latency-wall");
        LessonPlay play(wall, catalogue());
        const auto is = [&](const char* name, double value) {
            const Result<double> number = play.number(name);
            return number && std::abs(*number - value) <= 1e-12 * std::abs(value);
        };
        QVERIFY(is("serving.tpot_s", serve(wall.scenario).tpot));
        QVERIFY(is("model.hidden", 8192) && is("cluster.devices_per_node", 8));
        QVERIFY(is("cluster.levels[0].bandwidth_gbytes_per_s", 450));
        Scenario narrow = wall.scenario;
        narrow.layout.tp = 2;
        narrow.layout.dp = 32;
        play.setScenario(narrow, evaluate(narrow));
        const ServingReport served = serve(narrow);
        QVERIFY(served.waiting > 0);
        QVERIFY(is("serving.batch", served.batch)); // what finds room, not what is asked for
        QVERIFY(is("start.serving.tpot_s", serve(wall.scenario).tpot));
    }

    void theDecodeLessonAsksForTheFastestDegree()
    {
        const Lesson& wall = lesson("11-latency-wall");
        const double eight = *LessonPlay(wall, catalogue()).number("eight");
        for (const int tp : {2, 4, 16, 32}) {
            Scenario other = wall.scenario;
            other.layout.tp = tp;
            other.layout.dp = 64 / tp;
            QVERIFY(serve(other).tpot > eight);
        }
    }

    void valuesMayChangePartsOfPresets()
    {
        const LessonPlay play(lesson("08-experts"), catalogue());
        QVERIFY(*play.number("skewed_step") > *play.number("even_step"));
        QCOMPARE(*play.number("skew"), 2.0);
        QCOMPARE(*play.number("stack.expert_imbalance"), 1.0);
    }

    void whatIsWrongWithALessonIsTold_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QByteArray>("field");
        const auto row = [](const char* name, const char* from, const char* to, const char* field) {
            QTest::newRow(name) << QByteArray(from) << QByteArray(to) << QByteArray(field);
        };
        row("wrong number", "\"states\": 0.4666666666666667", "\"states\": 0.3", "values[3].states");
        row("number by hand", "{eight}", "46.7 %", "pages[0].text");
        row("number in words", "{eight}", "nine thousand", "pages[0].text");
        row("number in a placeholder", "{eight}", "{0.467|percent}", "pages[0].text");
        row("number dressed as a formula", "{eight}", "`46.7 %`", "pages[0].text");
        row("open placeholder", "{eight}", "{eight", "pages[0].text");
        row("stray brace", "{eight}", "{eight}}", "pages[0].text");
        row("open formula", "`(p - 1) / (m + p - 1)`", "`(p - 1) / (m + p - 1)", "pages[0].text");
        row("number in the title", "\"title\": \"The bubble\"", "\"title\": \"Twelve bubbles\"", "title");
        row("placeholder in the summary", "Why a pipeline idles", "Why {m} idles", "summary");
        row("value named like a key", "\"name\": \"m\"", "\"name\": \"fits\"", "values[0].name");
        row("two values of a name", "\"name\": \"p\"", "\"name\": \"m\"", "values[1].name");
        static const QByteArray longTitle = "\"title\": \"" + QByteArray(900 * 1024, 'x') + "\"";
        row("endless title", "\"title\": \"The bubble\"", longTitle.constData(), "title");
        static const QByteArray longPage = QByteArray(5000, 'x');
        row("endless page", "A pipeline of p stages", longPage.constData(), "pages[0].text");
        row("unknown value", "{formula}", "{formla}", "pages[1].text");
        row("wrong answer", "bubble_fraction < target", "bubble_fraction < 0.01", "pages[1].task.solution");
        row("solved already", "bubble_fraction < target", "bubble_fraction < 0.9", "pages[1].task.answer");
        row("broken answer", "bubble_fraction < target", "bubble_fraction <",
            "pages[1].task.answer: bubble_fraction <");
        row("unreachable", "\"touch\": [\n    \"layout.global_batch\"", "\"touch\": [\n    \"layout.recompute\"",
            "pages[1].task.solution");
        row("unknown field", "\"touch\": [\n    \"layout.global_batch\"",
            "\"touch\": [\n    \"layout.global_bath\", \"layout.global_batch\"", "touch[0]");
        row("a control that is none", "\"touch\": [", "\"touch\": [\"nonsense\",", "touch[0]");
        row("a section instead of a control", "\"touch\": [", "\"touch\": [\"layout\",", "touch[0]");
        row("part of a preset", "\"touch\": [", "\"touch\": [\"stack.efficiency\",", "touch[0]");
        row("touched twice", "\"touch\": [", "\"touch\": [\"layout.global_batch\",", "touch[1]");
        row("illegal layout", "\"pp\": 8", "\"pp\": 7", "scenario.layout.dp");
        row("three forms of a count", "{eight}", "{m|count stage/stages/stagii}", "pages[0].text");
        row("a form that is blank", "{eight}", "{m|count / }", "pages[0].text");
        row("digits in forms of a count", "{eight}", "{m|count 8 stage/9 stages}", "pages[0].text");
        row("words in forms of a count", "{eight}", "{m|count stage/eight stages}", "pages[0].text");
        row("sums of numbers by hand", "{eight}", "{2*8|count}", "pages[0].text");
        row("functions of numbers by hand", "{eight}", "{max(3, 8)|count}", "pages[0].text");
        row("key that is none", "{eight}", "{nope.key}", "pages[0].text");
        row("blank title", "\"title\": \"The bubble\"", "\"title\": \" \"", "title");
        row("title of spaces that do not break", "\"title\": \"The bubble\"", "\"title\": \"\u00a0\"", "title");
        row("name with a space", "\"name\": \"m\"", "\"name\": \"m m\"", "values[0].name");
        row("name of a function", "\"name\": \"m\"", "\"name\": \"max\"", "values[0].name");
        row("name of a word", "\"name\": \"m\"", "\"name\": \"and\"", "values[0].name");
        row("name of the first scenario", "\"name\": \"m\"", "\"name\": \"start\"", "values[0].name");
        row("title given twice", "\"title\": ", "\"title\": \"a\", \"title\": ", "title");
        row("unknown chart", "\"chart\": \"gantt\"", "\"chart\": \"gnatt\"", "pages[0].chart");
        row("unknown key", "\"minutes\"", "\"minuets\"", "minuets");
        row("no solution", "\"solution\": {", "\"solutoin\": {", "pages[1].task.solution");
        row("schedule not offered", "\"schedule\": \"1f1b\"", "\"schedule\": \"gpipe\"", "scenario.stack");
        row("unknown model", "llama-3.1-70b", "llama-3.1-71b", "scenario.model");
    }
    void whatIsWrongWithALessonIsTold()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QByteArray, field);
        QByteArray text = fileOf("03-the-bubble");
        QVERIFY2(text.contains(from), text);
        text.replace(from, to);
        const Problems problems = checkLessonFile(text.toStdString(), "changed", catalogue());
        QVERIFY(!problems.empty());
        QVERIFY(texts(problems).size() < 10000); // what is too long is not told at length
        const bool found = std::any_of(problems.begin(), problems.end(),
                                       [&](const Problem& problem) { return field == problem.field.c_str(); });
        QVERIFY2(found, texts(problems));
    }

    void whatIsMissingFromALessonIsTold_data()
    {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QJsonValue>("value");
        QTest::addColumn<QString>("field");
        const auto row = [](const char* name, const char* place, const QJsonValue& value, const char* field = nullptr) {
            QTest::newRow(name) << QString::fromLatin1(place) << value << QString::fromLatin1(field ? field : place);
        };
        row("summary of spaces", "summary", QStringLiteral(" \t"));
        row("empty page", "pages[0].text", QString());
        row("page of line breaks", "pages[0].text", QStringLiteral(" \n "));
        row("empty question", "pages[1].task.question", QString());
        row("nothing to see", "pages[1].task.solved", QStringLiteral(" "));
        row("no hints", "pages[1].task.hints", QJsonArray());
        row("hints missing", "pages[1].task.hints", QJsonValue(QJsonValue::Undefined));
        row("empty hint", "pages[1].task.hints", QJsonArray{QStringLiteral("look"), QString()},
            "pages[1].task.hints[1]");
        row("the same hint again", "pages[1].task.hints", QJsonArray{QStringLiteral("look"), QStringLiteral("look")},
            "pages[1].task.hints[1]");
        row("empty source", "sources", QJsonArray{QString()}, "sources[0]");
        row("no pages", "pages", QJsonArray());
    }
    void whatIsMissingFromALessonIsTold()
    {
        QFETCH(QString, place);
        QFETCH(QJsonValue, value);
        QFETCH(QString, field);
        const QByteArray text = QJsonDocument(changed(theBubble(), place, value)).toJson();
        const Problems problems = checkLessonFile(text.toStdString(), "changed", catalogue());
        const auto found = std::find_if(problems.begin(), problems.end(),
                                        [&](const Problem& problem) { return field.toStdString() == problem.field; });
        QVERIFY2(found != problems.end(), texts(problems));
        QCOMPARE(problems.size(), std::size_t{1});
    }

    void allThatIsWrongIsToldAtOnce()
    {
        QJsonObject lesson = theBubble();
        for (const auto& [place, value] : std::initializer_list<std::pair<const char*, QJsonValue>>{
                 {"title", QStringLiteral(" ")},
                 {"touch", QJsonArray{QStringLiteral("nonsense")}},
                 {"pages[0].chart", QStringLiteral("nonsense")},
                 {"pages[0].text", QStringLiteral("{nope.key} of {m|count a/b/c}, {4+4}")},
                 {"pages[1].task.hints", QJsonArray()},
                 {"pages[1].task.answer", QStringLiteral("fits")},
                 {"values[1].name", QStringLiteral("m")}}) {
            lesson = changed(lesson, QString::fromLatin1(place), value);
        }
        const Problems problems = checkLessonFile(QJsonDocument(lesson).toJson().toStdString(), "wrong", catalogue());
        const QByteArray all = texts(problems);
        for (const char* part : {"title: ", "touch[0]: nonsense", "pages[0].chart: nonsense", "{nope.key}", "a/b/c",
                                 "{4+4}", "pages[1].task.hints: ", "pages[1].task.answer: fits", "values[1].name: m"}) {
            QVERIFY2(all.contains(part), all + part);
        }
        // What cannot be worked out because the scenario is not legal is not told as well.
        lesson = changed(lesson, QStringLiteral("scenario.layout.pp"), 7);
        const QByteArray illegal =
            texts(checkLessonFile(QJsonDocument(lesson).toJson().toStdString(), "wrong", catalogue()));
        QVERIFY2(illegal.contains("scenario.layout.dp: ") && illegal.contains("{4+4}"), illegal);
        QVERIFY2(!illegal.contains("nope.key"), illegal);
    }

    void aQuestionIsNotAnsweredByTheOneBefore()
    {
        QJsonObject lesson = theBubble();
        QJsonArray pages = lesson.value(QLatin1String("pages")).toArray();
        pages.append(pages[1]);
        lesson[QLatin1String("pages")] = pages;
        const QByteArray all =
            texts(checkLessonFile(QJsonDocument(lesson).toJson().toStdString(), "twice", catalogue()));
        QVERIFY2(all.startsWith("pages[2].task.answer: ") && all.count('\n') == 1, all);
    }

    void whatMayBeMovedIsAFieldOfScenarios()
    {
        Scenario whole = lesson("08-experts").scenario;
        for (const std::string_view field : lessonFields) {
            const bool preset = field.find('.') == std::string_view::npos;
            const Result<Scenario> without =
                withFields(whole, {{std::string(field), "null"}}, preset ? catalogue() : Catalogue());
            const QByteArray all = texts(without.problems);
            QVERIFY2(without || !all.contains("is not a known key"),
                     QByteArray::fromStdString(std::string(field)) + all);
        }
    }

    void hostileFilesAreRefused()
    {
        for (const QByteArray& text :
             {QByteArray(), QByteArray("[]"), QByteArray("{"), QByteArray("{\"$schema\": \"partita-scenario\"}"),
              QByteArray("{\"$schema\": \"partita-lesson\", \"version\": 2}"), QByteArray(100000, '[')}) {
            QVERIFY(!readLesson(text.toStdString(), "hostile", catalogue()));
            QVERIFY(!checkLessonFile(text.toStdString(), "hostile", catalogue()).empty());
        }
    }

    void theListNamesThemAll()
    {
        const std::string text = lessonListText(shipped());
        const std::string json = writeLessonList(shipped());
        for (const Lesson& each : shipped().lessons) {
            QVERIFY(text.find(each.title) != std::string::npos && json.find(each.id) != std::string::npos);
        }
    }
};

QTEST_GUILESS_MAIN(TestLessons)
#include "tst_lessons.moc"
