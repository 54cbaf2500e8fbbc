// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/serving/step_record.h"

namespace partita {

/// What lies between a scenario and its ServingReport; read by who explains it. Steps are those of one attention rank.
struct ServingTerms {
    double room = 0; ///< sequences a replica has room for
    double asked = 0; ///< sequences of a replica
    double running = 0; ///< of those asked for, in a replica
    StepWork decode;
    double tokensPerStep = 1; ///< that a sequence gains, speculation counted
    double drafting = 1; ///< time of a step with its drafting over that without
    double chunks = 0; ///< of a prompt; static batching: of all prompts of the batch
    StepWork prompt; ///< the middle one of these
    TimeBreakdown promptParts; ///< s that a prompt takes of the pipeline's time; nothing where batching is static
    double others = 0; ///< sequences of a rank that decode beside a prompt
    double promptsPerToken = 0; ///< that come in while a request gains a token
    // Of a step that carries prompts and decodes; where steps are not mixed, carrying is 0.
    double carrying = 0; ///< share of the steps
    StepWork mixedPrompt; ///< its prompts alone
    StepWork mixed;
    double shared = 0; ///< s a token that mixing saves
    // Of prompts on replicas of their own.
    double transferBytes = 0; ///< from a device
    double transfer = 0; ///< s
    double askedPrompts = 0; ///< a second
    double takenPrompts = 0; ///< a second
};

} // namespace partita
