// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/option_reader.h"
#include "core/advice/scaling.h"
#include "core/search/plane_axis.h"

namespace partita::cli {

template <> struct Synonyms<PlaneAxis> {
    static constexpr std::array table{
        Synonym<PlaneAxis>{PlaneAxis::MicroBatch, "mbs"},
        Synonym<PlaneAxis>{PlaneAxis::GlobalBatch, "batch"},
        Synonym<PlaneAxis>{PlaneAxis::GlobalBatch, "gbs"},
        Synonym<PlaneAxis>{PlaneAxis::Devices, "gpus"},
        Synonym<PlaneAxis>{PlaneAxis::Sequence, "sequence-length"},
        Synonym<PlaneAxis>{PlaneAxis::ModelSize, "model-size"},
    };
};

template <> struct Synonyms<ScalingAxis> {
    static constexpr std::array table{
        Synonym<ScalingAxis>{ScalingAxis::Devices, "gpus"},
        Synonym<ScalingAxis>{ScalingAxis::GlobalBatch, "global-batch"},
        Synonym<ScalingAxis>{ScalingAxis::GlobalBatch, "gbs"},
        Synonym<ScalingAxis>{ScalingAxis::SequenceLength, "sequence-length"},
    };
};

} // namespace partita::cli
