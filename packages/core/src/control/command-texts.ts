/** Answers of slash commands: which text fits what was found. */
import type { StoppedWork } from "../contract/commands.ts";
import type { Usage } from "../contract/message.ts";
import { listed } from "./in-markdown.ts";
import { quarantineTexts, type QuarantineTexts } from "./quarantine-command.ts";
import { sharedTexts, type SharedTexts } from "./shared-command.ts";
import { answers, type SayAnswer } from "./texts.ts";
import { ruleTexts, type RuleTexts, trustTexts, type TrustTexts } from "./trust-texts.ts";

export interface CommandTexts extends TrustTexts, RuleTexts, SharedTexts {
  readonly help: string;
  readonly groupHelp: string;
  readonly agentHelp: string;
  readonly joined: string;
  readonly left: string;
  readonly settled: string;
  readonly onlyInGroups: string;
  readonly linkOff: string;
  readonly linkPrivate: string;
  readonly cleared: string;
  readonly owner: string;
  readonly memory: (lines: readonly string[], more: number) => string;
  readonly noMemory: string;
  readonly compact: (outcome: "started" | "nothing" | "off") => string;
  readonly usage: (usage: Usage) => string;
  readonly notAllowed: string;
  readonly unknown: (name: string, close: string | undefined) => string;
  readonly stopped: (work: StoppedWork) => string;
  readonly stoppedOne: (name: string) => string;
  readonly noSubagent: (which: string) => string;
  readonly stoppedAll: (sessions: number) => string;
  readonly resumed: (paused: boolean) => string;
  readonly restart: (possible: boolean) => string;
  readonly trusted: (was: boolean) => string;
  readonly quarantine: QuarantineTexts;
  readonly history: (rows: readonly Said[]) => string;
  readonly jobs: (lines: readonly string[] | undefined) => string;
  readonly model: (model: string, changed: boolean) => string;
  readonly noModel: (name: string) => string;
  readonly persona: (persona: string, changed: boolean) => string;
  readonly noPersona: (name: string) => string;
  readonly agent: (agent: string, rule: string, names: readonly string[]) => string;
  readonly agentChanged: (agent: string) => string;
  readonly noAgent: (name: string, names: readonly string[]) => string;
  readonly skills: (names: readonly string[]) => string;
  readonly skill: (name: string) => string;
  readonly noSkill: (name: string, names: readonly string[]) => string;
  readonly resolved: (verdict: "allow" | "deny") => string;
  readonly noApproval: (code: string) => string;
  readonly codesLocked: string;
  readonly deniedAll: (count: number) => string;
  readonly next: (isThere: boolean) => string;
  readonly onlyOnce: (code: string) => string;
  readonly whichApproval: (codes: readonly string[]) => string;
}

interface Said {
  readonly role: "user" | "assistant";
  readonly text: string;
}

export function commandTexts(language: "en" | "zh-CN"): CommandTexts {
  const say = answers(language);
  return {
    ...trustTexts(say),
    ...ruleTexts(say),
    ...sharedTexts(say),
    quarantine: quarantineTexts(say),
    ...workTexts(say),
    help: say("help"),
    groupHelp: say("help.group"),
    agentHelp: say("help.agent"),
    joined: say("group.joined"),
    left: say("group.left"),
    settled: say("group.settled"),
    onlyInGroups: say("group.only"),
    linkOff: say("link.off"),
    linkPrivate: say("link.private"),
    cleared: say("cleared"),
    owner: say("owner"),
    memory: (lines, more) =>
      lines.length === 0
        ? say("memory.empty")
        : [...lines, ...(more > 0 ? [say("memory.more", { n: more })] : [])].join("\n"),
    noMemory: say("memory.off"),
    compact: (outcome) => say(`compact.${outcome}`),
    usage: (usage) => usageText(usage, say),
    notAllowed: say("notAllowed"),
    unknown: (name, close) => (close === undefined ? say("unknown", { name }) : say("unknown.near", { name, close })),
    trusted: (was) => say(was ? "trusted" : "trusted.already"),
    history: (rows) =>
      rows.length === 0
        ? say("history.none")
        : rows.map(({ role, text }) => say(`history.${role}`, { text })).join("\n"),
    jobs: (lines) => (lines === undefined ? say("jobs.off") : lines.length === 0 ? say("jobs.none") : lines.join("\n")),
    model: (model, changed) => say(changed ? "model.changed" : "model", { model }),
    noModel: (name) => say("model.unknown", { name }),
    persona: (persona, changed) => say(changed ? "persona.changed" : "persona", { persona }),
    noPersona: (name) => say("persona.unknown", { name }),
    agent: (agent, rule, names) => say("agent", { agent, rule, names: names.join(say("comma")) }),
    agentChanged: (agent) => say("agent.changed", { agent }),
    noAgent: (name, names) => say("agent.unknown", { name, names: names.join(say("comma")) }),
    skills: (names) => (names.length === 0 ? say("skills.none") : say("skills", { names: names.join(say("comma")) })),
    skill: (name) => say("skill", { name }),
    noSkill: (name, names) =>
      names.length === 0
        ? say("skill.unknown", { name })
        : say("skill.others", { name, names: names.join(say("comma")) }),
    resolved: (verdict) => say(`resolved.${verdict}`),
    onlyOnce: (code) => say("onlyOnce", { code }),
    noApproval: (code) => say("noApproval", { code }),
    codesLocked: say("codes.locked"),
    deniedAll: (n) => say("digest.denied", { n }),
    next: (isThere) => say(isThere ? "digest.next" : "digest.none"),
    whichApproval: (codes) =>
      codes.length === 0 ? say("which.none") : say("which", { codes: codes.join(say("comma")) }),
  };
}

/** Of what stops and goes on. */
function workTexts(
  say: SayAnswer,
): Pick<CommandTexts, "stopped" | "stoppedOne" | "noSubagent" | "stoppedAll" | "resumed" | "restart"> {
  return {
    stopped: (work) => stoppedText(work, say),
    stoppedOne: (name) => say("stopped.one", { name }),
    noSubagent: (which) => say("stopped.unknown", { which }),
    stoppedAll: (sessions) => say("stopped.all", { n: sessions }),
    resumed: (paused) => say(paused ? "resumed" : "resumed.running"),
    restart: (possible) => say(possible ? "restart" : "restart.impossible"),
  };
}

function stoppedText({ turn, calls, subagents, messages }: StoppedWork, say: SayAnswer): string {
  const stopped = [
    ...(turn === undefined ? [] : [turn === "" ? say("stopped.turn") : say("stopped.answer", { turn })]),
    ...calls,
    ...subagents.map((name) => say("stopped.subagent", { name })),
  ];
  if (stopped.length + messages.length === 0) return say("stopped.nothing");
  return [
    ...listed(say(stopped.length === 0 ? "stopped.waiting" : "stopped"), stopped),
    ...(messages.length === 0 ? [] : listed(say("stopped.messages", { n: messages.length }), messages)),
  ].join("\n");
}

function usageText({ input, output, cacheRead, costUsd, estimated }: Usage, say: SayAnswer): string {
  const share = input === 0 ? 0 : Math.round((100 * cacheRead) / input);
  return [
    say("usage.input", { input, share }),
    say("usage.output", { output }),
    say("usage.cost", { cost: costUsd === undefined ? say("usage.unknown") : `$${costUsd.toFixed(4)}` }),
    ...(estimated === true ? [say("usage.estimated")] : []),
  ].join("\n");
}
