/** One tool call outside of any conversation: the loop's own path, without a model (R293). */
import type { JsonObject, TurnId } from "../contract/base.ts";
import type { ToolCallPart } from "../contract/message.ts";
import type { Session } from "../contract/session.ts";
import { NO_USAGE } from "../lib/usage.ts";
import type { LoopDeps } from "./deps.ts";
import { drive } from "./loop.ts";
import { textOf } from "../tools/invoke.ts";

/** Where the calls are journaled, and so seen by audit and tool history. */
export const DIRECT_SESSION = "direct:tools";

/**
 * @param session A session of its own: nothing in it is ever sent to a model.
 * @returns the text of the result, error texts included.
 */
export async function executeDirect(
  session: Session,
  name: string,
  args: JsonObject,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<string> {
  const turn = deps.ids.next("turn") as TurnId; // minted here
  const call: ToolCallPart = {
    type: "tool-call",
    callId: deps.ids.next("call") as ToolCallPart["callId"],
    name,
    input: args,
  };
  const at = deps.clock.now();
  deps.stopwatch.start(turn);
  await session.commit(
    { type: "turn.started", turn, replyTo: session.state.origin, attended: false },
    {
      type: "model.responded",
      turn,
      message: {
        role: "assistant",
        at,
        model: { provider: "direct", model: "none" },
        parts: [call],
        finish: "tool-calls",
        usage: NO_USAGE,
      },
    },
  );
  let text = "";
  const end = session.subscribe((event) => {
    if (event.type === "tool.finished" && event.message.callId === call.callId) text = textOf(event.message.parts);
  });
  try {
    // One response is the limit, so the turn ends when the call has its result.
    const settings = {
      ...deps.settings,
      maxIterations: 1,
      maxToolCalls: null,
      limitNotice: false,
      limitSummary: false,
    };
    for (
      let rested = await drive(session, () => ({ ...deps, settings }), signal);
      rested.until !== undefined;
      rested = await drive(session, () => ({ ...deps, settings }), signal)
    )
      await deps.clock.sleep(rested.until - deps.clock.now(), signal);
  } finally {
    end();
  }
  return text;
}
