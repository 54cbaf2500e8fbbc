// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/model/check_model.h"
#include "core/model/parameters.h"
#include "core/model/scaled_model.h"

#include <QTest>

#include <algorithm>

using namespace partita;

class ScaledModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"}); }
    void everyFamilyIsLegalGrowsAndHoldsTheModel();
    void headSizeAndRatiosAreKept();
    void scalingAgainNamesTheModelOnce();

private:
    Catalogue m_catalogue;
};

void ScaledModelTest::everyFamilyIsLegalGrowsAndHoldsTheModel()
{
    QVERIFY(!m_catalogue.models.empty());
    for (const Model& model : m_catalogue.models) {
        const std::vector<Model> family = scaledModels(model);
        QVERIFY2(std::find(family.begin(), family.end(), model) != family.end(), model.id.c_str());
        std::int64_t before = 0;
        for (const Model& scaled : family) {
            QVERIFY2(checkModel(scaled).empty(), scaled.id.c_str());
            QVERIFY2(parameters(scaled).total() > before, scaled.id.c_str());
            before = parameters(scaled).total();
        }
    }
}

void ScaledModelTest::headSizeAndRatiosAreKept()
{
    const Model model = *m_catalogue.model("llama-3.1-70b");
    const std::vector<Model> family = scaledModels(model);
    QCOMPARE(family.size(), std::size_t{9});
    const auto& own = std::get<Attention>(model.kinds[0].mixer);
    for (const Model& scaled : family) {
        const auto& attention = std::get<Attention>(scaled.kinds[0].mixer);
        QCOMPARE(attention.headDim, own.headDim);
        QCOMPARE(attention.kvHeads, own.kvHeads);
        QCOMPARE(std::int64_t{attention.heads} * attention.headDim, scaled.hidden);
        QCOMPARE(std::get<DenseFfn>(scaled.kinds[0].feedForward).width * model.hidden,
                 std::get<DenseFfn>(model.kinds[0].feedForward).width * scaled.hidden);
        QCOMPARE(scaled.layerCount() % 8, 0);
        QCOMPARE(scaled.vocabulary, model.vocabulary);
    }
    const auto size = [](const Model& each) { return static_cast<double>(parameters(each).total()); };
    QVERIFY(size(family.front()) < size(model) / 6 && size(family.back()) > size(model) * 6);
}

void ScaledModelTest::scalingAgainNamesTheModelOnce()
{
    const Model model = *m_catalogue.model("llama-3.1-70b");
    const Model half = scaledModels(model).front();
    for (const Model& scaled : scaledModels(half)) {
        QCOMPARE(QString::fromStdString(scaled.name).count(QStringLiteral("scaled to")), 1);
        QVERIFY(scaled.name.rfind(model.name, 0) == 0);
    }
}

QTEST_GUILESS_MAIN(ScaledModelTest)
#include "tst_scaled_model.moc"
