// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the name of a span in a trace says about the pipeline. Internal to core/formats.

#include "core/pipeline/timeline.h"

#include <optional>
#include <string_view>

namespace partita {

/// Parts of a pipeline op that a name tells; -1 where it does not.
struct NamedOp {
    OpKind kind = OpKind::Forward;
    std::int32_t microBatch = -1;
    std::int16_t chunk = -1;
    std::int32_t partner = -1;
    std::int16_t partnerChunk = -1;
    std::int32_t stage = -1;

    bool operator==(const NamedOp&) const = default;
};

/// Understands opText ("F0.1", "F3.1|B0"), the actions of torch.distributed.pipelining ("2F0": stage, kind,
/// micro-batch; "Forward 0") and spelt out ones ("forward-compute", "backward_step mb=3 chunk 1", "wgrad 2").
/// Nothing for any other name, e.g. of a module's forward or of a kernel.
std::optional<NamedOp> namedOp(std::string_view name);

/// 3 of "stage 3", "rank 3 (python)", "pp3"; -1 when the name tells no stage.
std::int32_t stageIn(std::string_view name);

} // namespace partita
