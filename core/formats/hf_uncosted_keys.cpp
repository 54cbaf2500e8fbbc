// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_uncosted_keys.h"

#include <algorithm>
#include <array>

namespace partita {

namespace {

/// Values too varied to share a part.
constexpr auto keys = std::to_array<std::string_view>({
    "architectures",
    "attention_value_scale",
    "auto_map",
    "cache_implementation",
    "chunk_size_feed_forward",
    "clip_qkv",
    "dim_model_base",
    "dtype",
    "finetuning_task",
    "generation_config",
    "id2label",
    "label2id",
    "layerdrop",
    "logit_scale",
    "max_length",
    "max_window_layers",
    "min_length",
    "model_type",
    "norm_topk_prob",
    "num_return_sequences",
    "original_max_position_embeddings",
    "output_attentions",
    "output_hidden_states",
    "output_router_logits",
    "output_scores",
    "predict_special_tokens",
    "prefix",
    "problem_type",
    "query_pre_attn_scalar",
    "scale_depth",
    "scale_emb",
    "scoring_func",
    "swiglu_limit",
    "task_specific_params",
    "temperature",
    "top_k",
    "top_p",
    "torch_dtype",
    "transformers_version",
    "typical_p",
    "use_cache",
});

constexpr auto parts = std::to_array<std::string_view>({
    "_attn_implementation",
    "_eps",
    "_from_model",
    "_init",
    "_multiplier",
    "_name_or_path",
    "_token_id",
    "activation",
    "attn_impl",
    "aux_loss",
    "dropout",
    "epsilon",
    "flash",
    "fusion",
    "hidden_act",
    "in_fp32",
    "init_",
    "initializer",
    "jitter_noise",
    "kernels",
    "logits_to_keep",
    "loss_coef",
    "ngram_size",
    "num_beam",
    "partial_rotary",
    "pdrop",
    "penalty",
    "pretraining_tp",
    "rescale_",
    "return_dict",
    "rope",
    "rotary",
    "scale_attn",
    "scaling_factor",
    "seq_aux",
    "softcapping",
    "summary_",
    "time_step_",
    "token_index",
    "tokenizer",
    "use_logn",
    "verbose",
});

} // namespace

bool isUncosted(std::string_view key)
{
    return std::find(keys.begin(), keys.end(), key) != keys.end()
        || std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return key.find(part) != std::string_view::npos; });
}

} // namespace partita
