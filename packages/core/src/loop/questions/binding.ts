/** What an answer is bound to: the exact call, the conversation, and what the call would find now. */
import type { ToolCallPart } from "../../contract/message.ts";
import type { CallFiles } from "../../contract/grant.ts";
import type { SessionState } from "../../contract/session.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { prepare } from "../../tools/prepare.ts";
import type { ToolDeps } from "../deps.ts";

export type BindingDeps = Pick<ToolDeps, "hash" | "tools" | "callFiles">;

/** SHA-256 of the call with its session, directory, target and the content of the scripts it runs. */
export function boundHash(
  { id }: Pick<SessionState, "id">,
  call: ToolCallPart,
  callFiles: CallFiles,
  hash: ToolDeps["hash"],
): string {
  // The key is part of every hash that a journal holds: it keeps its name.
  const bound = { session: id, call: call.callId, tool: call.name, input: call.input, surroundings: callFiles };
  return hash(canonicalJson(bound));
}

/** The same, of what is there now. @returns undefined when the call can't run any more. */
export async function currentHash(
  state: SessionState,
  call: ToolCallPart,
  { hash, tools, callFiles }: BindingDeps,
): Promise<string | undefined> {
  const prepared = await prepare(tools, call);
  return prepared.ok ? boundHash(state, call, callFiles(prepared.tool.name, prepared.input), hash) : undefined;
}
