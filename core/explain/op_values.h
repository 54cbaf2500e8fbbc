// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Values of single operators and of exchanges. Internal to core/explain.

#include "core/explain/context.h"

namespace partita {

/// Times of a block's operators, the tensors they keep, and under ZeRO-3 what gathering its weights takes.
void addOps(Ledger& ledger, const ExplainContext& context, const Block& block);

/// Paths of exchanges that a backward product hides, and of those products, one for one.
struct CoveredExchanges {
    std::vector<std::string> exchanges;
    std::vector<std::string> products;
};

CoveredExchanges coveredExchanges(const ExplainContext& context, const Block& block, const PassPart& pass);

} // namespace partita
