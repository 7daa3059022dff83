/** (call, where it comes from) → allow, deny or ask. Code and configuration; no prompt can change it. */
import type { InboundMessage } from "../contract/bus.ts";
import type { Millis } from "../contract/base.ts";
import type { ToolCallPart } from "../contract/message.ts";
import type { SavedRules } from "../contract/grant.ts";
import type { Admission, JudgeContext, Policy, Verdict } from "../contract/policy.ts";
import { deniedText } from "../lib/errors/denied-text.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import type { PathClass } from "../lib/paths/path-class.ts";
import { isUntrusted } from "../lib/labels.ts";
import { wouldRemember } from "../lib/paths/memory-files.ts";
import { isTemporary } from "../lib/session-key.ts";
import { visible } from "../lib/visible.ts";
import { grantOf, remembered } from "./grants.ts";
import { classOf, inputOf } from "./call-class.ts";
import { questionOf } from "./question.ts";
import { createEndorsement, type Endorsement } from "./endorsement.ts";
import { sourcesText } from "./sources.ts";
import { TABLE } from "./table.ts";

/** `policy.rules`: the operator's own word, first match wins. */
export interface PolicyRule {
  /** Tool name, or `mcp_*` style prefix with a final `*`, or `*`. */
  readonly tool: string;
  readonly action: "allow" | "ask" | "deny";
  /** Regular expression over the canonical JSON of the arguments, keys sorted (for `exec`: the command alone). */
  readonly match?: string;
  readonly session?: string;
  /** `false`: it holds only as long as the model has read nothing that strangers wrote. */
  readonly untrusted?: boolean;
}

export interface PolicyOptions {
  /** A function is asked anew for each call. */
  readonly rules?: readonly PolicyRule[] | (() => readonly PolicyRule[]);
  readonly approvalTimeoutMs: () => Millis;
  /** Whether something stands between a command and the machine: without a sandbox every command asks. */
  readonly sandboxed: () => boolean;
  /** The tripwire of `exec`; `denyAction` decides between asking and refusing. */
  readonly classifyCommand?: (command: string) => {
    readonly verdict: string;
    readonly pattern?: string;
    /** What it does, as a risk. */
    readonly danger?: string;
  };
  readonly denyAction?: "ask" | "refuse";
  /** Where a path leads, for who reads the conversation: writes to protected names and outside the workspace ask. */
  readonly classifyPath?: (path: string, state: JudgeContext["state"]) => PathClass;
  /** Where answers for all conversations are kept. Absent: there are none. */
  readonly saved?: Pick<SavedRules, "list" | "save">;
  /** What an MCP tool is, by its server and definition: a kept yes ends when that changes. */
  readonly pinOf?: (tool: string) => string | undefined;
  /** Whether the operator has let somebody in there: a message to them is to a person they know. */
  readonly isContact?: (channel: string, chat: string) => boolean;
  /** Default: everyone the process itself lets in (CLI, API). Channels bring their own lists. */
  readonly admit?: (message: InboundMessage) => Promise<Admission>;
}

/** What is known of the conversations beside what the operator configured. */
interface Judgement extends PolicyOptions {
  readonly endorsement: Endorsement;
}

export function createPolicy(given: PolicyOptions): Policy {
  const options: Judgement = { ...given, endorsement: createEndorsement() };
  const rules = compiled(options.rules ?? []);
  return {
    admit: options.admit ?? (() => Promise.resolve({ ok: true })),
    judge: (call, context) => {
      const verdict = decide(call, context, rules(), options);
      if (verdict.kind !== "ask") return verdict;
      const grant = grantOf(verdict.rule, call, context, options.pinOf);
      if (grant === undefined) return verdict;
      // A yes was given by somebody who was there, for work they were there for.
      const earlier = context.attended ? remembered(grant, context, options.saved?.list() ?? []) : undefined;
      return earlier ?? { ...verdict, grant };
    },
    covered: (grant, { state: { grants = [], ...state }, attended }) => {
      const here = attended ? { ...state, grants } : state;
      const earlier = remembered(grant, { state: here }, options.saved?.list() ?? []);
      return earlier?.by === undefined ? undefined : { by: earlier.by };
    },
    questionMs: options.approvalTimeoutMs,
    ...(options.saved !== undefined && { remember: async (grant, by) => void (await options.saved?.save(grant, by)) }),
  };
}

function decide(call: ToolCallPart, context: JudgeContext, rules: readonly Compiled[], options: Judgement): Verdict {
  const matched = matchedText(call);
  // An operator's allow never lifts a refusal of the deny list.
  const listed = denyListed(call, context, options);
  if (listed?.kind === "deny") return listed;
  if (isTemporary(context.state.key) && wouldRemember(call.name, inputOf(call)["path"]))
    return { kind: "deny", rule: "temporary chat", reason: "this chat is temporary: nothing of it goes into memory" };
  // Nor may a job multiply: what it was told may come from anywhere.
  if (call.name === "cron" && context.origin.channel === "cron")
    return { kind: "deny", rule: "cron in a job", reason: "a job may not add, list or remove jobs" };
  const rule = rules.find(
    (each) =>
      fits(each.tool, call.name) &&
      (each.session === undefined || each.session === context.state.key) &&
      (each.untrusted !== false || !isUntrusted(context.state.label)) &&
      (each.pattern?.test(matched) ?? true),
  );
  if (rule !== undefined) return fromRule(rule.action, `rule ${rule.tool}`, call, options);
  return listed ?? byClass(call, context, options);
}

type Compiled = PolicyRule & { readonly pattern: RegExp | undefined };

/** Expressions are made once for each list of rules. */
function compiled(rules: NonNullable<PolicyOptions["rules"]>): () => readonly Compiled[] {
  const current = typeof rules === "function" ? rules : () => rules;
  let made: { readonly from: readonly PolicyRule[]; readonly rules: readonly Compiled[] } | undefined;
  return () => {
    const from = current();
    if (made?.from !== from)
      made = {
        from,
        rules: from.map((rule) => ({
          ...rule,
          pattern: rule.match === undefined ? undefined : new RegExp(rule.match, "s"),
        })),
      };
    return made.rules;
  };
}

function byClass(call: ToolCallPart, context: JudgeContext, options: Judgement): Verdict {
  const kind = classOf(call, context, options);
  const { label } = context.state;
  const row = TABLE[kind];
  const tainted = isUntrusted(label);
  const rule = tainted ? `${kind}, untrusted context` : kind;
  const cell = !tainted ? row.trusted : context.attended ? row.untrusted : row.alone;
  const because = tainted ? sourcesText(options.endorsement.sources(context.state)) : undefined;
  if (cell === "deny")
    return {
      kind: "deny",
      rule,
      reason:
        row.trusted === "deny"
          ? "no tool may touch the configuration, the journals or the audit log"
          : `${because ?? ""}, and nobody is there to approve it`,
    };
  if (cell === "ask") return ask(rule, call, options, { why: because });
  // Without a sandbox each command is a question, whatever was read.
  return kind === "exec" && !options.sandboxed() ? ask("exec without sandbox", call, options) : allow(rule);
}

function denyListed(call: ToolCallPart, context: JudgeContext, options: PolicyOptions): Verdict | undefined {
  if (call.name !== "exec" || options.classifyCommand === undefined) return undefined;
  const command = String(inputOf(call)["command"] ?? "");
  const found = options.classifyCommand(command);
  if (found.verdict !== "deny-listed") return undefined;
  if (options.denyAction === "refuse" || !context.attended)
    return { kind: "deny", rule: "exec deny list", reason: deniedText(found.pattern ?? "") };
  return ask("exec deny list", call, options, found.danger === undefined ? {} : { danger: found.danger });
}

function fromRule(action: PolicyRule["action"], rule: string, call: ToolCallPart, options: PolicyOptions): Verdict {
  switch (action) {
    case "allow":
      return allow(rule);
    case "deny":
      return { kind: "deny", rule, reason: "a rule of the operator forbids it" };
    case "ask":
      return ask(rule, call, options);
  }
}

function allow(rule: string): Verdict {
  return { kind: "allow", rule };
}

function ask(
  rule: string,
  call: ToolCallPart,
  options: PolicyOptions,
  { why, danger }: { readonly why?: string | undefined; readonly danger?: string } = {},
): Verdict {
  const shown = shownText(call);
  const exact = visible(shown);
  return {
    kind: "ask",
    rule,
    prompt: `${call.name}: ${exact}`,
    expiresInMs: options.approvalTimeoutMs(),
    ...questionOf(rule, call, {
      hidden: exact !== shown,
      sandboxed: options.sandboxed(),
      danger,
    }),
    ...(why !== undefined && { why }),
  };
}

/** What rules are matched with: nothing the model may choose, such as the order of keys, gets around one. */
function matchedText(call: ToolCallPart): string {
  const input = inputOf(call);
  return call.name === "exec" ? String(input["command"] ?? "") : canonicalJson(input);
}

function shownText(call: ToolCallPart): string {
  const input = inputOf(call);
  if (call.name !== "exec") return JSON.stringify(input);
  const directory = input["working_dir"];
  return `${String(input["command"] ?? "")}${directory === undefined ? "" : `\n(in ${String(directory)})`}`;
}

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
