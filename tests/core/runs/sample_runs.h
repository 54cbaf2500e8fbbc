// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"
#include "core/runs/published_run.h"

#include <QTest>

#include <string>

inline const partita::Catalogue& presetCatalogue()
{
    static const partita::Catalogue loaded = partita::loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    return loaded;
}

/// A dense run with everything stated; members are put in before its layout, `layout` behind the usual one.
inline std::string denseRow(const std::string& id, const std::string& layout = {},
                            const std::string& accelerator = "a100-sxm-80gb")
{
    return R"({"id": ")" + id + R"(", "source": {"title": "A paper", "url": "https://example.org", "where": "Table 1"},
        "stack": "megatron-core",
        "model": {"name": "GPT", "layers": 24, "hidden": 2048, "heads": 16, "vocab": 51200, "gated_ffn": false, "seq_len": 2048},
        "cluster": {"accelerator": ")"
        + accelerator + R"(", "devices": 8, "devices_per_node": 8},
        "layout": {"tp": 2, "pp": 1, "dp": 4, "micro_batch": 1, "global_batch": 32, "recompute": "none", "precision": "bf16")"
        + layout + R"(}, "measured": {"tokens_per_s_per_device": 20000}})";
}

/// A run of a public model by name.
inline std::string namedRow(const std::string& id, const std::string& model, const std::string& gpu,
                            const std::string& measured, const std::string& notes = {}, const std::string& layout = {})
{
    return R"({"id": ")" + id + R"(", "source": "A repository", "url": "", "table": "Performance", "notes": ")" + notes
        + R"(", "model": )" + model + R"(, "hardware": {"gpu": ")" + gpu
        + R"(", "num_gpus": 64, "gpus_per_node": 8}, "layout": {"tp": 1, "pp": 4, "dp": 16, "ep": 8, "micro_batch": 1,
            "global_batch": 256, "seq": 4096, "precision": "BF16")"
        + layout + R"(}, "measured": )" + measured + "}";
}

inline partita::PublishedRuns readOrFail(const std::string& rows)
{
    const partita::Result<partita::PublishedRuns> runs = partita::readPublishedRuns("[" + rows + "]");
    if (!runs) {
        qFatal("%s", partita::describe(runs.problems.front()).c_str());
    }
    return *runs;
}
