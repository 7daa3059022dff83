/** What is asked of an agent beside the turns: by the program, and by tools that work through it. */
import type { Agent } from "./contract/agent.ts";
import type { AgentOptions } from "./contract/agent-options.ts";
import type { MessageBus } from "./contract/bus.ts";
import type { Address } from "./contract/message.ts";
import type { Session, SessionState } from "./contract/session.ts";
import type { SessionStore } from "./contract/store.ts";
import { type EmergencyStop, emergencyStopped } from "./control/emergency-stop.ts";
import { askAbout } from "./extraction/extraction.ts";
import { originOf, sessionKeyOf } from "./lib/session-key.ts";
import { queueFromTool, type ToolSendDeps } from "./loop/delivery/queue-reply.ts";
import type { LoopDeps } from "./loop/deps.ts";
import { sideRequest } from "./loop/spending/side-request.ts";
import { countCost } from "./loop/spending/count-cost.ts";
import { DIRECT_SESSION, type DirectCalls } from "./seeds/direct-call.ts";
import type { Reading } from "./people/reading.ts";
import { isUnused } from "./session/is-unused.ts";
import type { Subagents } from "./subagents/subagents.ts";

export interface RequestDeps {
  readonly open: (key: string, origin: Address) => Promise<Session>;
  readonly find: (key: string) => Promise<Session | undefined>;
  readonly byId: (id: Session["state"]["id"]) => Session | undefined;
  readonly send: MessageBus["send"];
  readonly deps: () => LoopDeps;
  /** Of a conversation. */
  readonly depsOf: (state: SessionState) => LoopDeps;
  readonly direct: Pick<DirectCalls, "execute">;
  readonly subagents: Subagents | undefined;
  readonly emergencyStop: Pick<EmergencyStop, "on" | "signal">;
  readonly closing: AbortSignal;
  readonly options: Pick<AgentOptions, "isContact" | "sessionOf">;
  readonly sessions: Pick<SessionStore, "gone">;
  readonly reading: Reading | undefined;
  /** Absent: everybody who is admitted reads what the operator may. */
  readonly asking: (Pick<Agent, "askPerson"> & Pick<ToolSendDeps, "asks">) | undefined;
}

type Requests = Pick<
  Agent,
  "ask" | "askPerson" | "countCost" | "executeTool" | "spawn" | "extract" | "subagents" | "cancelSubagent" | "queue"
>;

export function createRequests({
  open,
  find,
  byId,
  send,
  deps,
  depsOf,
  direct,
  subagents,
  emergencyStop,
  closing,
  options,
  sessions,
  reading,
  asking,
}: RequestDeps): Requests {
  /** For what is asked beside the turns: the session it is counted in, and a signal that the emergency stop aborts too. */
  const countedIn = async (sessionKey: string, signal: AbortSignal) => {
    if (emergencyStop.on) throw emergencyStopped();
    const session = await open(sessionKey, originOf(sessionKey));
    return { session, stopped: AbortSignal.any([signal, closing, emergencyStop.signal]) };
  };
  const isKnown = async (to: Address): Promise<boolean> =>
    options.isContact?.(to.channel, to.chat) === true ||
    (await sessions.gone?.())?.some(({ key }) => key === sessionKeyOf(to)) === true;
  return {
    ask: async (sessionKey, request, signal) => {
      const { session, stopped } = await countedIn(sessionKey, signal);
      const { audience } = request;
      if (audience !== undefined && session.state.audience === undefined && isUnused(session.state))
        await session.commit({ type: "audience.set", audience });
      return sideRequest(session, request, depsOf(session.state), stopped);
    },
    askPerson: async (request) => asking?.askPerson(request),
    countCost: async (sessionKey, estimate, request, signal) => {
      const { session, stopped } = await countedIn(sessionKey, signal);
      return countCost(session, estimate, () => request(stopped), deps());
    },
    executeTool: async (name, args, given = {}) => {
      const session = await open(given.sessionKey ?? DIRECT_SESSION, { channel: "direct", chat: "tools" });
      return direct.execute(session, name, args, given.signal ?? closing);
    },
    spawn: async (request) => {
      if (subagents === undefined) return "Error: there are no subagents here. Next: do the task yourself.";
      if (request.origin !== undefined) await open(sessionKeyOf(request.origin), request.origin);
      return subagents.spawn(request);
    },
    extract: async (request) => {
      const session = byId(request.session);
      return session === undefined ? undefined : askAbout(session, request, depsOf(session.state));
    },
    subagents: (parent) => subagents?.list(parent) ?? [],
    cancelSubagent: (key) => subagents?.cancel(key) ?? Promise.resolve(false),
    queue: (message) =>
      queueFromTool(message, {
        byId,
        find,
        isKnown,
        send,
        ...(options.sessionOf !== undefined && { sessionOf: options.sessionOf }),
        language: () => deps().settings.language,
        ...(reading !== undefined && { marksFor: reading.marksFor }),
        ...(asking?.asks !== undefined && { asks: asking.asks }),
      }),
  };
}
