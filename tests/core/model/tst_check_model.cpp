// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/check_model.h"

#include <QtTest>

#include <limits>

using namespace partita;

namespace {

Model sound()
{
    Attention attention;
    attention.heads = 32;
    attention.kvHeads = 8;
    attention.headDim = 128;
    MoeFfn experts;
    experts.experts = 8;
    experts.topK = 2;
    experts.expertWidth = 14336;
    Model model;
    model.hidden = 4096;
    model.vocabulary = 32000;
    model.kinds = {{attention, experts, 2}};
    model.layers.assign(32, 0);
    return model;
}

Attention& attentionOf(Model& model)
{
    return std::get<Attention>(model.kinds[0].mixer);
}

MoeFfn& expertsOf(Model& model)
{
    return std::get<MoeFfn>(model.kinds[0].feedForward);
}

bool names(const Problems& problems, std::string_view field)
{
    return std::any_of(problems.begin(), problems.end(), [&](const Problem& p) { return p.field == field; });
}

} // namespace

class TestCheckModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void passesASoundModel() { QVERIFY(checkModel(sound()).empty()); }

    void namesEverythingThatIsWrongAtOnce()
    {
        Model model = sound();
        model.hidden = 0;
        model.vocabulary = -1;
        attentionOf(model).kvHeads = 5;
        expertsOf(model).topK = 9;
        const Problems problems = checkModel(model);
        QCOMPARE(problems.size(), std::size_t{4});
        for (const char* field : {"hidden", "vocabulary", "kinds[0].mixer.kvHeads", "kinds[0].feedForward.topK"}) {
            QVERIFY2(names(problems, field), field);
        }
    }

    void refusesAnEmptyModel()
    {
        const Problems problems = checkModel(Model{});
        QVERIFY(names(problems, "layers"));
        QVERIFY(names(problems, "kinds"));
    }

    void refusesALayerOfNoKind()
    {
        Model model = sound();
        model.layers[3] = 1;
        model.layers[4] = -1;
        const Problems problems = checkModel(model);
        QVERIFY(names(problems, "layers[3]"));
        QVERIFY(names(problems, "layers[4]"));
    }

    void boundsExtremesWithoutOverflow()
    {
        Model model = sound();
        model.hidden = std::numeric_limits<std::int64_t>::max();
        attentionOf(model).heads = std::numeric_limits<int>::max();
        attentionOf(model).headDim = std::numeric_limits<int>::min();
        expertsOf(model).experts = std::numeric_limits<int>::max();
        model.multiTokenPrediction = std::numeric_limits<int>::max();
        QVERIFY(checkModel(model).size() >= 5);
    }

    void refusesWhatIsTooLargeAsAWhole()
    {
        Model model = sound();
        model.hidden = ModelBounds::width;
        expertsOf(model).experts = static_cast<int>(ModelBounds::experts);
        expertsOf(model).expertWidth = ModelBounds::width;
        const Problems problems = checkModel(model);
        QCOMPARE(problems.size(), std::size_t{1});
        QVERIFY(problems[0].message.find("more parameters") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestCheckModel)
#include "tst_check_model.moc"
