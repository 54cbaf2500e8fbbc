// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_fields.h"

#include <QtTest>

#include <random>

namespace partita {

enum class Colour { Red, Green };
template <> struct Names<Colour> {
    static constexpr std::array table{Name<Colour>{Colour::Red, "red", "Red"},
                                      Name<Colour>{Colour::Green, "green", "Green"}};
};

struct Wheel {
    int spokes = 0;
    bool operator==(const Wheel&) const = default;
};
struct Runner {
    double length = 0;
    bool operator==(const Runner&) const = default;
};
template <> struct KindKey<Wheel> {
    static constexpr std::string_view value = "wheel";
};
template <> struct KindKey<Runner> {
    static constexpr std::string_view value = "runner";
};

struct Vehicle {
    std::string name;
    int seats = 1;
    double speed = 0;
    double delay = 0;
    bool open = false;
    Colour colour = Colour::Red;
    std::vector<std::string> notes;
    std::vector<int> sizes;
    std::variant<std::monostate, Wheel, Runner> ground;
    std::vector<Wheel> spares;
    bool operator==(const Vehicle&) const = default;
};

template <class Fields> void describe(Fields& fields, Wheel& wheel)
{
    fields.integer("spokes", wheel.spokes, {1, 100}, Presence::Required);
}

template <class Fields> void describe(Fields& fields, Runner& runner)
{
    fields.number("length", runner.length);
}

template <class Fields> void describe(Fields& fields, Vehicle& vehicle)
{
    fields.text("name", vehicle.name, Presence::Required);
    fields.integer("seats", vehicle.seats, {1, 8});
    fields.quantity("speed", vehicle.speed, gigabytesPerSecond, {0, 1e15});
    fields.quantity("delay", vehicle.delay, microseconds, {0, 1}, Presence::Rare);
    fields.flag("open", vehicle.open);
    fields.choice("colour", vehicle.colour);
    fields.texts("notes", vehicle.notes, Presence::Rare);
    fields.integers("sizes", vehicle.sizes, {0, 1000}, Presence::Rare);
    fields.oneOf("ground", vehicle.ground);
    fields.objects("spares", vehicle.spares, Presence::Rare);
}

} // namespace partita

using namespace partita;

namespace {

Vehicle read(const std::string& text, Problems& problems)
{
    const auto tree = parseJson(text);
    Vehicle vehicle;
    FieldReader reader(*tree, "vehicle", problems);
    describe(reader, vehicle);
    reader.rejectUnknownKeys();
    return vehicle;
}

std::string write(Vehicle vehicle)
{
    FieldWriter writer;
    describe(writer, vehicle);
    return jsonText(writer.take());
}

} // namespace

class TestJsonFields : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void writesKeysInTheOrderOfTheDescription()
    {
        Vehicle vehicle;
        vehicle.name = "sledge";
        vehicle.speed = 450e9;
        vehicle.delay = 3.4e-6;
        vehicle.ground = Runner{1.5};
        QCOMPARE(write(vehicle), std::string(R"({
  "name": "sledge",
  "seats": 1,
  "speed_gbytes_per_s": 450,
  "delay_us": 3.4,
  "open": false,
  "colour": "red",
  "ground": {
    "kind": "runner",
    "length": 1.5
  }
}
)"));
    }

    void readsBackExactlyWhatItWrote()
    {
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> any(0, 1);
        for (int i = 0; i < 2000; ++i) {
            Vehicle vehicle;
            vehicle.name = "r" + std::to_string(i);
            vehicle.seats = 1 + i % 8;
            vehicle.speed = any(random) * 1e13;
            vehicle.delay = any(random) * 1e-3;
            vehicle.open = i % 2 == 0;
            vehicle.colour = i % 3 == 0 ? Colour::Red : Colour::Green;
            vehicle.notes = {"\"quoted\"", "größer"};
            vehicle.sizes = {i % 7, 3};
            if (i % 3 == 0) {
                vehicle.ground = Wheel{1 + i % 50};
            }
            vehicle.spares = {{1}, {2}};
            Problems problems;
            QVERIFY(read(write(vehicle), problems) == vehicle);
            QVERIFY(problems.empty());
        }
    }

    void refusesOneValue_data()
    {
        QTest::addColumn<QString>("member");
        QTest::addColumn<QString>("problem");
        QTest::newRow("fraction") << R"("seats": 3.7)"
                                  << "vehicle.seats: 3.7: must be a whole number";
        QTest::newRow("flag for an integer") << R"("seats": true)"
                                             << "vehicle.seats: true: must be a whole number";
        QTest::newRow("text for an integer") << R"("seats": "4")"
                                             << "vehicle.seats: \"4\": must be a whole number";
        QTest::newRow("negative") << R"("seats": -1)"
                                  << "vehicle.seats: -1: must be from 1 to 8";
        QTest::newRow("too large") << R"("seats": 18446744073709551615)"
                                   << "vehicle.seats: 18446744073709551615: must be from 1 to 8";
        QTest::newRow("huge") << R"("seats": 1e300)"
                              << "vehicle.seats: 1e+300: must be a whole number";
        QTest::newRow("wider than int") << R"("sizes": [4294967297])"
                                        << "vehicle.sizes[0]: 4294967297: must be from 0 to 1000";
        QTest::newRow("text for a number") << R"("speed_gbytes_per_s": "fast")"
                                           << "vehicle.speed_gbytes_per_s: \"fast\": must be a number";
        QTest::newRow("out of range") << R"("speed_gbytes_per_s": 1e7)"
                                      << "vehicle.speed_gbytes_per_s: 10000000: must be from 0 to 1000000";
        QTest::newRow("two units")
            << R"("speed_gbytes_per_s": 1, "speed_bytes_per_s": 1)"
            << "vehicle.speed_gbytes_per_s: 1: is given twice, here and as speed_bytes_per_s (keep one of them)";
        QTest::newRow("integer for a flag") << R"("open": 1)"
                                            << "vehicle.open: 1: must be true or false";
        QTest::newRow("unknown word") << R"("colour": "gren")"
                                      << "vehicle.colour: \"gren\": is not known (did you mean 'green'?)";
        QTest::newRow("far word") << R"("colour": "octarine")"
                                  << "vehicle.colour: \"octarine\": is not known (one of red, green)";
        QTest::newRow("misspelt key") << R"("seat": 4)"
                                      << "vehicle.seat: is not a known key (did you mean 'seats'?)";
        QTest::newRow("swapped letters") << R"("naem2": 4)"
                                         << "vehicle.naem2: is not a known key";
        QTest::newRow("list") << R"("notes": "one")"
                              << "vehicle.notes: \"one\": must be a list";
        QTest::newRow("element") << R"("notes": ["one", {}])"
                                 << "vehicle.notes[1]: {...}: must be a text";
        QTest::newRow("nested") << R"("spares": [{"spokes": 3}, {}])"
                                << "vehicle.spares[1].spokes: is missing";
        QTest::newRow("kind") << R"("ground": {"kind": "wheels", "spokes": 1})"
                              << "vehicle.ground.kind: \"wheels\": is not known (did you mean 'wheel'?)";
        QTest::newRow("object") << R"("ground": 3)"
                                << "vehicle.ground: 3: must be an object";
    }

    void refusesOneValue()
    {
        QFETCH(QString, member);
        QFETCH(QString, problem);
        Problems problems;
        read("{\"name\": \"x\", " + member.toStdString() + "}", problems);
        QVERIFY(!problems.empty());
        const QString described = QString::fromStdString(partita::describe(problems.front()));
        QVERIFY2(described.startsWith(problem), qPrintable(described));
    }

    void namesEveryProblemAtOnce()
    {
        Problems problems;
        read(R"({"seats": "x", "open": 3, "colour": 5, "spares": [7], "sped": 1})", problems);
        QCOMPARE(problems.size(), std::size_t{6}); // the name is missing, too
    }

    void takesWholeNumbersWithAFraction()
    {
        Problems problems;
        QCOMPARE(read(R"({"name": "x", "seats": 4.0})", problems).seats, 4);
        QVERIFY(problems.empty());
    }
};

QTEST_GUILESS_MAIN(TestJsonFields)
#include "tst_json_fields.moc"
