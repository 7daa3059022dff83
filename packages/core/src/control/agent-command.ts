/** `/agent`: which agent a conversation works with, and by which rule; with a name another one from the next turn on. */
import type { CommandActions } from "./actions.ts";
import type { Session } from "../contract/session.ts";
import { MAIN } from "../lib/audience.ts";
import type { CommandTexts } from "./command-texts.ts";

interface Asked {
  readonly session: Session;
  readonly argument: string | undefined;
  readonly actions: Pick<CommandActions, "agents">;
  readonly texts: CommandTexts;
}

/** Takes a choice back: the bindings decide again. */
const NONE = "none";

/** Whether there is anything to choose: without agents there is no such command. */
export function hasAgents({ agents }: Pick<CommandActions, "agents">, { state }: Pick<Session, "state">): boolean {
  return agents?.names(state.audience) !== undefined;
}

export async function agentCommand({ session, argument, actions: { agents }, texts }: Asked): Promise<string> {
  const names = [MAIN, ...(agents?.names(session.state.audience) ?? [])];
  if (argument !== undefined && argument !== NONE && !names.includes(argument)) return texts.noAgent(argument, names);
  const agent = argument === NONE ? null : argument;
  if (agent !== undefined && (agent ?? undefined) !== session.state.agent)
    await session.commit({ type: "session.configured", agent, reset: false });
  const { agent: name, rule } = agents?.of(session.state) ?? { agent: MAIN, rule: MAIN };
  return argument === undefined ? texts.agent(name, rule, names) : texts.agentChanged(name);
}
