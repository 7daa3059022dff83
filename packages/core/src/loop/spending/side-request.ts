/** One small request beside the conversations: budgets hold, what it cost is journaled, nothing enters a context. */
import type { SideRequest, WithUsage } from "../../contract/agent.ts";
import type { AssistantPart, ModelRef, UserMessage } from "../../contract/message.ts";
import type { Session } from "../../contract/session.ts";
import { RuntimeError } from "../../lib/errors/errors.ts";
import { NO_USAGE } from "../../lib/usage.ts";
import type { ModelDeps, ToolDeps } from "../deps.ts";
import { countCost } from "./count-cost.ts";

/**
 * @param session Where the cost is counted.
 * @returns undefined when no budget has room for it.
 * @throws RuntimeError as the provider does; nothing is repeated. `signal.reason` when aborted.
 */
export async function sideRequest(
  session: Session,
  request: SideRequest,
  deps: ModelDeps & Pick<ToolDeps, "hash">,
  signal: AbortSignal,
): Promise<readonly AssistantPart[] | undefined> {
  const { state } = session;
  const { purpose, system, text, tools = [], maxOutputTokens } = request;
  const id = `a${state.seq}`;
  const model: ModelRef = request.model ?? deps.model;
  const prefix = { hash: deps.hash(system), system, tools };
  const from = { id: purpose, kind: "schedule" as const };
  const said: UserMessage = { role: "user", id, at: deps.clock.now(), from, parts: [{ type: "text", text }] };
  const messages = [said];
  const ask = async (): Promise<WithUsage<readonly AssistantPart[]>> => {
    const parts: AssistantPart[] = [];
    let usage = NO_USAGE;
    let done = false;
    const events = deps.provider(model).stream(
      {
        id,
        model: model.model,
        prefix,
        messages,
        sampling: { maxOutputTokens, thinking: "off", toolChoice: tools.length > 0 ? "auto" : "none" },
        cacheKey: `${state.id}-${purpose}`,
        media: () => Promise.reject(new Error("a side request carries no media")),
        patience: { attempts: 0, empty: 0 },
      },
      signal,
    );
    for await (const event of events) {
      if (event.type === "part") parts.push(event.part);
      if (event.type !== "done") continue;
      ({ usage } = event);
      done = true;
    }
    if (done) return { value: parts, usage };
    throw new RuntimeError("provider.truncated", "The model's stream ended before it was done.", { retryable: true });
  };
  const tokens = deps.size({ ...state, prefix, messages }) + maxOutputTokens;
  return (await countCost(session, { purpose, model, tokens }, ask, deps))?.value;
}
