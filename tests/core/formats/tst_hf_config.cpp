// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_config.h"
#include "core/model/check_model.h"
#include "core/model/parameters.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include <algorithm>

using namespace partita;

namespace {

constexpr char llama8b[] = R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 8192, "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false})";

Result<ImportedModel> read(const QByteArray& text)
{
    return readHuggingFaceConfig({text.constData(), static_cast<std::size_t>(text.size())}, "A Model 7B");
}

/// The 8B above with some keys replaced, or removed where the value is undefined.
QByteArray llamaWith(const QJsonObject& changes)
{
    QJsonObject config = QJsonDocument::fromJson(llama8b).object();
    for (auto it = changes.begin(); it != changes.end(); ++it) {
        config[it.key()] = it.value();
    }
    return QJsonDocument(config).toJson();
}

QString allOf(const Problems& problems)
{
    QStringList lines;
    for (const Problem& problem : problems) {
        lines << QString::fromStdString(describe(problem));
    }
    return lines.join('\n');
}

bool mentions(const std::vector<std::string>& notes, std::string_view text)
{
    return std::any_of(notes.begin(), notes.end(),
                       [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

} // namespace

class TestHfConfig : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void meetsPublishedTotals_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<qint64>("total");
        const auto row = [](const char* name, const char* config, qint64 total) {
            QTest::newRow(name) << QByteArray(config) << total;
        };
        row("Llama-3 8B", llama8b, 8'030'261'248);
        row("Llama-2 7B by class defaults", R"({"model_type": "llama"})", 6'738'415'616);
        row("Mistral 7B by class defaults", R"({"model_type": "mistral"})", 7'241'732'096);
        row("Mixtral 8x7B by class defaults", R"({"model_type": "mixtral"})", 46'702'792'704);
        row("Mixtral 8x22B", R"({"model_type": "mixtral", "hidden_size": 6144, "intermediate_size": 16384,
            "num_hidden_layers": 56, "num_attention_heads": 48, "vocab_size": 32000})",
            140'620'634'112);
        row("GPT-2", R"({"model_type": "gpt2"})", 124'439'808);
        row("GPT-J", R"({"model_type": "gptj"})", 6'050'882'784);
        row("GPT-Neo 1.3B", R"({"model_type": "gpt_neo", "attention_types": [[["global", "local"], 12]]})",
            1'315'575'808);
        row("GPT-NeoX 20B", R"({"model_type": "gpt_neox"})", 20'554'567'680);
        row("OPT-125M", R"({"model_type": "opt"})", 125'239'296);
        row("BLOOM 176B", R"({"model_type": "bloom", "n_embed": 14336, "n_layer": 70, "num_attention_heads": 112})",
            176'247'271'424);
        row("Falcon 7B", R"({"model_type": "falcon"})", 6'921'720'704);
        row("Falcon 7B, old", R"({"model_type": "RefinedWebModel", "multi_query": true, "n_head": 71, "n_layer": 32,
            "hidden_size": 4544, "parallel_attn": true, "bias": false, "vocab_size": 65024})",
            6'921'720'704);
        row("Falcon 40B, old", R"({"model_type": "RefinedWeb", "hidden_size": 8192, "n_layer": 60, "n_head": 128,
            "n_head_kv": 8, "vocab_size": 65024})",
            41'303'293'952);
        row("Phi-1.5", R"({"model_type": "phi-msft", "n_embd": 2048, "n_head": 32, "n_head_kv": null, "n_inner": null,
            "n_layer": 24, "vocab_size": 51200})",
            1'418'270'720);
        row("Phi-2",
            R"({"model_type": "phi", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 32})",
            2'779'683'840);
        row("Phi-3 mini", R"({"model_type": "phi3"})", 3'821'079'552);
        row("Phi-3.5 MoE", R"({"model_type": "phimoe", "attention_bias": true, "lm_head_bias": true})", 41'873'153'344);
        row("Gemma 7B", R"({"model_type": "gemma"})", 8'537'680'896);
        row("Gemma-2 2B", R"({"model_type": "gemma2"})", 2'614'341'888);
        row("Gemma-2 9B", R"({"model_type": "gemma2", "hidden_size": 3584, "num_hidden_layers": 42,
            "num_attention_heads": 16, "num_key_value_heads": 8, "intermediate_size": 14336})",
            9'241'705'984);
        row("Gemma-3 4B", R"({"model_type": "gemma3", "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
            "num_hidden_layers": 34, "sliding_window": 1024}, "vision_config": {}})",
            3'880'263'168);
        row("Qwen2.5 72B", R"({"model_type": "qwen2", "hidden_size": 8192, "intermediate_size": 29568,
            "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 152064})",
            72'706'203'648);
        row("Qwen3 0.6B", R"({"model_type": "qwen3", "hidden_size": 1024, "intermediate_size": 3072,
            "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8,
            "tie_word_embeddings": true})",
            596'049'920);
        row("Qwen3 235B-A22B", R"({"model_type": "qwen3_moe", "hidden_size": 4096, "head_dim": 128,
            "num_hidden_layers": 94, "num_attention_heads": 64, "moe_intermediate_size": 1536})",
            235'093'634'560);
        row("Qwen3-Next 80B", R"({"model_type": "qwen3_next"})", 79'674'391'296);
        row("gpt-oss-120b", R"({"model_type": "gpt_oss"})", 116'829'156'672);
        row("Llama-4 Scout", R"({"model_type": "llama4_text"})", 107'769'861'120);
        row("Command R", R"({"model_type": "cohere"})", 34'980'831'232);
        row("OLMo 7B", R"({"model_type": "olmo"})", 6'888'095'744);
        row("GLM-4 9B", R"({"model_type": "glm4"})", 9'400'279'040);
        row("StarCoder2 3B", R"({"model_type": "starcoder2"})", 3'030'371'328);
        row("SmolLM3 3B", R"({"model_type": "smollm3"})", 3'075'098'624);
        row("InternLM2 7B", R"({"model_type": "internlm2", "bias": false, "intermediate_size": 14336,
            "num_key_value_heads": 8, "vocab_size": 92544})",
            7'737'708'544);
        row("MiniCPM-MoE 8x2B", R"({"model_type": "minicpm", "hidden_size": 2304, "intermediate_size": 5760,
            "num_hidden_layers": 40, "num_attention_heads": 36, "num_experts": 8, "num_experts_per_tok": 2,
            "vocab_size": 122753})",
            13'873'291'776);
        row("DeepSeek-V2", R"({"model_type": "deepseek_v2", "hidden_size": 5120, "num_hidden_layers": 60,
            "num_attention_heads": 128, "intermediate_size": 12288, "moe_intermediate_size": 1536,
            "n_routed_experts": 160, "num_experts_per_tok": 6, "first_k_dense_replace": 1, "vocab_size": 102400,
            "n_group": 8, "topk_group": 3})",
            235'741'434'880);
        row("DeepSeek-V3", R"({"model_type": "deepseek_v3"})", 671'026'419'200);
        row("Kimi-K2", R"({"model_type": "kimi_k2", "num_attention_heads": 64, "n_routed_experts": 384, "n_group": 1,
            "topk_group": 1, "first_k_dense_replace": 1, "vocab_size": 163840})",
            1'026'408'232'448);
        row("DBRX", R"({"model_type": "dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40, "vocab_size": 100352,
            "attn_config": {"kv_n_heads": 8},
            "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4}})",
            131'596'523'520);
        row("Codestral Mamba 7B", R"({"model_type": "mamba2"})", 7'285'403'648);
        row("Falcon Mamba 7B", R"({"model_type": "falcon_mamba", "hidden_size": 4096, "intermediate_size": 8192,
            "num_hidden_layers": 64, "time_step_rank": 256, "vocab_size": 65024, "tie_word_embeddings": false})",
            7'272'665'088);
        row("Jamba 1.5 mini", R"({"model_type": "jamba", "mamba_dt_rank": "auto"})", 51'570'323'328);
        row("Llama 3 8B, params.json", R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8,
            "vocab_size": 128256, "multiple_of": 1024, "ffn_dim_multiplier": 1.3, "norm_eps": 1e-05})",
            8'030'261'248);
        row("Llama 3.1 405B, params.json", R"({"dim": 16384, "n_layers": 126, "n_heads": 128, "n_kv_heads": 8,
            "vocab_size": 128256, "multiple_of": 4096, "ffn_dim_multiplier": 1.2})",
            405'853'388'800);
    }
    void meetsPublishedTotals()
    {
        QFETCH(QByteArray, config);
        QFETCH(qint64, total);
        const Result<ImportedModel> imported = read(config);
        QVERIFY2(imported, qPrintable(allOf(imported.problems)));
        QCOMPARE(qint64{parameters(imported->model).total()}, total);
        QVERIFY(checkModel(imported->model).empty());
    }

    void matchesTheSharedFiles_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QJsonObject>("expected");
        const QDir folder(QStringLiteral(PARTITA_SHARED_DIR "/data/configs"));
        QFile file(folder.filePath(QStringLiteral("EXPECTED-PARAMETERS.json")));
        if (!file.open(QIODevice::ReadOnly)) {
            QTest::newRow("absent") << QString() << QJsonObject();
            return;
        }
        const QJsonObject all = QJsonDocument::fromJson(file.readAll()).object();
        for (auto it = all.begin(); it != all.end(); ++it) {
            QTest::newRow(qPrintable(it.key())) << folder.filePath(it.key() + ".json") << it.value().toObject();
        }
    }
    void matchesTheSharedFiles()
    {
        QFETCH(QString, path);
        QFETCH(QJsonObject, expected);
        if (path.isEmpty()) {
            QSKIP("the shared configs are not here");
        }
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Result<ImportedModel> imported = read(file.readAll());
        if (expected["total"].isNull()) { // nobody knows the total: read or refused, but never both nor neither
            QCOMPARE(imported.value.has_value(), imported.problems.empty());
            return;
        }
        QVERIFY2(imported, qPrintable(allOf(imported.problems)));
        const ModelParameters counted = parameters(imported->model);
        QCOMPARE(qint64{counted.total()}, expected["total"].toInteger());
        QCOMPARE(qint64{counted.active}, expected["active"].toInteger());
        const QJsonValue mtp = expected["parts"].toObject().value("mtp_extra_not_in_total");
        if (!mtp.isUndefined()) {
            QCOMPARE(qint64{counted.multiTokenPrediction}, mtp.toInteger());
        }
    }

    void tellsAbsentFromNull()
    {
        const auto window = [](const char* config) {
            return std::get<Attention>(read(config)->model.kinds[0].mixer).window;
        };
        QCOMPARE(window(R"({"model_type": "mistral"})"), 4096);
        QCOMPARE(window(R"({"model_type": "mistral", "sliding_window": null})"), 0);
        QCOMPARE(window(R"({"model_type": "qwen2", "sliding_window": 4096, "use_sliding_window": false})"), 0);
    }

    void knowsWhichLayersHaveWindows()
    {
        const auto wholeLayers = [](const char* config) {
            const Result<ImportedModel> imported = read(config);
            std::vector<int> whole;
            for (int i = 0; imported && i < imported->model.layerCount(); ++i) {
                if (std::get<Attention>(imported->model.layer(i).mixer).window == 0) {
                    whole.push_back(i);
                }
            }
            return whole;
        };
        QCOMPARE(wholeLayers(R"({"model_type": "gemma2", "num_hidden_layers": 6})"), (std::vector{1, 3, 5}));
        QCOMPARE(wholeLayers(R"({"model_type": "gemma3_text", "num_hidden_layers": 13})"), (std::vector{5, 11}));
        QCOMPARE(wholeLayers(R"({"model_type": "cohere2", "num_hidden_layers": 8})"), (std::vector{3, 7}));
        QCOMPARE(wholeLayers(R"({"model_type": "llama4_text", "num_hidden_layers": 8})"), (std::vector{3, 7}));
        QCOMPARE(wholeLayers(R"({"model_type": "gpt_oss", "num_hidden_layers": 3,
            "layer_types": ["full_attention", "sliding_attention", "full_attention"]})"),
                 (std::vector{0, 2}));
        QCOMPARE(wholeLayers(R"({"model_type": "qwen3", "num_hidden_layers": 5, "use_sliding_window": true,
            "max_window_layers": 3})"),
                 (std::vector{0, 1, 2}));
    }

    void placesDenseAndSparseLayers()
    {
        const auto sparse = [](const char* config) {
            const Result<ImportedModel> imported = read(config);
            std::string pattern;
            for (int i = 0; imported && i < imported->model.layerCount(); ++i) {
                const bool experts = std::holds_alternative<MoeFfn>(imported->model.layer(i).feedForward);
                pattern += experts ? 'E' : '-';
            }
            return pattern;
        };
        QCOMPARE(sparse(R"({"model_type": "deepseek_v3", "num_hidden_layers": 5})"), std::string("---EE"));
        QCOMPARE(sparse(R"({"model_type": "jamba", "num_hidden_layers": 5})"), std::string("-E-E-"));
        QCOMPARE(sparse(R"({"model_type": "llama4_text", "num_hidden_layers": 4, "interleave_moe_layer_step": 2})"),
                 std::string("-E-E"));
        QCOMPARE(sparse(R"({"model_type": "qwen3_moe", "num_hidden_layers": 6, "decoder_sparse_step": 2,
            "mlp_only_layers": [3]})"),
                 std::string("-E---E"));
    }

    void readsAPatternOfLayers()
    {
        const Result<ImportedModel> imported = read(R"({"model_type": "nemotron_h", "hidden_size": 2688,
            "vocab_size": 131072, "num_hidden_layers": 5, "num_attention_heads": 32, "num_key_value_heads": 2,
            "head_dim": 128, "intermediate_size": 1856, "mamba_num_heads": 64, "mamba_head_dim": 64,
            "n_routed_experts": 128, "num_experts_per_tok": 6, "moe_intermediate_size": 1856, "n_shared_experts": 1,
            "time_step_limit": [0.0, Infinity], "hybrid_override_pattern": "ME*-M"})");
        QVERIFY2(imported, qPrintable(allOf(imported.problems)));
        const Model& model = imported->model;
        QCOMPARE(model.kinds.size(), std::size_t{4});
        QVERIFY(std::holds_alternative<Mamba2>(model.layer(0).mixer));
        QVERIFY(std::holds_alternative<MoeFfn>(model.layer(1).feedForward));
        QVERIFY(std::holds_alternative<Attention>(model.layer(2).mixer));
        QVERIFY(std::holds_alternative<DenseFfn>(model.layer(3).feedForward));
        QCOMPARE(model.layers.back(), model.layers.front());
    }

    void saysWhatItAssumes()
    {
        const Result<ImportedModel> imported = read(R"({"model_type": "llama", "bos_token_id": 1, "unheard_of": 3})");
        QVERIFY(imported);
        QVERIFY(mentions(imported->assumed, "hidden_size: absent, 4096 as for llama"));
        QVERIFY(mentions(imported->assumed, "num_key_value_heads: absent, 32"));
        QVERIFY(mentions(imported->ignored, "unheard_of"));
        QVERIFY(!mentions(imported->ignored, "bos_token_id"));
        QVERIFY(read(llama8b)->assumed.empty());
        QVERIFY(read(llama8b)->ignored.empty());
    }

    void namesTheModel()
    {
        const Model model = read(llama8b)->model;
        QCOMPARE(model.name, std::string("A Model 7B"));
        QCOMPARE(model.id, std::string("a-model-7b"));
        QCOMPARE(model.maxPositions, std::int64_t{8192});
    }

    void readsTheFormatOfQuantisedWeights_data()
    {
        QTest::addColumn<QByteArray>("quantisation");
        QTest::addColumn<QString>("key");
        QTest::newRow("fp8") << QByteArray(R"({"quant_method": "fp8", "weight_block_size": [128, 128]})") << "fp8";
        QTest::newRow("mxfp4") << QByteArray(R"({"quant_method": "mxfp4"})") << "mxfp4";
        QTest::newRow("awq") << QByteArray(R"({"quant_method": "awq", "bits": 4, "group_size": 128})") << "int4";
        QTest::newRow("gptq 8") << QByteArray(R"({"quant_method": "gptq", "bits": 8})") << "int8";
        QTest::newRow("groups") << QByteArray(R"({"quant_method": "compressed-tensors", "config_groups":
            {"group_0": {"weights": {"num_bits": 4, "type": "int"}}}})")
                                << "int4";
        QTest::newRow("bitsandbytes") << QByteArray(R"({"quant_method": "bitsandbytes", "load_in_4bit": true})")
                                      << "int4";
        QTest::newRow("modelopt") << QByteArray(R"({"quant_algo": "NVFP4"})") << "nvfp4";
        QTest::newRow("unknown") << QByteArray(R"({"quant_method": "magic"})") << "";
        QTest::newRow("3 bits") << QByteArray(R"({"quant_method": "gptq", "bits": 3})") << "";
    }
    void readsTheFormatOfQuantisedWeights()
    {
        QFETCH(QByteArray, quantisation);
        QFETCH(QString, key);
        const QJsonObject object = QJsonDocument::fromJson(quantisation).object();
        const Result<ImportedModel> imported = read(llamaWith({{"quantization_config", object}}));
        QVERIFY2(imported, qPrintable(allOf(imported.problems)));
        const auto& type = imported->nativeWeights;
        QCOMPARE(type ? QString::fromUtf8(keyOf(*type).data(), static_cast<int>(keyOf(*type).size())) : QString(), key);
        QCOMPARE(mentions(imported->ignored, "quantization_config"), key.isEmpty());
    }

    void toleratesWhatIsPasted()
    {
        const Model model = read(llama8b)->model;
        QCOMPARE(read(QByteArray("\xEF\xBB\xBF") + llama8b)->model, model);
        QCOMPARE(read(QByteArray("LlamaConfig ") + llama8b)->model, model);
        QCOMPARE(read(llamaWith({{"hidden_size", 4096.0}}))->model, model);
    }

    void findsTheTypeByTheClass()
    {
        const Result<ImportedModel> imported = read(R"({"architectures": ["Qwen3MoeForCausalLM"]})");
        QVERIFY(imported);
        QVERIFY(mentions(imported->assumed, "model_type: absent, qwen3_moe"));
    }

    void refusesWithTheReason_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const QByteArray& text, const char* reason) {
            QTest::newRow(name) << text << QString::fromUtf8(reason);
        };
        row("empty", "", "empty");
        row("text", "hello", "not JSON");
        row("a list", "[1, 2]", "a config.json is an object");
        row("cut off", QByteArray(llama8b).left(100), "not JSON");
        row("deep", QByteArray("{\"a\":").repeated(10000), "nested deeper");
        row("deep lists", "{\"model_type\": \"llama\", \"a\": " + QByteArray("[").repeated(10000), "nested deeper");
        row("large", "{\"model_type\": \"" + QByteArray("x").repeated(50'000'000) + "\"}", "is larger than");
        row("twice", R"({"model_type": "llama", "vocab_size": 1, "vocab_size": 2})", "given twice");
        row("no type", "{}", "model_type");
        row("type of no text", R"({"model_type": 5})", "model_type: 5");
        row("misspelt", R"({"model_type": "llamma"})", "did you mean 'llama'?");
        row("encoder", R"({"model_type": "bert", "hidden_size": 768})", "an encoder");
        row("encoder and decoder", R"({"model_type": "t5", "is_encoder_decoder": true})", "cross attention");
        row("images", R"({"model_type": "clip", "vision_config": {}})", "not a language model");
        row("unknown with images", R"({"model_type": "seeing", "vision_config": {}})", "an image model");
        row("shared blocks", R"({"model_type": "zamba2"})", "shared between layers");
        row("other mixing", R"({"model_type": "rwkv5"})", "channel mixing");
        row("adapter", R"({"peft_type": "LORA", "r": 8})", "an adapter");
        row("diffusion", R"({"_class_name": "P", "_diffusers_version": "0.30"})", "a diffusion pipeline");
        row("index", R"({"metadata": {}, "weight_map": {}})", "an index of weight files");
        row("params without vocabulary", R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "vocab_size": -1})",
            "tokenizer");
        row("no heads", llamaWith({{"num_attention_heads", 0}}), "num_attention_heads: 0: must be at least 1");
        row("a billion layers", llamaWith({{"num_hidden_layers", 1e9}}),
            "num_hidden_layers: 1000000000: must be 1 to 10000");
        row("number as text", llamaWith({{"hidden_size", "4096"}}), "hidden_size: \"4096\": must be a whole number");
        row("list for a number", llamaWith({{"hidden_size", QJsonArray{1, 2}}}),
            "hidden_size: [...]: must be one number");
        row("negative", llamaWith({{"vocab_size", -1}}), "vocab_size: -1");
        row("huge", llamaWith({{"intermediate_size", 1e30}}), "intermediate_size: 1e+30");
        row("too wide", llamaWith({{"hidden_size", 2e9}}), "hidden_size: 2000000000: must be at most 10000000");
        row("uneven groups", llamaWith({{"num_key_value_heads", 5}}),
            "num_key_value_heads: 5: does not divide 32 query heads");
        row("uneven heads", llamaWith({{"num_attention_heads", 33}}), "33 query heads do not divide");
        row("text for a flag", llamaWith({{"tie_word_embeddings", "yes"}}), "tie_word_embeddings: \"yes\"");
        row("more chosen than there", R"({"model_type": "mixtral", "num_experts_per_tok": 9})",
            "num_experts_per_tok: 9: is more than the 8 experts");
        row("not stated", R"({"model_type": "minimax_m2"})", "num_experts: is missing");
        row("beyond counting", R"({"model_type": "deepseek_v3", "hidden_size": 10000000, "n_routed_experts": 100000,
            "moe_intermediate_size": 10000000})",
            "more parameters than");
        row("pattern of other length", R"({"model_type": "gpt_oss", "layer_types": ["full_attention"]})",
            "must name 36 layers");
        row("period of none", R"({"model_type": "jamba", "attn_layer_period": 0})",
            "attn_layer_period: 0: must be at least 1");
        row("endless pattern", R"({"model_type": "gpt_neo", "attention_types": [[[], 1000000000000]]})",
            "must name 24 layers");
    }
    void refusesWithTheReason()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, reason);
        const Result<ImportedModel> imported = read(text);
        QVERIFY(!imported);
        QVERIFY2(allOf(imported.problems).contains(reason), qPrintable(allOf(imported.problems)));
    }

    void namesAllProblemsAtOnce()
    {
        const Result<ImportedModel> imported = read(llamaWith(
            {{"hidden_size", "wide"}, {"num_hidden_layers", 1e9}, {"vocab_size", -4}, {"num_attention_heads", 0}}));
        QCOMPARE(imported.problems.size(), std::size_t{4});
    }

    void namesNestedKeysByTheirPath()
    {
        const Result<ImportedModel> imported =
            read(R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "num_attention_heads": 0}})");
        QCOMPARE(allOf(imported.problems), QStringLiteral("text_config.num_attention_heads: 0: must be at least 1"));
    }

    void namesKeysAsTheFileSpellsThem()
    {
        const Result<ImportedModel> imported = read(R"({"model_type": "gpt2", "n_head": 0})");
        QCOMPARE(allOf(imported.problems), QStringLiteral("n_head: 0: must be at least 1"));
    }
};

QTEST_GUILESS_MAIN(TestHfConfig)
#include "tst_hf_config.moc"
