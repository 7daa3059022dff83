/** Why a call asks and what could go wrong with it, for the person who decides. */
import type { ToolCallPart } from "../contract/message.ts";
import type { Verdict } from "../contract/policy.ts";

type Question = Pick<Extract<Verdict, { kind: "ask" }>, "why" | "risks">;

export interface Circumstances {
  /** The call has characters that a person would not see. */
  readonly hidden: boolean;
  readonly sandboxed: boolean;
  /** What a command of the deny list does. */
  readonly danger?: string | undefined;
}

/** @param rule a class of the table, perhaps with the words for an untrusted context behind it. */
export function questionOf(
  rule: string,
  { name }: ToolCallPart,
  { hidden, sandboxed, danger }: Circumstances,
): Question {
  const [kind = "", tainted] = rule.split(", ");
  const known = KNOWN[kind];
  const risks = [
    ...(danger === undefined ? (known?.risks ?? []) : [danger]),
    ...(tainted === undefined ? [] : ["untrusted-content"]),
    ...(name === "exec" && !sandboxed ? ["no-sandbox"] : []),
    ...(hidden ? ["hidden-characters"] : []),
  ];
  return { why: known?.why ?? `The operator's rules ask about ${name}.`, risks };
}

const KNOWN: Readonly<Record<string, { readonly why: string; readonly risks: readonly string[] }>> = {
  "exec without sandbox": { why: "Commands run without a sandbox here.", risks: [] },
  "exec deny list": { why: "The command is on the deny list.", risks: ["destructive"] },
  "write protected": { why: "The file steers the agent, or runs by itself.", risks: ["instructions"] },
  "write outside": { why: "The file is outside the workspace.", risks: ["outside-workspace"] },
  "message elsewhere": { why: "The message goes to another chat than this one.", risks: ["reaches-others"] },
  "mcp write": { why: "The tool of an MCP server may change things there.", risks: ["outside-service"] },
};
