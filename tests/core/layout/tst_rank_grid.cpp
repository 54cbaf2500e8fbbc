// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/rank_grid.h"

#include <QtTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace partita;

namespace {

using Group = std::vector<std::int64_t>;

Cluster clusterOf(std::int64_t devices, const std::vector<std::int64_t>& domains)
{
    Cluster cluster;
    cluster.devicesPerNode = devices;
    for (const std::int64_t domain : domains) {
        Level level;
        level.domain = domain;
        cluster.levels.push_back(level);
    }
    return cluster;
}

/// Coordinates of every rank by counting through the order, and the groups by what is equal: nothing shared with
/// RankGrid.
class Enumerated {
public:
    explicit Enumerated(const Layout& layout)
    {
        std::map<Axis, int> size{
            {Axis::Tp, layout.tp}, {Axis::Cp, layout.cp}, {Axis::Ep, 1}, {Axis::Dp, layout.dp}, {Axis::Pp, layout.pp}};
        std::map<Axis, int> place{{Axis::Tp, 0}, {Axis::Cp, 0}, {Axis::Ep, 0}, {Axis::Dp, 0}, {Axis::Pp, 0}};
        std::vector<int> seenInStage(static_cast<std::size_t>(layout.pp), 0);
        const int expertData = layout.tp * layout.cp * layout.dp / (layout.ep * layout.etp);
        for (std::int64_t rank = 0; rank < layout.devices(); ++rank) {
            Place p{place[Axis::Tp], place[Axis::Cp], place[Axis::Dp], place[Axis::Pp], 0, 0, 0};
            int index = seenInStage[static_cast<std::size_t>(p.pp)]++;
            for (const Axis axis : layout.rankOrder) {
                if (axis == Axis::Tp) {
                    p.etp = index % layout.etp;
                    index /= layout.etp;
                } else if (axis == Axis::Ep) {
                    p.ep = index % layout.ep;
                    index /= layout.ep;
                } else if (axis == Axis::Dp) {
                    p.edp = index % expertData;
                    index /= expertData;
                }
            }
            m_places.push_back(p);
            for (const Axis axis : layout.rankOrder) {
                if (++place[axis] < size[axis]) {
                    break;
                }
                place[axis] = 0;
            }
        }
    }

    std::vector<Group> groups(GroupKind kind) const
    {
        std::map<std::vector<int>, Group> byKey;
        for (std::size_t rank = 0; rank < m_places.size(); ++rank) {
            byKey[key(kind, m_places[rank])].push_back(static_cast<std::int64_t>(rank));
        }
        std::vector<Group> result;
        for (auto& [unused, group] : byKey) {
            result.push_back(std::move(group));
        }
        return result;
    }

    int stage(std::int64_t rank) const { return m_places[static_cast<std::size_t>(rank)].pp; }

private:
    struct Place {
        int tp, cp, dp, pp, etp, ep, edp;
    };

    static std::vector<int> key(GroupKind kind, const Place& p)
    {
        switch (kind) {
        case GroupKind::Tensor:
            return {p.cp, p.dp, p.pp};
        case GroupKind::Context:
            return {p.tp, p.dp, p.pp};
        case GroupKind::Data:
            return {p.tp, p.cp, p.pp};
        case GroupKind::Gradient:
            return {p.tp, p.pp};
        case GroupKind::Pipeline:
            return {p.tp, p.cp, p.dp};
        case GroupKind::Expert:
            return {p.etp, p.edp, p.pp};
        case GroupKind::ExpertTensor:
            return {p.ep, p.edp, p.pp};
        case GroupKind::ExpertData:
            return {p.etp, p.ep, p.pp};
        }
        return {};
    }

    std::vector<Place> m_places;
};

std::int64_t fullest(const Group& group, std::int64_t domain)
{
    std::map<std::int64_t, std::int64_t> shares;
    std::int64_t most = 0;
    for (const std::int64_t rank : group) {
        most = std::max(most, ++shares[rank / domain]);
    }
    return most;
}

Layout randomLayout(std::mt19937& random)
{
    const auto pick = [&](std::initializer_list<int> values) {
        return *(values.begin() + static_cast<std::ptrdiff_t>(random() % values.size()));
    };
    Layout layout;
    layout.tp = pick({1, 2, 3, 4, 5, 6, 8, 16});
    layout.cp = pick({1, 1, 2, 3, 4});
    layout.pp = pick({1, 2, 3, 4, 6});
    layout.dp = pick({1, 2, 3, 4, 7, 9, 12});
    std::vector<int> divisors;
    const int ranks = layout.tp * layout.cp * layout.dp;
    for (int d = 1; d <= ranks; ++d) {
        if (ranks % d == 0) {
            divisors.push_back(d);
        }
    }
    const int folded = divisors[random() % divisors.size()];
    layout.ep = folded;
    layout.etp = 1;
    for (const int etp : {8, 4, 3, 2}) {
        if (folded % etp == 0 && random() % 2 == 0) {
            layout.etp = etp;
            layout.ep = folded / etp;
            break;
        }
    }
    if (random() % 3 != 0) {
        std::shuffle(layout.rankOrder.begin(), layout.rankOrder.end(), random);
    }
    return layout;
}

} // namespace

class TestRankGrid : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithCountingTheRanksOneByOne()
    {
        std::mt19937 random(20240601);
        for (int trial = 0; trial < 300; ++trial) {
            const Layout layout = randomLayout(random);
            const std::vector<std::int64_t> inner{2, 3, 4, 5, 6, 8, 16, 72};
            const std::int64_t domain = inner[random() % inner.size()];
            const std::vector<std::int64_t> domains{domain, domain * 4, 0};
            const RankGrid grid(layout, clusterOf(layout.devices(), domains));
            const Enumerated ranks(layout);
            for (const Name<GroupKind>& kind : Names<GroupKind>::table) {
                const std::vector<Group> groups = ranks.groups(kind.value);
                std::vector<std::int64_t> worst(3, static_cast<std::int64_t>(groups.front().size()));
                for (const Group& group : groups) {
                    for (std::size_t level = 0; level < 2; ++level) {
                        worst[level] = std::min(worst[level], fullest(group, domains[level]));
                    }
                    QCOMPARE(grid.members(kind.value, group.back()), group);
                }
                QVERIFY2(grid.span(kind.value).members == worst,
                         qPrintable(QStringLiteral("%1: tp %2 cp %3 pp %4 dp %5 ep %6 etp %7 domain %8")
                                        .arg(QString::fromUtf8(kind.key.data()))
                                        .arg(layout.tp)
                                        .arg(layout.cp)
                                        .arg(layout.pp)
                                        .arg(layout.dp)
                                        .arg(layout.ep)
                                        .arg(layout.etp)
                                        .arg(domain)));
            }
            int level = 0;
            for (const Group& group : ranks.groups(GroupKind::Pipeline)) {
                for (std::size_t i = 0; i + 1 < group.size(); ++i) {
                    for (int l = 0; l < 2; ++l) {
                        const std::int64_t d = domains[static_cast<std::size_t>(l)];
                        level = group[i] / d != group[i + 1] / d ? std::max(level, l + 1) : level;
                    }
                }
            }
            QCOMPARE(grid.pipelineLevel(), level);
        }
    }

    void numbersRanksAsMegatronDoes()
    {
        // tp 2, pp 4, dp 2 on 16: the example in Megatron-LM's documentation of its groups (tp-dp-pp order).
        Layout layout;
        layout.tp = 2;
        layout.pp = 4;
        layout.dp = 2;
        const RankGrid grid(layout, clusterOf(16, {8, 0}));
        QCOMPARE(grid.members(GroupKind::Tensor, 1), (Group{0, 1}));
        QCOMPARE(grid.members(GroupKind::Data, 2), (Group{0, 2}));
        QCOMPARE(grid.members(GroupKind::Pipeline, 5), (Group{1, 5, 9, 13}));
        QCOMPARE(grid.pipelineLevel(), 1);
    }

    void foldsExpertsAcrossTensorContextAndData()
    {
        // DeepSeek-V3: 2048 devices, pp 16, ep 64 over tp 1, dp 128.
        Layout layout;
        layout.pp = 16;
        layout.dp = 128;
        layout.ep = 64;
        const RankGrid grid(layout, clusterOf(2048, {8, 0}));
        QCOMPARE(grid.span(GroupKind::Expert).members, (std::vector<std::int64_t>{8, 64}));
        QCOMPARE(grid.span(GroupKind::ExpertData).members, (std::vector<std::int64_t>{1, 2}));
    }

    void anOddTensorDegreeCrossesANode()
    {
        Layout layout;
        layout.tp = 3;
        layout.dp = 8;
        QCOMPARE(RankGrid(layout, clusterOf(24, {8, 0})).span(GroupKind::Tensor).members,
                 (std::vector<std::int64_t>{2, 3}));
    }

    void rankOrderCanMoveTensorRanksApart()
    {
        Layout layout;
        layout.tp = 8;
        layout.dp = 8;
        layout.rankOrder = {Axis::Dp, Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp};
        QCOMPARE(RankGrid(layout, clusterOf(64, {8, 0})).span(GroupKind::Tensor).members,
                 (std::vector<std::int64_t>{1, 8}));
    }

    void anExpertGroupInARackOfSeventyTwo()
    {
        // Groups of 64 in racks of 72: the worst has 32 of its ranks in each of two racks... unless a rack holds more.
        Layout layout;
        layout.dp = 1152;
        layout.ep = 64;
        QCOMPARE(RankGrid(layout, clusterOf(1152, {72, 0})).span(GroupKind::Expert).members,
                 (std::vector<std::int64_t>{32, 64}));
    }
};

QTEST_GUILESS_MAIN(TestRankGrid)
#include "tst_rank_grid.moc"
