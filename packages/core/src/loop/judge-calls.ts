/** Proposed calls: the policy's one answer for each, before anything runs. */
import type { ToolCallPart } from "../contract/message.ts";
import type { Verdict } from "../contract/policy.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Session, SessionState, TurnState } from "../contract/session.ts";
import { isHostCalling } from "../lib/host-calls.ts";
import { PLAIN, someMarks } from "../lib/labels.ts";
import { prepare } from "../tools/prepare.ts";
import { boundHash } from "./questions/binding.ts";
import type { LoopDeps } from "./deps.ts";
import { inTurn } from "./in-turn.ts";
import { approvalPrompt } from "./texts.ts";
import { NOT_EXECUTED, toolFinished } from "./tool-result.ts";

/** A client that says nothing for so long is gone. */
const CLIENT_CALL_MS = 600_000;

/** One verdict per call, in one commit. Calls that can't run (unknown tool, bad arguments) get their result here. */
export async function judge(session: Session, calls: readonly ToolCallPart[], deps: LoopDeps): Promise<void> {
  const { state } = session;
  const turn = inTurn(session);
  // What the host calls is in no context: it is the host's own word.
  const judged = isHostCalling(state) ? { ...state, label: PLAIN } : state;
  const records: JournalRecord[] = [];
  for (const call of calls) {
    if (isOfClient(state, deps, call)) {
      records.push(await judgeOfClient(session, call, deps));
      continue;
    }
    const prepared = await prepare(deps.tools, call);
    if (!prepared.ok) {
      const refused = { status: "error", parts: [{ type: "text", text: prepared.text }] } as const;
      records.push(await toolFinished(session, call, refused, NOT_EXECUTED, deps));
      continue;
    }
    const { effect, name } = prepared.tool; // not always the name that was called: tools can forward
    const callFiles = deps.callFiles(name, prepared.input);
    const verdict = await deps.policy.judge(
      { ...call, name, input: prepared.input as ToolCallPart["input"] },
      { state: judged, origin: turn.replyTo, attended: turn.attended, effect, callFiles },
    ); // validated JSON
    const base = {
      type: "call.judged",
      turn: turn.id,
      call: call.callId,
      effect,
      rule: verdict.rule,
      ...someMarks(judged.label),
    } as const;
    // Bound to the exact call: another argument is another hash.
    const bound = (): string => boundHash(state, call, callFiles, deps.hash);
    if (verdict.kind === "allow")
      records.push({ ...base, verdict: "allow", ...(verdict.by !== undefined && { by: verdict.by, hash: bound() }) });
    else if (verdict.kind === "deny") records.push({ ...base, verdict: "deny", reason: verdict.reason });
    else if (!turn.attended)
      records.push({ ...base, verdict: "deny", reason: "this needs an approval and nobody is there to give it" });
    else {
      const hash = bound();
      records.push(
        {
          ...base,
          verdict: "ask",
          ...questionFields(verdict, deps),
          hash,
          ...(callFiles.directory !== undefined && { cwd: callFiles.directory }),
        },
        {
          type: "reply.queued",
          // Calls of two chats may have one id. Asked again: another question.
          reply: `${turn.id}:${call.callId}:approval${asksAgain(turn, call) ? `:${hash.slice(0, 8)}` : ""}`,
          to: turn.replyTo,
          kind: "approval",
          parts: [{ type: "text", text: approvalPrompt(deps.settings.language, name, verdict.prompt, call.callId) }],
        },
      );
    }
  }
  await session.record(...records);
}

function questionFields(
  { prompt, expiresInMs, why, risks, grant }: Extract<Verdict, { kind: "ask" }>,
  { clock, policy }: LoopDeps,
): Pick<Extract<JournalRecord, { type: "call.judged" }>, "prompt" | "expiresAt" | "reason" | "risks" | "grant"> {
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

/** Ours win: a tool that came later under the name of one of the client's is not handed out. */
function isOfClient({ clientTools }: SessionState, { tools }: LoopDeps, { name }: ToolCallPart): boolean {
  return clientTools?.some((tool) => tool.name === name) === true && tools.get(name) === undefined;
}

/** The client runs it at its own risk: only an operator's refusal keeps it from there. */
async function judgeOfClient(session: Session, call: ToolCallPart, deps: LoopDeps): Promise<JournalRecord> {
  const turn = inTurn(session);
  const { state } = session;
  const { attended, replyTo: origin, id } = turn;
  // Whether it reads or writes there is nothing that we know.
  const verdict = await deps.policy.judge(call, { state, origin, attended, effect: "read" });
  if (verdict.kind === "deny")
    return {
      type: "call.judged",
      turn: id,
      call: call.callId,
      effect: "write",
      rule: verdict.rule,
      verdict: "deny",
      reason: verdict.reason,
    };
  const expiresAt = deps.clock.now() + CLIENT_CALL_MS;
  return { type: "call.deferred", turn: id, call: call.callId, name: call.name, expiresAt };
}
