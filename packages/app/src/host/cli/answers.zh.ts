/** What people type for yes and no at a question, beside the English words. */
export const YES: readonly string[] = ["是", "好", "允许"];
/** At a question for approval. */
export const ALLOW: readonly string[] = [...YES, "同意", "可以"];
export const DENY: readonly string[] = ["否", "不", "不行", "拒绝", "不要"];
export const IN_THIS_CHAT: readonly string[] = ["此对话"];
export const ALWAYS: readonly string[] = ["始终"];
