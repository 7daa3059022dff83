/** From the policy's answer for one call to its records: allowed, refused, or asked with what the person is shown. Pure. */
import type { Millis } from "../contract/base.ts";
import type { CallFiles } from "../contract/grant.ts";
import type { ToolCallPart } from "../contract/message.ts";
import type { Verdict } from "../contract/policy.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { SessionState, TurnState } from "../contract/session.ts";
import type { Effect } from "../contract/tool.ts";
import { someMarks } from "../lib/labels.ts";
import { approvalReply } from "./questions/approval-reply.ts";
import { boundHash } from "./questions/binding.ts";
import type { ToolDeps } from "./deps.ts";

/** A client that says nothing for so long is gone. */
const CLIENT_CALL_MS = 600_000;

export interface Judged {
  /** With the label that the call was judged by. */
  readonly state: SessionState;
  readonly turn: TurnState;
  readonly call: ToolCallPart;
  /** Not always the name that was called: tools can forward. */
  readonly name: string;
  readonly effect: Effect;
  readonly callFiles: CallFiles;
}

export function verdictRecords(
  { state, turn, call, name, effect, callFiles }: Judged,
  verdict: Verdict,
  deps: Pick<ToolDeps, "hash" | "clock" | "policy" | "settings" | "buttons">,
): readonly JournalRecord[] {
  const base = {
    type: "call.judged",
    turn: turn.id,
    call: call.callId,
    effect,
    rule: verdict.rule,
    ...someMarks(state.label),
  } as const;
  // Bound to the exact call: another argument is another hash.
  const bound = (): string => boundHash(state, call, callFiles, deps.hash);
  if (verdict.kind === "allow")
    return [{ ...base, verdict: "allow", ...(verdict.by !== undefined && { by: verdict.by, hash: bound() }) }];
  if (verdict.kind === "deny") return [{ ...base, verdict: "deny", reason: verdict.reason }];
  if (!turn.attended)
    return [{ ...base, verdict: "deny", reason: "this needs an approval and nobody is there to give it" }];
  const [hash, told] = [bound(), verdict.of?.told];
  const asked = { ...questionFields(verdict, deps), hash };
  // Calls of two chats may have one id. Asked again: another question.
  const reply = `${turn.id}:${call.callId}:approval${asksAgain(turn, call) ? `:${hash.slice(0, 8)}` : ""}`;
  return [
    {
      ...base,
      verdict: "ask",
      ...asked,
      ...(verdict.of !== undefined && { by: verdict.of.person }),
      ...(callFiles.directory !== undefined && { cwd: callFiles.directory }),
    },
    ...(told === "" ? [] : [approvalReply(turn, reply, { ...asked, call: call.callId, name }, deps, told)]),
  ];
}

function questionFields(
  { prompt, expiresInMs, why, risks, grant }: Extract<Verdict, { kind: "ask" }>,
  { clock, policy }: Pick<ToolDeps, "clock" | "policy">,
): Pick<Extract<JournalRecord, { type: "call.asked" }>, "prompt" | "expiresAt" | "reason" | "risks" | "grant"> {
  return {
    prompt,
    expiresAt: clock.now() + expiresInMs,
    ...(why !== undefined && { reason: why }),
    ...(risks !== undefined && risks.length > 0 && { risks }),
    ...(grant !== undefined && {
      grant: { ...grant, ...(policy.remember !== undefined && { always: true as const }) },
    }),
  };
}

function asksAgain({ calls }: TurnState, { callId }: ToolCallPart): boolean {
  return calls.some((item) => item.call.callId === callId && item.status !== "proposed");
}

/** A client runs its tools at its own risk: only an operator's refusal keeps a call from there. */
export function clientVerdict(
  { id: turn }: TurnState,
  { callId: call, name }: ToolCallPart,
  verdict: Verdict,
  now: Millis,
): JournalRecord {
  if (verdict.kind !== "deny") return { type: "call.deferred", turn, call, name, expiresAt: now + CLIENT_CALL_MS };
  const { rule, reason } = verdict;
  return { type: "call.judged", turn, call, effect: "write", rule, verdict: "deny", reason };
}
