// What Claude models differ in, by name. @ai-sdk/anthropic 4.0.105 and platform.claude.com/docs (2026-11-21).
import type { Sampling } from "../contract/provider.ts";

export interface ClaudeModel {
  /** Largest `max_tokens`; undefined: not known, so what is asked is sent. */
  readonly maxOutput?: number;
  /** Takes a temperature. */
  readonly temperature: boolean;
  /** A tool may be forced. */
  readonly forced: boolean;
  /** What thinking can at least be. `never`: it is off unless a budget of tokens says otherwise. */
  readonly least: "never" | "disabled" | "between_tools" | "effort";
  /** A number of thinking tokens is taken. */
  readonly budget: boolean;
  /** Its thinking blocks are bound to what came before them, which a compaction changes. */
  readonly bound: boolean;
}

const OLD: ClaudeModel = {
  temperature: true,
  forced: true,
  least: "never",
  budget: true,
  bound: false,
};
const ADAPTIVE: ClaudeModel = { ...OLD, least: "disabled", maxOutput: 128_000 };
const CURRENT: ClaudeModel = { ...ADAPTIVE, temperature: false };
const ALWAYS: ClaudeModel = { ...CURRENT, least: "effort", budget: false };

/** The first that matches. */
const MODELS: readonly (readonly [pattern: RegExp, model: ClaudeModel])[] = [
  [/claude-sonnet-5-5/, { ...ALWAYS, least: "between_tools", forced: false }],
  [/claude-opus-5-5/, { ...ALWAYS, forced: false }],
  [/claude-haiku-5-5/, { ...CURRENT, budget: false }],
  [/claude-fable-5-[12]/, { ...ALWAYS, forced: false }],
  [/claude-fable-5/, ALWAYS],
  [/claude-(?:opus-5|opus-4-[78]|sonnet-5)/, CURRENT],
  [/claude-(?:sonnet|opus)-4-6/, ADAPTIVE],
  [/claude-(?:sonnet|opus|haiku)-4-5/, { ...OLD, maxOutput: 64_000 }],
  [/claude-sonnet-4[-@]/, { ...OLD, maxOutput: 64_000 }],
  [/claude-opus-4[-@]/, { ...OLD, maxOutput: 32_000 }],
  [/claude-3-haiku/, { ...OLD, maxOutput: 4096 }],
  [/claude-(?:instant(?:-|$)|v?2(?=$|[-.:])|3(?=$|[-.]))/, OLD],
];
/** Models of a name we do not know are as the newest we do. */
const UNKNOWN: ClaudeModel = { temperature: false, forced: true, least: "disabled", budget: true, bound: false };
/** Claude models that take a number of thinking tokens; later ones think as much as their effort says. */
const BUDGETED = /^claude-(?:3|instant|2|(?:opus|sonnet|haiku)-4(?:-[015](?:-|$)|-2025|@|$))/;
/** What's new in Opus 5.5 (2026-11-21). */
const BOUND = /^claude-(?:opus-5-5|fable-5)/;

/** @returns undefined: it imitates the API, and may reject what it does not know. */
export function claudeModel(id: string): ClaudeModel | undefined {
  const known = MODELS.find(([pattern]) => pattern.test(id))?.[1];
  if (known === undefined && !id.includes("claude-")) return undefined;
  return { ...(known ?? UNKNOWN), bound: BOUND.test(id) };
}

/** Thinking tokens by level where a budget must be named. Anthropic: at least 1,024 (Extended thinking, 2026-11-21). */
const BUDGET: Readonly<Record<Exclude<Sampling["thinking"], "off">, number>> = {
  low: 2048,
  medium: 8192,
  high: 24_576,
};

export interface ClaudeThinking {
  readonly thinking?: {
    readonly type?: "enabled" | "disabled" | "adaptive" | "between_tools";
    readonly budget_tokens?: number;
    readonly display?: "summarized";
    readonly block_binding?: { readonly prefix_mismatch_behavior: "drop_block" };
  };
  readonly effort?: "low" | "medium" | "high";
}

export function claudeThinking(
  level: Sampling["thinking"],
  id: string,
  model: ClaudeModel | undefined,
): ClaudeThinking {
  const adaptive = { type: "adaptive", display: "summarized" } as const;
  if (model?.bound === true) {
    const block_binding = { prefix_mismatch_behavior: "drop_block" } as const;
    return level === "off"
      ? { thinking: { block_binding }, effort: "low" }
      : { thinking: { ...adaptive, block_binding }, effort: level };
  }
  if (id.startsWith("claude-") && !BUDGETED.test(id)) {
    if (level !== "off") return { thinking: adaptive, effort: level };
    return model?.least === "effort"
      ? { effort: "low" }
      : { thinking: { type: model?.least === "between_tools" ? "between_tools" : "disabled" } };
  }
  if (level === "off") return {};
  return model?.budget === false
    ? { thinking: { type: "adaptive" } }
    : { thinking: { type: "enabled", budget_tokens: BUDGET[level] } };
}
