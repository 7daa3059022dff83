// Reads a turn to its end; the clock goes on by itself whenever the turn waits to try something again.
import type { Turn, TurnOutcome } from "../../src/contract/agent.ts";
import type { AgentEvent } from "../../src/contract/event.ts";
import type { Started } from "./agent.ts";

export async function finishTurn(
  { agent, clock }: Pick<Started, "agent" | "clock">,
  turn: Turn,
  onEvent: (event: AgentEvent) => void | Promise<void> = () => {},
): Promise<{ readonly outcome: TurnOutcome; readonly events: readonly AgentEvent[] }> {
  const events: AgentEvent[] = [];
  for await (const event of turn) {
    events.push(event);
    await onEvent(event);
    if (event.type !== "model.failed" && event.type !== "tool.failed") continue;
    if (event.retryAt === undefined) continue;
    await agent.idle(); // It rests until `retryAt`; no request and no tool runs into its own deadline.
    await clock.advance(Math.max(0, event.retryAt - clock.now()));
  }
  return { outcome: await turn.finished, events };
}
