// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/search/resource_front.h"
#include "search_cases.h"

#include <QTest>

#include <algorithm>

using namespace partita;

class ResourceFrontTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"}); }
    void cornersAreBeatenByNoneAndBeatAllOthers();
    void everySizeIsSearchedDownToWhereNothingFits();
    void ofManySizesSomeAreTriedAndTold();
    void nothingIsSmallerThanWhereNothingFits();
    void devicesGiveTheNodes();

private:
    Catalogue m_catalogue;
};

namespace {

const auto never = [] { return false; };

SearchSpace quick()
{
    SearchSpace space;
    if (!narrow(space, "cp=1, vpp<=2, micro_batch<=2").empty()) {
        qFatal("limits");
    }
    return space;
}

std::vector<FoundLayout> fastest(const Scenario& scenario, const SearchOptions& options)
{
    const Result<SearchResult> found = searchLayouts(scenario, quick(), options, never, nullptr);
    return found ? found->best : std::vector<FoundLayout>();
}

} // namespace

void ResourceFrontTest::cornersAreBeatenByNoneAndBeatAllOthers()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3-8b", "hgx-h100", 32, 64);
    SearchOptions options;
    options.top = 20;
    const std::vector<LayoutFigures> sizes =
        fastestBySize(scenario, quick(), fastest(scenario, options), options, never, nullptr).layouts;
    QVERIFY(sizes.size() > 20);
    for (const Name<FrontAgainst>& against : Names<FrontAgainst>::table) {
        const std::vector<LayoutFigures> front = frontOf(sizes, against.value);
        QVERIFY(!front.empty());
        const auto beats = [&](const LayoutFigures& a, const LayoutFigures& b) {
            const double takenA = takenBy(a, against.value);
            const double takenB = takenBy(b, against.value);
            return takenA <= takenB && a.tokensPerSecond >= b.tokensPerSecond
                && (takenA < takenB || a.tokensPerSecond > b.tokensPerSecond);
        };
        for (std::size_t i = 1; i < front.size(); ++i) {
            QVERIFY(takenBy(front[i], against.value) > takenBy(front[i - 1], against.value));
            QVERIFY(front[i].tokensPerSecond > front[i - 1].tokensPerSecond);
        }
        for (const LayoutFigures& each : sizes) {
            const bool isCorner = std::find(front.begin(), front.end(), each) != front.end();
            const bool beaten = std::any_of(front.begin(), front.end(),
                                            [&](const LayoutFigures& corner) { return beats(corner, each); });
            const bool matched = std::any_of(front.begin(), front.end(), [&](const LayoutFigures& corner) {
                return takenBy(corner, against.value) == takenBy(each, against.value)
                    && corner.tokensPerSecond == each.tokensPerSecond;
            });
            QVERIFY(isCorner ? !beaten : beaten || matched);
        }
    }
}

void ResourceFrontTest::everySizeIsSearchedDownToWhereNothingFits()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3.1-70b", "hgx-h100", 128, 128);
    SearchOptions options;
    options.top = 1;
    std::size_t told = 0;
    const SizeSearch sizes =
        fastestBySize(scenario, quick(), fastest(scenario, options), options, never,
                      [&](const std::vector<LayoutFigures>& soFar) { QCOMPARE(soFar.size(), ++told); });
    QCOMPARE(told, sizes.layouts.size());
    // Of every number of nodes, not halves alone.
    QCOMPARE(sizes.devices.back(), std::int64_t{128});
    for (std::size_t i = 1; i < sizes.devices.size(); ++i) {
        QCOMPARE(sizes.devices[i] - sizes.devices[i - 1], std::int64_t{8});
    }
    for (const std::int64_t devices : sizes.devices) {
        Scenario alone = scenario;
        alone.cluster.nodes = devices / 8;
        const auto found = searchLayouts(alone, quick(), options, never, nullptr);
        const auto known = std::find_if(sizes.layouts.begin(), sizes.layouts.end(),
                                        [&](const LayoutFigures& each) { return each.layout.devices() == devices; });
        QCOMPARE(known != sizes.layouts.end(), found && !found->best.empty());
        if (known != sizes.layouts.end()) {
            QVERIFY(known->fits);
            QCOMPARE(known->layout.globalBatch, std::int64_t{128});
            QCOMPARE(found->best.front().layout, known->layout);
        }
    }
    // 18 bytes of 70.6e9 parameters are 1.2 TiB: 16 devices have just that, and no room for anything else.
    const auto smallest = std::min_element(
        sizes.layouts.begin(), sizes.layouts.end(),
        [](const LayoutFigures& a, const LayoutFigures& b) { return a.layout.devices() < b.layout.devices(); });
    QVERIFY(smallest->layout.devices() >= 16 && smallest->layout.devices() <= 32);
}

void ResourceFrontTest::ofManySizesSomeAreTriedAndTold()
{
    Scenario scenario = search_cases::scenario(m_catalogue, "llama-3-8b", "hgx-h100", 8 * 200, 1600);
    SearchSpace space;
    QVERIFY(narrow(space, "cp=1, pp=1, vpp=1, micro_batch=1, recompute=none, zero=1").empty());
    SearchOptions options;
    options.top = 1;
    const auto found = searchLayouts(scenario, space, options, never, nullptr);
    QVERIFY(found);
    const SizeSearch sizes = fastestBySize(scenario, space, found->best, options, never, nullptr);
    QVERIFY(sizes.devices.size() > 50 && sizes.devices.size() < 80);
    for (std::size_t i = 1; i < sizes.devices.size(); ++i) {
        QVERIFY(sizes.devices[i] > sizes.devices[i - 1]);
        QVERIFY(sizes.devices[i] - sizes.devices[i - 1] <= 4 * 8); // 200 nodes in 64 steps
    }
    QVERIFY(sizesText(sizes.devices).find("at most 32 apart") != std::string::npos);
    QCOMPARE(sizesText({8, 16, 24}), std::string("8, 16 and 24 devices"));
    QCOMPARE(sizesText({8}), std::string("8 devices"));
}

void ResourceFrontTest::nothingIsSmallerThanWhereNothingFits()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3-8b", "hgx-h100", 16, 64);
    QVERIFY(fastestBySize(scenario, quick(), {}, {}, never, nullptr).layouts.empty());
}

void ResourceFrontTest::devicesGiveTheNodes()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3-8b", "hgx-h100", 64, 64);
    Layout layout = scenario.layout;
    layout.dp = 16;
    const Scenario smaller = onDevicesOf(scenario, layout);
    QCOMPARE(smaller.cluster.devices(), std::int64_t{16});
    QCOMPARE(smaller.layout, layout);
    QVERIFY(onDevicesOf(scenario, scenario.layout) == scenario);
}

QTEST_GUILESS_MAIN(ResourceFrontTest)
#include "tst_resource_front.moc"
